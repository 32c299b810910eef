/** Lines of `links/`: they name rows, and the order on both sides is in `pos`. */
import type { Dice } from '../../evolution/pairs/dice.ts';
import type { Holder, RowOf, Rows } from './rows.ts';
import { FILE, isInverse, type Link, type SourceAttribute, typeOf, USER, type World } from './source.ts';

interface End {
  type: string;
  ref: number | string;
  field?: string | null;
  pos?: number;
}

export interface LinkLine {
  readonly kind: string;
  readonly relation: string;
  readonly left: End;
  readonly right: End;
}

interface Printing {
  readonly world: World;
  readonly rows: Rows;
  readonly dice: Dice;
  /** Rows of documents by `type mark`. */
  readonly byMark: ReadonlyMap<string, readonly RowOf[]>;
}

/** Rows that a link names: of the same state, of the same locale or the default one. */
function targetsOf({ world, byMark }: Printing, { document, version }: RowOf, link: Link): RowOf[] {
  const { model } = world;
  const target = typeOf(model, link.type);
  const locale = document.type.localized ? version.locale : model.defaultLocale;
  const rows = (byMark.get(`${link.type} ${link.mark}`) ?? []).filter(
    (row) => !target.localized || row.version.locale === locale,
  );
  if (model.flavour === 'v4' || !target.drafts || !document.type.drafts) return rows;
  return rows.filter((row) => row.version.state === version.state);
}

/** Positions with gaps and fractions. */
function positions(dice: Dice, count: number): number[] {
  let last = 0;
  return Array.from({ length: count }, () => (last += dice.pick([1, 1, 1, 0.5, 3])));
}

const isList = (relation: unknown): boolean => relation === 'oneToMany' || relation === 'manyToMany';

function morphLines(
  printing: Printing,
  { uid, id, root }: Holder,
  [field, attribute, links]: readonly [string, SourceAttribute, readonly Link[]],
): LinkLine[] {
  const relation = String(attribute['relation']);
  return links.flatMap((link, i) =>
    targetsOf(printing, root, link)
      .slice(0, 1)
      .map((row) => ({
        ...{ kind: 'relation.morph', relation, left: { type: uid, field, ref: id } },
        right:
          relation === 'morphToOne'
            ? { type: link.type, ref: row.id }
            : { ref: row.id, pos: i + 1, type: link.type, field: null },
      })),
  );
}

function relationLines(
  printing: Printing,
  { uid, id, root }: Holder,
  [field, attribute, links]: readonly [string, SourceAttribute, readonly Link[]],
): LinkLine[] {
  const { relation, target, inversedBy } = attribute;
  const kind = target === uid ? 'relation.circular' : 'relation.basic';
  const ends = links.flatMap((link): number[] =>
    target === USER
      ? [1 + printing.world.users.findIndex(({ mark }) => mark === link.mark)]
      : targetsOf(printing, root, link).map((row) => row.id),
  );
  const places = positions(printing.dice, ends.length);
  return ends.map((ref, i) => ({
    ...{ kind, relation: String(relation) },
    left: { type: uid, field, ref: id, ...(isList(relation) ? { pos: places[i] ?? 0 } : {}) },
    right: {
      ...{ type: String(target), ref },
      ...(typeof inversedBy === 'string' ? { field: inversedBy } : {}),
    },
  }));
}

function mediaLines(
  { world }: Printing,
  { uid, id }: Holder,
  field: string,
  marks: readonly string[],
): LinkLine[] {
  return marks.map((mark, i) => ({
    ...{ kind: 'relation.morph', relation: 'morphToMany' },
    left: { type: FILE, field: 'related', ref: 1 + world.files.findIndex((one) => one.mark === mark) },
    right: { ref: id, pos: i + 1, type: uid, field },
  }));
}

