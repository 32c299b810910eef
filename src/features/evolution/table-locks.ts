/** Table locks of a migration. */
import { type Identifier, join, quote, type Sql, sql } from '../../kernel/sql.js';
import type { Changes } from './changes.js';
import { createSteps, dropSteps, indexSteps, renameSteps } from './table-steps.js';
import type { TablePair } from './table-pairs.js';

/** Tables of the earlier model by lock: `alone` also blocks readers, `others` only blocks writers. */
interface TableLocks {
  readonly alone: readonly Identifier[];
  readonly others: readonly Identifier[];
}

const isAltered = (pair: TablePair): boolean =>
  [dropSteps, renameSteps, createSteps, indexSteps].some((steps) => steps([pair]).length > 0);

/** Returns the tables to lock: all against writers, and altered ones against readers, too. */
export function lockedTables({ evolution, list }: Changes, pairs: readonly TablePair[]): TableLocks {
  const retyped = new Set(list.flatMap(({ steps, touches }) => (steps.retype === undefined ? [] : touches)));
  // Triggers contain the type name, and may be those of an earlier release.
  const isRenewed = evolution.before.isNoted === false;
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
    .map(({ table, pair }) => ({ table, alone: named.has(table) || isAltered(pair) }));
  return {
    alone: tables.filter(({ alone }) => alone).map(({ table }) => table),
    others: tables.filter(({ alone }) => !alone).map(({ table }) => table),
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
export function lockSteps({ alone, others }: TableLocks): Sql[] {
  if (alone.length + others.length === 0) return [];
  return [
    sql`do $content$ declare former text := current_setting('lock_timeout'); begin
  for attempt in 1..100 loop
    begin
      perform set_config('lock_timeout', least(100 * attempt, 900)::text, true);
      ${lock(alone, sql`access exclusive`)} ${lock(others, sql`share row exclusive`)}
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
