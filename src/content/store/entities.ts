/** Entities of the model: MikroORM creates tables and indexes from them. Compiled SQL reads and writes. */
import { EntitySchema, type MikroORM } from '@mikro-orm/core';
import type { LinkColumn, LinkTable } from '../model/join-model.js';
import type { Column, ContentType, Index, Schema, StoredLinks } from '../model/model.js';
import { splitTable } from '../model/naming.js';
import type { OwnColumn } from '../model/own-column.js';
import { type OwnTable, ownTablesOf } from '../model/own-tables.js';
import { SYSTEM_COLUMNS, type SystemColumn } from '../model/system-columns.js';
import { ginBody } from '../model/table-shapes.js';
import { print, quote, sql } from '../../kernel/sql.js';
import { triggerEntries } from './trigger-entries.js';

type Property = Readonly<Record<string, unknown>>;
type AnyEntity = EntitySchema<Record<string, unknown>>;

const DATETIME = { type: 'datetime', columnType: 'timestamptz(3)' };

const KEY: Property = { type: 'integer', primary: true, autoincrement: true };

const systemProperty = (column: SystemColumn): Property => ({
  ...(column.type === 'timestamptz(3)' ? DATETIME : { type: column.type }),
  fieldName: column.name,
  ...(column.nullable ? { nullable: true } : {}),
  ...(column.default === undefined ? {} : { default: column.default }),
});

const [, ...WITHOUT_ID] = SYSTEM_COLUMNS;
const SYSTEM_PROPERTIES: readonly [string, Property][] = [
  ['id', KEY],
  ...WITHOUT_ID.map((column): [string, Property] => [column.property, systemProperty(column)]),
];

const property = ({ name, type, comment, nullable }: Column): Property => ({
  type,
  fieldName: name,
  comment,
  columnType: type,
  ...(nullable ? { nullable } : {}),
});

/** Returns an index for MikroORM; a GIN index is a statement. */
function indexEntry(index: Index, { table }: ContentType): Property {
  const { name, properties, gin, where, deferred } = index;
  if (gin !== null)
    return {
      name,
      expression: print(sql`create index ${quote(name)} on ${quote(table)} ${ginBody(gin)}`).text,
    };
  return {
    name,
    properties,
    ...(where === null ? {} : { where: print(where).text }),
    ...(deferred ? { deferMode: 'deferred' } : {}),
  };
}

const linkProperty = ({ name, type, key }: LinkColumn): Property => ({
  type,
  fieldName: name,
  ...(key ? { primary: true } : {}),
});

const linkColumns = (links: LinkTable): readonly LinkColumn[] =>
  [
    links.owner,
    links.published,
    links.locale,
    links.target,
    links.targetType,
    links.position,
    links.inversePosition,
  ].filter((column) => column !== null);

function linkEntity(type: ContentType, { attribute, table: links }: StoredLinks): AnyEntity {
  const { table, published, locale, target, targetIndex, exclusive } = links;
  const byTarget = {
    name: targetIndex,
    properties: [target, published, locale].map(({ property: one }) => one),
  };
  return entity(`${entityName(type)}_${attribute.name}_Link`, table, {
    properties: linkColumns(links).map((column) => [column.property, linkProperty(column)]),
    indexes: exclusive ? [] : [byTarget],
    // Deferred, because one statement may move a target from one owner to another.
    uniques: exclusive ? [{ ...byTarget, deferMode: 'deferred' }] : [],
    triggers: triggerEntries({ table, type, holds: 'links' }),
  });
}

const entityName = (type: ContentType): string => `Content_${type.singularApiId.replaceAll('-', '_')}`;

interface Parts {
  readonly triggers?: readonly Property[];
  readonly properties: readonly (readonly [string, Property])[];
  readonly indexes: readonly Property[];
  readonly uniques: readonly Property[];
}

