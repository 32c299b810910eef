/** Databases for the tests of applications. */
import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import type { DatabaseOptions } from '../module/content.options.js';
import { EVENT_READER } from '../content/model/event-tables.js';
import { CONTENT_ORM } from '../module/content.orm.js';

/** The part of MikroORM that tests need. */
interface Orm {
  readonly config: { get(key: 'schemaGenerator'): { skipTables?: readonly string[] } };
  readonly schema: {
    create(): Promise<void>;
    clear(): Promise<void>;
    dropDatabase(name: string): Promise<void>;
  };
  close(): Promise<void>;
}

type Context = Pick<INestApplicationContext, 'get' | 'close'>;

const ormOf = (context: Context): Orm => context.get<Orm>(CONTENT_ORM, { strict: false });

/**
 * New database for one suite of tests, so that suites can run at the same time.
 *
 * @example
 * const database = new ContentTestDatabase('postgresql://localhost/postgres');
 * const module = await Test.createTestingModule({ imports: [AppModule] })
 *   .overrideProvider(CONTENT_DATABASE).useValue(database.options).compile();
 * await database.create(module);
 *
 * @publicApi
 */
export class ContentTestDatabase {
  private readonly name = `content_test_${randomBytes(6).toString('hex')}`;
  /** Value for the provider `CONTENT_DATABASE`. */
  readonly options: DatabaseOptions;

  /** `clientUrl` names an existing database, from which the new one is created. */
  constructor(clientUrl: string) {
    const url = new URL(clientUrl);
    const managementDbName = decodeURIComponent(url.pathname.slice(1)) || 'postgres';
    url.pathname = `/${this.name}`;
    this.options = { clientUrl: url.href, schemaGenerator: { managementDbName } };
  }

  /** Creates the database and its tables. Call it with the compiled module, before `app.init()`. */
  async create(module: Context): Promise<void> {
    await ormOf(module).schema.create();
  }

  /** Deletes all content, between two tests. Handlers and webhooks receive the later events. */
  async clear(app: Context): Promise<void> {
    const { config, schema } = ormOf(app);
    const options = config.get('schemaGenerator');
    const { skipTables = [] } = options;
    options.skipTables = [...skipTables, EVENT_READER];
    try {
      await schema.clear();
    } finally {
      options.skipTables = skipTables;
    }
  }

  /** Closes the application and drops the database. */
  async drop(app: Context): Promise<void> {
    const orm = ormOf(app);
    await app.close();
    await orm.schema.dropDatabase(this.name);
    await orm.close();
  }
}
