/** Statements that create, rename, alter and drop tables, columns and indexes. */
import { name } from '../../content/model/naming.js';
import {
  besideTable,
  type ColumnShape,
  type IndexShape,
  lentNames,
  type TableShape,
} from '../../content/model/table-shapes.js';
import { type Identifier, join, param, quote, script, type Sql, sql, typeName } from '../../kernel/sql.js';
import { type Both, isBoth, type Pair } from './pairs.js';
import type { ColumnPair, TablePair } from './table-pairs.js';

const columnSql = ({ name, type, serial, nullable, ...column }: ColumnShape): Sql => {
  if (serial) return sql`${quote(name)} ${typeName(type === 'bigint' ? 'bigserial' : 'serial')}`;
  const value = column.default === null ? sql`` : sql` default ${param(String(column.default))}`;
  return sql`${quote(name)} ${typeName(type)} ${nullable ? sql`null` : sql`not null`}${value}`;
};

const comments = (table: Identifier, columns: readonly ColumnShape[]): Sql[] =>
  columns
    .filter(({ comment }) => comment !== null)
    .map(({ name, comment }) => sql`comment on column ${quote(table)}.${quote(name)} is ${param(comment)}`);

function createTable({ table, columns, primary, storage }: TableShape): Sql[] {
  const key = sql`primary key (${join(
    primary.map((name) => quote(name)),
    ', ',
  )})`;
  const parts = join([...columns.map(columnSql), key], ', ');
  const more = storage === undefined ? sql`` : sql` with ${storage}`;
  return [sql`create table if not exists ${quote(table)} (${parts})${more}`, ...comments(table, columns)];
}

const createIndex = (table: Identifier, { name, kind, body }: IndexShape): Sql[] => {
  if (kind === 'constraint')
    return [
      sql`alter table ${quote(table)} drop constraint if exists ${quote(name)}`,
      sql`alter table ${quote(table)} add constraint ${quote(name)} ${body}`,
    ];
  const unique = kind === 'unique index' ? sql`unique ` : sql``;
  return [sql`create ${unique}index if not exists ${quote(name)} on ${quote(table)} ${body}`];
};

const dropIndex = (table: Identifier, { name, kind }: IndexShape): Sql =>
  kind === 'constraint'
    ? sql`alter table ${quote(table)} drop constraint if exists ${quote(name)}`
    : sql`drop index if exists ${quote(besideTable(table, name))}`;

/** Returns a comparable definition of an index, with the later names of its columns. */
function bodyOf({ kind, body }: IndexShape, columns: readonly ColumnPair[]): string {
  const names = new Map<string, string>(
    columns.filter((pair) => isBoth(pair)).map(({ before, after }) => [before.name, after.name]),
  );
  // Replaces all names in one pass, because a column may take the former name of another.
  const renamed = script(body).replace(/"([^"]+)"/g, (_, name: string) => `"${names.get(name) ?? name}"`);
  return `${kind} ${renamed}`;
}

/** Pairs the indexes of two tables by definition. */
function indexPairs({ before, after, columns }: TablePair): Pair<IndexShape>[] {
  // PostgreSQL drops an index with its column, even if a new column of the same name follows.
  const gone = columns.flatMap((one) => (one.after === null && one.before !== null ? [one.before.name] : []));
  const goes = ({ body }: IndexShape): boolean =>
    gone.some((column) => script(body).includes(script(quote(column))));
  const lost = (before?.indexes ?? []).filter(goes);
  const left = (before?.indexes ?? []).filter((index) => !goes(index));
  const pairs = (after?.indexes ?? []).map((index): Pair<IndexShape> => {
    const wanted = bodyOf(index, []);
    const same = left.filter((one) => bodyOf(one, columns) === wanted);
    const found = same.find(({ name }) => name === index.name) ?? same[0];
    if (found !== undefined) left.splice(left.indexOf(found), 1);
    return { before: found ?? null, after: index };
  });
  return [...pairs, ...[...lost, ...left].map((index) => ({ before: index, after: null }))];
}

