/** Concurrent short reads share a connection, and are otherwise independent of each other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineCollectionType } from 'nestjs-content-api';
import { until } from '../crowd/loaded-app.ts';
import { ADAPTERS, createTestApp, recordBatches, type TestApp } from '../support/app.ts';
import { Barrier } from '../support/barrier.ts';
import { dose, expectSoon } from '../support/dose.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { title: { type: 'string' }, text: { type: 'text' } },
});

/** Rows with some titles are slow or fail: a view with the name of the table calls a function for them. */
const SPECIAL = `alter table notes rename to kept;
  create view notes as select k.* from kept k cross join lateral (
    select case k.title when 'slow' then pg_sleep(.3)::text when 'broken' then (1 / (length(k.title) - 6))::text end
  ) s`;
const PLAIN = 'drop view notes; alter table kept rename to notes';

interface Shown {
  readonly status: number;
  readonly title: string | null;
  readonly milliseconds: number;
}

describe.each(ADAPTERS)('concurrent short reads on %s', (adapter) => {
  const barrier = new Barrier();
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [note],
        access: { public: { note: '*' } },
        cache: false,
        limits: { statementTimeout: 1500 },
      },
      adapter,
      (app) => app.use(barrier.middleware),
    );
  });
  afterAll(() => test.close());

  const ids = new Map<string, string>();
  const make = async (title: string, text = ''): Promise<string> => {
    const { body } = await test.http.post('/api/notes').send({ data: { title, text } }).expect(201);
    ids.set(title, body.data.documentId);
    return body.data.documentId;
  };
  const pathOf = (title: string): string => `/api/notes/${ids.get(title)}`;
  const listOf = (title: string): string => `/api/notes?filters[title]=${title}`;
  const show = async (path: string, signal: AbortSignal | null = null): Promise<Shown> => {
    const started = performance.now();
    const answer = await fetch(test.url + path, { signal });
    const { data } = (await answer.json()) as { data: { title: string } | { title: string }[] | null };
    const [first] = [data ?? []].flat();
    return { status: answer.status, title: first?.title ?? null, milliseconds: performance.now() - started };
  };
  const together = (paths: readonly string[], signals: readonly AbortSignal[] = []) =>
    barrier.hold(paths.length, () => Promise.all(paths.map((path, i) => show(path, signals[i]))));
  /** A query is known after two requests; its slowness is forgotten after some more. */
  const learn = async (path: string, times = 3): Promise<void> => {
    for (let i = 0; i < times; i += 1) await show(path);
  };
  const reads = async (work: () => Promise<unknown>): Promise<number[]> =>
    (await recordBatches(work))
      .map((texts) => texts.filter((text) => text.includes('from "notes"')).length)
      .filter((count) => count > 0);
  /**
   * Repeats GETs until they share connections as expected, because a busy machine makes fast statements slow.
   */
  const expectReads = async (work: () => Promise<unknown>, expected: readonly number[]): Promise<void> => {
    let batches = await reads(work);
    for (let i = 0; i < 50 && batches.join() !== expected.join(); i += 1) batches = await reads(work);
    expect(batches).toEqual(expected);
  };
  const hold = async (): Promise<() => Promise<unknown>> => {
    const holder = await test.connect();
    await holder.query('begin; lock table kept in access exclusive mode');
    return () => holder.end();
  };
  const isActive = async (): Promise<boolean> => {
    const [row] = await test.sql(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()",
    );
    return Number(row?.['n']) > 0;
  };

  const TITLES = ['a', 'b', 'c', 'd', 'e', 'f'];

  beforeAll(async () => {
    for (const title of [...TITLES, 'slow', 'broken']) await make(title);
    await learn(pathOf('a'));
  });

  it('use one connection, at most four together, and each gets its own response', async () => {
    let shown: readonly Shown[] = [];
    await expectReads(async () => {
      shown = await together(TITLES.map(pathOf));
    }, [4, 2]);
    expect(shown.map(({ status, title }) => [status, title])).toEqual(TITLES.map((title) => [200, title]));
  });

  it('also with filters, and only the request for a missing document gets 404', async () => {
    await learn(listOf('a'), 40);
    let shown: readonly Shown[] = [];
    await expectReads(async () => {
      shown = await together(['a', 'nobody', 'b'].map(listOf));
    }, [3]);
    expect(shown.map(({ title }) => title)).toEqual(['a', null, 'b']);
    const [found, missing] = await together([pathOf('a'), '/api/notes/nowhere']);
    expect([found?.status, missing?.status]).toEqual([200, 404]);
  });

  it('run unbatched if they are new or large', async () => {
    const other = (title: string): string => `${pathOf(title)}?fields=title`;
    await learn(other('a'));
    await expectReads(() => together([pathOf('a'), other('b'), pathOf('c'), other('d')]), [2, 2]);
    await make('large', 'x'.repeat(20_000));
    await learn(pathOf('large'));
    await expectReads(() => together([pathOf('a'), pathOf('b')]), [1, 1]);
    for (let i = 0; i < 5; i += 1) await learn(pathOf('a'));
    await expectReads(() => together([pathOf('a'), pathOf('b')]), [2]);
  });

  describe('when their responses arrive at different times', () => {
    beforeAll(async () => {
      await test.sql(SPECIAL);
      await learn(listOf('a'), 80);
    });
    afterAll(() => test.sql(PLAIN));

    it('an error affects only its own read', async () => {
      const shown = await together(['a', 'broken', 'b', 'c'].map(listOf));
      expect(shown.map(({ title }) => title)).toEqual(['a', null, 'b', 'c']);
      expect(shown[1]?.status).toBeGreaterThanOrEqual(400);
    });

    it('a slow read delays only its own request', async () => {
      const shown = await together(['slow', 'a', 'b', 'c'].map(listOf));
      expect(shown.map(({ title }) => title)).toEqual(['slow', 'a', 'b', 'c']);
      const [slow, ...others] = shown.map(({ milliseconds }) => milliseconds);
      expect(slow).toBeGreaterThan(600);
      expectSoon(Math.max(...others), 600);
    });

    it('a read without remaining clients delays no other', async () => {
      await learn(listOf('a'), 80);
      const gone = new AbortController();
      const asked = barrier.hold(2, () =>
        Promise.allSettled([show(listOf('slow'), gone.signal), show(listOf('a'))]),
      );
      await until(isActive, true);
      gone.abort();
      expect(await asked).toMatchObject([
        { status: 'rejected' },
        { status: 'fulfilled', value: { title: 'a' } },
      ]);
      const [, shown] = await asked;
      if (shown.status === 'fulfilled') expectSoon(shown.value.milliseconds, 600);
    });

    it('each has its full time limit, with the same error as a single read', async () => {
      await learn(listOf('a'), 80);
      const free = await hold();
      const shown = await together([...['a', 'b', 'c'].map(listOf), `${listOf('a')}&fields=title`]);
      expect(shown.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
      const times = shown.map(({ milliseconds }) => milliseconds);
      expect(Math.min(...times)).toBeGreaterThan(1400);
      // They have waited for each other first.
      expectSoon(Math.max(...times) - Math.min(...times), 150);
      await free();
      expect((await show(listOf('a'))).status).toBe(200);
    });

    it('a client that disconnects does not affect the others; without clients the batch ends', async () => {
      await learn(listOf('a'), 80);
      const free = await hold();
      const leaves = new AbortController();
      const stays = new AbortController();
      const asked = ['a', 'b', 'c'].map(listOf);
      const some = barrier.hold(3, () =>
        Promise.allSettled(asked.map((path, i) => show(path, i === 0 ? leaves.signal : stays.signal))),
      );
      await until(isActive, true);
      leaves.abort();
      await sleep(50);
      await free();
      expect((await some).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);

      const held = await hold();
      const gone = barrier.hold(3, () => Promise.allSettled(asked.map((path) => show(path, stays.signal))));
      await until(isActive, true);
      stays.abort();
      await gone;
      await until(isActive, false, dose(20_000, 1500));
      await held();
      expect(await together(asked)).toMatchObject(['a', 'b', 'c'].map((title) => ({ status: 200, title })));
    });
  });
});
