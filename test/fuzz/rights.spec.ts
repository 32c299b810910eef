import fc from 'fast-check';
import { dose } from '../support/dose.ts';
import { RightsFuzz } from './rights-run.ts';
import { type Scenario, scenarios, type Write } from './rights-scenarios.ts';

/** Number of scenarios; `npm run fuzz:rights` runs many more. */
const RUNS = dose(40, 150);

const UPDATE: Write = {
  verb: 'update',
  locale: 'en',
  draft: true,
  body: { title: 'y' },
  bulk: false,
  unpublish: false,
  version: 0,
};

/** A translator, whose grant of `update` covers German versions, adds a German draft. */
const TRANSLATION: Scenario = {
  type: 'article',
  org: 'one',
  before: [],
  caller: { role: 'updater', first: 1, second: 0 },
  writes: [{ ...UPDATE, locale: 'de' }],
};

/** An editor, who cannot approve, changes an approved draft. */
const EDIT: Scenario = {
  ...TRANSLATION,
  type: 'story',
  caller: { role: 'editor', first: 0, second: 0 },
  writes: [UPDATE],
};

/** A title that another entry has. */
const DUPLICATE: Scenario = {
  ...EDIT,
  type: 'entry',
  caller: { role: 'chief', first: 0, second: 0 },
  writes: [{ ...UPDATE, draft: false }],
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

  it('8.39: are reported if they change an approved draft and leave its approval', async () => {
    await fuzz.run(EDIT);
    await fuzz.sql(`create function keep_stage() returns trigger language plpgsql as $$ begin
        new.stage := old.stage; return new; end $$;
      create trigger keep_stage before update on stories
        for each row when (old.stage = 'read') execute function keep_stage()`);
    await expect(fuzz.run(EDIT)).rejects.toThrow(/ en draft has changed to .*, which is not approved/);
    await fuzz.sql('drop trigger keep_stage on stories; drop function keep_stage');
  });

  it('26.1: are reported if the audit log has no entry', async () => {
    await fuzz.sql(`create function forget() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger forget before insert on content_audit for each row execute function forget()`);
    await expect(fuzz.run(TRANSLATION)).rejects.toThrow('content_audit has no entry for ');
    await fuzz.sql('drop trigger forget on content_audit; drop function forget');
  });

  it('14.18: are reported if they publish a unique value twice', async () => {
    await fuzz.run(DUPLICATE);
    const [index] = await fuzz.sql(
      `select indexname as name from pg_indexes where tablename = 'entries' and indexdef ~ '^CREATE UNIQUE.*title'`,
    );
    await fuzz.sql(`drop index ${index?.['name']}`);
    await expect(fuzz.run(DUPLICATE)).rejects.toThrow('twice: entry en title y');
  });
});
