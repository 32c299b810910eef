import { dose } from '../support/dose.ts';
import type { Command } from './commands.ts';
import { Engine } from './engine.ts';

/** `npm run model` runs many more. */
const RUNS = dose(6, 24);
const SAMPLE = { runs: RUNS, max: 6, seed: 7, seconds: 2 * RUNS };

const plain = { caller: null, populated: false, conditional: false, repeated: false };
const about = { slot: 0, locale: null, draft: false, ...plain };

/** A story with two topics. */
const LINKING: readonly Command[] = [
  {
    ...about,
    verb: 'update',
    type: 'story',
    body: [{ kind: 'relation', attribute: 'topics', payload: { kind: 'set', slots: [0, 2] } }],
  },
];

describe('sequences of writes, and every document after each write', () => {
  let engine: Engine;
  beforeAll(async () => void (engine = await Engine.start()));
  afterAll(() => engine.close());

  it('agree with the model: D13, D18 to D25, D29, sections 8, 9 and 11', async () => {
    const found = await engine.search(SAMPLE);
    expect(found?.difference.message).toBeUndefined();
    expect(engine.tally.documents).toBeGreaterThan(5 * RUNS);
  });

  it('disagree with the model if a link is lost', async () => {
    expect(await engine.find(LINKING)).toBeNull();
    await engine.sql(`create function lose() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger lose before insert on stories_topics_links for each row when (new.published) execute function lose()`);
    const found = await engine.find(LINKING);
    expect(found?.difference.message).toMatch(/published en: topics is \[\], expected \["<topic 0>"/);
    await engine.sql('drop trigger lose on stories_topics_links; drop function lose');
  });
});
