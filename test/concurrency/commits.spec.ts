/** A COMMIT without a confirmation by the database: the response is correct, and nothing is written twice. */
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { AfterContent, ContentModule, defineCollectionType } from 'nestjs-content-api';
import pg from 'pg';
import { until } from '../crowd/loaded-app.ts';
import { type Host, startHost } from '../http/helpers.ts';
import { Barrier } from '../support/barrier.ts';
import { poolOf } from '../support/pool-of.ts';

/** Milliseconds after which the driver gives up a query. */
const QUERY_TIMEOUT = 1500;

const typeOf = (name: string) =>
  defineCollectionType({
    singularApiId: name,
    pluralApiId: `${name}s`,
    attributes: { title: { type: 'string' } },
  });

@Injectable()
class Hook {
  @AfterContent('memo', 'create')
  after(): void {
    // Makes its writes run in a transaction of MikroORM.
  }
}

/**
 * Makes a COMMIT wait for a lock of the test. `stubborn` rows continue to wait when the server is asked to
 * cancel.
 */
const SLOW_COMMIT = (table: string): string => `
  create function ${table}_slow() returns trigger language plpgsql as $$ begin
    while current_setting('test.asked', true) is distinct from 'yes'
      and not pg_try_advisory_xact_lock_shared(77) loop perform pg_sleep(0.005); end loop;
    return null;
  exception when query_canceled then
    if new.title not like 'stubborn%' then raise; end if;
    perform set_config('test.asked', 'yes', true);
    return null;
  end $$;
  create constraint trigger slow after insert on ${table} deferrable initially deferred
    for each row execute function ${table}_slow()`;

interface Reply {
  readonly status: number;
  readonly name: string | null;
  readonly title: string | null;
  readonly retryAfter: string | null;
}

/** Write paths: the type, the number of concurrent writes, and the tests that apply. */
const WAYS = {
  alone: { type: 'note', count: 1 },
  'of three concurrent writes': { type: 'note', count: 3 },
  'with hooks': { type: 'memo', count: 1 },
} as const;

describe.each(Object.entries(WAYS))('a COMMIT %s', (way, { type, count }) => {
  const barrier = new Barrier();
  let host: Host;
  let holder: pg.Client;
  beforeAll(async () => {
    host = await startHost(
      ({ url }) => ({
        imports: [
          ContentModule.forRoot({
            contentTypes: [typeOf('note'), typeOf('memo')],
            access: { public: { '*': '*' } },
            database: { clientUrl: url, driverOptions: { query_timeout: QUERY_TIMEOUT } },
          }),
        ],
        providers: [Hook],
      }),
      { tables: true, prepare: (app) => void app.useGlobalGuards(barrier.guard) },
    );
    await host.sql(SLOW_COMMIT(`${type}s`));
    holder = new pg.Client({ connectionString: host.database.url });
    await holder.connect();
  });
  afterAll(async () => {
    await holder.end();
    await host.close();
  });

  const hold = (): Promise<unknown> => holder.query('select pg_advisory_lock(77)');
  const free = (): Promise<unknown> => holder.query('select pg_advisory_unlock_all()');
  const post = async (title: string, headers: Record<string, string> = {}): Promise<Reply> => {
    const response = await fetch(`${host.url}/api/${type}s`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ data: { title } }),
    });
    const { data, error } = JSON.parse(await response.text());
    return {
      status: response.status,
      name: error?.name ?? null,
      title: data?.title ?? null,
      retryAfter: response.headers.get('retry-after'),
    };
  };
  const write = (title: string, headers?: Record<string, string>): Promise<Reply[]> =>
    barrier.hold(count, () => Promise.all(Array.from({ length: count }, () => post(title, headers))));
  const stored = async (title: string): Promise<number> =>
    (await host.sql(`select 1 from ${type}s where title = $1`, [title])).length;
  /** Processes whose COMMIT sleeps at this moment. It also checks the lock now and then. */
  const waiting = async (): Promise<number[]> =>
    (
      await host.sql(
        `select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
      )
    ).map(({ pid }) => Number(pid));
  /** Closes the connections whose COMMIT waits, on the client side. */
  const cut = async (pids: readonly number[]): Promise<void> => {
    const { _clients } = (await poolOf(host.app)) as unknown as {
      _clients: { readonly processID: number; readonly connection: { readonly stream: Socket } }[];
    };
    for (const { processID, connection: wire } of _clients)
      if (pids.includes(processID)) wire.stream.destroy();
  };
  const all = (reply: Reply): Reply[] => Array.from({ length: count }, () => reply);
  const created = (title: string): Reply[] => all({ status: 201, name: null, title, retryAfter: null });
  const NOTHING_WRITTEN: Reply = {
    status: 503,
    name: 'ServiceUnavailableError',
    title: null,
    retryAfter: '1',
  };
  const UNKNOWN: Reply = { status: 503, name: 'OutcomeUnknownError', title: null, retryAfter: null };

  const answeredBy = async (
    title: string,
    settle: (pids: readonly number[]) => Promise<unknown>,
    headers?: Record<string, string>,
  ): Promise<Reply[]> => {
    await hold();
    const asked = write(title, headers);
    let pids: readonly number[] = [];
    await until(async () => (pids = await waiting()).length, 1, 10_000);
    await settle(pids);
    const replies = await asked;
    await free();
    await until(async () => (await waiting()).length, 0, 10_000);
    return replies;
  };

  it('D15 is a success if it succeeds after the connection is lost', async () => {
    const cutAndFree = (pids: readonly number[]): Promise<unknown> => cut(pids).then(free);
    expect(await answeredBy('cut', cutAndFree)).toEqual(created('cut'));
    expect(await stored('cut')).toBe(count);
  });

  if (way !== 'of three concurrent writes') {
    it('D30 is a 503 with Retry-After if the server rolls back, and nothing is written', async () => {
      const terminate = (pids: readonly number[]): Promise<unknown> =>
        host.sql('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [pids]);
      expect(await answeredBy('killed', terminate)).toEqual(all(NOTHING_WRITTEN));
      expect(await stored('killed')).toBe(0);
    });

    it('D30 is an OutcomeUnknownError if the server does not decide in time', async () => {
      expect(await answeredBy('undecided', cut)).toEqual(all(UNKNOWN));
      expect(await stored('undecided')).toBe(count);
    });

    it('D15 is written once if its request is repeated with the same Idempotency-Key', async () => {
      const key = { 'Idempotency-Key': 'repeated' };
      expect(await answeredBy('repeated', cut, key)).toEqual(all(UNKNOWN));
      expect(await post('repeated', key)).toEqual(created('repeated')[0]);
      expect(await stored('repeated')).toBe(1);
    });
  } else {
    const wait = (): Promise<void> => Promise.resolve();
    it('D15 D30 writes nothing if it is cancelled after the timeout of the driver', async () => {
      expect(await answeredBy('late', wait)).toEqual(all(NOTHING_WRITTEN));
      expect(await stored('late')).toBe(0);
    });

    it('D15 is a success, written once, if it does not end after that timeout', async () => {
      expect(await answeredBy('stubborn', wait)).toEqual(created('stubborn'));
      expect(await stored('stubborn')).toBe(count);
    });
  }
});
