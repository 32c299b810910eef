/** Changes of a model: their descriptions, possible losses, and statements by phase. */
import type { ContentType } from '../../content/model/model.js';
import { UNKNOWN_REVISION } from '../../content/plan/versions.js';
import { constant, type Identifier, join, quote, type Sql, sql } from '../../kernel/sql.js';

/**
 * Phases of a migration, in order. Old parts are dropped after their values are set aside, so that new parts
 * can have their names. Rows are added last, when all columns exist.
 */
export const PHASES = [
  'prepare',
  'shrink',
  'aside',
  'drop',
  'rename',
  'create',
  'retype',
  'fill',
  'grow',
  'index',
  'clean',
] as const;

export type Phase = (typeof PHASES)[number];

export type Steps = Partial<Readonly<Record<Phase, readonly Sql[]>>>;

/** Check for values that a migration would lose. */
export interface Guard {
  /**
   * Query of the tables before the migration. Each row is a value that would be lost; the column `row`
   * describes it.
   */
  readonly query: Sql;
  /** Message part after the name of the changed part. */
  readonly description: string;
  /** Setting that would allow the loss. */
  readonly remedy: string;
  /** Whether the definition allows the loss. */
  readonly allowed: boolean;
}

/**
 * Long part of a change that runs before the migration, a transaction per batch, while processes of
 * the earlier release write. All of it can be repeated.
 */
export interface Backfill {
  /** Table before the migration. */
  readonly table: Identifier;
  /** Statements of one transaction before the first batch. */
  readonly prepare: readonly Sql[];
  /** Statement for some rows. The condition is on a row of the given alias. */
  readonly batch: (rows: (alias: Sql) => Sql) => Sql;
  /** Steps in place of those of the change. */
  readonly steps: Steps;
  /** Guards in place of those of the change, which may read all values; null for the same. */
  readonly guards: readonly Guard[] | null;
  /** Column that the batches fill, and the column that it replaces. */
  readonly column: { readonly former: Identifier; readonly filled: Identifier } | null;
  /** Type that gets drafts. */
  readonly drafts: string | null;
}

export interface Change {
  readonly kind: string;
  /** Kind of the change that reverts this one; null if none is needed. */
  readonly undoneBy: string | null;
  /** Changed part: `article.title`. */
  readonly at: string;
  /** Description: `is renamed from headline`. */
  readonly description: string;
  readonly guards: readonly Guard[];
  readonly steps: Steps;
  readonly backfill: Backfill | null;
  /** Later types whose rows may have other content after the change. */
  readonly touches: readonly ContentType[];
}

/** Returns the label of a row: its document, locale and state. */
export const rowLabel = (row: Sql): Sql =>
  sql`${row}.document_id || ' (' || ${row}.locale || case when ${row}.published then ')' else ', draft)' end`;

export const rowsWhere = (type: ContentType, condition: Sql): Sql =>
  sql`select ${rowLabel(sql`t`)} as "row" from ${quote(type.table)} t where ${condition}`;

/** Rows per update; bounds the memory of a statement. */
const BATCH = sql`5000`;

/** Updates all rows `t` of a table in batches of 5,000. */
export const inBatches = (table: Sql, assignments: Sql, condition: Sql = sql`true`): Sql =>
  batches({ table, assignments, condition, skip: sql`false` });

interface Batches {
  readonly table: Sql;
  readonly assignments: Sql;
  readonly condition: Sql;
  /** Condition under which no row needs the update, so that the table is not read. */
  readonly skip: Sql;
}

export function batches({ table, assignments, condition, skip }: Batches): Sql {
  return sql`do $content$ declare last int := 0; next int; begin
  if ${skip} then return; end if;
  loop
    select max(b.id) into next from (select id from ${table} where id > last order by id limit ${BATCH}) b;
    exit when next is null;
    update ${table} t set ${assignments} where t.id > last and t.id <= next and (${condition});
    last := next;
  end loop;
end $content$`;
}

/**
 * Assignment for rows whose change depends on other rows: a draft and a published version that were equal may
 * differ after it. Comparisons then compute their revisions.
 */
export const NOT_COMPARED = sql`revision = ${constant(Number(UNKNOWN_REVISION))}`;

/** Runs statements if a table exists: those of the module itself may be added by this migration. */
export const ifTableExists = (table: Identifier, ...statements: readonly Sql[]): readonly Sql[] => [
  sql`do $content$ begin
  if to_regclass(${quote(table, 'reference')}) is not null then ${join(statements, '; ')}; end if;
end $content$`,
];

export const stepsIn = (changes: readonly Change[], phase: Phase): readonly Sql[] =>
  changes.flatMap(({ steps }) => steps[phase] ?? []);