/** Creates the extension that new trigram indexes require. The message of an error names an index. */
export function extensionSteps(pairs: readonly TablePair[]): Sql[] {
  const [first] = pairs.flatMap(indexPairs).flatMap(({ before, after }) => {
    return before === null && after?.trigram === true ? [after.name] : [];
  });
  if (first === undefined) return [];
  const head = `The index ${first} requires the PostgreSQL extension pg_trgm: `;
  const tail = `; create it with the privileges of the database owner, or remove using: 'trigram'`;
  return [
    sql`do $content$ begin
  if not exists (select 1 from pg_extension where extname = 'pg_trgm') then create extension pg_trgm; end if;
exception when others then
  raise exception using message = ${param(head)} || sqlerrm || ${param(tail)};
end $content$`,
  ];
}

/** Drops old parts first, which frees their names. */
export function dropSteps(pairs: readonly TablePair[]): Sql[] {
  return pairs.flatMap((pair) => {
    const { before, after, columns } = pair;
    if (before === null) return [];
    if (after === null) return [sql`drop table if exists ${quote(before.table)}`];
    const indexes = indexPairs(pair).flatMap((one) =>
      one.before !== null && one.after === null ? [dropIndex(before.table, one.before)] : [],
    );
    const gone = columns.flatMap((one) =>
      one.before !== null && one.after === null
        ? [sql`alter table ${quote(before.table)} drop column if exists ${quote(one.before.name)}`]
        : [],
    );
    return [...indexes, ...gone];
  });
}

type Renaming = Both<Identifier>;

/** Orders renamings so that no new name is in use. A cycle is resolved by a temporary name. */
function orderedRenamings(renamings: readonly Renaming[]): Renaming[] {
  const left = renamings.filter(({ before, after }) => before !== after);
  const free = left.filter(({ after }) => !left.some(({ before }) => before === after));
  const [first, ...others] = left;
  if (first === undefined) return [];
  if (free.length > 0) return [...free, ...orderedRenamings(left.filter((one) => !free.includes(one)))];
  const waiting = besideTable(first.before, name('content', 'renamed', first.before));
  return [
    { before: first.before, after: waiting },
    ...orderedRenamings([...others, { before: waiting, after: first.after }]),
  ];
}

function renameTable({ before, after }: Renaming): Sql[] {
  const [old, next] = [lentNames(before), lentNames(after)];
  const bare = (name: Identifier): Sql => quote(name, 'bare');
  return [
    sql`alter table ${quote(before)} rename to ${bare(after)}`,
    sql`alter index if exists ${quote(old.key)} rename to ${bare(next.key)}`,
    sql`alter sequence if exists ${quote(old.sequence)} rename to ${bare(next.sequence)}`,
  ];
}

export function renameSteps(pairs: readonly TablePair[]): Sql[] {
  const both = pairs.filter((pair): pair is TablePair & Both<TableShape> => isBoth(pair));
  const tables = orderedRenamings(
    both.map(({ before, after }) => ({ before: before.table, after: after.table })),
  );
  const columns = both.flatMap(({ after, columns: list }) =>
    orderedRenamings(
      list.filter((one) => isBoth(one)).map((one) => ({ before: one.before.name, after: one.after.name })),
    ).map(
      (one) =>
        sql`alter table ${quote(after.table)} rename column ${quote(one.before)} to ${quote(one.after)}`,
    ),
  );
  // Index names are unique per schema.
  const indexes = orderedRenamings(
    both.flatMap((pair) =>
      indexPairs(pair)
        .filter((one) => isBoth(one))
        .map((one) => ({
          before: besideTable(pair.after.table, one.before.name),
          after: besideTable(pair.after.table, one.after.name),
        })),
    ),
  ).map(({ before, after }) => sql`alter index if exists ${quote(before)} rename to ${quote(after, 'bare')}`);
  return [...tables.flatMap(renameTable), ...columns, ...indexes];
}

