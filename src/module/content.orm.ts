/** Whose database it is: the module's own, or the host's. */
import { MikroORM, type Options } from '@mikro-orm/core';
import { getMikroORMToken } from '@mikro-orm/nestjs';
import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { Inject, Injectable, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { RUNTIME } from './content.module-definition.js';
import type { ContentRuntimeOptions } from './content.options.js';
import { type ConnectionOptions, urlMistakes, withConnections } from '../database/connection-url.js';
import { NO_JIT } from '../database/jit.js';
import { entitiesOf } from '../database/entities.js';
import { SERVER_MARGIN } from '../database/process-id.js';
import { showOwnTables } from '../database/own-tables.js';
import { ContentModelError } from '../schema/content-model-error.js';
import type { Schema } from '../schema/model.js';
import { DEFAULT_SETTINGS } from '../settings.js';

const CONNECT_TIMEOUT = 3000;
/** What a server may have been set up to do otherwise. */
const SESSION = `${NO_JIT} -c extra_float_digits=1 -c default_transaction_isolation=read\\ committed`;

/**
 * What the driver does of itself on connections of the module's own. Poolers in transaction mode refuse
 * settings that come with a connection, so the server has no bound of its own behind one.
 */
function connectionDefaults({ limits, preparedStatements }: ContentRuntimeOptions): ConnectionOptions {
  const { statementTimeout } = { ...DEFAULT_SETTINGS.limits, ...limits };
  const bound = statementTimeout > 0 ? { statement_timeout: statementTimeout + SERVER_MARGIN } : {};
  return {
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    ...(preparedStatements === false ? {} : { options: SESSION, ...bound }),
  };
}

/**
 * The module's own MikroORM. Throws where the options of `forRoot` promise one and the factory gives none.
 */
async function openOrm(schema: Schema, runtime: ContentRuntimeOptions): Promise<MikroORM> {
  const { database } = runtime;
  if (database === undefined)
    throw new Error('ContentModule: "database" is missing, but "ownDatabase" says that the factory gives it');
  const mistakes = urlMistakes(database);
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  // Without a database to connect to meanwhile, the generator creates no database of a misspelt name.
  const schemaGenerator = { managementDbName: '', ...database.schemaGenerator };
  const entities = entitiesOf(schema);
  const options = { driver: PostgreSqlDriver, ...database, schemaGenerator, entities } as Options;
  const opened: unknown = await MikroORM.init(withConnections(options, connectionDefaults(runtime)));
  const orm = opened as MikroORM;
  showOwnTables(orm);
  return orm;
}

/**
 * The host's MikroORM. Throws an Error where the application has none, and where a factory gives a database
 * that nobody would open.
 */
function hostOrm(
  orm: MikroORM | undefined,
  { database }: ContentRuntimeOptions,
  contextName: string | undefined,
): MikroORM {
  if (database !== undefined)
    throw new Error(
      'ContentModule: the factory gives "database"; set "ownDatabase: true" in forRootAsync, so that it is opened',
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

/** Injection token of the MikroORM instance that holds the content: the host's, or the module's own. */
export const CONTENT_ORM = Symbol('ContentOrm');

/** Closes the module's own MikroORM with the application; the host's is the host's. */
@Injectable()
class OwnOrm implements OnApplicationShutdown {
  constructor(@Inject(CONTENT_ORM) private readonly orm: MikroORM) {}

  async onApplicationShutdown(): Promise<void> {
    await this.orm.close();
  }
}

/** The providers of {@link CONTENT_ORM}, one of the module's own or the host's. */
export function ormProviders(schema: Schema, ownsOrm: boolean, contextName: string | undefined): Provider[] {
  if (ownsOrm)
    return [
      {
        provide: CONTENT_ORM,
        useFactory: (runtime: ContentRuntimeOptions) => openOrm(schema, runtime),
        inject: [RUNTIME],
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
