import { dose } from '../support/dose.ts';
import { describeFault, Engine, type Fault, type Job } from './engine.ts';
import { type Scenario, SCENARIOS } from './scenarios.ts';

/** Number of faults of each kind; `npm run faults` runs them all. */
const OF_EACH = dose(1, 4);

const kindOf = (fault: Fault): string =>
  fault.kind === 'statement'
    ? fault.mode
    : fault.kind === 'constraint'
      ? `${fault.code} ${fault.deferred}`
      : `${fault.moment} ${fault.error}`;

/** Returns some faults of each kind, at places as far apart as possible. */
function sample(jobs: readonly Job[]): Job[] {
  const kinds = [...Map.groupBy(jobs, ({ fault }) => kindOf(fault)).values()];
  return kinds.flatMap((alike, n) =>
    Array.from({ length: OF_EACH }, (_, i) => {
      const place = (i + (n + 0.5) / kinds.length) / OF_EACH;
      return alike[Math.floor(place * alike.length)] as Job;
    }),
  );
}

const every = (n: number, from: number): Scenario[] => SCENARIOS.filter((_, i) => i % n === from);

describe.each([
  ['on the driver', false, dose(every(2, 0), SCENARIOS)],
  ['with hooks', true, dose(every(2, 1), SCENARIOS)],
])('faults in writes %s', (_name, hooks, scenarios) => {
  let engine: Engine;
  beforeAll(async () => void (engine = await Engine.start(hooks, scenarios)));
  afterAll(() => engine.stop());

  it('D15 2.3 2.8 leave the whole old or the whole new document, and the application still works', async () => {
    const wrong: string[] = [];
    for (const job of sample(engine.jobs())) {
      const problems = await engine.run(job);
      for (const problem of problems)
        wrong.push(`${job.scenario.name}: ${describeFault(job.fault)}: ${problem}`);
    }
    expect(wrong).toEqual([]);
  });
});
