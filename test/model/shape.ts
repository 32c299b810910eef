/** Content model of the tester: types, and relations with their two sides. */
import type { ContentTypeDefinition } from 'nestjs-content-api';
import { content, PEOPLE } from './content.ts';

/** A relation: one set of links, owned by one type and possibly visible in others (D22, D33). */
export interface Relation {
  /** `story.main` */
  readonly name: string;
  readonly from: string;
  readonly attribute: string;
  readonly to: readonly string[];
  /** Whether each locale has its own links, instead of one list for all. */
  readonly localized: boolean;
  /** Whether an owner has one link at most. */
  readonly ownOne: boolean;
  /** Types whose documents have one owner at most; a one-way relation lets owners share targets. */
  readonly exclusive: readonly string[];
}

/** A relation as one attribute of a type. */
export interface Side {
  readonly attribute: string;
  readonly relation: Relation;
  readonly own: boolean;
  readonly one: boolean;
  /** Types on the other side. If there are several, each item contains its type. */
  readonly targets: readonly string[];
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
  /** Whether only drafts in the stage {@link READY} can be published, to which people may not move them. */
  readonly staged: boolean;
  /** Documents that signed-in people may update. */
  readonly update: 'all' | 'own' | 'where' | 'none';
  /** Value that documents have before and after an update of theirs. */
  readonly condition: Readonly<Record<string, unknown>> | null;
  readonly scalars: readonly {
    readonly attribute: string;
    readonly localized: boolean;
    readonly number: boolean;
  }[];
  readonly embedded: readonly Embedded[];
  readonly sides: readonly Side[];
}

/** Attribute with the stage of a document, its first stage and the one that can be published. */
export const STAGE = 'stage';
export const INITIAL = 'idea';
export const READY = 'ready';

type Attributes = ContentTypeDefinition['attributes'];
type Definition = Attributes[string];
type Linked = Extract<Definition, { type: 'media' | 'relation' }>;
/** The side that does not own its links. */
type Mirror = Extract<Linked, { morphBy: string } | { mappedBy?: string }> & {
  readonly target: string;
  readonly relation: string;
};

const isLinked = (def: Definition): def is Linked => def.type === 'media' || def.type === 'relation';

/** Returns the name of the owning attribute on the other side. */
function ownerOf(def: Linked): string | undefined {
  if ('morphBy' in def) return def.morphBy;
  return 'mappedBy' in def ? def.mappedBy : undefined;
}
const isMirror = (def: Linked): def is Mirror => ownerOf(def) !== undefined;

const definitions = content.contentTypes as readonly ContentTypeDefinition[];
const definitionOf = (name: string): ContentTypeDefinition | undefined =>
  definitions.find(({ singularApiId }) => singularApiId === name);

/** Types with a polymorphic relation to one document. */
const morphOnes = (from: string, attribute: string): string[] =>
  definitions
    .filter(({ attributes }) =>
      Object.values(attributes).some(
        (def) =>
          def.type === 'relation' &&
          def.relation === 'morphOne' &&
          'morphBy' in def &&
          def.target === from &&
          def.morphBy === attribute,
      ),
    )
    .map(({ singularApiId }) => singularApiId);

/** Returns the targets of a relation, and those with one owner at most. */
function endsOf(from: string, attribute: string, def: Linked): Pick<Relation, 'to' | 'exclusive' | 'ownOne'> {
  if (def.type === 'media') return { to: ['file'], exclusive: [], ownOne: def.multiple !== true };
  if (!('target' in def))
    return {
      to: def.targets ?? [],
      exclusive: morphOnes(from, attribute),
      ownOne: def.relation === 'morphToOne',
    };
  const isTwoWay = 'inversedBy' in def && def.inversedBy !== undefined;
  return {
    to: [def.target],
    exclusive: def.relation === 'oneToOne' && isTwoWay ? [def.target] : [],
    ownOne: def.relation === 'oneToOne' || def.relation === 'manyToOne',
  };
}

const relationOf = (from: ContentTypeDefinition, attribute: string, def: Linked): Relation => ({
  name: `${from.singularApiId}.${attribute}`,
  from: from.singularApiId,
  attribute,
  localized: from.localized === true && def.localized === true,
  ...endsOf(from.singularApiId, attribute, def),
});

function sideOf(type: ContentTypeDefinition, attribute: string, def: Definition): Side[] {
  if (!isLinked(def)) return [];
  if (!isMirror(def)) {
    const relation = relationOf(type, attribute, def);
    return [{ attribute, relation, own: true, one: relation.ownOne, targets: relation.to }];
  }
  const name = ownerOf(def) ?? '';
  const owner = definitionOf(def.target);
  const owning = owner?.attributes[name];
  if (owner === undefined || owning === undefined || !isLinked(owning))
    throw new Error(`${attribute} has no other side`);
  const relation = relationOf(owner, name, owning);
  const one = def.relation === 'oneToOne' || def.relation === 'morphOne';
  return [{ attribute, relation, own: false, one, targets: [relation.from] }];
}

function embeddedOf(attribute: string, def: Definition): Embedded[] {
  const localized = def.localized === true;
  if (def.type === 'component') return [{ attribute, localized, zone: false, components: [def.component] }];
  return def.type === 'dynamiczone' ? [{ attribute, localized, zone: true, components: def.components }] : [];
}

interface PeopleGrant {
  readonly own?: boolean;
  readonly where?: Readonly<Record<string, unknown>>;
  readonly actions: readonly string[];
}

function updateOf(name: string): Pick<Type, 'update' | 'condition'> {
  const grants: readonly (string | PeopleGrant)[] =
    Object.entries(PEOPLE).find(([type]) => type === name)?.[1] ?? [];
  if (grants.includes('update')) return { update: 'all', condition: null };
  const limited = grants.find((one) => typeof one === 'object' && one.actions.includes('update'));
  if (typeof limited !== 'object') return { update: 'none', condition: null };
  return limited.where === undefined
    ? { update: 'own', condition: null }
    : { update: 'where', condition: limited.where };
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
    staged: def.stages !== undefined,
    ...updateOf(def.singularApiId),
    scalars: [
      ...attributes.flatMap(([attribute, { type, localized }]) =>
        type === 'string' || type === 'integer'
          ? [{ attribute, localized: localized === true, number: type === 'integer' }]
          : [],
      ),
      ...(def.stages === undefined ? [] : [{ attribute: STAGE, localized: false, number: false }]),
    ],
    embedded: attributes.flatMap(([attribute, one]) => embeddedOf(attribute, one)),
    sides: attributes.flatMap(([attribute, one]) => sideOf(def, attribute, one)),
  };
}

const FILE: Type = {
  ...{
    name: 'file',
    path: 'files',
    single: false,
    drafts: false,
    localized: false,
    owner: null,
    staged: false,
  },
  ...{ update: 'none', condition: null, scalars: [], embedded: [], sides: [] },
};

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

export const PARTS: Readonly<Record<string, Part>> = Object.fromEntries(
  content.components.map(({ uid, attributes }) => {
    const targets = (one: boolean): Record<string, string> =>
      Object.fromEntries(
        Object.entries(attributes as Attributes).flatMap(([name, def]) =>
          def.type === 'relation' && 'target' in def && (def.relation === 'manyToOne') === one
            ? [[name, def.target]]
            : [],
        ),
      );
    return [uid, { one: targets(true), many: targets(false) }];
  }),
);
