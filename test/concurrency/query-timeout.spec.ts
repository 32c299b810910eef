/** A limit of the driver's own for every query (`query_timeout`), which has a clock run beside each. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import { CONTENT_ORM, ContentModule, defineCollectionType } from 'nestjs-content-api';
import pg from 'pg';
import { type Host, startHost } from '../http/helpers.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' } },
});
const LIMIT = 250;
const PLACES = 2;

describe('queries with a limit of the driver', () => {
  let host: Host;
  let database = '';
  beforeAll(async () => {
    host = await startHost(
      ({ url }) => {
        database = url;
        return {
          imports: [
            ContentModule.forRoot({
              contentTypes: [note],
              access: { public: { note: '*' } },
              database: {
                clientUrl: url,
                pool: { min: 0, max: PLACES },
                driverOptions: { query_timeout: LIMIT },
              },
              cache: false,
            }),
          ],
        };
      },
      { ready: (app) => app.get<MikroORM>(CONTENT_ORM).schema.create() },
    );
  });
  afterAll(() => host.close());

  const read = async (): Promise<number> => (await fetch(`${host.url}/api/notes`)).status;
  const write = async (): Promise<number> => {
    const { status } = await fetch(`${host.url}/api/notes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: { title: 'one' } }),
    });
    return status;
  };
  const rounds = async (): Promise<number[]> => {
    const statuses: number[] = [];
    for (let i = 0; i < 4; i += 1) statuses.push(...(await Promise.all([read(), write(), read(), write()])));
    return [...new Set(statuses)].sort();
  };

  it('are over when they are answered, so that the clock stops', async () => {
    expect(await rounds()).toEqual([200, 201]);
    await sleep(2 * LIMIT);
    expect(await rounds()).toEqual([200, 201]);
  });

  it('that take longer are a 503, and the connection is used again once it is free', async () => {
    const other = new pg.Client({ connectionString: database });
    await other.connect();
    await other.query('begin; lock table notes in access exclusive mode');
    expect(await Promise.all([read(), write(), read(), write()])).toEqual([503, 503, 503, 503]);
    await other.query('rollback');
    await other.end();
    await sleep(2 * LIMIT);
    expect(await rounds()).toEqual([200, 201]);
  });
});
