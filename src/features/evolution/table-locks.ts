/** Table locks of a migration. */
import { type Identifier, join, namesIn, quote, type Sql, sql } from '../../kernel/sql.js';
import type { Changes } from './changes.js';
import type { TablePair } from './table-pairs.js';

/** Tables of the earlier model by lock: `alone` also blocks readers, `others` only blocks writers. */
export interface TableLocks {
  readonly exclusive: readonly Identifier[];
  readonly shared: readonly Identifier[];
}

/** Statements of a migration that need locks: changes of tables, and reads and changes of rows. */
export interface Locking {
  readonly changes: Changes;
  readonly pairs: readonly TablePair[];
  /** Statements that alter the table of a pair. */
  readonly alters: (pair: TablePair) => readonly Sql[];
  readonly statements: readonly Sql[];
}

/**
 * Returns the tables to lock: those with rows that the migration reads or changes against writers, altered
 * ones against readers, too. All other tables stay open.
 */
export function lockedTables({ changes, pairs, alters, statements }: Locking): TableLocks {
  const { evolution, list } = changes;
  const used = new Set(statements.flatMap(namesIn));
  const retyped = new Set(list.flatMap(({ steps, touches }) => (steps.retype === undefined ? [] : touches)));
  // Triggers contain the type name, and may be those of an earlier release.
  const isRenewed = evolution.before.hasCurrentTriggers === false;
  const types = evolution.types.flatMap(({ before, after }) => {
    const isOther = before?.singularApiId !== after?.singularApiId;
    return before !== null && after !== null && (isOther || retyped.has(after) || isRenewed) ? [before] : [];
  });
  const named = new Set(
    types.flatMap(({ table, storage }) => [table, ...storage.links.map((one) => one.table.table)]),
  );
  const tables = pairs
    .flatMap((pair) => (pair.before === null ? [] : [{ table: pair.before.table, pair }]))
    .toSorted((a, b) => (a.table < b.table ? -1 : 1))
    .map(({ table, pair }) => ({
      table,
      alone: named.has(table) || alters(pair).length > 0,
      isUsed: used.has(table) || (pair.after !== null && used.has(pair.after.table)),
    }));
  return {
    exclusive: tables.filter(({ alone }) => alone).map(({ table }) => table),
    shared: tables.filter(({ alone, isUsed }) => !alone && isUsed).map(({ table }) => table),
  };
}

const lock = (tables: readonly Identifier[], mode: Sql): Sql =>
  tables.length === 0
    ? sql``
    : sql`lock table ${join(
        tables.map((table) => quote(table)),
        ', ',
      )} in ${mode} mode;`;

/**
 * Acquires all locks or none, up to 100 times: a reader of several tables may have locked one and wait for
 * another. The timeout stays below `deadlock_timeout` (1 s by default), so that the reader is not aborted.
 */
export function lockSteps({ exclusive, shared }: TableLocks): Sql[] {
  if (exclusive.length + shared.length === 0) return [];
  return [
    sql`do $content$ declare former text := current_setting('lock_timeout'); begin
  for attempt in 1..100 loop
    begin
      perform set_config('lock_timeout', least(100 * attempt, 900)::text, true);
      ${lock(exclusive, sql`access exclusive`)} ${lock(shared, sql`share row exclusive`)}
      perform set_config('lock_timeout', former, true);
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_sleep_for('50 milliseconds');
    end;
  end loop;
  raise exception using message = 'The tables are in constant use: run the migration when there is less traffic';
end $content$`,
  ];
}
