/** Creates the migration from the stored model of a database to a new model. */
import { logEverything } from '../../content/compile/compile-change-log.js';
import { missingTriggers } from '../../content/compile/compile-triggers.js';
import { modelTableOf } from '../../content/model/model-table.js';
import type { Schema } from '../../content/model/model.js';
import { namedSchema, splitTable } from '../../content/model/naming.js';
import { besideTable, typeTable } from '../../content/model/table-shapes.js';
import { type Identifier, join, quote, script, type Sql, sql } from '../../kernel/sql.js';
import { changesOf, isUndone } from './changes.js';
import { describeModel, digestOf, type ModelDescription, schemaOf } from '../../content/model/description.js';
import { foundColumns, foundLocales, foundModel } from './found-model.js';
import {
  mergedRecords,
  withoutBackfills,
  NOTHING_ONLINE,
  type OnlineMigration,
  backfillRecordOf,
} from './online.js';
import { type Evolution, evolutionOf, inverseOf, type Side } from './pairs.js';
import {
  lossCountQuery,
  type Loss,
  lossesOf,
  onlineStatementsOf,
  type PlannedChanges,
  statementsOf,
  lossMessage,
  MAX_NAMED,
} from './plan-migration.js';
import { recreateIndex, createIndexConcurrently } from './table-steps.js';
import {
  deleteBackfillRecord,
  beginMigration,
  type Expected,
  saveBackfillRecord,
  saveModel,
  type StoredModel,
  storedModel,
  parseStoredModel,
} from './stored-model.js';

