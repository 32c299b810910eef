/** A sample of `npm run fuzz:leak`, with a fixed seed. */
import { askOpen, askPair, each } from './leak-check.ts';
import { modelLeaks, OPEN_CALLER } from './leak-models.ts';
import { endless, type Probe, probes } from './leak-probes.ts';
import {
  connectWorlds,
  type Pair,
  type Prepared,
  prepareWorlds,
  schema,
  type Worlds,
} from './leak-worlds.ts';

const SEED = 11;
const SHARE = [0, 0.04, 0.006, 0.0008];
const PER_WAY = [0, 2, 1, 1];
/**
 * Each caller sends every n-th request and starts at a different one, so that some callers send each of
 * them.
 */
const TURNS = 4;
const CALLERS = [
  'drafts',
  'published',
  'noAuthor',
  'dossierOnly',
  'narrowFind',
  'narrowOne',
  'librarian',
  'viewer',
  'limited',
  'limitedMixed',
];

/** Kinds of techniques; the first matching prefix is the kind. */
const WAYS = [
  'populate count filters',
  'populate count',
  'populate filters',
  'populate sort',
  'populate fields',
  'populate true',
  'filters',
  'sort',
  'fields',
];

const wayOf = (technique: string): string | undefined => WAYS.find((one) => technique.startsWith(one));

function* inTurns(all: Iterable<Probe>, first: number): Generator<Probe> {
  let place = first;
  for (const one of all) if (place++ % TURNS === 0) yield one;
}

/** Returns whether a request of a kind distinguishes the open worlds; at most 200 are tried. */
async function tells(pair: Pair, way: string, asked: Iterable<Probe>): Promise<boolean> {
  let tried = 0;
  for (const { technique, path, query, secret } of asked) {
    // Filters and sorts do not reach the documents that contain a file.
    if (secret === null || wayOf(technique) !== way || path.startsWith('upload/')) continue;
    if (await askOpen(pair, { path, query, v4: false }, technique)) return true;
    if ((tried += 1) === 200) return false;
  }
  return false;
}

describe('two databases that differ only in what the caller may not see', () => {
  const closing: (() => Promise<unknown>)[] = [];
  let prepared: Prepared;
  let worlds: Worlds;
  beforeAll(async () => {
    prepared = await prepareWorlds(CALLERS, closing, { seed: SEED });
    worlds = await connectWorlds(prepared, closing);
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  it.each(CALLERS)(
    'return the same to the caller "%s", and different responses when nothing is hidden',
    async (caller) => {
      const pair = worlds.pairs.find((one) => one.caller === caller);
      if (pair === undefined) throw new Error(`no caller ${caller}`);
      const asking = {
        schema,
        grants: pair.grants,
        depth: 3,
        seed: SEED,
        documents: worlds.documents,
        share: (steps: number) => SHARE[steps] ?? 0,
        perWay: (steps: number) => PER_WAY[steps] ?? 0,
      };
      const asked = inTurns(probes(asking), CALLERS.indexOf(caller));
      const leaks: string[] = [];
      const count = { asked: 0, answered: 0 };
      const seen = new Set<string>();
      await each(asked, 4, async ({ technique, path, query, secret }) => {
        const question = { path, query, v4: count.asked % 5 === 0 };
        count.asked += 1;
        const { status, problem } = await askPair(pair, question);
        if (status === 200) count.answered += 1;
        if (problem !== null) leaks.push(`/api/${path}?${query}: ${problem}`);
        const way = wayOf(technique);
        if (
          secret !== null &&
          way !== undefined &&
          !seen.has(way) &&
          (await askOpen(pair, question, technique))
        )
          seen.add(way);
      });
      expect(leaks).toEqual([]);
      // Each kind of request must be able to distinguish the worlds. Kinds that the sample does not contain
      // are taken from all requests.
      for (const way of WAYS)
        if (
          !seen.has(way) &&
          (await tells(pair, way, probes({ ...asking, share: () => 1, perWay: () => 12 })))
        )
          seen.add(way);
      expect([...seen].sort()).toEqual([...WAYS].sort());
      expect(count.answered).toBeGreaterThan(4);
    },
  );

  it('return the same descriptions of models that differ only in hidden names', async () => {
    const { asked, leaks } = await modelLeaks(['published', 'narrowFind', 'narrowOne']);
    expect(leaks).toEqual([]);
    expect(asked).toBeGreaterThan(150);
    const open = await modelLeaks([OPEN_CALLER]);
    const told = new Set(open.leaks.map(({ path }) => path.split('/').slice(0, 2).join('/')));
    expect([...told].sort()).toEqual([
      'content-type-builder/components',
      'content-type-builder/content-types',
      'desk/model',
      'openapi.json',
      'openapi.json?count=false',
    ]);
  });

  it('return the same from the cache', () => expect(worlds.kept()).toBeGreaterThan(100));

  it('are distinguished when the library exposes a private attribute', async () => {
    const copies = prepared.copies.filter(({ caller }) => caller === 'drafts');
    const [pair] = (await connectWorlds({ ...prepared, copies }, closing, true)).pairs as [Pair];
    const asking = {
      schema,
      grants: pair.grants,
      depth: 2,
      seed: SEED,
      documents: worlds.documents,
      share: () => 1,
      perWay: () => Infinity,
    };
    let asked = 0;
    for (const { path, query, type } of endless(asking)) {
      if (type.singularApiId !== 'dossier' || !/hiddenString|populate=\*/.test(query)) continue;
      const { problem } = await askPair(pair, { path, query, v4: false });
      if (problem !== null) return;
      asked += 1;
      if (asked > 100) throw new Error('a hundred requests did not find the leak');
    }
  });
});
