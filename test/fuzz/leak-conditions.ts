/**
 * Random conditions of grants: comparisons, nulls, negations, locales, components and relations, which match
 * some versions of each type. The seed and the documents decide them, so that every process makes the same ones.
 */
import type { ContentService, GrantFilters, Grants } from 'nestjs-content-api';
import { getContentToken } from 'nestjs-content-api';
import { randomFrom } from '../support/random.ts';
import type { RunningApp } from './apps.ts';
import type { ContentType, RelationAttribute, Schema } from './internals.ts';

type Documents = ReadonlyMap<string, readonly string[]>;

interface Made {
  readonly filters: GrantFilters;
  /** Attributes of the type that the filters name. */
  readonly names: ReadonlySet<string>;
  /** Types that the filters enter. */
  readonly entered: ReadonlySet<string>;
}

interface World {
  readonly schema: Schema;
  readonly documents: Documents;
  readonly seed: number;
}

let world: World | null = null;
const made = new Map<string, Made>();

/** Sets what the conditions are made from, before the first request. */
export function seedConditions(given: World): void {
  world = given;
  made.clear();
}

const textSeed = (text: string): number =>
  [...text].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 7);

type Random = () => number;

const some = (ids: readonly string[], next: Random): string[] => {
  const chosen = ids.filter(() => next() < 0.6);
  return chosen.length === 0 ? ids.slice(0, 1) : chosen;
};

/** Relations that conditions can follow: their links are stored with the type itself. */
const hopsOf = (type: ContentType): RelationAttribute[] =>
  [...type.attributes.values()].filter(
    (attribute): attribute is RelationAttribute =>
      attribute.kind === 'relation' &&
      !attribute.media &&
      !attribute.open &&
      !attribute.hidden &&
      ['column', 'link'].includes(attribute.join.kind),
  );

class Maker {
  readonly names = new Set<string>();
  readonly entered = new Set<string>();
  private readonly documents: Documents;
  private readonly next: Random;

  constructor(documents: Documents, next: Random) {
    this.documents = documents;
    this.next = next;
  }

  private pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.next() * list.length)];
  }

  private ids(type: ContentType): GrantFilters {
    return { documentId: { $in: some(this.documents.get(type.singularApiId) ?? [], this.next) } };
  }

  private related(type: ContentType, atRoot: boolean): GrantFilters {
    const hop = this.pick(hopsOf(type));
    if (hop === undefined) return this.ids(type);
    if (atRoot) this.names.add(hop.name);
    this.entered.add(hop.target.singularApiId);
    const roll = this.next();
    // The links of the entered type are kept only if it is the type of the condition.
    if (roll < 0.25) return { [hop.name]: { documentId: { $null: true } } };
    if (roll < 0.5) return { [hop.name]: { $not: this.ids(hop.target) } };
    return { [hop.name]: this.ids(hop.target) };
  }

  private scalar(type: ContentType): GrantFilters {
    const scalars = [...type.attributes.values()].filter(
      (attribute) =>
        attribute.kind === 'scalar' &&
        !attribute.system &&
        !attribute.hidden &&
        ['string', 'text', 'integer', 'date'].includes(attribute.def.type),
    );
    const chosen = this.pick(scalars);
    if (chosen === undefined) return this.ids(type);
    this.names.add(chosen.name);
    return { [chosen.name]: this.next() < 0.7 ? { $notNull: true } : { $null: true } };
  }

  /** A text inside a component, which is kept with the whole attribute. */
  private inside(type: ContentType): GrantFilters {
    const parts = [...type.attributes.values()].filter(
      (attribute) => attribute.kind === 'component' && !attribute.hidden,
    );
    const chosen = this.pick(parts);
    if (chosen?.kind !== 'component') return this.scalar(type);
    const texts = [...chosen.component.attributes.values()].filter(
      (attribute) => attribute.kind === 'scalar' && !attribute.hidden && attribute.def.type === 'string',
    );
    const text = this.pick(texts);
    if (text === undefined) return this.scalar(type);
    this.names.add(chosen.name);
    const filters = {
      [chosen.name]: { [text.name]: this.next() < 0.5 ? { $notNull: true } : { $null: true } },
    };
    return this.next() < 0.3 ? { $not: filters } : filters;
  }

  leaf(type: ContentType): GrantFilters {
    const roll = this.next();
    if (roll < 0.2) return this.inside(type);
    if (roll < 0.4) return this.ids(type);
    if (roll < 0.7) return this.related(type, true);
    if (roll < 0.85) return this.scalar(type);
    return type.localized ? { locale: { $in: ['en', this.next() < 0.5 ? 'de' : 'fr'] } } : this.ids(type);
  }

  filters(type: ContentType): GrantFilters {
    const roll = this.next();
    if (roll < 0.4) return this.leaf(type);
    if (roll < 0.6) return { $and: [this.leaf(type), this.leaf(type)] };
    if (roll < 0.8) return { $or: [this.leaf(type), this.leaf(type)] };
    return { $not: { $and: [this.leaf(type), this.leaf(type)] } };
  }
}

