/** Connections that PostgreSQL refuses for any reason are a 503, because the request is valid. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { ContentModule } from 'nestjs-content-api';
import supertest from 'supertest';
import { type Host, startHost } from '../http/helpers.ts';
import { eventually } from '../events/helpers.ts';
import { ADAPTERS } from '../support/app.ts';
import { note } from '../support/notes.ts';

describe.each(ADAPTERS)('refused connections on %s', (adapter) => {
  const role = `plain_${randomBytes(6).toString('hex')}`;
  let host: Host;
  let server: pg.Client;
  let database: string;

  beforeAll(async () => {
    server = new pg.Client(process.env.TEST_DATABASE_URL);
    await server.connect();
    await server.query(`create role ${role} login password 'plain'`);
    host = await startHost(
      ({ url }) => {
        // Superusers may connect in most of these cases.
        const clientUrl = Object.assign(new URL(url), { username: role, password: 'plain' }).href;
        return {
          imports: [
            ContentModule.forRoot({
              contentTypes: [note],
              access: { public: { note: '*' } },
              cache: false,
              database: { clientUrl, pool: { min: 0, max: 2 } },
            }),
          ],
        };
      },
      { adapter, tables: true },
    );
    database = new URL(host.database.url).pathname.slice(1);
    await host.sql(
      `grant select, insert, update, delete on all tables in schema public to ${role};
       grant usage on all sequences in schema public to ${role}`,
    );
  });
  afterAll(async () => {
    await host.sql(`drop owned by ${role}`);
    await host.close();
    await server.query(`drop role ${role}`);
    await server.end();
  });

  const CASES: readonly (readonly [string, string, string])[] = [
    [
      '55000 not accepting connections',
      'alter database $ allow_connections false',
      'alter database $ allow_connections true',
    ],
    [
      '42501 no privilege to connect',
      'revoke connect on database $ from public',
      'grant connect on database $ to public',
    ],
    [
      '53300 too many connections',
      'alter database $ connection limit 0',
      'alter database $ connection limit -1',
    ],
    ['28000 role that may not log in', `alter role ${role} nologin`, `alter role ${role} login`],
  ];

  it.each(CASES)(
    'are a 503 with Retry-After, until their cause is fixed: %s',
    async (_title, refuse, allow) => {
      await server.query(refuse.replace('$', database));
      const open = `from pg_stat_activity where datname = '${database}' and usename = '${role}'`;
      await server.query(`select pg_terminate_backend(pid) ${open}`);
      // A COMMIT that is sent before the end of its connection is known has an unknown outcome.
      await eventually(async () => (await server.query(`select ${open}`)).rows, 0);
      const http = supertest(host.url);
      const seen: unknown[] = [];
      for (let time = 0; time < 3; time += 1)
        for (const request of [
          http.get('/api/notes'),
          http.post('/api/notes').send({ data: { title: 'lost' } }),
        ]) {
          const { status, headers } = await request;
          seen.push([status, headers['retry-after']]);
        }
      await server.query(allow.replace('$', database));
      expect(seen).toEqual(Array(6).fill([503, '1']));
      await http.get('/api/notes').expect(200, /"data":\[\]/);
    },
  );
});
