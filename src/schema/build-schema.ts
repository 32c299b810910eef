/** Definitions in, frozen model out; all mistakes of the definitions at once. */
import { type Identifier, identifier } from '../sql.js';
import { checkModel, isTableName, soundPart } from './check-model.js';
import { checkNames } from './check-names.js';
import {
  type AttributeDefinition,
  type AttributeDefinitions,
  type ComponentDefinition,
  type ContentTypeDefinition,
  type MediaDefinition,
  type RelationDefinition,
  routesOf,
  type ScalarDefinition,
  type ScalarTypeName,
} from './definitions.js';
import { ContentModelError } from './content-model-error.js';
import { FILE_TYPE } from './file-type.js';
import type {
  Attribute,
  Component,
  ContentType,
  Join,
  RelationAttribute,
  ScalarAttribute,
  Schema,
} from './model.js';
import { columnName, inSchema, linkTableName, name } from './naming.js';
import { isScalarType, SCALAR_TYPES } from './scalar-types.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function scalar(
  key: string,
  def: ScalarDefinition,
  localized: boolean,
  systemColumn?: Identifier,
): ScalarAttribute {
  return Object.freeze({
    kind: 'scalar',
    name: identifier(key),
    column: systemColumn ?? columnName(key),
    type: SCALAR_TYPES[def.type],
    def,
    system: systemColumn !== undefined,
    required: def.required ?? false,
    private: def.private ?? false,
    writable: def.writable ?? true,
    searchable: def.searchable ?? true,
    localized,
  });
}

const system = (key: string, type: ScalarTypeName, column: string): ScalarAttribute =>
  scalar(
    key,
    { type, writable: false, searchable: key === 'documentId' || key === 'id' },
    true,
    identifier(column),
  );

const IDENTITY = [system('id', 'integer', 'id'), system('documentId', 'string', 'document_id')];
const TIMES = [
  system('createdAt', 'datetime', 'created_at'),
  system('updatedAt', 'datetime', 'updated_at'),
  system('publishedAt', 'datetime', 'published_at'),
];
const LOCALE = system('locale', 'string', 'locale');

/** How a relation of `owner` reaches its targets. */
function joinOf(
  build: Build,
  owner: ContentTypeDefinition,
  key: string,
  def: RelationDefinition | MediaDefinition,
): Join {
  const table = tableOf(owner, build.schema);
  if (def.type === 'media') {
    return def.multiple === true
      ? { kind: 'link', table: linkTableName(table, key), twoWay: false }
      : { kind: 'column', column: columnName(key, 'document_id'), position: null };
  }
  if (def.mappedBy !== undefined) {
    const target = build.definitions.get(def.target) as ContentTypeDefinition;
    const perLocale = target.localized === true && target.attributes[def.mappedBy]?.localized === true;
    if (def.relation === 'manyToMany')
      return {
        kind: 'inverseLink',
        table: linkTableName(tableOf(target, build.schema), def.mappedBy),
        perLocale,
      };
    const position = def.relation === 'oneToMany' ? columnName(def.mappedBy, 'position') : null;
    return { kind: 'inverseColumn', column: columnName(def.mappedBy, 'document_id'), position, perLocale };
  }
  if (def.relation === 'oneToMany' || def.relation === 'manyToMany') {
    return { kind: 'link', table: linkTableName(table, key), twoWay: def.inversedBy !== undefined };
  }
  const ordered = def.relation === 'manyToOne' && def.inversedBy !== undefined;
  return {
    kind: 'column',
    column: columnName(key, 'document_id'),
    position: ordered ? columnName(key, 'position') : null,
  };
}

const tableOf = (type: ContentTypeDefinition, schema: string | null): Identifier =>
  inSchema(schema, name(type.tableName ?? type.pluralApiId ?? type.singularApiId));

const isMany = (def: RelationDefinition | MediaDefinition): boolean =>
  def.type === 'media'
    ? def.multiple === true
    : def.relation === 'oneToMany' || def.relation === 'manyToMany';

interface Build {
  /** The PostgreSQL schema of the tables. */
  readonly schema: string | null;
  readonly definitions: ReadonlyMap<string, ContentTypeDefinition>;
  readonly types: Map<string, Mutable<ContentType>>;
  readonly components: Map<string, Mutable<Component>>;
}

function attribute(
  build: Build,
  key: string,
  def: AttributeDefinition,
  owner?: ContentTypeDefinition,
): Attribute {
  const localized = owner === undefined ? false : owner.localized === true && def.localized === true;
  if (isScalarType(def.type)) return scalar(key, def as ScalarDefinition, localized);
  const base = {
    name: identifier(key),
    required: def.required ?? false,
    private: def.private ?? false,
    writable: def.writable ?? true,
    localized,
  };
  if (def.type === 'component') {
    const component = build.components.get(def.component) as Component;
    return Object.freeze({
      ...base,
      kind: 'component',
      column: columnName(key),
      def,
      component,
      many: def.repeatable === true,
    });
  }
  if (def.type === 'dynamiczone') {
    const components = def.components.map((uid) => build.components.get(uid) as Component);
    return Object.freeze({ ...base, kind: 'zone', column: columnName(key), def, components, many: true });
  }
  const relation = def as RelationDefinition | MediaDefinition;
  const target = build.types.get(relation.type === 'media' ? 'file' : relation.target) as ContentType;
  const join: Join = owner === undefined ? { kind: 'embedded' } : joinOf(build, owner, key, relation);
  const twoWay = relation.type === 'relation' && (relation.inversedBy ?? relation.mappedBy) !== undefined;
  const exclusive = twoWay && relation.relation.startsWith('oneTo');
  return Object.freeze({
    ...base,
    kind: 'relation',
    def: relation,
    many: isMany(relation),
    join,
    target,
    media: def.type === 'media',
    exclusive,
  });
}

