/** Connection poolers: responses are never mixed up, and unsupported modes are reported at start. */
import { jest } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/core';
import { Injectable, Logger } from '@nestjs/common';
import {
  BeforeContent,
  CONTENT_ORM,
  ContentModule,
  type ContentEvent,
  type ContentModuleOptions,
  defineCollectionType,
  migrateContent,
} from 'nestjs-content-api';
import { statementName } from '../../src/pool/statement-names.ts';
import { type Host, startHost } from '../http/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { Pooler, type PoolerOptions } from '../support/pooler.ts';

const typeNamed = (singularApiId: string, pluralApiId: string) =>
  defineCollectionType({ singularApiId, pluralApiId, attributes: { title: { type: 'string' } } });
const plain = typeNamed('plain', 'plains');
const secret = typeNamed('secret', 'secrets');
const slow = typeNamed('slow', 'slows');
const contentTypes = [plain, secret, slow];

const NAMES_LOST =
  'A connection pooler in transaction mode does not keep prepared statements, so none are used: ' +
  'set "preparedStatements: false"';

/** Hook whose statement takes longer than a request may. */
@Injectable()
class SlowHook {
  /** Receives the message of the error that ends the statement. */
  static ended: (message: string) => void = () => undefined;

  @BeforeContent('slow', 'create')
  async sleep({ em }: ContentEvent): Promise<void> {
    const statement = em
      ?.getConnection()
      .execute('select pg_sleep(10)', [], 'all', em.getTransactionContext());
    await statement?.then(
      () => SlowHook.ended('no error'),
      (error: Error) => SlowHook.ended(error.message),
    );
  }
}

describe('a connection pooler', () => {
  let database: TestDatabase;
  let pooler: Pooler | null = null;
  const hosts: Host[] = [];
  const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);

  beforeAll(async () => {
    database = await createDatabase();
  });
  beforeEach(() => warnings.mockClear());
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.close();
    await pooler?.close();
    pooler = null;
  });
  afterAll(async () => {
    warnings.mockRestore();
    await database.drop();
  });

  const said = (): string => warnings.mock.calls.map(([line]) => String(line)).join('\n');
  const openPooler = async (options: PoolerOptions): Promise<Pooler> => {
    pooler = await Pooler.start(database.url, options);
    return pooler;
  };
  const start = async (options: Partial<ContentModuleOptions> = {}): Promise<Host> => {
    const host = await startHost(
      () => ({
        imports: [
          ContentModule.forRoot({
            contentTypes,
            access: { public: { plain: '*', secret: '*', slow: '*' } },
            database: { clientUrl: pooler?.url ?? '', pool: { min: 0, max: 3 } },
            cache: false,
            ...options,
          }),
        ],
        providers: [SlowHook],
      }),
      {
        database,
        ready: (app) => migrateContent({ orm: app.get<MikroORM>(CONTENT_ORM), model: { contentTypes } }),
      },
    );
    hosts.push(host);
    return host;
  };
  const post = (host: Host, path: string, title: string) =>
    fetch(`${host.url}/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: { title } }),
    });
  const titles = async (host: Host, path: string): Promise<readonly string[]> => {
    const response = await fetch(`${host.url}/api/${path}?fields=title&pagination[pageSize]=100`);
    expect(response.status).toBe(200);
    return ((await response.json()) as { data: { title: string }[] }).data.map(({ title }) => title);
  };

  it('names a prepared statement by its text, so that a name always means one text', () => {
    const texts = Array.from({ length: 1000 }, (_, i) => `select ${i}`);
    expect(new Set(texts.map(statementName)).size).toBe(1000);
    expect(statementName('select 1')).toBe(statementName(['select', '1'].join(' ')));
    expect(statementName('select 1').length).toBeLessThan(64);
  });

  it.each(['transaction', 'session'] as const)(
    'in transaction mode from the start (%s at first) mixes up no responses, and is reported in one log line',
    async (mode) => {
      const options: PoolerOptions = { mode };
      await openPooler(options);
      const [one, two] = [await start(), await start()];
      const users = [
        [one, 'plains'],
        [two, 'secrets'],
      ] as const;
      // Prepares the statements on all connections before sessions are shared.
      for (const [host, path] of users)
        for (let i = 0; i < 3; i += 1) {
          await post(host, path, `${path} ${mode} ${i}`);
          await titles(host, path);
        }
      options.mode = 'transaction';
      const wrong: string[] = [];
      const statuses = new Map<number, number>();
      await Promise.all(
        users.flatMap(([host, path]) =>
          Array.from({ length: 4 }, async (_, at) => {
            for (let i = 0; i < 8; i += 1) {
              const { status } = await post(host, path, `${path} ${mode} ${at} ${i}`);
              statuses.set(status, (statuses.get(status) ?? 0) + 1);
              wrong.push(...(await titles(host, path)).filter((title) => !title.startsWith(path)));
            }
          }),
        ),
      );
      expect({ wrong, statuses: [...statuses] }).toEqual({ wrong: [], statuses: [[201, 64]] });
      for (const [host, path] of users) {
        const written = (await titles(host, path)).filter((title) => title.startsWith(`${path} ${mode}`));
        expect([written.length, new Set(written).size]).toEqual([35, 35]);
      }
      expect(said().split(NAMES_LOST).length - 1).toBe(2);
    },
  );

  it('in session mode keeps statements prepared, without a warning', async () => {
    const { texts } = await openPooler({ mode: 'session', sessions: 12 });
    const host = await start();
    for (let i = 0; i < 4; i += 1) await titles(host, 'plains');
    expect(said()).not.toContain('pooler');
    expect(texts.filter((text) => text.startsWith('content_'))).not.toEqual([]);
  });

  it('that rejects settings is reported at start, with the solution for each mode', async () => {
    const { url } = await openPooler({ refusesSettings: true });
    const host = await startHost(
      () => ({
        imports: [ContentModule.forRoot({ contentTypes, database: { clientUrl: url }, access: {} })],
      }),
      { database },
    );
    hosts.push(host);
    expect(said()).toContain('set "preparedStatements: false"');
    expect(said()).toContain('In session mode you can let the pooler ignore them');
  });

  it('cancels the statement of a hook when the request ends, although it renames backend processes', async () => {
    await openPooler({ mode: 'transaction', sessions: 6 });
    const host = await start({ preparedStatements: false, limits: { statementTimeout: 600 } });
    const ended = new Promise<string>((done) => {
      SlowHook.ended = done;
    });
    const { status } = await post(host, 'slows', 'late');
    expect(status).toBe(503);
    expect(await ended).toContain('canceling statement due to user request');
  });
});
