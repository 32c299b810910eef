/** Concurrent writes share a transaction, and are otherwise independent of each other. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineCollectionType } from 'nestjs-content-api';
import { until } from '../crowd/loaded-app.ts';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, recordBatches, type TestApp } from '../support/app.ts';
import { Barrier } from '../support/barrier.ts';
import { textsOf } from '../support/upkeep.ts';
import { watchQueries } from '../support/watch-queries.ts';
import { dose } from '../support/dose.ts';

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: {
    title: { type: 'string' },
    slug: { type: 'uid' },
    next: { type: 'relation', relation: 'manyToMany', target: 'note' },
  },
});
const ticket = defineCollectionType({
  singularApiId: 'ticket',
  pluralApiId: 'tickets',
  attributes: { title: { type: 'string' }, slug: { type: 'uid', targetField: 'title', generate: true } },
});

interface Sent {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly data?: Record<string, unknown>;
}

interface Answered {
  readonly status: number;
  readonly title: string | null;
  readonly id: string | null;
}

/** Timeout in milliseconds that no request reaches on a busy machine. */
const PATIENT = 30_000;

describe.each(adaptersFor('fastify'))('concurrent writes on %s', (adapter) => {
  const barrier = new Barrier();
  let test: TestApp;
  const start = (statementTimeout: number): Promise<TestApp> =>
    createTestApp(
      {
        contentTypes: [note, ticket],
        access: { public: { note: '*', ticket: '*' } },
        limits: { statementTimeout },
        load: { slowShare: 0.2, queueTimeout: PATIENT },
      },
      adapter,
      (app) => app.useGlobalGuards(barrier.guard),
    );
  beforeAll(async () => void (test = await start(PATIENT)));
  afterAll(() => test.close());

  const send = async (sent: Sent, signal: AbortSignal | null = null): Promise<Answered> => {
    const answer = await fetch(test.url + sent.path, {
      method: sent.method,
      ...(sent.data === undefined ? {} : { body: JSON.stringify({ data: sent.data }) }),
      headers: { 'content-type': 'application/json' },
      signal,
    });
    const text = await answer.text();
    const { data } = JSON.parse(text === '' ? '{}' : text);
    return {
      status: answer.status,
      title: data?.title ?? null,
      id: data?.documentId ?? null,
    };
  };
  const together = (sent: readonly Sent[]): Promise<Answered[]> =>
    barrier.hold(sent.length, () => Promise.all(sent.map((one) => send(one))));
  /** Returns the transactions that wrote notes: the statements that were sent with each commit. */
  const transactions = async (work: () => Promise<unknown>): Promise<string[][]> =>
    (await recordBatches(work)).filter(
      (texts) => texts.includes('commit') && texts.some((text) => text.includes('"notes"')),
    );

  const post = (title: string, more = {}): Sent => ({
    method: 'POST',
    path: '/api/notes',
    data: { title, ...more },
  });
  const put = (id: string | null, title: string, more = {}): Sent => ({
    method: 'PUT',
    path: `/api/notes/${id}`,
    data: { title, ...more },
  });
  const make = async (count: number): Promise<string[]> => {
    const made = await together(Array.from({ length: count }, () => post('new')));
    return made.map(({ id }) => String(id));
  };
  const titlesOf = async (ids: readonly string[]): Promise<unknown[]> => {
    const rows = await test.sql('select distinct document_id, title from notes where document_id = any($1)', [
      ids,
    ]);
    const titles = new Map(rows.map((row) => [row['document_id'], row['title']]));
    return ids.map((id) => titles.get(id));
  };
  const countOf = async (title: string): Promise<number> => {
    const [row] = await test.sql('select count(distinct document_id)::int as n from notes where title = $1', [
      title,
    ]);
    return Number(row?.['n']);
  };
  /** Opens a transaction on another connection. */
  const hold = async (text: string): Promise<() => Promise<unknown>> => {
    const holder = await test.connect();
    await holder.query(`begin; ${text}`);
    return () => holder.end();
  };
  const connections = (): Promise<number> =>
    new Promise((resolve, reject) =>
      test.app
        .getHttpServer()
        .getConnections((error: Error | null, n: number) => (error === null ? resolve(n) : reject(error))),
    );
  /** Ends a request, and waits until the server has closed its connection. */
  const disconnect = async (client: AbortController): Promise<void> => {
    const before = await connections();
    client.abort();
    await until(async () => (await connections()) < before, true);
  };
  const lockOf = (id: string | undefined): string =>
    `select pg_advisory_xact_lock(hashtextextended('notes:${id}', 0))`;
  const waiting = async (): Promise<boolean> => {
    const [row] = await test.sql(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return Number(row?.['n']) > 0;
  };

  it('share transactions, at most six together, and each gets its own response', async () => {
    const titles = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    let made: readonly Answered[] = [];
    expect(
      await transactions(async () => void (made = await together(titles.map((title) => post(title))))),
    ).toHaveLength(2);
    expect(made.map(({ status, title }) => [status, title])).toEqual(titles.map((title) => [201, title]));
    let answers: readonly Answered[] = [];
    const changed = made.map(({ id, title }) => put(id, `${title}!`));
    expect(await transactions(async () => void (answers = await together(changed)))).toHaveLength(2);
    expect(answers.map(({ status, title }) => [status, title])).toEqual(
      titles.map((title) => [200, `${title}!`]),
    );
    expect(await titlesOf(made.map(({ id }) => String(id)))).toEqual(titles.map((title) => `${title}!`));
  });

  it('of different kinds are batched, and only the write of a missing document gets 404', async () => {
    const [one, two] = await make(2);
    const sent = [put(one ?? '', 'mixed'), post('mixed'), put('nowhere', 'mixed'), put(two ?? '', 'mixed')];
    let answers: readonly Answered[] = [];
    expect(await transactions(async () => void (answers = await together(sent)))).toHaveLength(1);
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 404, 200]);
    expect(await countOf('mixed')).toBe(3);
  });

  it('of one document run one after the other, and a write with an exclusive lock runs unbatched', async () => {
    const [one, two] = await make(2);
    const sent: Sent[] = [
      put(one ?? '', 'turn 1'),
      put(one ?? '', 'turn 2'),
      { method: 'DELETE', path: `/api/notes/${two}` },
      post('turn', { next: [one] }),
    ];
    expect((await together(sent)).map(({ status }) => status)).toEqual([200, 200, 204, 201]);
    const [title] = await titlesOf([one ?? '']);
    expect(['turn 1', 'turn 2']).toContain(title);

    for (const gone of await make(4)) {
      const [linked, removed] = await together([
        put(one ?? '', 'linked', { next: [gone] }),
        { method: 'DELETE', path: `/api/notes/${gone}` },
      ]);
      expect([200, 400]).toContain(linked?.status);
      expect(removed?.status).toBe(204);
      expect(await test.sql('select 1 from notes_next_links where target_document_id = $1', [gone])).toEqual(
        [],
      );
    }
  });

  it('a rejected one does not affect the others, and one of two with the same unique value succeeds', async () => {
    const [one, two, three] = await make(3);
    await send(put(one ?? '', 'has it', { slug: 'taken' }));
    const sent = [
      put(two ?? '', 'refused', { slug: 'taken' }),
      put(three ?? '', 'written'),
      post('written'),
      post('refused', { next: ['nowhere'] }),
    ];
    expect((await together(sent)).map(({ status }) => status)).toEqual([400, 200, 201, 400]);
    expect([await countOf('refused'), await countOf('written')]).toEqual([0, 2]);

    const rivals = await together(['x', 'y', 'z'].map((title) => post(`rival ${title}`, { slug: 'rival' })));
    expect(rivals.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
  });

  it('a write that needs a second query runs unbatched', async () => {
    const same: Sent = { method: 'POST', path: '/api/tickets', data: { title: 'Same' } };
    const answers = await together([same, post('beside'), same, same]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const rows = await test.sql('select distinct slug from tickets order by 1');
    expect(rows.map(({ slug }) => slug)).toEqual(['same', 'same-1', 'same-2']);
  });

  it('a write that waits for a lock does not delay the others', async () => {
    const [one, two, three] = await make(3);
    const free = await hold(lockOf(one));
    const asked = together([one, two, three].map((id) => put(id ?? '', 'waited')));
    await until(() => countOf('waited'), 2, dose(20_000, 1000));
    await free();
    expect((await asked).map(({ status }) => status)).toEqual([200, 200, 200]);

    const holder = await hold(`update notes set title = title where document_id = '${two}'`);
    const others = together([one, two, three].map((id) => put(id ?? '', 'waited again')));
    await until(() => countOf('waited again'), 2, dose(20_000, 1000));
    await holder();
    expect((await others).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('a timeout affects only the write that waits too long', async () => {
    const patient = test;
    test = await start(1500);
    try {
      const [one, two] = await make(2);
      const free = await hold(lockOf(one));
      const [late, right] = await together([put(one ?? '', 'too late'), put(two ?? '', 'in time')]);
      expect([late?.status, right?.status]).toEqual([503, 200]);
      await free();
      expect([await countOf('too late'), await countOf('in time')]).toEqual([0, 1]);
    } finally {
      await test.close();
      test = patient;
    }
  });

  it('a client that disconnects has nothing written, and the others have', async () => {
    const [one, two, three] = await make(3);
    const free = await hold(lockOf(one));
    const leaves = new AbortController();
    const asked = barrier.hold(3, () =>
      Promise.allSettled(
        [one, two, three].map((id) => send(put(id ?? '', 'hung up'), id === one ? leaves.signal : null)),
      ),
    );
    await until(() => countOf('hung up'), 2, dose(20_000, 1000));
    await disconnect(leaves);
    await asked;
    await sleep(30);
    await free();
    await sleep(50);
    expect(await titlesOf([one, two, three].map(String))).toEqual(['new', 'hung up', 'hung up']);

    const [first, second] = await make(2);
    const soon = await hold(lockOf(first));
    const gone = new AbortController();
    const others = barrier.hold(2, () =>
      Promise.allSettled([send(put(first ?? '', 'stays')), send(put(second ?? '', 'leaves'), gone.signal)]),
    );
    await until(waiting, true);
    await disconnect(gone);
    await sleep(30);
    await soon();
    expect(await others).toMatchObject([{ value: { status: 200 } }, { status: 'rejected' }]);
    expect(await countOf('leaves')).toBe(0);
  });

  it('a lost connection before the commit is reported, and no write is stored twice', async () => {
    const free = await hold('lock table notes in share mode');
    const asked = together(['p', 'q', 'r'].map((letter) => post(`lost ${letter}`)));
    await until(waiting, true);
    const killed = await test.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    expect(killed.length).toBeGreaterThan(0);
    await free();
    const answers = await asked;
    for (const [i, letter] of ['p', 'q', 'r'].entries()) {
      expect([201, 503]).toContain(answers[i]?.status);
      expect(await countOf(`lost ${letter}`)).toBe(answers[i]?.status === 201 ? 1 : 0);
    }
    expect((await send(post('after all'))).status).toBe(201);
  });

  it('no write is repeated if the response to its commit is lost', async () => {
    const letters = ['s', 't', 'u'];
    let answers: readonly Answered[] = [];
    let cut = 0;
    await watchQueries(
      (query, client) => {
        if (!textsOf(query).includes('commit')) return;
        cut += 1;
        // The cut happens in the next tick at the latest, before the response is processed.
        const cutOff = (): unknown =>
          (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
        process.nextTick(() => process.nextTick(cutOff));
      },
      async () => {
        answers = await together(letters.map((letter) => post(`cut ${letter}`)));
      },
    );
    expect(cut).toBeGreaterThan(0);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    await sleep(200);
    for (const letter of letters) expect(await countOf(`cut ${letter}`)).toBeLessThanOrEqual(1);
    expect((await send(post('after the cut'))).status).toBe(201);
  });

  it('many writes of all kinds have the same result as serial ones', async () => {
    const ids = await make(8);
    const sent = Array.from({ length: 120 }, (_, n): Sent => {
      const title = `crowd ${n}`;
      if (n % 5 === 0) return post(title, { slug: `crowd-${n % 40}` });
      return put(ids[n % 8] ?? '', title, { next: [ids[(n * 3) % 8], ids[(n * 5 + 1) % 8]] });
    });
    const answers = await together(sent);
    const made = answers.filter((_, n) => n % 5 === 0).map(({ status }) => status);
    expect(made.filter((status) => status === 201)).toHaveLength(8);
    expect(made.filter((status) => status === 400)).toHaveLength(16);
    expect(answers.filter(({ status }, n) => n % 5 !== 0 && status !== 200)).toEqual([]);
    for (const [i, id] of ids.entries()) {
      const { body: shown } = await test.http.get(`/api/notes/${id}?populate=next`);
      const n = Number(String(shown.data.title).slice('crowd '.length));
      expect(n % 8).toBe(i);
      const next = new Set([ids[(n * 3) % 8], ids[(n * 5 + 1) % 8]]);
      expect(new Set(shown.data.next.map((one: { documentId: string }) => one.documentId))).toEqual(next);
    }
  });
});
