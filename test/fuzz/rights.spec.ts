import fc from 'fast-check';
import { dose } from '../support/dose.ts';
import { RightsFuzz } from './rights-run.ts';
import { type Scenario, scenarios } from './rights-scenarios.ts';

/** Number of scenarios; `npm run fuzz:rights` runs many more. */
const RUNS = dose(40, 150);

/** A translator, whose grant of `update` covers German versions, adds a German draft. */
const TRANSLATION: Scenario = {
  type: 'article',
  before: [],
  caller: { role: 'updater', first: 1, second: 0 },
  writes: [
    {
      verb: 'update',
      locale: 'de',
      draft: true,
      body: { title: 'y' },
      bulk: false,
      unpublish: false,
      version: 0,
    },
  ],
};

describe('writes of callers whose grants have conditions', () => {
  let fuzz: RightsFuzz;
  beforeAll(async () => void (fuzz = await RightsFuzz.open()));
  afterAll(() => fuzz.close());

  it('18.23 18.24: change only versions that meet a condition before and after, and nothing if refused', async () => {
    const found = await fc.check(
      fc.asyncProperty(scenarios, (scenario) => fuzz.run(scenario)),
      { seed: 3, numRuns: RUNS },
    );
    expect(found.errorInstance ?? null).toBeNull();
    // The test is void if too few writes are accepted.
    expect(fuzz.changing).toBeGreaterThan(RUNS / 3);
  });

  it('are reported if they change a version that no condition covers', async () => {
    await fuzz.run(TRANSLATION);
    await fuzz.sql(`create function spread() returns trigger language plpgsql as $$ begin
        update articles set topic = 'b' where document_id = new.document_id and locale = 'en'; return null; end $$;
      create constraint trigger spread after insert on articles deferrable initially deferred
        for each row when (new.locale = 'de') execute function spread()`);
    await expect(fuzz.run(TRANSLATION)).rejects.toThrow(
      / en published has changed, but "update" does not cover/,
    );
    await fuzz.sql('drop trigger spread on articles; drop function spread');
  });
});
