import { dose } from '../support/dose.ts';
import { BodyFuzz, fuzzBodies } from './body-run.ts';

/** `npm run fuzz:body` sends many more. */
const RUNS = dose(40, 100);

describe.each(['express', 'fastify'] as const)('arbitrary bodies on %s', (adapter) => {
  let fuzz: BodyFuzz;
  beforeAll(async () => void (fuzz = await BodyFuzz.open(adapter, 4)));
  afterAll(() => fuzz.close());

  it('S30: never cause a 5xx, change no row when they are refused, and read back as they were sent', async () => {
    const failures = await fuzzBodies(fuzz, { runs: RUNS, seed: 4, most: 3 });
    expect(failures).toEqual([]);
    // All of it would mean nothing if nothing were accepted.
    expect((fuzz.statuses[200] ?? 0) + (fuzz.statuses[201] ?? 0)).toBeGreaterThan(RUNS / 8);
    expect(fuzz.compared).toBeGreaterThan(RUNS / 10);
  });
});