function linesOf(printing: Printing, holder: Holder): LinkLine[] {
  return Object.entries(holder.attributes).flatMap(([field, attribute]): LinkLine[] => {
    const value = holder.values[field];
    if (attribute.type === 'media') return mediaLines(printing, holder, field, value as string[]);
    if (attribute.type !== 'relation' || isInverse(attribute)) return [];
    const isMorph = String(attribute['relation']).startsWith('morph');
    return (isMorph ? morphLines : relationLines)(printing, holder, [field, attribute, value as Link[]]);
  });
}

/** Whether a published row of Strapi 5 has no draft. */
const isUndrafted = ({ document: { type, versions }, version }: RowOf): boolean =>
  type.drafts && !versions.some(({ locale, state }) => locale === version.locale && state === 'draft');

/** Sets the positions of the inverse side, by the ranks of the owners. */
function orderInverse({ world, rows, dice }: Printing, lines: readonly LinkLine[]): void {
  const owners = new Map(
    rows.versions.map((row) => [`${row.document.type.uid} ${row.id}`, row.document.mark]),
  );
  const rankOf = ({ left }: LinkLine): number =>
    world.ranks.get(`${left.type}.${String(left.field)} ${owners.get(`${left.type} ${left.ref}`) ?? ''}`) ??
    0;
  const ordered = lines.filter(
    ({ kind, relation, right }) =>
      kind !== 'relation.morph' && right.field !== undefined && relation !== 'oneToOne',
  );
  const attributeOf = ({ left }: LinkLine): string => `${left.type}.${String(left.field)}`;
  const undrafted = new Set(
    rows.versions.filter((row) => isUndrafted(row)).map(({ document: { type }, id }) => `${type.uid} ${id}`),
  );
  // Owners without a draft and owners with one share a list of drafts here.
  const mixed = new Set(
    ordered.filter(({ left }) => undrafted.has(`${left.type} ${left.ref}`)).map(attributeOf),
  );
  for (const group of Map.groupBy(ordered, (line) => `${attributeOf(line)} ${line.right.ref}`).values()) {
    const sorted = group.toSorted((a, b) => rankOf(a) - rankOf(b));
    const places = positions(dice, sorted.length);
    sorted.forEach((line, i) => {
      line.right.pos = mixed.has(attributeOf(line)) ? 0.5 + rankOf(line) : (places[i] ?? 0);
    });
  }
}

/** Every row of Strapi 5 links its document; rows of Strapi 4 link each other. */
function localizations({ world, rows, byMark, dice }: Printing): LinkLine[] {
  return rows.versions.flatMap(({ document, id }): LinkLine[] => {
    const { type, mark, documentId } = document;
    const line = { kind: 'relation.circular', relation: 'oneToMany' };
    const left = { type: type.uid, field: 'localizations', ref: id };
    if (world.model.flavour === 'v5') return [{ ...line, left, right: { type: type.uid, ref: documentId } }];
    if (!type.localized) return [];
    const others = (byMark.get(`${type.uid} ${mark}`) ?? []).filter((row) => row.id !== id);
    const places = positions(dice, others.length);
    return others.map((row, i) => ({
      ...{ ...line, left: { ...left, pos: places[i] ?? 0 } },
      right: { type: type.uid, ref: row.id },
    }));
  });
}

/** Links of rows that do not exist, and repeated links, as older versions export them. */
function traps({ dice }: Printing, lines: readonly LinkLine[]): LinkLine[] {
  if (lines.length === 0 || dice.chance(70)) return [];
  const some = dice.some(lines, 3);
  return some.flatMap((line) => [
    { ...line, left: { ...line.left, ref: 900_000 } },
    { ...line, right: { ...line.right, ref: typeof line.right.ref === 'string' ? 'nothing' : 900_000 } },
    line,
  ]);
}

export function linksOf(world: World, rows: Rows, dice: Dice): LinkLine[] {
  const byMark = Map.groupBy(rows.versions, ({ document }) => `${document.type.uid} ${document.mark}`);
  const printing: Printing = { world, rows, dice, byMark };
  const lines = rows.holders.flatMap((holder) => linesOf(printing, holder));
  orderInverse(printing, lines);
  return [...dice.shuffled(lines), ...localizations(printing), ...traps(printing, lines)];
}
