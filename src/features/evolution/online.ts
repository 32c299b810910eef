/** Statements of a migration of a running site: batches ahead, one short transaction, indexes after it. */
import type { Identifier } from '../../kernel/sql.js';
import { constant, quote, script, type Sql, sql } from '../../kernel/sql.js';
import type { Ahead } from './change.js';
import type { Changes } from './changes.js';
import { lockSteps } from './table-locks.js';
import type { WorkAhead } from './stored-model.js';

/** Rows per transaction of the work ahead. */
const BATCH_ROWS = sql`5000`;

/** Work ahead of a migration, in batches of rows by their ids. All of it can be repeated. */
export interface AheadStatements {
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
  /** Statements of one transaction that begin the work ahead. */
  readonly begin: readonly string[];
  readonly ahead: readonly AheadStatements[];
  /** Statements of one transaction. */
  readonly step: readonly string[];
  /** Statements that run one by one after it, outside a transaction. */
  readonly after: readonly string[];
}

const locked = (table: Identifier, statements: readonly Sql[]): readonly Sql[] =>
  statements.length === 0 ? [] : [...lockSteps({ alone: [table], others: [] }), ...statements];

const statementsFor = (at: string, { table, prepare, batch }: Ahead): AheadStatements => ({
  at,
  prepare: locked(table, prepare).map(script),
  last: script(sql`select max(id) as id from ${quote(table)}`),
  next: (after) =>
    script(sql`select max(b.id) as id from (
      select id from ${quote(table)} where id > ${constant(after)} order by id limit ${BATCH_ROWS}) b`),
  batch: (after, until) =>
    script(batch((row) => sql`${row}.id > ${constant(after)} and ${row}.id <= ${constant(until)}`)),
  analyze: script(sql`analyze ${quote(table)}`),
});

export const aheadStatementsOf = ({ list }: Changes): AheadStatements[] =>
  list.flatMap(({ at, ahead }) => (ahead === null ? [] : [statementsFor(at, ahead)]));

/** Returns the record of the work ahead, by which a later migration continues or removes it. */
export function workAheadOf({ list }: Changes): WorkAhead {
  const aheads = list.flatMap(({ ahead }) => (ahead === null ? [] : [ahead]));
  return {
    drafts: aheads.flatMap(({ drafts }) => (drafts === null ? [] : [drafts])),
    columns: aheads.flatMap(({ table, column }) =>
      column === null ? [] : [{ table, filled: column.filled }],
    ),
  };
}

export const NOTHING_ONLINE: OnlineMigration = { begin: [], ahead: [], step: [], after: [] };

/** Returns the record of an earlier attempt and the present one. */
export const bothWorks = (earlier: WorkAhead | null, present: WorkAhead): WorkAhead => {
  if (earlier === null) return present;
  const rest = restOf(earlier, present);
  return {
    drafts: [...rest.drafts, ...present.drafts],
    columns: [...rest.columns, ...present.columns],
  };
};

/** Returns changes that run in the transaction only. */
export const neverAhead = (changes: Changes): Changes => ({
  ...changes,
  list: changes.list.map((change) => ({ ...change, ahead: null })),
});

/** Returns the parts of an earlier attempt that a migration does not continue. */
export const restOf = (earlier: WorkAhead, present: WorkAhead): WorkAhead => ({
  drafts: earlier.drafts.filter((one) => !present.drafts.includes(one)),
  columns: earlier.columns.filter(
    ({ table, filled }) => !present.columns.some((one) => one.table === table && one.filled === filled),
  ),
});

/** Returns the changes without the steps that run ahead. */
export const withoutAhead = (changes: Changes): Changes => ({
  ...changes,
  list: changes.list.map((change) =>
    change.ahead === null
      ? change
      : { ...change, steps: change.ahead.steps, guards: change.ahead.guards ?? change.guards },
  ),
});
