/** MikroORM of the content: the instance of the application, or one that the module opens. */
import { MikroORM, type Options } from '@mikro-orm/core';
import { getMikroORMToken } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Inject, Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { RUNTIME } from './content.module-definition.js';
import type { ContentRuntimeOptions, DatabaseOptions } from './content.options.js';
import { BackgroundWork } from '../content/store/background-work.js';
import { type ConnectionOptions, urlMistakes, withConnections } from '../content/store/connection-url.js';
import { connectionOptions } from '../pool/session-settings.js';
import { entitiesOf } from '../content/store/entities.js';
import { showOwnTables } from '../content/store/generator-scope.js';
import { ContentModelError } from '../content/model/content-model-error.js';
import type { Schema } from '../content/model/model.js';
import { DEFAULT_SETTINGS } from '../kernel/settings.js';

/**
 * Returns connection defaults of the module's own database. Poolers in transaction mode refuse session
 * settings, so there is no server-side timeout behind a pooler.
 */
function connectionDefaults({ limits, preparedStatements }: ContentRuntimeOptions): ConnectionOptions {
  const { statementTimeout } = { ...DEFAULT_SETTINGS.limits, ...limits };
  return connectionOptions(statementTimeout, preparedStatements !== false);
}

/** Opens the module's own MikroORM. Throws if `ownDatabase` is set and the factory returns no database. */
async function openOrm(
  schema: Schema,
  runtime: ContentRuntimeOptions,
  database: DatabaseOptions | undefined,
): Promise<MikroORM> {
  if (database === undefined)
    throw new Error('ContentModule: "ownDatabase" is true, but the factory returned no "database"');
  const mistakes = urlMistakes(database);
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  // Without a management database, the schema generator cannot create a database with a misspelt name.
  const schemaGenerator = { managementDbName: '', ...database.schemaGenerator };
  const entities = entitiesOf(schema);
  const options = { driver: PostgreSqlDriver, ...database, schemaGenerator, entities } as Options;
  const opened: unknown = await MikroORM.init(withConnections(options, connectionDefaults(runtime)));
  const orm = opened as MikroORM;
  showOwnTables(orm);
  return orm;
}

/**
 * Returns the application's MikroORM. Throws an Error if there is none, or if a factory returns a database
 * without `ownDatabase`.
 */
function hostOrm(
  orm: MikroORM | undefined,
  { database }: ContentRuntimeOptions,
  contextName: string | undefined,
): MikroORM {
  if (database !== undefined)
    throw new Error(
      'ContentModule: the factory returned "database"; set "ownDatabase: true" in forRootAsync to open it',
    );
  if (orm === undefined) throw new Error(missing(contextName));
  return orm;
}

function missing(contextName: string | undefined): string {
  const named = contextName === undefined ? '' : ` with contextName "${contextName}"`;
  const context = contextName === undefined ? '' : `contextName: '${contextName}', `;
  return (
    `ContentModule has no database, and the application has no MikroORM${named}: give "database" to ` +
    `ContentModule.forRoot, or import MikroOrmModule.forRoot({ …, ${context}autoLoadEntities: true })`
  );
}

/**
 * Injection token of the MikroORM instance that stores the content: the application's, or the module's own.
 */
export const CONTENT_ORM = Symbol('ContentOrm');

/**
 * Injection token of the option `database`, if the module opens its own connection. Tests override it.
 *
 * @publicApi
 */
export const CONTENT_DATABASE = Symbol('ContentDatabaseOptions');

/** Closes the module's own MikroORM with the application. */
@Injectable()
class OwnOrm implements OnApplicationShutdown {
  constructor(
    @Inject(CONTENT_ORM) private readonly orm: MikroORM,
    @Inject(BackgroundWork) private readonly background: BackgroundWork,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    // Requests that were served until now may have started more background work.
    await this.background.waitForAll();
    await this.orm.close();
  }
}

/** Providers of {@link CONTENT_ORM}. */
export function ormProviders(schema: Schema, ownsOrm: boolean, contextName: string | undefined): Provider[] {
  if (ownsOrm)
    return [
      {
        provide: CONTENT_DATABASE,
        useFactory: ({ database }: ContentRuntimeOptions) => database,
        inject: [RUNTIME],
      },
      {
        provide: CONTENT_ORM,
        useFactory: (runtime: ContentRuntimeOptions, database?: DatabaseOptions) =>
          openOrm(schema, runtime, database),
        inject: [RUNTIME, CONTENT_DATABASE],
      },
      OwnOrm,
    ];
  const token = contextName === undefined ? MikroORM : getMikroORMToken(contextName);
  return [
    {
      provide: CONTENT_ORM,
      useFactory: (runtime: ContentRuntimeOptions, orm?: MikroORM) => hostOrm(orm, runtime, contextName),
      inject: [RUNTIME, { token, optional: true }],
    },
  ];
}
