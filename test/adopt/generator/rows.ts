/** Rows of a world: numbers of all versions and component instances, and entities as `strapi export` writes them. */
import type { Dice } from '../../evolution/pairs/dice.ts';
import {
  componentOf,
  type Instance,
  isLocalized,
  type SourceAttributes,
  type SourceDocument,
  type Version,
  type World,
} from './source.ts';

export interface RowOf {
  readonly document: SourceDocument;
  readonly version: Version;
  readonly id: number;
}

/** Component instance or version with its row number, from which links start. */
export interface Holder {
  /** Uid of the type or component. */
  readonly uid: string;
  readonly id: number;
  readonly attributes: SourceAttributes;
  readonly values: Readonly<Record<string, unknown>>;
  /** Version that contains the instance. */
  readonly root: RowOf;
}

export interface Rows {
  readonly versions: readonly RowOf[];
  readonly holders: readonly Holder[];
  readonly entities: readonly object[];
}

const isEmbedded = (type: string): boolean => type === 'component' || type === 'dynamiczone';
const isLinked = (type: string): boolean => type === 'relation' || type === 'media';

/** Gives numbers to the rows of each type or component, with gaps. */
class Numbers {
  private readonly last = new Map<string, number>();
  private readonly dice: Dice;

  constructor(dice: Dice) {
    this.dice = dice;
  }

  next(uid: string): number {
    const id = (this.last.get(uid) ?? 0) + 1 + this.dice.below(3);
    this.last.set(uid, id);
    return id;
  }
}

interface Printing {
  readonly world: World;
  readonly dice: Dice;
  readonly numbers: Numbers;
  readonly holders: Holder[];
}

/** Data of an instance. Records it as a holder. */
function instanceData(
  printing: Printing,
  root: RowOf,
  { component, values }: Instance,
): Record<string, unknown> {
  const { attributes } = componentOf(printing.world.model, component);
  const id = printing.numbers.next(component);
  printing.holders.push({ uid: component, id, attributes, values, root });
  return { id, ...dataOf(printing, root, { attributes, values }) };
}

/** Data of a row: scalars and components, without relations and media. */
function dataOf(
  printing: Printing,
  root: RowOf,
  { attributes, values }: Pick<Holder, 'attributes' | 'values'>,
): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const [name, { type, repeatable }] of Object.entries(attributes)) {
    if (isLinked(type)) continue;
    const value = values[name];
    if (!isEmbedded(type)) {
      data[name] = value ?? null;
      continue;
    }
    const list = (value as readonly Instance[]).map((one) => {
      const inner = instanceData(printing, root, one);
      return type === 'dynamiczone' ? { ...inner, __component: one.component } : inner;
    });
    if (type === 'dynamiczone' || repeatable === true) data[name] = list;
    else data[name] = list[0] ?? null;
  }
  return data;
}

/**
 * In Strapi 4, locales can differ in attributes that they share. The row of the default locale counts, if it
 * has the states of the others.
 */
function strayOf({ world, dice }: Printing, { document, version }: RowOf): Record<string, unknown> {
  const { flavour, defaultLocale } = world.model;
  const { type, versions } = document;
  const home = versions.find(({ locale }) => locale === defaultLocale);
  const isCovered = home?.state === 'published' || versions.every(({ state }) => state === 'draft');
  if (flavour === 'v5' || !type.localized || home === undefined || home === version || !isCovered) return {};
  const names = Object.entries(type.attributes)
    .filter(([name, one]) => name !== 'mark' && one.type === 'string' && !isLocalized(type, one))
    .map(([name]) => name);
  return Object.fromEntries(names.filter(() => dice.chance(30)).map((name) => [name, 'stray']));
}

interface Entity {
  readonly type: string;
  readonly id: number;
  readonly data: Readonly<Record<string, unknown>>;
}

function entityOf(printing: Printing, row: RowOf): Entity {
  const { document, version, id } = row;
  const { type } = document;
  const { attributes } = type;
  printing.holders.push({ uid: type.uid, id, attributes, values: version.values, root: row });
  const data = {
    ...dataOf(printing, row, { attributes, values: version.values }),
    ...strayOf(printing, row),
  };
  const { createdAt, updatedAt, publishedAt } = version;
  const isV5 = printing.world.model.flavour === 'v5';
  const published = isV5 || type.drafts ? { publishedAt } : {};
  const isOld = version.locale === printing.world.model.defaultLocale && printing.dice.chance(4);
  const locale = isV5 || type.localized ? { locale: isOld ? null : version.locale } : {};
  const documentId = isV5 ? { documentId: document.documentId } : {};
  return {
    type: type.uid,
    id,
    data: { ...documentId, ...data, createdAt, updatedAt, ...published, ...locale },
  };
}

/**
 * Copies of rows in a locale that Strapi does not show any more: it was removed from the project, or the type
 * lost its locales.
 */
function former({ world, dice, numbers }: Printing, { document }: RowOf, row: Entity): Entity[] {
  const { localized, uid } = document.type;
  if (!dice.chance(3) || (!localized && world.model.flavour === 'v4')) return [];
  const data = { ...row.data, mark: 'former', locale: localized ? 'xx' : 'fr' };
  return [{ type: uid, id: numbers.next(uid), data }];
}

/** Numbers the rows of all documents. Rows come in the order in which they were last written, as in a heap. */
export function rowsOf(world: World, dice: Dice): Rows {
  const numbers = new Numbers(dice);
  const versions = world.documents.flatMap((document) =>
    document.versions.map((version): RowOf => ({ document, version, id: numbers.next(document.type.uid) })),
  );
  const printing: Printing = { world, dice, numbers, holders: [] };
  const entities = world.model.types.flatMap(({ uid }) => {
    const own = versions.filter(({ document }) => document.type.uid === uid);
    return dice.shuffled(own).flatMap((row) => {
      const entity = entityOf(printing, row);
      return [entity, ...former(printing, row, entity)];
    });
  });
  return { versions, holders: printing.holders, entities };
}
