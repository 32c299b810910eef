/** Creates the migration from the stored model of a database to a new model. */
import { allChanged } from '../../content/compile/compile-change-log.js';
import { missingTriggers } from '../../content/compile/compile-triggers.js';
import { modelTableOf } from '../../content/model/model-table.js';
import type { Schema } from '../../content/model/model.js';
import { namedSchema, parted } from '../../content/model/naming.js';
import { quote, script, sql } from '../../kernel/sql.js';
import { type Changes, changesOf, isUndone } from './changes.js';
import { describeModel, digestOf, type ModelDescription, schemaOf } from '../../content/model/description.js';
import { foundColumns, foundLocales, foundModel } from './found-model.js';
import { evolutionOf, inverseOf, type Side } from './pairs.js';
import { countLoss, type Loss, lossesOf, statementsOf, toldLoss } from './plan-migration.js';
import { migrationFrom, notedModel, type StoredModel, storedModel, storedModelIn } from './stored-model.js';

export type Run = (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Loss of values that the definitions do not allow. */
interface ContentRefusal {
  /** Changed part: `article.title`. */
  readonly at: string;
  /** Message: the change, the number of rows with examples, and the setting that allows the loss. */
  readonly text: string;
  readonly rows: number;
}

/** Content migration as SQL statements. */
export interface ContentMigration {
  /** Statements to the new model; empty if the database has it already. Run them in one transaction. */
  readonly up: readonly string[];
  /** Statements back; null if reverting would lose values. */
  readonly down: readonly string[] | null;
  /** Descriptions of the changes, one sentence each. */
  readonly changes: readonly string[];
  /** Losses that prevent the migration. The statements check for them, too. */
  readonly refusals: readonly ContentRefusal[];
}

async function noted(run: Run, schema: Schema): Promise<StoredModel | null> {
  const table = modelTableOf(schema.file);
  const [there] = await run(
    script(sql`select to_regclass(${quote(table, 'reference')}) is not null as there`),
  );
  if (there?.['there'] !== true) return null;
  const [row] = await run(script(storedModel(schema)));
  return storedModelIn(row);
}

/** The statement that creates the model's PostgreSQL schema; none for a schema that exists. */
async function newPlace(run: Run, { file }: Schema): Promise<string[]> {
  const name = namedSchema(file.table);
  if (name === null) return [];
  const [row] = await run(
    script(sql`select to_regnamespace(${quote(name, 'reference')}) is null as missing`),
  );
  return row?.['missing'] === true ? [script(sql`create schema if not exists ${quote(name)}`)] : [];
}

async function refusalOf(run: Run, loss: Loss): Promise<ContentRefusal[]> {
  const [row] = await run(script(countLoss(loss)));
  const rows = Number(row?.['n'] ?? 0);
  if (rows === 0) return [];
  const [head, tail] = toldLoss(loss);
  const few = typeof row?.['few'] === 'string' ? row['few'] : '';
  const more = rows > few.split(', ').length ? ', …' : '';
  return [{ at: loss.at, rows, text: `${head}${rows} (${few}${more})${tail}` }];
}

/**
 * Returns the statements from the model with the digest `from` to the model `to`. They record a change of all
 * types, so running processes discard cached responses: no trigger reports a dropped column.
 */
function wayOf(changes: Changes, from: string | null, to: ModelDescription): string[] {
  const { before, after } = changes.evolution;
  const kept = [...before.schema.types.keys()];
  return [
    script(migrationFrom(after.schema, from)),
    ...statementsOf(changes),
    ...(kept.length === 0 ? [] : [script(allChanged(after.schema.file, kept))]),
    script(notedModel(after.schema, to)),
  ];
}

/** First line of the changes if the tables were created without the library's migrations. */
const NOT_NOTED =
  'The database has no stored content model: this migration assumes the current one, as far as its tables ' +
  'and columns exist';

const nothing = (goal: Side): Side => ({
  ...goal,
  schema: { ...goal.schema, types: new Map(), components: new Map() },
});

const sideOf = (description: ModelDescription, { schema }: Side): Side => ({
  ...description,
  schema: schemaOf(description, parted(schema.file.table).schema),
});

/**
 * Returns the model of a database as the side `before`. `isNoted` is true if all change log triggers are
 * current.
 */
async function beforeOf(run: Run, description: ModelDescription | null, goal: Side): Promise<Side> {
  if (description === null) return nothing(goal);
  const side = sideOf(description, goal);
  const [row] = await run(script(missingTriggers(side.schema)));
  return { ...side, isNoted: row?.['n'] === 0 };
}

/** Reconstructs the model of a database without a stored model from its tables, columns and locales. */
async function foundIn(run: Run, goal: Side): Promise<ModelDescription | null> {
  const found = foundModel(goal, await run(script(foundColumns(goal))));
  const locales = found === null ? null : foundLocales(goal, found);
  if (found === null || locales === null) return found;
  const [row] = await run(script(locales));
  const { lowest, highest } = row ?? {};
  return typeof lowest === 'string' && lowest === highest ? { ...found, defaultLocale: lowest } : found;
}

/**
 * Creates the migration from the database's model to `goal`. Queries the database for values that would be
 * lost.
 */
export async function migrationTo(run: Run, goal: Side): Promise<ContentMigration> {
  const { schema } = goal;
  const description = describeModel(schema, goal);
  const stored = await noted(run, schema);
  const former = stored?.description ?? (await foundIn(run, goal));
  const found = await beforeOf(run, former, goal);
  const before = stored === null && former !== null ? { ...found, isNoted: false } : found;
  if (stored?.digest === digestOf(description) && before.isNoted === true)
    return { up: [], down: [], changes: [], refusals: [] };
  const evolution = evolutionOf({ before, after: goal });
  const [there, back] = [changesOf(evolution), changesOf(inverseOf(evolution))];
  const refusals: ContentRefusal[] = [];
  for (const loss of lossesOf(there)) refusals.push(...(await refusalOf(run, loss)));
  const drops = there.list.some(({ guards }) => guards.some(({ stated }) => stated));
  return {
    up: [...(await newPlace(run, schema)), ...wayOf(there, stored?.digest ?? null, description)],
    down:
      drops || stored === null || !isUndone(there, back)
        ? null
        : wayOf(back, digestOf(description), stored.description),
    changes: [
      ...(stored === null && former !== null ? [NOT_NOTED] : []),
      ...there.list.map(({ at, told }) => `${at} ${told}`),
    ],
    refusals,
  };
}
