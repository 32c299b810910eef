/**
 * Limits the schema generator of the module's own MikroORM to the tables of the content. MikroORM reads all
 * schemas of a database, and drops tables, views, types, functions and indexes that no entity has.
 */
import type { MikroORM } from '@mikro-orm/core';
import type { DatabaseTable, PostgreSqlPlatform, PostgreSqlSchemaHelper } from '@mikro-orm/postgresql';
import { FORMER_INDEX, FORMER_TRIGGERS, TRIGGERS } from '../model/change-log-tables.js';
import { isIndexedAlways } from '../model/index-definition.js';
import { isContentIndex } from '../model/naming.js';
import { SYSTEM_COLUMNS } from '../model/system-columns.js';

type Loading = Parameters<PostgreSqlSchemaHelper['loadInformationSchema']>;
type Index = ReturnType<DatabaseTable['getIndexes']>[number];

/** Attributes of columns without a comment. */
const SYSTEM_NAMES: ReadonlyMap<string, string> = new Map(
  SYSTEM_COLUMNS.filter(({ property }) => isIndexedAlways(property)).map(({ name, property }) => [
    name,
    property,
  ]),
);

const nameOf = (schema: string | undefined, table: string): string => `${schema}.${table}`;

function ownIndexes(orm: MikroORM, defaultSchema?: string): ReadonlyMap<string, ReadonlySet<string>> {
  const { schema: configured = defaultSchema } = orm.config.getAll();
  return new Map(
    [...orm.getMetadata()].map(({ schema = configured, tableName, indexes, uniques }) => [
      nameOf(schema, tableName),
      new Set([...indexes, ...uniques].map(({ name = '' }) => name)),
    ]),
  );
}

/** Whether the content has made an index: by its current model, or by one before it. */
const isOwn = (table: DatabaseTable, { keyName, primary, columnNames }: Index): boolean =>
  primary ||
  keyName === FORMER_INDEX ||
  isContentIndex(
    { table: table.name },
    keyName,
    // The comment of a column is the name of its attribute.
    {
      attributes: columnNames.flatMap((column) => table.getColumn(column)?.comment ?? []),
      declared: columnNames.flatMap(
        (column) => table.getColumn(column)?.comment ?? SYSTEM_NAMES.get(column) ?? [],
      ),
    },
  );

const TRIGGER_NAMES: ReadonlySet<string> = new Set([...Object.values(TRIGGERS), ...FORMER_TRIGGERS]);

function keepOwn(table: DatabaseTable, indexes: ReadonlySet<string>): void {
  table.setIndexes(table.getIndexes().filter((one) => indexes.has(one.keyName) || isOwn(table, one)));
  table.setTriggers(table.getTriggers().filter(({ name }) => TRIGGER_NAMES.has(name)));
  table.setChecks([]);
  table.setForeignKeys({});
  table.setPolicies([]);
  table.rlsEnabled = false;
  table.rlsForced = false;
}

/** Shows the schema generator of an ORM the tables of its entities, and nothing else of the database. */
export function showOwnTables(orm: MikroORM): void {
  const platform = orm.em.getPlatform() as PostgreSqlPlatform;
  const helper = platform.getSchemaHelper() as PostgreSqlSchemaHelper;
  const own = ownIndexes(orm, platform.getDefaultSchemaName());
  const load = helper.loadInformationSchema.bind(helper);
  const loadOwn = async (...[found, connection, tables, schemas, context]: Loading): Promise<void> => {
    const shown = tables.filter((one) => own.has(nameOf(one.schema_name, one.table_name)));
    await load(found, connection, shown, schemas, context);
    found.setNativeEnums({});
    for (const table of found.getTables())
      keepOwn(table, own.get(nameOf(table.schema, table.name)) ?? new Set());
  };
  const nothing = (): Promise<void> => Promise.resolve();
  Object.assign(helper, {
    loadInformationSchema: loadOwn,
    loadViews: nothing,
    loadMaterializedViews: nothing,
    getAllRoutines: () => Promise.resolve([]),
  });
}
