/**
 * The model as MikroORM entities: it owns the tables, indexes and migrations; documents are read by compiled
 * SQL.
 */
import { EntitySchema, type MikroORM } from '@mikro-orm/core';
import type {
  Attribute,
  ComponentAttribute,
  ContentType,
  RelationAttribute,
  ScalarAttribute,
  Schema,
  ZoneAttribute,
} from '../schema/model.js';
import {
  attributeIndexName,
  countIndexName,
  listIndexName,
  ownerIndexName,
  parted,
  singleIndexName,
  targetIndexName,
  uniqueIndexName,
  versionIndexName,
} from '../schema/naming.js';
import { isIndexedInside } from '../schema/unique-inside.js';
import { print, quote, sql } from '../sql.js';
import { componentSequence } from './sequences.js';

type Properties = Record<string, Record<string, unknown>>;
type Indexes = {
  name: string;
  properties?: string[];
  expression?: string;
  where?: string;
  deferMode?: string;
}[];
type AnyEntity = EntitySchema<Record<string, unknown>>;

/**
 * What a column is for, as its comment. MikroORM takes a column that goes and one that comes for one that was
 * renamed when they are alike, and every text is like every other: what a private attribute or a password
 * held would come back under a public name. No two columns of a table have the same comment, so none are
 * alike.
 */
const commentOf = ({ name }: Attribute, of = ''): { readonly comment: string } => ({
  comment: `${of}${name}`,
});

/** Names of properties beside the attributes': attributes begin with a letter. */
const besideOf = (attribute: RelationAttribute, what: 'document' | 'position'): string =>
  `_${attribute.name}_${what}`;

const SYSTEM: Properties = {
  id: { type: 'integer', primary: true, autoincrement: true },
  documentId: { type: 'text', fieldName: 'document_id' },
  createdAt: { type: 'datetime', fieldName: 'created_at', columnType: 'timestamptz(3)' },
  updatedAt: { type: 'datetime', fieldName: 'updated_at', columnType: 'timestamptz(3)' },
  publishedAt: { type: 'datetime', fieldName: 'published_at', columnType: 'timestamptz(3)', nullable: true },
  _published: { type: 'boolean', fieldName: 'published' },
  locale: { type: 'text', fieldName: 'locale' },
};

interface Parts {
  readonly properties: Properties;
  readonly indexes: Indexes;
  readonly uniques: Indexes;
  readonly links: AnyEntity[];
  /** The entity that the parts become, for the links that point back at it. */
  readonly owner: () => AnyEntity;
}

type LinkJoin = Extract<RelationAttribute['join'], { kind: 'link' }>;

function scalarColumn(type: ContentType, attribute: ScalarAttribute, parts: Parts): void {
  if (attribute.system) return;
  const key = attribute.name;
  parts.properties[key] = {
    type: attribute.type.column,
    columnType: attribute.type.column,
    fieldName: attribute.column,
    nullable: true,
    ...commentOf(attribute),
  };
  // Uniqueness is per locale and among published versions; empty texts do not count (D14, protocol 14.18).
  if (attribute.def.unique === true || attribute.def.type === 'uid') {
    const filled = attribute.type.column === 'text' ? ` and "${attribute.column}" <> ''` : '';
    parts.uniques.push({
      name: uniqueIndexName(type, attribute),
      properties: [key, 'locale'],
      where: `published${filled}`,
    });
  }
  // The unique index is partial, which filters cannot use; this one serves them, drafts included.
  if (attribute.def.index === true || attribute.def.unique === true || attribute.def.type === 'uid') {
    parts.indexes.push({ name: attributeIndexName(type, attribute), properties: [key] });
  }
}

/** Indexes that concurrent writers may meet at although each of them is right; a second look tells. */
export const contendedIndexes = (type: ContentType): string[] => [
  versionIndexName(type),
  singleIndexName(type),
  ...[...type.attributes.values()].flatMap((attribute) => {
    if (attribute.kind === 'scalar')
      return attribute.def.generate === true ? [uniqueIndexName(type, attribute)] : [];
    if (attribute.kind !== 'relation' || !attribute.exclusive) return [];
    const other =
      attribute.def.type === 'relation'
        ? attribute.target.attributes.get(attribute.def.mappedBy ?? '')
        : undefined;
    return [
      ownerIndexName(type, attribute),
      ...(other?.kind === 'relation' ? [ownerIndexName(attribute.target, other)] : []),
    ];
  }),
];

function embeddedColumn(
  type: ContentType,
  attribute: ComponentAttribute | ZoneAttribute,
  parts: Parts,
): void {
  parts.properties[attribute.name] = {
    type: 'jsonb',
    columnType: 'jsonb',
    fieldName: attribute.column,
    nullable: true,
    ...commentOf(attribute),
  };
  if (isIndexedInside(attribute)) {
    const index = attributeIndexName(type, attribute);
    const { text } = print(
      sql`create index ${quote(index)} on ${quote(type.table)} using gin (${quote(attribute.column)} jsonb_path_ops)`,
    );
    parts.indexes.push({ name: index, expression: text });
  }
}