function entity(
  entityClass: string,
  table: string,
  { properties, indexes, uniques, triggers = [] }: Parts,
): AnyEntity {
  // MikroORM's types expect a class that is known at compile time.
  const { schema, bare } = splitTable(table);
  return new EntitySchema({
    name: entityClass,
    tableName: bare,
    ...(schema === null ? {} : { schema }),
    properties: Object.fromEntries(properties),
    indexes,
    uniques,
    triggers,
  } as unknown as ConstructorParameters<typeof EntitySchema>[0]) as AnyEntity;
}

function typeEntities(type: ContentType): AnyEntity[] {
  const { columns, indexes, links } = type.storage;
  const document: AnyEntity = entity(entityName(type), type.table, {
    properties: [
      ...SYSTEM_PROPERTIES,
      ...columns.map((column): [string, Property] => [column.property, property(column)]),
    ],
    indexes: indexes.filter(({ unique }) => !unique).map((index) => indexEntry(index, type)),
    uniques: indexes.filter(({ unique }) => unique).map((index) => indexEntry(index, type)),
    triggers: triggerEntries({ table: type.table, type, holds: 'versions' }),
  });
  return [document, ...links.map((link) => linkEntity(type, link))];
}

/**
 * Checks that MikroORM has registered the entities, in the schema of the module. Throws an error that names
 * the setting to change: otherwise every request would fail.
 */
export function checkRegistered(orm: MikroORM, schema: Schema): void {
  const [theirs, ours] = [orm.config.get('schema') ?? 'public', splitTable(schema.file.table).schema];
  if (ours === null && theirs !== '*' && theirs !== 'public') {
    throw new Error(
      `MikroORM keeps tables in the schema "${theirs}": set "schema: '${theirs}'" in ContentModule.forRoot, too`,
    );
  }
  const registered = new Map([...orm.getMetadata()].map((meta) => [meta.className, meta]));
  const missing = entitiesOf(schema)
    .map(({ meta }) => meta)
    .filter((wanted) => {
      const found = registered.get(wanted.className);
      const same =
        found?.tableName === wanted.tableName && (found.schema ?? null) === (wanted.schema ?? null);
      return !same || Object.keys(wanted.properties).some((name) => !Object.hasOwn(found.properties, name));
    });
  if (missing.length > 0) {
    throw new Error(
      `MikroORM has no entities of this model for ${missing.map(({ tableName }) => tableName).join(', ')}: ` +
        'set "autoLoadEntities: true" in MikroOrmModule.forRoot, or list contentEntities(model) of the very same ' +
        'model in its "entities"',
    );
  }
}

/** PostgreSQL types that are strings in JavaScript. */
const TEXTS: ReadonlySet<string> = new Set(['xid8', 'pg_snapshot']);

const ownProperty = ({ name, type, key, nullable }: OwnColumn): Property => ({
  ...(type === 'timestamptz(3)' ? DATETIME : { type: TEXTS.has(type) ? 'string' : type, columnType: type }),
  fieldName: name,
  ...(key ? { primary: true, autoincrement: false } : {}),
  ...(nullable ? { nullable } : {}),
});

const propertiesOf = (columns: OwnTable['columns'], names: readonly string[]): string[] =>
  names.flatMap((name) => columns.filter((column) => column.name === name).map(({ property }) => property));

const ownEntity = ({ entity: name, table, columns, indexes }: OwnTable): AnyEntity =>
  entity(name, table, {
    properties: columns.map((column) => [column.property, ownProperty(column)]),
    indexes: indexes.map((index) => ({
      name: index.name,
      properties: propertiesOf(columns, index.columns),
      ...(index.where === undefined ? {} : { where: print(index.where).text }),
    })),
    uniques: [],
  });

export function entitiesOf(schema: Schema): AnyEntity[] {
  const numbers = (entityClass: string, table: string, type: 'integer' | 'bigint'): AnyEntity =>
    entity(entityClass, table, { properties: [['id', { ...KEY, type }]], indexes: [], uniques: [] });
  const { instanceIds, counts } = schema.file.storage;
  return [
    ...[...schema.types.values()].flatMap(typeEntities),
    numbers('Content_ComponentSequence', instanceIds, 'integer'),
    numbers('Content_Counter', counts, 'bigint'),
    ...ownTablesOf(schema).map(ownEntity),
  ];
}
