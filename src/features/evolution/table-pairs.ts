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
import { keepsTargets } from './moved-links.js';
import { type Both, type Evolution, isBoth, type ModelPair, type Pair } from './pairs.js';
import { ordersOthers, type Relation, type RelationPair } from './relation-pairs.js';

/** Column, and the attribute with its value; null for a position column or a system column. */
export interface ColumnPair extends Pair<ColumnShape> {
  readonly value: Both<Attribute> | null;
}

export interface TablePair extends Pair<TableShape> {
  readonly columns: readonly ColumnPair[];
}

/** Whether the storage of a relation's links changes only in names. */
export function staysInPlace(evolution: Evolution, pair: RelationPair): boolean {
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
    };
  });
  const gone = old.filter((column) => !taken.has(column));
  return [
    ...SYSTEM_SHAPES.map((shape) => ({ before: shape, after: shape, value: null })),
    ...pairs,
    ...gone.map((column) => ({ before: shapeOfColumn(column), after: null, value: null })),
  ];
}

/** Pairs tables with equal columns, or a table with none. */
const whole = ({ before, after }: Pair<TableShape>): TablePair => ({
  before,
  after,
  columns: (after ?? before)?.columns.map((shape) => ({ before: shape, after: shape, value: null })) ?? [],
});

function typePair(pair: ModelPair<ContentType>, relations: readonly Both<Relation>[]): TablePair {
  const { before, after } = pair;
  const tables = {
    before: before === null ? null : typeTable(before),
    after: after === null ? null : typeTable(after),
  };
  if (!isBoth(tables)) return whole(tables);
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
    if (staysInPlace(evolution, pair)) return [whole({ before, after })];
    return [
      ...(before === null ? [] : [whole({ before, after: null })]),
      ...(after === null ? [] : [whole({ before: null, after })]),
    ];
  });
}

export function tablePairs(evolution: Evolution, relations: readonly RelationPair[]): TablePair[] {
  const inPlace = relations.filter((pair) => staysInPlace(evolution, pair)).filter(isBoth);
  return [
    ...ownTables(evolution.after.schema).map((table) => whole({ before: null, after: table })),
    ...evolution.types.map((pair) => typePair(pair, inPlace)),
    ...linkPairs(evolution, relations),
  ];
}
