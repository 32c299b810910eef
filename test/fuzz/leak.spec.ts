/** A sample of `npm run fuzz:leak`, with a fixed seed. */
import { askOpen, askPair, each } from './leak-check.ts';
import { probes } from './leak-probes.ts';
import { makeWorlds, schema, type Worlds } from './leak-worlds.ts';

const SEED = 11;
const SHARE = [0, 0.15, 0.03, 0.004];
const PER_WAY = [0, 6, 3, 2];
const CALLERS = ['drafts', 'published', 'noAuthor', 'dossierOnly'];

describe('two databases that differ only in what the caller may not see', () => {
  let worlds: Worlds;
  beforeAll(async () => void (worlds = await makeWorlds(CALLERS)));
  afterAll(() => worlds.close());

  it.each(CALLERS)('answer the same to the caller "%s", and differently when nothing is hidden', async (caller) => {
    const pair = worlds.pairs.find((one) => one.caller === caller);
    if (pair === undefined) throw new Error(`no caller ${caller}`);
    const asked = probes({
      schema, grants: pair.grants, depth: 3, seed: SEED, documents: worlds.documents,
      share: (steps) => SHARE[steps] ?? 0, perWay: (steps) => PER_WAY[steps] ?? 0,
    });
    const leaks: string[] = [];
    const count = { asked: 0, answered: 0, control: 0, detected: 0 };
    await each(asked, 4, async ({ path, query, secret }) => {
      const question = { path, query, v4: count.asked % 5 === 0 };
      count.asked += 1;
      const { status, problem } = await askPair(pair, question);
      if (status === 200) count.answered += 1;
      if (problem !== null) leaks.push(`/api/${path}?${query}: ${problem}`);
      if (!secret || count.asked % 4 !== 0) return;
      count.control += 1;
      if ((await askOpen(pair, question)).differs) count.detected += 1;
    });
    expect(leaks).toEqual([]);
    // The questions can tell the worlds apart, or their silence would mean nothing.
    expect(count.detected).toBeGreaterThan(count.control / 4);
    expect(count.answered).toBeGreaterThan(50);
  });
});
