/** The tables that a migration has to itself while it runs. */
import { type Identifier, join, quote, type Sql, sql } from '../sql.js';
import type { Changes } from './changes.js';
import { createSteps, dropSteps, indexSteps, renameSteps } from './table-steps.js';
import type { TablePair } from './table-pairs.js';

/** Tables of the earlier model: those that change themselves, and those that nobody else may write. */
interface TableLocks {
  readonly alone: readonly Identifier[];
  readonly others: readonly Identifier[];
}

const isAltered = (pair: TablePair): boolean =>
  [dropSteps, renameSteps, createSteps, indexSteps].some((steps) => steps([pair]).length > 0);

/** What is locked: all tables against writers, and against readers those that statements change. */
export function lockedTables({ evolution, list }: Changes, pairs: readonly TablePair[]): TableLocks {
  const retyped = new Set(list.flatMap(({ steps, touches }) => (steps.retype === undefined ? [] : touches)));
  // Triggers say what a type is called, and may be those of an earlier release.
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
 * Takes all locks or none, again and again: who reads several tables may have one and wait for another. It
 * waits for less time than it takes the database to look for those who wait in a circle.
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
  raise exception using message = 'The tables are in use all the time: run the migration when there is less to do';
end $content$`,
  ];
}
