/** Command `migration`: writes a migration from the content in the database to the model. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import type { ContentMigration } from '../features/evolution/migrate.js';
import { irreversibleReason, migrationFile } from '../features/evolution/migration-file.js';
import { CONTENT_SCHEMA, type Schema } from '../content/model/model.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../kernel/settings.js';
import { importModule, openContext, UsageError } from './command.js';
import { applyMigration, type MigrationProgress } from './content.apply-migration.js';
import { migrationOn } from './content.migration.js';
import { CONTENT_ORM } from './content.orm.js';

const FOLDER = 'migrations';

const MIGRATION_USAGE = `Usage: nestjs-content-api migration --module <file>[#<export>] [options]

  Compares the model with the content in the database and writes a migration for MikroORM's migrator, tables and
  content. If content would be lost, it lists the losses and writes no migration.

  --module <file>[#<export>]   compiled Nest module of the application, for example dist/app.module.js#AppModule.
  --path <folder>              folder of migrations; default "${FOLDER}".
  --name <name>                added to the name of the file.
  --dry-run                    prints the changes, and writes nothing.
  --apply                      applies the changes to a running site, and writes no file. It refuses --path and --name.
  --help                       prints this text.
`;

interface Options {
  readonly path?: string | undefined;
  readonly name?: string | undefined;
  readonly 'dry-run': boolean;
  readonly apply: boolean;
}

const changesOf = ({ changes }: ContentMigration): string =>
  changes.length === 0 ? 'Only tables change' : changes.map((line) => `  ${line}`).join('\n');

/** Throws a UsageError that lists what would be lost. */
function checkLosses({ refusals }: ContentMigration): void {
  if (refusals.length === 0) return;
  const lines = refusals.map(({ text }) => `  ${text}`);
  throw new UsageError(['No migration is written, because content would be lost:', ...lines].join('\n'));
}

async function write(migration: ContentMigration, { path = FOLDER, name }: Options): Promise<string> {
  const time = new Date().toISOString().replace(/[-T:]|\.\d{3}Z$/g, '');
  const className = `Migration${time}${name === undefined ? '' : `_${name.replace(/\W+/g, '_')}`}`;
  const file = join(path, `${className}.cjs`);
  await mkdir(path, { recursive: true });
  await writeFile(file, migrationFile(className, migration), { flag: 'wx' });
  const reason = irreversibleReason(migration);
  const note = reason === null ? '' : `. It cannot be reverted: ${reason}`;
  return `${changesOf(migration)}\nWritten to ${file}${note}`;
}

/** Prints the progress in whole percents, once each. */
function progress(): (progress: MigrationProgress) => void {
  let shown = '';
  return ({ at, done, last }) => {
    const line = `${at}: ${Math.floor((100 * done) / last)} %`;
    if (line !== shown) process.stderr.write(`${line}\n`);
    shown = line;
  };
}

/** Runs the command and returns its output. Throws an Error whose message is for the user. */
export async function runMigration(args: readonly string[]): Promise<string> {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      module: { type: 'string' },
      path: { type: 'string' },
      name: { type: 'string' },
      'dry-run': flag,
      apply: flag,
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return MIGRATION_USAGE.trimEnd();
  if (values.module === undefined) throw new UsageError(MIGRATION_USAGE);
  if (values.apply && (values.path ?? values.name) !== undefined)
    throw new UsageError('--apply writes no file: leave out --path and --name');
  const app = await openContext(await importModule(values.module));
  try {
    return await migrate(app, values);
  } finally {
    await app.close();
  }
}

async function migrate(app: INestApplicationContext, options: Options): Promise<string> {
  const anywhere = { strict: false };
  const schema = app.get<Schema>(CONTENT_SCHEMA, anywhere);
  const { defaultLocale, locales } = app.get<ContentSettings>(CONTENT_SETTINGS, anywhere);
  const orm = app.get<Parameters<typeof migrationOn>[0]>(CONTENT_ORM, anywhere);
  const migration = await migrationOn(orm, { schema, defaultLocale, locales });
  if (migration.up.length === 0) return 'The content in the database matches the model';
  checkLosses(migration);
  if (options['dry-run']) return changesOf(migration);
  if (!options.apply) return write(migration, options);
  await applyMigration(orm, migration, progress());
  return `${changesOf(migration)}\nDone`;
}