export type Run = (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Loss of values that the definitions do not allow. */
export interface ContentRefusal {
  /** Changed part: `article.title`. */
  readonly at: string;
  /** Message: the change, the number of rows with examples, and the setting that allows the loss. */
  readonly text: string;
  readonly rows: number;
}

/** Content migration as SQL statements. */
export interface ContentMigration {
  /** Statements to the new model; empty if the database already has it. Run them in one transaction. */
  readonly up: readonly string[];
  /**
   * The same as `up` for a running site: long data steps in batches, a short transaction, and indexes that
   * block no request. `migrateContent` and the command with `--apply` run it.
   */
  readonly online: OnlineMigration;
  /** Statements back; null if reverting would lose values, and for the first migration. */
  readonly down: readonly string[] | null;
  /** Whether the database has no stored model to go back to. */
  readonly isFirst: boolean;
  /** Descriptions of the changes, one sentence each. */
  readonly changes: readonly string[];
  /** Losses that prevent the migration. The statements check for them, too. */
  readonly refusals: readonly ContentRefusal[];
}

async function readStoredModel(run: Run, schema: Schema): Promise<StoredModel | null> {
  const table = modelTableOf(schema.file);
  const [there] = await run(
    script(sql`select to_regclass(${quote(table, 'reference')}) is not null as there`),
  );
  if (there?.['there'] !== true) return null;
  const [row] = await run(script(storedModel(schema)));
  return parseStoredModel(row);
}

/** The statement that creates the model's PostgreSQL schema; none for a schema that exists. */
async function createSchemaStatements(run: Run, { file }: Schema): Promise<string[]> {
  const name = namedSchema(file.table);
  if (name === null) return [];
  const [row] = await run(
    script(sql`select to_regnamespace(${quote(name, 'reference')}) is null as missing`),
  );
  return row?.['missing'] === true ? [script(sql`create schema if not exists ${quote(name)}`)] : [];
}

async function refusalOf(run: Run, loss: Loss): Promise<ContentRefusal[]> {
  const [row] = await run(script(lossCountQuery(loss)));
  const rows = Number(row?.['n'] ?? 0);
  if (rows === 0) return [];
  const [head, tail] = lossMessage(loss);
  const few = typeof row?.['few'] === 'string' ? row['few'] : '';
  const more = rows > MAX_NAMED ? ', …' : '';
  return [{ at: loss.at, rows, text: `${head}${rows} (${few}${more})${tail}` }];
}

interface Transition {
  readonly from: Expected;
  readonly to: ModelDescription;
  readonly statements: readonly string[];
}

/**
 * Returns the statements from the model `from` to the model `to`. They record a change of all types, so
 * running processes discard cached responses: no trigger reports a dropped column.
 */
function transitionStatements({ before, after }: Evolution, { from, to, statements }: Transition): string[] {
  const kept = [...before.schema.types.keys()];
  return [
    script(beginMigration(after.schema, from)),
    ...statements,
    script(deleteBackfillRecord(after.schema)),
    ...(kept.length === 0 ? [] : [script(logEverything(after.schema.file, kept))]),
    script(saveModel(after.schema, to)),
  ];
}

interface OnlineTransition extends Omit<Transition, 'statements'> {
  readonly plan: PlannedChanges;
  readonly createSchema: readonly string[];
}

/** Returns the statements for a running site. Backfills need the table with their record. */
function onlineMigration(
  evolution: Evolution,
  { plan, createSchema, ...way }: OnlineTransition,
): OnlineMigration {
  const { schema } = evolution.after;
  const changes = way.from.digest === null ? withoutBackfills(plan.changes) : plan.changes;
  const { backfills, step, after } = onlineStatementsOf({ ...plan, changes });
  const work = mergedRecords(plan.abandoned, backfillRecordOf(changes));
  const from = { ...way.from, records: [...way.from.records, work] };
  const check = script(beginMigration(schema, from));
  return {
    begin: backfills.length === 0 ? [] : [check, script(saveBackfillRecord(schema, digestOf(way.to), work))],
    // Another process may have migrated in the meantime.
    backfills: backfills.map((one) => ({ ...one, prepare: [check, ...one.prepare] })),
    step: [...createSchema, ...transitionStatements(evolution, { ...way, from, statements: step })],
    after,
  };
}

const BACKFILL_REMOVED = 'The data of an interrupted migration to another model is removed';

/** First line of the changes if the tables were created without the library's migrations. */
const MODEL_ASSUMED =
  'The database has no stored content model: this migration assumes the current one, as far as its tables ' +
  'and columns exist';

const emptySide = (goal: Side): Side => ({
  ...goal,
  schema: { ...goal.schema, types: new Map(), components: new Map() },
});

const sideOf = (description: ModelDescription, { schema }: Side): Side => ({
  ...description,
  schema: schemaOf(description, splitTable(schema.file.table).schema),
});

/**
 * Returns the model of a database as the side `before`. `hasCurrentTriggers` is true if no change log trigger
 * is missing.
 */
async function beforeOf(run: Run, description: ModelDescription | null, goal: Side): Promise<Side> {
  if (description === null) return emptySide(goal);
  const side = sideOf(description, goal);
  const [row] = await run(script(missingTriggers(side.schema)));
  return { ...side, hasCurrentTriggers: row?.['n'] === 0 };
}

/** Reconstructs the model of a database without a stored model from its tables, columns and locales. */
async function modelFromTables(run: Run, goal: Side): Promise<ModelDescription | null> {
  const found = foundModel(goal, await run(script(foundColumns(goal))));
  const locales = found === null ? null : foundLocales(goal, found);
  if (found === null || locales === null) return found;
  const [row] = await run(script(locales));
  const { lowest, highest } = row ?? {};
  return typeof lowest === 'string' && lowest === highest ? { ...found, defaultLocale: lowest } : found;
}

/** Creates the indexes that are missing because a migration was interrupted before its last statements. */
async function missingIndexes(run: Run, schema: Schema): Promise<ContentMigration> {
  const tables = [...schema.types.values()].map(typeTable);
  const expected = tables.flatMap(({ table, indexes }) =>
    indexes.filter(({ kind }) => kind === 'index').map((index) => ({ table, index })),
  );
  const rows = await run(
    script(invalidIndexes(expected.map(({ table, index }) => besideTable(table, index.name)))),
  );
  const names = new Set(rows.map(({ name }) => String(name)));
  const missing = expected.filter(({ table, index }) => names.has(besideTable(table, index.name)));
  return {
    up: missing.flatMap(({ table, index }) => recreateIndex(table, index)).map(script),
    online: {
      ...NOTHING_ONLINE,
      after: missing.flatMap(({ table, index }) => createIndexConcurrently(table, index)).map(script),
    },
    down: [],
    isFirst: false,
    changes: missing.map(({ index }) => `the index ${index.name} is missing`),
    refusals: [],
  };
}

/** Query of the names of indexes that are missing or not complete. */
const invalidIndexes = (names: readonly Identifier[]): Sql =>
  sql`select e.name from (values ${join(
    names.map((name) => sql`(${quote(name, 'string')}, to_regclass(${quote(name, 'reference')}))`),
    ', ',
  )}) e(name, place)
    left join pg_index i on i.indexrelid = e.place where i.indisvalid is not true`;

/**
 * Creates the migration from the database's model to `goal`. Queries the database for values that would be
 * lost.
 */
export async function migrationTo(run: Run, goal: Side): Promise<ContentMigration> {
  const { schema } = goal;
  const description = describeModel(schema, goal);
  const stored = await readStoredModel(run, schema);
  const former = stored?.description ?? (await modelFromTables(run, goal));
  const found = await beforeOf(run, former, goal);
  const before = stored === null && former !== null ? { ...found, hasCurrentTriggers: false } : found;
  const isSame = stored?.digest === digestOf(description) && before.hasCurrentTriggers === true;
  if (isSame && stored.backfill === null) return missingIndexes(run, schema);
  const evolution = evolutionOf({ before, after: goal });
  const [there, back] = [changesOf(evolution), changesOf(inverseOf(evolution))];
  const refusals: ContentRefusal[] = [];
  for (const loss of lossesOf(there)) refusals.push(...(await refusalOf(run, loss)));
  const drops = there.list.some(({ guards }) => guards.some(({ allowed }) => allowed));
  const createSchema = await createSchemaStatements(run, schema);
  const abandoned = stored?.backfill ?? null;
  const from = { digest: stored?.digest ?? null, records: abandoned === null ? [] : [abandoned] };
  const way = { from, to: description };
  const plan = { changes: there, abandoned };
  return {
    up: [...createSchema, ...transitionStatements(evolution, { ...way, statements: statementsOf(plan) })],
    online: onlineMigration(evolution, { ...way, plan, createSchema }),
    down:
      drops || stored === null || !isUndone(there, back)
        ? null
        : transitionStatements(back.evolution, {
            from: { digest: digestOf(description), records: [] },
            to: stored.description,
            statements: statementsOf({ changes: back, abandoned: null }),
          }),
    isFirst: stored === null,
    changes: [
      ...(stored === null && former !== null ? [MODEL_ASSUMED] : []),
      ...(isSame ? [BACKFILL_REMOVED] : []),
      ...there.list.map(({ at, description }) => `${at} ${description}`),
    ],
    refusals,
  };
}
