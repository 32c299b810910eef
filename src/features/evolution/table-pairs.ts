/** Pairs the tables and columns of two models. */
import type { Attribute, Column, ContentType } from '../../content/model/model.js';
import {
  type ColumnShape,
  linkTable,
  ownTables,
  shapeOfColumn,
  SYSTEM_SHAPES,
  type TableShape,
  typeTable,
} from '../../content/model/table-shapes.js';
import { isScalar } from '../../content/model/scalar-of.js';
import { type Identifier, param, type Sql, sql } from '../../kernel/sql.js';
import type { Backfill } from './change.js';
import { defaultOf } from './instances.js';
import { keepsTargets } from './moved-links.js';
import { type Both, type Evolution, isBoth, type ModelPair, type Pair } from './pairs.js';
import { jsonAsColumn } from './readings.js';
import { ordersOthers, type Relation, type RelationPair } from './relation-pairs.js';

/** Column, and the attribute with its value; null for a position column or a system column. */
export interface ColumnPair extends Pair<ColumnShape> {
  readonly value: Both<Attribute> | null;
  /** Value that a new column has in existing rows; null for none. */
  readonly constant: Sql | null;
  /** Column that was filled before the migration, and becomes this new one. */
  readonly filled: Identifier | null;
}

export interface TablePair extends Pair<TableShape> {
  readonly columns: readonly ColumnPair[];
}

/** Whether the storage of a relation's links changes only in names. */
export function keepsStorage(evolution: Evolution, pair: RelationPair): boolean {
  if (!isBoth(pair) || pair.swapped) return false;
  const { before, after } = pair;
  const [old, next] = [before.attribute, after.attribute];
  if (!keepsTargets(evolution, { before: old, after: next })) return false;
  if (before.links !== null && after.links !== null) {
    const [was, is] = [before.links, after.links];
    const isLooser = (!is.toOne || was.toOne) && (!is.exclusive || was.exclusive);
    const sameColumns =
      (was.inversePosition === null) === (is.inversePosition === null) &&
      (was.targetType === null) === (is.targetType === null);
    return isLooser && sameColumns && was.perLocale === is.perLocale;
  }
  const isLooser = !next.exclusive || old.exclusive;
  const inColumns = before.column !== null && after.column !== null;
  return (
    inColumns && isLooser && old.localized === next.localized && ordersOthers(before) === ordersOthers(after)
  );
}

const roleOf = ({ placeOf, remembers }: Column): string => {
  if (remembers !== null) return 'former place';
  return placeOf === null ? 'value' : 'place';
};

const NO_VALUE = { value: null, constant: null, filled: null };

/** Default of a new attribute that is required. */
function constantOf({ attributes }: ModelPair<ContentType>, { attribute }: Column): Sql | null {
  const pair = attributes.find(({ after }) => after === attribute);
  if (pair === undefined || pair.before !== null || !isScalar(attribute)) return null;
  const value = defaultOf(pair);
  return value === null ? null : jsonAsColumn(attribute, sql`${param(JSON.stringify(value))}::jsonb`);
}

const columnsOf = (type: ContentType | null): readonly Column[] => type?.storage.columns ?? [];

function columnPairs(pair: ModelPair<ContentType>, kept: readonly Both<Attribute>[]): ColumnPair[] {
  const find = (list: readonly Column[], one: Column, attribute: Attribute): Column | undefined =>
    list.find((other) => other.attribute === attribute && roleOf(other) === roleOf(one));
  const [old, next] = [columnsOf(pair.before), columnsOf(pair.after)];
  const taken = new Set<Column>();
  const pairs = next.map((column): ColumnPair => {
    const value = kept.find(({ after }) => after === column.attribute) ?? null;
    const former = value === null ? undefined : find(old, column, value.before);
    if (former !== undefined) taken.add(former);
    return {
      before: former === undefined ? null : shapeOfColumn(former),
      after: shapeOfColumn(column),
      value: roleOf(column) === 'value' ? value : null,
      constant: former === undefined ? constantOf(pair, column) : null,
      filled: null,
    };
  });
  const gone = old.filter((column) => !taken.has(column));
  return [
    ...SYSTEM_SHAPES.map((shape) => ({ before: shape, after: shape, ...NO_VALUE })),
    ...pairs,
    ...gone.map((column) => ({ before: shapeOfColumn(column), after: null, ...NO_VALUE })),
  ];
}

/** Pairs tables with equal columns, or a table with none. */
const withEqualColumns = ({ before, after }: Pair<TableShape>): TablePair => ({
  before,
  after,
  columns: (after ?? before)?.columns.map((shape) => ({ before: shape, after: shape, ...NO_VALUE })) ?? [],
});

function typePair(pair: ModelPair<ContentType>, relations: readonly Both<Relation>[]): TablePair {
  const { before, after } = pair;
  const tables = {
    before: before === null ? null : typeTable(before),
    after: after === null ? null : typeTable(after),
  };
  if (!isBoth(tables)) return withEqualColumns(tables);
  const inPlace = relations.map((one) => ({ before: one.before.attribute, after: one.after.attribute }));
  const own = pair.attributes.filter(isBoth).filter((one) => !one.before.linked);
  return { ...tables, columns: columnPairs(pair, [...own, ...inPlace]) };
}

/** Pairs the link tables: unchanged, dropped and created ones. */
function linkPairs(evolution: Evolution, relations: readonly RelationPair[]): TablePair[] {
  const tableOf = (relation: Relation | null): TableShape | null =>
    relation === null || relation.links === null ? null : linkTable(relation.links);
  return relations.flatMap((pair) => {
    const [before, after] = [tableOf(pair.before), tableOf(pair.after)];
    if (before === null && after === null) return [];
    if (keepsStorage(evolution, pair)) return [withEqualColumns({ before, after })];
    return [
      ...(before === null ? [] : [withEqualColumns({ before, after: null })]),
      ...(after === null ? [] : [withEqualColumns({ before: null, after })]),
    ];
  });
}

export function tablePairs(evolution: Evolution, relations: readonly RelationPair[]): TablePair[] {
  const inPlace = relations.filter((pair) => keepsStorage(evolution, pair)).filter(isBoth);
  return [
    ...ownTables(evolution.after.schema).map((table) => withEqualColumns({ before: null, after: table })),
    ...evolution.types.map((pair) => typePair(pair, inPlace)),
    ...linkPairs(evolution, relations),
  ];
}

/** Replaces the columns of a table that were filled before the migration, instead of converting them. */
export function withBackfilledColumns(pair: TablePair, backfills: readonly Backfill[]): TablePair {
  const columns = pair.columns.flatMap((column): ColumnPair[] => {
    const found = backfills.find(
      (one) => one.table === pair.before?.table && one.column?.former === column.before?.name,
    );
    if (found === undefined || found.column === null || column.before === null) return [column];
    return [
      { ...column, after: null },
      { ...column, before: null, filled: found.column.filled },
    ];
  });
  return { ...pair, columns };
}
