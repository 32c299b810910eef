/** Pairs the relations of two models, even if the owning side changes. */
import type { LinkTable } from '../../content/model/join-model.js';
import type { Column, ContentType, LinkedAttribute, Schema } from '../../content/model/model.js';
import { type Evolution, isBoth, type Pair } from './pairs.js';

export interface RelationSide {
  readonly type: ContentType;
  readonly attribute: LinkedAttribute;
}

/** Relation by its owning side, with its inverse sides; a polymorphic relation may have several. */
export interface Relation extends RelationSide {
  readonly others: readonly RelationSide[];
  /** Link table, or column of the owner's table. */
  readonly links: LinkTable | null;
  readonly column: Column | null;
}

/** Whether the inverse side of a relation is ordered. */
export const ordersOthers = ({ links, type, attribute }: Relation): boolean =>
  links === null
    ? type.storage.columns.some((column) => column.attribute === attribute && column.placeOf !== null)
    : links.inversePosition !== null;

export interface RelationPair extends Pair<Relation> {
  /** The earlier owning side is now the inverse side. */
  readonly swapped: boolean;
  /**
   * Side of a new relation that showed the links of an earlier relation; those links stay with another
   * relation.
   */
  readonly split: { readonly side: RelationSide; readonly from: Relation } | null;
}

const sidesOf = ({ types }: Schema): RelationSide[] =>
  [...types.values()].flatMap((type) =>
    type.storage.relations.map((attribute): RelationSide => ({ type, attribute })),
  );

/** Returns the relations of a model, in definition order. */
function relationsOf(schema: Schema): Relation[] {
  const sides = sidesOf(schema);
  return sides
    .filter(({ attribute }) => attribute.join.side === 'owning')
    .map(({ type, attribute }) => ({
      type,
      attribute,
      others: sides.filter(
        ({ attribute: { join } }) => join.side === 'inverse' && join.name === attribute.join.name,
      ),
      links: type.storage.links.find((stored) => stored.attribute === attribute)?.table ?? null,
      column: type.storage.columnOf.get(attribute.name) ?? null,
    }));
}

/** Earlier relation of a side, and whether the side owned it. */
interface Former {
  readonly relation: Relation;
  readonly owned: boolean;
}

/** Pairs all relations; `after` is null if no later relation takes over the links. */
export function relationPairs({ before, after, types }: Evolution): RelationPair[] {
  const old = relationsOf(before.schema);
  const attributes = new Map(
    types.flatMap((pair) => pair.attributes.filter(isBoth).map((one) => [one.after, one.before])),
  );
  const formerOf = ({ attribute }: RelationSide): Former | null => {
    const was = attributes.get(attribute);
    const owner = old.find((one) => one.attribute === was);
    if (owner !== undefined) return { relation: owner, owned: true };
    const inverse = old.find((one) => one.others.some((other) => other.attribute === was));
    return inverse === undefined || was === undefined ? null : { relation: inverse, owned: false };
  };
  const taken = new Set<Relation>();
  const pairs = relationsOf(after.schema).map((relation): RelationPair => {
    const sides = [relation, ...relation.others].flatMap((side) => {
      const former = formerOf(side);
      return former === null ? [] : [{ side, former }];
    });
    const found = sides.find(({ former }) => !taken.has(former.relation));
    if (found === undefined) {
      const [lost] = sides;
      const split = lost === undefined ? null : { side: lost.side, from: lost.former.relation };
      return { before: null, after: relation, swapped: false, split };
    }
    const { side, former } = found;
    taken.add(former.relation);
    const swapped = former.owned !== (side === relation);
    return { before: former.relation, after: relation, swapped, split: null };
  });
  const left = old.filter((relation) => !taken.has(relation));
  return [
    ...pairs,
    ...left.map((relation) => ({ before: relation, after: null, swapped: false, split: null })),
  ];
}
