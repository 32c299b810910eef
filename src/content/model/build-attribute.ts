import { present } from '../../kernel/present.js';
import { type Identifier, identifier } from '../../kernel/sql.js';
import type {
  ComponentAttributeDefinition,
  ContentTypeDefinition,
  MorphDefinition,
  NamedDefinition,
  ScalarDefinition,
  ScalarTypeName,
  ZoneDefinition,
} from './definitions.js';
import {
  EMBEDDED_JOIN,
  HOLDERS,
  type JoinContext,
  joinOf,
  LOCALES,
  morphJoin,
  morphSideJoin,
} from './joins.js';
import type { Join } from './join-model.js';
import type {
  Attribute,
  Component,
  ComponentAttribute,
  ContentType,
  MorphAttribute,
  RelationAttribute,
  ScalarAttribute,
  ZoneAttribute,
} from './model.js';
import { columnName, inSchema, name } from './naming.js';
import { isMorph, RELATION_KINDS } from './relation-kinds.js';
import { isScalarType, SCALAR_TYPES } from './scalar-types.js';

interface ScalarOrigin {
  readonly localized: boolean;
  readonly systemColumn?: Identifier;
}

function scalar(
  key: string,
  def: ScalarDefinition,
  { localized, systemColumn }: ScalarOrigin,
): ScalarAttribute {
  return Object.freeze({
    kind: 'scalar',
    name: identifier(key),
    column: systemColumn ?? columnName(key),
    type: SCALAR_TYPES[def.type],
    def,
    system: systemColumn !== undefined,
    open: systemColumn !== undefined,
    linked: false,
    required: def.required ?? false,
    private: def.private ?? false,
    hidden: def.private === true || !SCALAR_TYPES[def.type].readable,
    writable: def.writable ?? true,
    searchable: def.searchable ?? true,
    localized,
  });
}

const system = (key: string, type: ScalarTypeName, column: string): ScalarAttribute =>
  scalar(
    key,
    { type, writable: false, searchable: key === 'documentId' || key === 'id' },
    { localized: true, systemColumn: identifier(column) },
  );

export const IDENTITY = [system('id', 'integer', 'id'), system('documentId', 'string', 'document_id')];
export const TIMES = [
  system('createdAt', 'datetime', 'created_at'),
  system('updatedAt', 'datetime', 'updated_at'),
  system('publishedAt', 'datetime', 'published_at'),
];
export const LOCALE = system('locale', 'string', 'locale');

export const tableOf = (type: ContentTypeDefinition, schema: string | null): Identifier =>
  inSchema(schema, name(type.tableName ?? type.pluralApiId ?? type.singularApiId));

const isMany = (def: RelationAttribute['def']): boolean =>
  def.type === 'media' ? def.multiple === true : RELATION_KINDS[def.relation].many;

export interface Build {
  readonly schema: string | null;
  readonly definitions: ReadonlyMap<string, ContentTypeDefinition>;
  readonly types: ReadonlyMap<string, ContentType>;
  readonly components: ReadonlyMap<string, Component>;
}

const joinContextOf = (build: Build, type: ContentTypeDefinition, key: string): JoinContext => ({
  type,
  key,
  types: build.definitions,
  tableOf: (other) => tableOf(other, build.schema),
});

interface BuildContext {
  readonly build: Build;
  readonly type: ContentTypeDefinition | undefined;
  readonly base: Pick<
    Attribute,
    'name' | 'system' | 'open' | 'required' | 'private' | 'hidden' | 'writable' | 'localized'
  >;
}

function component(def: ComponentAttributeDefinition, { build, base }: BuildContext): ComponentAttribute {
  const inner = present(build.components.get(def.component), def.component);
  return Object.freeze<ComponentAttribute>({
    ...base,
    kind: 'component',
    linked: false,
    column: columnName(base.name),
    def,
    component: inner,
    components: [inner],
    named: false,
    many: def.repeatable === true,
  });
}

