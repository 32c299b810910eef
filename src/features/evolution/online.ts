/** Statements of a migration of a running site: backfills, one short transaction, and indexes after it. */
import type { Identifier } from '../../kernel/sql.js';
import { constant, quote, script, type Sql, sql } from '../../kernel/sql.js';
import type { Backfill } from './change.js';
import type { Changes } from './changes.js';
import { lockSteps } from './table-locks.js';
import type { BackfillRecord } from './stored-model.js';

/** Rows per transaction of a backfill. */
const BATCH_ROWS = sql`5000`;

/** Backfill before a migration, in batches of rows by their ids. All of it can be repeated. */
export interface BackfillStatements {
  /** Changed part: `note.score`. */
  readonly at: string;
  /** Statements of one transaction before the first batch. */
  readonly prepare: readonly string[];
  /** Query of the highest row id, as `id`. */
  readonly last: string;
  /** Query of the last row id of the next batch, as `id`; null at the end. */
  readonly next: (after: number) => string;
  /** Statement for the rows after an id, up to another. */
  readonly batch: (after: number, until: number) => string;
  /** Statement after some batches and the last one, which informs the planner of the new rows. */
  readonly analyze: string;
}

/** Migration that blocks other requests only briefly. */
export interface OnlineMigration {
  /** Statements of one transaction that begin the backfills. */
  readonly begin: readonly string[];
  readonly backfills: readonly BackfillStatements[];
  /** Statements of one transaction. */
  readonly step: readonly string[];
  /** Statements that run one by one after it, outside a transaction. */
  readonly after: readonly string[];
}

const withLock = (table: Identifier, statements: readonly Sql[]): readonly Sql[] =>
  statements.length === 0 ? [] : [...lockSteps({ exclusive: [table], shared: [] }), ...statements];

const statementsFor = (at: string, { table, prepare, batch }: Backfill): BackfillStatements => ({
  at,
  prepare: withLock(table, prepare).map(script),
  last: script(sql`select max(id) as id from ${quote(table)}`),
  next: (after) =>
    script(sql`select max(b.id) as id from (
      select id from ${quote(table)} where id > ${constant(after)} order by id limit ${BATCH_ROWS}) b`),
  batch: (after, until) =>
    script(batch((row) => sql`${row}.id > ${constant(after)} and ${row}.id <= ${constant(until)}`)),
  analyze: script(sql`analyze ${quote(table)}`),
});

export const backfillStatementsOf = ({ list }: Changes): BackfillStatements[] =>
  list.flatMap(({ at, backfill }) => (backfill === null ? [] : [statementsFor(at, backfill)]));

/** Returns the record of the backfills, by which a later migration continues or removes it. */
export function backfillRecordOf({ list }: Changes): BackfillRecord {
  const backfills = list.flatMap(({ backfill }) => (backfill === null ? [] : [backfill]));
  return {
    drafts: backfills.flatMap(({ drafts }) => (drafts === null ? [] : [drafts])),
    columns: backfills.flatMap(({ table, column }) =>
      column === null ? [] : [{ table, filled: column.filled }],
    ),
  };
}

export const NOTHING_ONLINE: OnlineMigration = { begin: [], backfills: [], step: [], after: [] };

/** Returns the record of an earlier attempt and the current one. */
export const mergedRecords = (earlier: BackfillRecord | null, present: BackfillRecord): BackfillRecord => {
  if (earlier === null) return present;
  const rest = abandonedParts(earlier, present);
  return {
    drafts: [...rest.drafts, ...present.drafts],
    columns: [...rest.columns, ...present.columns],
  };
};

/** Returns changes that run in the transaction only. */
export const withoutBackfills = (changes: Changes): Changes => ({
  ...changes,
  list: changes.list.map((change) => ({ ...change, backfill: null })),
});

/** Returns the parts of an earlier attempt that a migration does not continue. */
export const abandonedParts = (earlier: BackfillRecord, present: BackfillRecord): BackfillRecord => ({
  drafts: earlier.drafts.filter((one) => !present.drafts.includes(one)),
  columns: earlier.columns.filter(
    ({ table, filled }) => !present.columns.some((one) => one.table === table && one.filled === filled),
  ),
});

/** Returns the changes with the steps that remain after the backfills. */
export const withBackfilledSteps = (changes: Changes): Changes => ({
  ...changes,
  list: changes.list.map((change) =>
    change.backfill === null
      ? change
      : { ...change, steps: change.backfill.steps, guards: change.backfill.guards ?? change.guards },
  ),
});