/**
 * Adds a column. A constant for existing rows is its default for a moment: PostgreSQL stores it once for all
 * rows, and does not rewrite the table.
 */
function addColumn(table: Identifier, { before, after, constant: value, filled }: ColumnPair): Sql[] {
  if (before !== null || after === null) return [];
  if (filled !== null)
    return [sql`alter table ${quote(table)} rename column ${quote(filled)} to ${quote(after.name)}`];
  const add = sql`alter table ${quote(table)} add column if not exists ${columnSql(after)}`;
  if (value === null) return [add];
  return [
    sql`${add} default ${value}`,
    sql`alter table ${quote(table)} alter column ${quote(after.name)} drop default`,
  ];
}

export function createSteps(pairs: readonly TablePair[]): Sql[] {
  return pairs.flatMap(({ before, after, columns }) => {
    if (after === null) return [];
    if (before === null) return createTable(after);
    const added = columns.flatMap((one) => (one.before === null && one.after !== null ? [one.after] : []));
    const commented = columns.flatMap((one) =>
      one.before !== null && one.after !== null && one.before.comment !== one.after.comment
        ? [one.after]
        : [],
    );
    return [
      ...columns.flatMap((pair) => addColumn(after.table, pair)),
      ...comments(after.table, [...added, ...commented]),
    ];
  });
}

interface NewIndex {
  readonly table: Identifier;
  readonly index: IndexShape;
  /** Whether the table has rows that the index does not contain yet. */
  readonly hasRows: boolean;
}

const newIndexes = (pairs: readonly TablePair[]): NewIndex[] =>
  pairs.flatMap((pair) =>
    indexPairs(pair).flatMap(({ before, after: index }) =>
      before === null && index !== null && pair.after !== null
        ? [{ table: pair.after.table, index, hasRows: pair.before !== null }]
        : [],
    ),
  );

/** Whether nothing depends on the index, so that it can be created after the migration. */
const canFollowMigration = ({ index, hasRows }: NewIndex): boolean => hasRows && index.kind === 'index';

/** Creates indexes after the data is complete. */
export const indexSteps = (pairs: readonly TablePair[]): Sql[] =>
  newIndexes(pairs).flatMap(({ table, index }) => createIndex(table, index));

/** Creates the indexes that must exist at the end of the migration: unique ones, and those of new tables. */
export const earlyIndexSteps = (pairs: readonly TablePair[]): Sql[] =>
  newIndexes(pairs)
    .filter((one) => !canFollowMigration(one))
    .flatMap(({ table, index }) => createIndex(table, index));

/** Creates the other indexes. Each statement runs outside a transaction, and blocks no reader or writer. */
export const lateIndexSteps = (pairs: readonly TablePair[]): Sql[] =>
  newIndexes(pairs)
    .filter(canFollowMigration)
    .flatMap(({ table, index }) => createIndexConcurrently(table, index));

/**
 * Drops an invalid index, which an interrupted attempt to create it has left. The lock waits for a running
 * attempt.
 */
function dropInvalidIndex(table: Identifier, { name }: IndexShape): Sql {
  const index = besideTable(table, name);
  const isInvalid = sql`select 1 from pg_index
    where indexrelid = to_regclass(${quote(index, 'reference')}) and not indisvalid`;
  return sql`do $content$ begin
  lock table ${quote(table)} in share update exclusive mode;
  if exists (${isInvalid}) then drop index ${quote(index)}; end if;
end $content$`;
}

export const recreateIndex = (table: Identifier, index: IndexShape): Sql[] => [
  dropInvalidIndex(table, index),
  ...createIndex(table, index),
];

/** Creates an index without blocking writers, outside a transaction. */
export const createIndexConcurrently = (table: Identifier, index: IndexShape): Sql[] => [
  dropInvalidIndex(table, index),
  sql`create index concurrently if not exists ${quote(index.name)} on ${quote(table)} ${index.body}`,
];