const zone = (def: ZoneDefinition, { build, base }: BuildContext): ZoneAttribute =>
  Object.freeze<ZoneAttribute>({
    ...base,
    kind: 'zone',
    linked: false,
    column: columnName(base.name),
    def,
    components: def.components.map((uid) => present(build.components.get(uid), uid)),
    named: true,
    many: true,
  });

/** Returns the join of a relation to one type. Inside a component the instance itself contains the links. */
function joinFrom(def: RelationAttribute['def'], { build, type, base }: BuildContext): Join {
  if (type === undefined) return EMBEDDED_JOIN;
  const context = joinContextOf(build, type, base.name);
  return 'morphBy' in def ? morphSideJoin(def, context) : joinOf(def, context);
}

function relation(def: RelationAttribute['def'], making: BuildContext): RelationAttribute {
  const { build, base } = making;
  const twoWay =
    def.type === 'relation' && !('morphBy' in def) && (def.inversedBy ?? def.mappedBy) !== undefined;
  const name = def.type === 'media' ? 'file' : def.target;
  const target = present(build.types.get(name), name);
  return Object.freeze<RelationAttribute>({
    ...base,
    kind: 'relation',
    linked: true,
    def,
    many: isMany(def),
    join: joinFrom(def, making),
    target,
    targets: [target],
    named: false,
    polymorphic: 'morphBy' in def,
    media: def.type === 'media',
    exclusive: twoWay && def.relation.startsWith('oneTo'),
  });
}

const targetsOf = ({ targets }: MorphDefinition, { types }: Build): ContentType[] =>
  targets === undefined
    ? [...types.values()].filter(({ routes }) => routes.length > 0)
    : targets.map((name) => present(types.get(name), name));

function morph(def: MorphDefinition, { build, type, base }: BuildContext): MorphAttribute {
  const join = type === undefined ? EMBEDDED_JOIN : morphJoin(def, joinContextOf(build, type, base.name));
  return Object.freeze<MorphAttribute>({
    ...base,
    kind: 'morph',
    linked: true,
    def,
    many: RELATION_KINDS[def.relation].many,
    join,
    targets: targetsOf(def, build),
    named: true,
    polymorphic: true,
    media: false,
    exclusive: 'links' in join && join.links.exclusiveTypes.length > 0,
  });
}

export function attributeOf(
  build: Build,
  { key, def }: NamedDefinition,
  type?: ContentTypeDefinition,
): Attribute {
  const localized = type === undefined ? false : type.localized === true && def.localized === true;
  if (isScalarType(def.type)) return scalar(key, def as ScalarDefinition, { localized });
  const base = {
    name: identifier(key),
    system: false,
    open: false,
    required: def.required ?? false,
    private: def.private ?? false,
    hidden: def.private === true,
    writable: def.writable ?? true,
    localized,
  };
  const making = { build, type, base };
  if (def.type === 'component') return component(def, making);
  if (def.type === 'dynamiczone') return zone(def, making);
  if (def.type === 'relation' && isMorph(def)) return morph(def, making);
  return relation(def as RelationAttribute['def'], making);
}

/**
 * Builds the `related` attribute of files: documents that link the file by a media attribute (protocol 4.34).
 */
export const holdersOf = (targets: readonly ContentType[]): MorphAttribute =>
  Object.freeze<MorphAttribute>({
    kind: 'morph',
    name: identifier('related'),
    system: true,
    open: false,
    required: false,
    private: false,
    hidden: false,
    linked: true,
    writable: false,
    localized: false,
    def: { type: 'relation', relation: 'morphToMany' },
    many: true,
    join: HOLDERS,
    targets,
    named: true,
    polymorphic: true,
    media: false,
    exclusive: false,
  });

export function localizations(type: ContentType): RelationAttribute {
  return Object.freeze<RelationAttribute>({
    kind: 'relation',
    name: identifier('localizations'),
    system: false,
    open: true,
    required: false,
    private: false,
    hidden: false,
    linked: true,
    writable: false,
    localized: true,
    def: { type: 'relation', relation: 'oneToMany', target: type.singularApiId },
    many: true,
    join: LOCALES,
    target: type,
    targets: [type],
    named: false,
    polymorphic: false,
    media: false,
    exclusive: false,
  });
}