function attributesOf(
  build: Build,
  defs: AttributeDefinitions,
  owner?: ContentTypeDefinition,
): [string, Attribute][] {
  return Object.entries(defs).map(([key, def]) => [key, attribute(build, key, def, owner)]);
}

const isShown = (item: Attribute): item is ScalarAttribute =>
  item.kind === 'scalar' && !item.private && item.type.readable;

function localizations(type: ContentType): RelationAttribute {
  return Object.freeze<RelationAttribute>({
    kind: 'relation',
    name: identifier('localizations'),
    required: false,
    private: false,
    writable: false,
    localized: true,
    def: { type: 'relation', relation: 'oneToMany', target: type.singularApiId },
    many: true,
    join: { kind: 'locales' },
    target: type,
    media: false,
    exclusive: false,
  });
}

function fillType(build: Build, type: Mutable<ContentType>, def: ContentTypeDefinition): void {
  const own = attributesOf(build, def.attributes, def);
  const tail = [...TIMES, ...(type.internal ? [] : [LOCALE])];
  const entries: [string, Attribute][] = [
    ...IDENTITY.map((a): [string, Attribute] => [a.name, a]),
    ...own,
    ...tail.map((a): [string, Attribute] => [a.name, a]),
  ];
  if (type.localized) entries.push(['localizations', localizations(type)]);
  type.attributes = new Map(entries);
  type.shown = entries.map(([, item]) => item).filter(isShown);
  Object.freeze(type);
}

const shell = (def: ContentTypeDefinition, schema: string | null): Mutable<ContentType> => ({
  model: 'type',
  uid: def.singularApiId,
  kind: def.kind,
  singularApiId: def.singularApiId,
  pluralApiId: def.pluralApiId ?? def.singularApiId,
  route: def.kind === 'collectionType' ? def.pluralApiId : def.singularApiId,
  draftAndPublish: def.draftAndPublish ?? false,
  localized: def.localized ?? false,
  table: tableOf(def, schema),
  internal: def === FILE_TYPE,
  routes: routesOf(def),
  owner: def.owner ?? null,
  attributes: new Map(),
  shown: [],
});

function construct(
  types: readonly ContentTypeDefinition[],
  components: readonly ComponentDefinition[],
  schema: string | null,
): Schema {
  const all = [FILE_TYPE, ...types];
  const build: Build = {
    schema,
    definitions: new Map(all.map((def) => [def.singularApiId, def])),
    types: new Map(all.map((def) => [def.singularApiId, shell(def, schema)])),
    components: new Map(
      components.map(({ uid }) => [
        uid,
        { model: 'component', uid: identifier(uid), attributes: new Map(), shown: [] },
      ]),
    ),
  };
  for (const def of components) {
    const component = build.components.get(def.uid) as Mutable<Component>;
    const entries: [string, Attribute][] = [
      ...IDENTITY.map((a): [string, Attribute] => [a.name, a]),
      ...attributesOf(build, def.attributes),
    ];
    component.attributes = new Map(entries);
    component.shown = entries.map(([, item]) => item).filter(isShown);
    Object.freeze(component);
  }
  for (const def of all) fillType(build, build.types.get(def.singularApiId) as Mutable<ContentType>, def);
  return Object.freeze({
    types: build.types,
    components: build.components,
    file: build.types.get('file') as ContentType,
  });
}

/** What a model is besides its definitions. */
export interface ModelOptions {
  /** The PostgreSQL schema of the tables; without it, the one that the connection is in. */
  readonly schema?: string | undefined;
  /** Mistakes that were found elsewhere, to be listed with the others. */
  readonly mistakes?: readonly string[];
}

/**
 * Checks the definitions and builds the model that every other room works on.
 * Throws a {@link ContentModelError} that lists all mistakes.
 */
export function buildSchema(
  types: readonly ContentTypeDefinition[],
  components: readonly ComponentDefinition[],
  options: ModelOptions = {},
): Schema {
  const wrong = checkModel(types, components);
  const sound = wrong.length === 0 ? { types, components } : soundPart(types, components);
  // Names can only be judged once they are made, which is done without what is wrong.
  const valid = options.schema === undefined || isTableName(options.schema);
  const schema = construct(sound.types, sound.components, valid ? (options.schema ?? null) : null);
  const place = valid
    ? []
    : [
        `schema: "${String(options.schema)}" cannot name a schema: letters, digits and underscores, no digit first`,
      ];
  const ours = [...wrong.map(({ text }) => text), ...checkNames([...schema.types.values()]), ...place];
  const others = options.mistakes ?? [];
  if (ours.length + others.length > 0)
    throw new ContentModelError([...ours, ...others], ours.length > 0 ? 'model' : 'options');
  return schema;
}