/** Returns the condition of a caller for a type. */
function conditionOf(caller: string, name: string): Made {
  if (world === null) throw new Error('the conditions have no seed');
  const key = `${caller} ${name}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const type = world.schema.types.get(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  const maker = new Maker(world.documents, randomFrom(world.seed + textSeed(key)));
  const filters = maker.filters(type);
  const condition = { filters, names: maker.names, entered: maker.entered };
  made.set(key, condition);
  return condition;
}

/** Grants on some versions of the types. */
export const conditional = (caller: string, types: readonly string[], drafts: boolean): Grants =>
  Object.fromEntries(
    types.map((type) => [
      type,
      [
        {
          actions: drafts ? ['find', 'findOne', 'readDrafts'] : ['find', 'findOne'],
          where: () => conditionOf(caller, type).filters,
        },
      ],
    ]),
  );

/** Content that the conditions of a caller hide. */
export interface Hiding {
  /** Row ids of the versions that meet the condition, by type. */
  readonly met: ReadonlyMap<string, ReadonlySet<number>>;
  /** Attributes that decide a condition, by type. They keep their values. */
  readonly names: ReadonlyMap<string, ReadonlySet<string>>;
  /** Types whose documents decide conditions of other types. They keep their documents. */
  readonly entered: ReadonlySet<string>;
}

/** Returns what the conditions of a caller hide. The application reads without any limit. */
export async function hidingOf(
  caller: string,
  types: readonly ContentType[],
  { app }: Pick<RunningApp, 'app'>,
): Promise<Hiding> {
  const met = new Map<string, ReadonlySet<number>>();
  const conditions = types.map((type) => [type, conditionOf(caller, type.singularApiId)] as const);
  for (const [type, { filters }] of conditions) {
    const service = app.get<ContentService>(getContentToken(type.singularApiId), { strict: false });
    const ids = new Set<number>();
    for (const status of type.draftAndPublish
      ? (['draft', 'published'] as const)
      : (['published'] as const)) {
      const query = { filters, status, locale: '*', fields: ['documentId'], pagination: { limit: 100 } };
      if (type.kind === 'singleType') {
        for (const locale of type.localized ? ['en', 'de', 'fr'] : ['en']) {
          const found: unknown = await service.findOne(null, {
            ...query,
            locale,
            pagination: undefined,
          });
          if (found !== null) ids.add((found as { id: number }).id);
        }
      } else
        for (const { id } of (await service.find(query)).data as unknown as { id: number }[]) ids.add(id);
    }
    met.set(type.singularApiId, ids);
  }
  return {
    met,
    names: new Map(conditions.map(([type, { names }]) => [type.singularApiId, names])),
    entered: new Set(conditions.flatMap(([, { entered }]) => [...entered])),
  };
}
