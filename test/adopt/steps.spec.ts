/** Steps that the command prints after the definitions: its module starts, and receives the content. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MikroORM } from '@mikro-orm/core';
import { type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CONTENT_ORM } from 'nestjs-content-api';
import { run } from '../../src/module/command-line.ts';
import { SECRET } from '../accounts/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { entity, typeSchema, writeArchive } from './small-archive.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const NOTE = 'api::note.note';
const LOCALES = ['en', 'fr'].map((code, i) => entity('plugin::i18n.locale', i + 1, { code, name: code }));
const env = { ...process.env };

let folder: string;
let database: TestDatabase;
let source: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steps-'));
  database = await createDatabase();
  process.env['DATABASE_URL'] = database.url;
  process.env['JWT_SECRET'] = SECRET;
  source = await writeArchive(join(folder, 'archive'), {
    version: '5.54.0',
    schemas: [typeSchema('note', { title: { type: 'string' } })],
    entities: [...LOCALES, entity(NOTE, 1, { documentId: 'one', title: 'One', publishedAt: null })],
  });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});

afterAll(async () => {
  process.env = { ...env };
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const adopt = (...args: readonly string[]): Promise<string> =>
  run(['adopt', source, '--report', join(folder, 'report'), '--work', join(folder, 'work'), ...args], {
    env: process.env,
    say: () => undefined,
  });

it('prints the module of docs/from-strapi.md, which needs its tables and then receives the content', async () => {
  const printed = await adopt('--out', join(folder, 'content'));
  const [code = ''] = /import \{ Module \}[\s\S]*export class AppModule \{\}\n/.exec(printed) ?? [];
  const module = code.replace(/'[^']*\/content\/index\.js'/, "'./content/index.js'");
  expect(await readFile(join(ROOT, 'docs/from-strapi.md'), 'utf8')).toContain(`\`\`\`typescript\n${module}`);

  const file = join(folder, 'app.module.ts');
  await writeFile(file, module);
  await expect(adopt('--module', file)).rejects.toThrow(
    'does not have the tables of the model. Create them first: npx nestjs-content-api migration --apply',
  );
  const { AppModule } = (await import(pathToFileURL(file).href)) as { AppModule: Type<object> };
  const app = await NestFactory.create(AppModule, { logger: false });
  await app.get<MikroORM>(CONTENT_ORM).schema.update({ safe: true });
  await app.close();
  expect(await adopt('--module', file)).toContain('Moved: 1 new');
});

it('hides in the content of an archive what the configuration of its project hides', async () => {
  const [project, out] = [join(folder, 'configured'), join(folder, 'hidden')];
  const schema = join(project, 'src/api/note/content-types/note');
  for (const path of [schema, join(project, 'config')]) await mkdir(path, { recursive: true });
  await writeFile(join(schema, 'schema.json'), JSON.stringify(typeSchema('note', {})));
  await writeFile(
    join(project, 'config/api.js'),
    "module.exports = { responses: { privateAttributes: ['title'] } };",
  );
  await adopt('--out', out, '--project', project);
  expect(await readFile(join(out, 'types/note.ts'), 'utf8')).toContain('private: true');
});

it('prints a module without locales for the folder of a project, which does not name them', async () => {
  const project = join(folder, 'project/src/api/note/content-types/note');
  await mkdir(project, { recursive: true });
  await writeFile(join(project, 'schema.json'), JSON.stringify(typeSchema('note', {})));
  source = join(folder, 'project');
  const printed = await adopt('--out', join(folder, 'other'), '--overwrite');
  expect(printed).not.toContain('defaultLocale');
  expect(printed).toContain('Write grants into access.ts');
  expect(printed).toContain('Export the content in Strapi');
});

it('asks for the locales of a localized project, which its folder does not name', async () => {
  const project = join(folder, 'localized/src/api/note/content-types/note');
  await mkdir(project, { recursive: true });
  const localized = typeSchema('note', {}, { pluginOptions: { i18n: { localized: true } } });
  await writeFile(join(project, 'schema.json'), JSON.stringify(localized));
  source = join(folder, 'localized');
  expect(await adopt('--out', join(folder, 'other'), '--overwrite')).toContain(
    'Add `locales` and `defaultLocale`',
  );
});
