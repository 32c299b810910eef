import { dose } from '../support/dose.ts';
import { BodyFuzz, fuzzBodies } from './body-run.ts';

/** Number of writes; `npm run fuzz:body` sends many more. */
const RUNS = dose(40, 100);

describe.each(['express', 'fastify'] as const)('arbitrary bodies on %s', (adapter) => {
  let fuzz: BodyFuzz;
  beforeAll(async () => void (fuzz = await BodyFuzz.open(adapter, 4)));
  afterAll(() => fuzz.close());

  it('S30: never cause a 5xx, change no row if refused, and are returned by reads as they were sent', async () => {
    const failures = await fuzzBodies(fuzz, { runs: RUNS, seed: 4, most: 3 });
    expect(failures).toEqual([]);
    // The test is void if the application accepts too few bodies.
    expect((fuzz.statuses[200] ?? 0) + (fuzz.statuses[201] ?? 0)).toBeGreaterThan(RUNS / 8);
    expect(fuzz.compared).toBeGreaterThan(RUNS / 10);
  });
});
