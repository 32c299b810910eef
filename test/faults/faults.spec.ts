import { describeFault, Engine, type Job } from './engine.ts';

/** How many faults each of the two kinds of transaction gets here; `npm run faults` has them all. */
const SAMPLE = 40;

describe.each([
  ['on the driver', false],
  ['with hooks', true],
])('faults in writes %s', (_name, hooks) => {
  let engine: Engine;
  beforeAll(async () => void (engine = await Engine.start(hooks)));
  afterAll(() => engine.stop());

  /** Evenly taken from all places and kinds. */
  const sample = (jobs: readonly Job[]): Job[] =>
    Array.from({ length: SAMPLE }, (_, i) => jobs[Math.floor((i * jobs.length) / SAMPLE)] as Job);

  it('D15 2.3 2.8 leave the whole old or the whole new document, and the application works on', async () => {
    const wrong: string[] = [];
    for (const job of sample(engine.jobs())) {
      const problems = await engine.run(job);
      for (const problem of problems)
        wrong.push(`${job.scenario.name}: ${describeFault(job.fault)}: ${problem}`);
    }
    expect(wrong).toEqual([]);
  });
});
