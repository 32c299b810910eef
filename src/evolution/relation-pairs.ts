/** The relations of two models side by side, whichever of their sides owns them. */
import type { LinkTable } from '../schema/join-model.js';
import type { Column, ContentType, LinkedAttribute, Schema } from '../schema/model.js';
import { type Evolution, isBoth, type Pair } from './pairs.js';

/** One side of a relation. */
export interface RelationSide {
  readonly type: ContentType;
  readonly attribute: LinkedAttribute;
}

/** A relation, as its owning side has it, and its other side; several types may show the other one. */
export interface Relation extends RelationSide {
  readonly others: readonly RelationSide[];
  /** The table of its links, or the column of the owner's table. */
  readonly links: LinkTable | null;
  readonly column: Column | null;
}

/** Whether the documents that link to one have an order on the other side. */
export const ordersOthers = ({ links, type, attribute }: Relation): boolean =>
  links === null
    ? type.storage.columns.some((column) => column.attribute === attribute && column.placeOf !== null)
    : links.inversePosition !== null;

/** A relation and what it becomes. */
export interface RelationPair extends Pair<Relation> {
  /** The side that owned the links is the inverse one. */
  readonly swapped: boolean;
  /** A side of a new relation that showed the links of an earlier one, with which another goes on. */
  readonly split: { readonly side: RelationSide; readonly from: Relation } | null;
}

const sidesOf = ({ types }: Schema): RelationSide[] =>
  [...types.values()].flatMap((type) =>
    type.storage.relations.map((attribute): RelationSide => ({ type, attribute })),
  );

/** The relations of a model, in its order. */
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

/** What a later side was, and in which part. */
interface Former {
  readonly relation: Relation;
  readonly owned: boolean;
}

/** The pairs of all relations; one whose links nothing takes over has no `after`. */
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
