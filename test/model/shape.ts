/** The content model as the tester sees it: types, and relations with their two sides. */
import type { ContentTypeDefinition } from 'nestjs-content-api';
import { content } from './content.ts';

/** A relation: one set of links, owned by one type and maybe seen from the other (D22). */
export interface Relation {
  /** `story.main` */
  readonly name: string;
  readonly from: string;
  readonly attribute: string;
  readonly to: string;
  /** Whether there are links for each locale, or one list for all. */
  readonly localized: boolean;
  /** Whether an owner has one link at most. */
  readonly ownOne: boolean;
  /** Whether a target has one link at most; a one-way relation lets targets be shared. */
  readonly inverseOne: boolean;
}

/** A relation as one attribute of a type shows it. */
export interface Side {
  readonly attribute: string;
  readonly relation: Relation;
  readonly own: boolean;
  readonly one: boolean;
}

/** A component: its relations by name, besides `text`. */
export interface Part {
  readonly one: Readonly<Record<string, string>>;
  readonly many: Readonly<Record<string, string>>;
}

export interface Embedded {
  readonly attribute: string;
  readonly localized: boolean;
  /** Whether instances are of several components. */
  readonly zone: boolean;
  readonly components: readonly string[];
}

export interface Type {
  readonly name: string;
  readonly path: string;
  readonly single: boolean;
  readonly drafts: boolean;
  readonly localized: boolean;
  readonly owner: string | null;
  readonly scalars: readonly {
    readonly attribute: string;
    readonly localized: boolean;
    readonly number: boolean;
  }[];
  readonly embedded: readonly Embedded[];
  readonly sides: readonly Side[];
}

type Attributes = ContentTypeDefinition['attributes'];
type Definition = Attributes[string];
/** A relation with one type, or files; polymorphic ones are not among the types of this model. */
type Linked = Exclude<
  Extract<Definition, { type: 'media' } | { target: string; type: 'relation' }>,
  { morphBy: string }
>;

const isLinked = (def: Definition): def is Linked =>
  def.type === 'media' || (def.type === 'relation' && 'target' in def && !('morphBy' in def));

const definitions = content.contentTypes as readonly ContentTypeDefinition[];
const definitionOf = (name: string): ContentTypeDefinition | undefined =>
  definitions.find(({ singularApiId }) => singularApiId === name);

function relationOf(from: ContentTypeDefinition, attribute: string, def: Definition): Relation {
  if (!isLinked(def)) throw new Error(`${attribute} is no relation`);
  const media = def.type === 'media';
  const kind = media ? (def.multiple === true ? 'manyToMany' : 'manyToOne') : def.relation;
  return {
    name: `${from.singularApiId}.${attribute}`,
    from: from.singularApiId,
    attribute,
    to: media ? 'file' : def.target,
    localized: from.localized === true && def.localized === true,
    ownOne: kind === 'oneToOne' || kind === 'manyToOne',
    inverseOne: kind === 'oneToOne' && !media && def.inversedBy !== undefined,
  };
}

function sideOf(type: ContentTypeDefinition, attribute: string, def: Definition): Side[] {
  if (!isLinked(def)) return [];
  if (def.type === 'media' || def.mappedBy === undefined) {
    const relation = relationOf(type, attribute, def);
    return [{ attribute, relation, own: true, one: relation.ownOne }];
  }
  const owner = definitionOf(def.target);
  const owning = owner?.attributes[def.mappedBy];
  if (owner === undefined || owning === undefined) throw new Error(`${attribute} has no other side`);
  return [
    {
      attribute,
      relation: relationOf(owner, def.mappedBy, owning),
      own: false,
      one: def.relation === 'oneToOne',
    },
  ];
}

function embeddedOf(attribute: string, def: Definition): Embedded[] {
  const localized = def.localized === true;
  if (def.type === 'component') return [{ attribute, localized, zone: false, components: [def.component] }];
  return def.type === 'dynamiczone' ? [{ attribute, localized, zone: true, components: def.components }] : [];
}

function typeOf(def: ContentTypeDefinition): Type {
  const attributes = Object.entries(def.attributes);
  return {
    name: def.singularApiId,
    path: def.kind === 'singleType' ? def.singularApiId : (def.pluralApiId ?? ''),
    single: def.kind === 'singleType',
    drafts: def.draftAndPublish === true,
    localized: def.localized === true,
    owner: def.owner ?? null,
    scalars: attributes.flatMap(([attribute, { type, localized }]) =>
      type === 'string' || type === 'integer'
        ? [{ attribute, localized: localized === true, number: type === 'integer' }]
        : [],
    ),
    embedded: attributes.flatMap(([attribute, one]) => embeddedOf(attribute, one)),
    sides: attributes.flatMap(([attribute, one]) => sideOf(def, attribute, one)),
  };
}

const FILE: Type = {
  ...{ name: 'file', path: 'files', single: false, drafts: false, localized: false, owner: null },
  ...{ scalars: [], embedded: [], sides: [] },
};

/** All types that have routes. */
export const TYPES: readonly Type[] = definitions.map(typeOf);

const byName = new Map([...TYPES, FILE].map((type) => [type.name, type]));

export function typeNamed(name: string): Type {
  const type = byName.get(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return type;
}

export const RELATIONS: readonly Relation[] = TYPES.flatMap(({ sides }) =>
  sides.filter(({ own }) => own).map(({ relation }) => relation),
);

/** The relations inside components. */
export const PARTS: Readonly<Record<string, Part>> = Object.fromEntries(
  content.components.map(({ uid, attributes }) => {
    const targets = (one: boolean): Record<string, string> =>
      Object.fromEntries(
        Object.entries(attributes as Attributes).flatMap(([name, def]) =>
          isLinked(def) && def.type === 'relation' && (def.relation === 'manyToOne') === one
            ? [[name, def.target]]
            : [],
        ),
      );
    return [uid, { one: targets(true), many: targets(false) }];
  }),
);
