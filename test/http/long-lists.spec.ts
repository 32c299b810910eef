/** Writes of long lists of instances, children and links take linear time. */
import { defineCollectionType, defineComponent } from 'nestjs-content-api';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { dose, expectSoon } from '../support/dose.ts';
import { raw } from './helpers.ts';

const word = defineComponent({ uid: 'l.word', attributes: { text: { type: 'string' } } });
const entry = defineComponent({
  uid: 'l.entry',
  attributes: {
    text: { type: 'string' },
    size: { type: 'integer' },
    word: { type: 'component', component: 'l.word' },
  },
});
const album = defineCollectionType({
  singularApiId: 'album',
  pluralApiId: 'albums',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string' },
    entries: { type: 'component', component: 'l.entry', repeatable: true },
    zone: { type: 'dynamiczone', components: ['l.entry', 'l.word'] },
    children: { type: 'relation', relation: 'oneToMany', target: 'child', mappedBy: 'parent' },
    links: { type: 'relation', relation: 'manyToMany', target: 'child', inversedBy: 'linked' },
  },
});
const child = defineCollectionType({
  singularApiId: 'child',
  pluralApiId: 'children',
  draftAndPublish: true,
  attributes: {
    name: { type: 'string' },
    parent: { type: 'relation', relation: 'manyToOne', target: 'album', inversedBy: 'children' },
    linked: { type: 'relation', relation: 'manyToMany', target: 'album', mappedBy: 'links' },
  },
});
const MODEL = {
  contentTypes: [album, child],
  components: [word, entry],
  // Bodies of 10,000 entries exceed the default limit.
  limits: { bodyBytes: 4_000_000, bodyNodes: 200_000 },
  access: { public: { '*': '*' as const } },
};

const INSTANCES = dose(2000, 5000);
const CHILDREN = dose(3000, 10_000);
/**
 * Longest time that a write may block the event loop, as a multiple of the time for parsing and serializing
 * its body. That time is about 80 ms on current machines.
 */
const STRETCH = 15;

/** CPU time of this thread, which excludes the time of other processes. */
const used = (): number => {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)();
  return (user + system) / 1000;
};

/** Returns the time for parsing and serializing a body. */
function effort(text: string): number {
  const start = used();
  for (let i = 0; i < 10; i += 1) JSON.stringify(JSON.parse(text));
  return (used() - start) / 10;
}

/** Returns the longest time without a turn of the event loop while a promise is pending. */
async function longestStretch<T>(
  work: Promise<T>,
): Promise<{ readonly result: T; readonly stretch: number }> {
  let [last, stretch] = [used(), 0];
  const turn = setInterval(() => {
    stretch = Math.max(stretch, used() - last);
    last = used();
  }, 1);
  const result = await work;
  clearInterval(turn);
  return { result, stretch };
}

describe.each(ADAPTERS)('long lists on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(MODEL, adapter);
    await test.sql(
      `insert into children (document_id, created_at, updated_at, published_at, published, locale, name)
       select 'child' || n, now(), now(), case when p then now() end, p, 'en', 'child ' || n
       from generate_series(1, ${CHILDREN}) n, (values (true), (false)) s(p)`,
    );
    await test.sql('analyze');
  });
  afterAll(() => test.close());

  const send = async (method: string, path: string, data: object): Promise<any> => {
    const text = JSON.stringify({ data });
    const json = { 'content-type': 'application/json' };
    const answer = await raw(test.url, method, `/api/${path}`, json, text);
    expect([answer.status, answer.status < 300 ? '' : answer.text]).toEqual([
      method === 'POST' ? 201 : 200,
      '',
    ]);
    return JSON.parse(answer.text).data;
  };
  const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

  const KINDS: readonly [string, string, (i: number) => object][] = [
    ['entries', 'entries', (i) => ({ text: `t${i}`, size: i })],
    ['entries with one in each', 'entries', (i) => ({ text: `t${i}`, word: { text: `w${i}` } })],
    ['zone', 'zone', (i) => ({ __component: i % 2 === 0 ? 'l.entry' : 'l.word', text: `t${i}` })],
  ];

  // The adapters differ only in how they read a long body.
  it.each(adapter === 'express' ? KINDS : KINDS.slice(0, 1))(
    `S6: ${INSTANCES} instances sent with their ids block the event loop for a proportional time only: %s`,
    async (_, name, make) => {
      const { documentId } = await send('POST', 'albums', { [name]: times(INSTANCES, make) });
      const path = `albums/${documentId}`;
      const stored = async (): Promise<any[]> => {
        const query = name === 'zone' ? 'populate=zone' : `populate[${name}][populate]=*`;
        const { text } = await raw(test.url, 'GET', `/api/${path}?fields=id&${query}`);
        return JSON.parse(text).data[name];
      };
      const sent = (await stored()).reverse();
      const text = JSON.stringify({ data: { [name]: sent } });
      const json = { 'content-type': 'application/json' };
      // The first run also compiles the code, and a run may include a garbage collection.
      const stretches: number[] = [];
      for (let i = 0; i < 4 && Math.min(...stretches.slice(1), Infinity) > STRETCH; i += 1) {
        const { result, stretch } = await longestStretch(raw(test.url, 'PUT', `/api/${path}`, json, text));
        expect(result.status).toBe(200);
        stretches.push(stretch / effort(text));
      }
      expect(Math.min(...stretches.slice(1))).toBeLessThan(STRETCH);
      expect(await stored()).toEqual(sent);
    },
  );

  it.each(dose(adapter === 'express' ? ['children'] : ['links'], ['children', 'links']))(
    `M3: ${CHILDREN} %s are set, reversed, moved and removed in linear time (peers 4)`,
    async (name) => {
      const ids = (n: number): string[] => times(n, (i) => `child${i + 1}`);
      const { documentId } = await send('POST', 'albums', { title: 'x' });
      const path = `albums/${documentId}`;
      const took = async (list: readonly string[]): Promise<number> => {
        const start = performance.now();
        await send('PUT', path, { [name]: list });
        await send('PUT', path, { [name]: [...list].reverse() });
        const connect = list.map((id) => ({ documentId: id, position: { start: true } }));
        await send('PUT', path, { [name]: { connect } });
        const { text } = await raw(test.url, 'GET', `/api/${path}?populate[${name}][fields]=documentId`);
        expect(JSON.parse(text).data[name].map((item: any) => item.documentId)).toEqual([...list].reverse());
        await send('PUT', path, { [name]: [] });
        return performance.now() - start;
      };
      await took(ids(100));
      const [some, all] = [await took(ids(CHILDREN / 10)), await took(ids(CHILDREN))];
      // Ten times as many; quadratic code would take a hundred times as long.
      expectSoon(all, 25 * some);
    },
  );
});