function relationColumns(type: ContentType, attribute: RelationAttribute, parts: Parts): void {
  const { join } = attribute;
  if (join.kind === 'column') {
    const key = besideOf(attribute, 'document');
    parts.properties[key] = {
      type: 'text',
      fieldName: join.column,
      nullable: true,
      ...commentOf(attribute),
    };
    // A one-to-one target has one owner per locale and state.
    // Judged at commit, because a target changes hands within one statement.
    const owned = {
      name: ownerIndexName(type, attribute),
      properties: [key, 'locale', '_published'],
      deferMode: 'deferred',
    };
    if (attribute.exclusive) parts.uniques.push(owned);
    else parts.indexes.push({ name: attributeIndexName(type, attribute), properties: [key] });
    if (join.position !== null) {
      parts.properties[besideOf(attribute, 'position')] = {
        type: 'integer',
        fieldName: join.position,
        autoincrement: true,
        ...commentOf(attribute, 'place on the other side of '),
      };
    }
  }
  if (join.kind === 'link') parts.links.push(linkTable(type, attribute, join, parts.owner));
}

/** Owner row, target document, and the position on each side. The owner's links go when its row goes. */
function linkTable(
  type: ContentType,
  attribute: RelationAttribute,
  way: LinkJoin,
  ownerEntity: () => AnyEntity,
): AnyEntity {
  const properties: Properties = {
    owner: {
      kind: 'm:1',
      entity: () => ownerEntity(),
      fieldName: 'owner_id',
      primary: true,
      deleteRule: 'cascade',
      updateRule: 'cascade',
    },
    targetDocumentId: { type: 'text', fieldName: 'target_document_id', primary: true },
    position: { type: 'integer', fieldName: 'position' },
    ...(way.twoWay
      ? { inversePosition: { type: 'integer', fieldName: 'inverse_position', autoincrement: true } }
      : {}),
  };
  const { table } = way;
  const indexes = [{ name: targetIndexName(table), properties: ['targetDocumentId'] }];
  return entity(`${entityName(type)}_${attribute.name}_Link`, table, { properties, indexes, uniques: [] });
}

const entityName = (type: ContentType): string => `Content_${type.singularApiId.replaceAll('-', '_')}`;

function entity(
  entityClass: string,
  table: string,
  { properties, indexes, uniques }: Pick<Parts, 'properties' | 'indexes' | 'uniques'>,
): AnyEntity {
  // The properties are only known at run time, which is what this boundary is for.
  const { schema, bare } = parted(table);
  return new EntitySchema({
    name: entityClass,
    tableName: bare,
    ...(schema === null ? {} : { schema }),
    properties,
    indexes,
    uniques,
  } as unknown as ConstructorParameters<typeof EntitySchema>[0]) as AnyEntity;
}

function typeEntities(type: ContentType): AnyEntity[] {
  const parts: Parts = {
    properties: { ...SYSTEM },
    indexes: [],
    uniques: [],
    links: [],
    owner: () => document,
  };
  for (const attribute of type.attributes.values()) {
    if (attribute.kind === 'scalar') scalarColumn(type, attribute, parts);
    else if (attribute.kind === 'relation') relationColumns(type, attribute, parts);
    else embeddedColumn(type, attribute, parts);
  }
  parts.uniques.push({ name: versionIndexName(type), properties: ['documentId', 'locale', '_published'] });
  if (type.kind === 'singleType')
    parts.uniques.push({ name: singleIndexName(type), properties: ['locale', '_published'] });
  // Totals count by state and locale; lists go on by id.
  parts.indexes.push({ name: countIndexName(type), properties: ['_published', 'locale'] });
  parts.indexes.push({ name: listIndexName(type), properties: ['_published', 'locale', 'id'] });
  const document: AnyEntity = entity(entityName(type), type.table, parts);
  return [document, ...parts.links];
}

/**
 * Whether MikroORM knows the entities, and looks for tables where statements do. Throws with what to change:
 * the alternative is an application that starts and fails on every request.
 */
export function checkRegistered(orm: MikroORM, schema: Schema): void {
  const [theirs, ours] = [orm.config.get('schema') ?? 'public', parted(schema.file.table).schema];
  if (ours === null && theirs !== '*' && theirs !== 'public') {
    throw new Error(
      `MikroORM keeps tables in the schema "${theirs}": set "schema: '${theirs}'" in ContentModule.forRoot, too`,
    );
  }
  const known = new Map([...orm.getMetadata()].map((meta) => [meta.className, meta]));
  const missing = entitiesOf(schema)
    .map(({ meta }) => meta)
    .filter((wanted) => {
      const found = known.get(wanted.className);
      const same =
        found?.tableName === wanted.tableName && (found.schema ?? null) === (wanted.schema ?? null);
      return !same || Object.keys(wanted.properties).some((name) => !Object.hasOwn(found.properties, name));
    });
  if (missing.length > 0) {
    throw new Error(
      `MikroORM has no entities of this model for ${missing.map(({ tableName }) => tableName).join(', ')}: set "autoLoadEntities: true" in MikroOrmModule.forRoot, or list contentEntities(model) of the very same model in its "entities"`,
    );
  }
}

/** The entities of the whole model, the file type and the component sequence included. */
export function entitiesOf(schema: Schema): AnyEntity[] {
  const id = { type: 'integer', primary: true, autoincrement: true };
  const sequence = entity('Content_ComponentSequence', componentSequence(schema.file), {
    properties: { id },
    indexes: [],
    uniques: [],
  });
  return [...[...schema.types.values()].flatMap(typeEntities), sequence];
}
