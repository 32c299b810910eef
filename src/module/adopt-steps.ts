/** Steps that follow the definitions of an adopted project, as the command prints them. */
import { relative, sep } from 'node:path';
import type { Source } from '../features/adopt/source.js';
import { isModelMismatch } from '../kernel/postgres-errors.js';
import { UsageError } from './command.js';

/** Command that brings the tables of a running site to the model. */
const APPLY = 'npx nestjs-content-api migration --apply --module dist/app.module.js#AppModule';

/** Throws a UsageError instead of an error about missing tables. */
export function explainTables(error: unknown): never {
  if (!isModelMismatch(error)) throw error;
  throw new UsageError(`The database does not have the tables of the model. Create them first: ${APPLY}`);
}

/** Returns the folder of the definitions as a file in `src` imports it. */
function specifierOf(out: string): string {
  const path = relative('src', out).split(sep).join('/');
  return path.startsWith('.') ? path : `./${path}`;
}

/** Returns a module with the definitions, and with all that Strapi has: users, API tokens and files. */
function adoptedModule(out: string, hasLocales: boolean): string {
  const names = ['access', 'components', 'contentTypes', ...(hasLocales ? ['defaultLocale', 'locales'] : [])];
  const locales = hasLocales ? '\n      locales,\n      defaultLocale,' : '';
  return `import { Module } from '@nestjs/common';
import { ContentModule } from 'nestjs-content-api';
import { ApiTokensModule, apiTokenType, UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { FilesModule, LocalStorage, SharpImages } from 'nestjs-content-api/files';
import { ${[...names, 'userAttributes'].join(', ')} } from '${specifierOf(out)}/index.js';

@Module({
  imports: [
    ContentModule.forRoot({
      contentTypes: [...contentTypes, ...userTypes(userAttributes), apiTokenType],
      components,
      access,${locales}
      database: { clientUrl: process.env['DATABASE_URL'] ?? 'postgresql://localhost/content' },
    }),
    ApiTokensModule,
    UsersModule.forRoot({ secret: process.env['JWT_SECRET'] ?? '' }),
    FilesModule.forRoot({ storage: new LocalStorage('uploads'), images: new SharpImages() }),
  ],
})
export class AppModule {}
`;
}

/** Returns what to check in the module: only an export has permissions, and a project has no locales. */
function checksOf({ content, isLocalized }: Source): string {
  if (content?.survey.rest === false) return 'Check access.ts: it grants what the roles of Strapi could do.';
  const locales =
    content === null && isLocalized
      ? '\n     Add `locales` and `defaultLocale`: only an export names those of Strapi.'
      : '';
  const grants = 'only an export has permissions, and without grants each response is a 403.';
  return `Write grants into access.ts: ${grants}${locales}`;
}

/** Returns the steps after the definitions were written into a folder. */
export function nextSteps(out: string, source: Source): string {
  const { content, location } = source;
  const last =
    content === null
      ? 'Export the content in Strapi ("strapi export"), and adopt the archive with --module.'
      : `Move the content: npx nestjs-content-api adopt ${location} --module dist/app.module.js#AppModule`;
  return `
Next:
  1. Import the definitions into your module, src/app.module.ts for example:

${adoptedModule(out, content !== null)}
     ${checksOf(source)}
  2. Install what you need: "npm install sharp" makes formats of pictures, "npm install bcryptjs" keeps passwords.
  3. Build the application, and create its tables: ${APPLY}
  4. ${last}`;
}
