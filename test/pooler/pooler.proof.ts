/** Samples of `npm run pooler`, if PgBouncer is installed. */
import { MikroORM } from '@mikro-orm/postgresql';
import { contentEntities } from 'nestjs-content-api';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { hasPgBouncer } from './pgbouncer.ts';
import { CASES, runCase } from './run.ts';
import { contentTypes } from './types.ts';

const SECONDS = 3;

// PgBouncer comes with the operating system, not with npm. `test/module/pooler.spec.ts` tests the rules
// without it.
(hasPgBouncer ? describe : describe.skip)('two processes behind PgBouncer', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
    const orm = await MikroORM.init({ clientUrl: database.url, entities: contentEntities({ contentTypes }) });
    await orm.schema.create();
    await orm.close();
  });
  afterAll(() => database.drop());

  it.each(CASES)('serve their own content, or report why not: $name', async (each) => {
    expect((await runCase(database.url, each, SECONDS)).problems).toEqual([]);
  });
});
