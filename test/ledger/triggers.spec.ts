/** The ledger is written by whoever writes content, in the same transaction, and made by the same migrations as the tables. */
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM } from 'nestjs-content-api';
import { stories } from '../fixtures/stories.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

describe('the ledger', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp({ ...stories, access: { public: { '*': '*' } } });
  });
  afterAll(() => test.close());

  it('is part of the schema: once it is made, nothing is left to be done', async () => {
    const { schema } = test.app.get<MikroORM>(CONTENT_ORM);
    expect(await schema.getUpdateSchemaSQL()).toBe('');
    const triggers = await test.sql(
      `select count(*)::int as n, bool_and(tgenabled = 'A') as always from pg_trigger where tgname like 'content_ledger%'`,
    );
    expect(triggers).toEqual([{ n: expect.any(Number), always: true }]);
    expect(Number(triggers[0]?.['n']) % 4).toBe(0);
  });
});
