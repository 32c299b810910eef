/** A sample of `npm run evolution -- --random`. */
import { compare } from './pairs/compare.ts';
import type { Values } from './pairs/content-reader.ts';
import { FAULTS } from './pairs/failure.ts';
import { runPairs } from './pairs/random.ts';
import type { Member, Shape, Sketch, Type } from './pairs/sketch.ts';

const NONE = Object.fromEntries(FAULTS.map((fault) => [fault, 0]));

/** Runs pairs of a seed, and returns their counts and failures. */
async function run(seed: number, first: number, count: number) {
  const failures: string[] = [];
  const counts = await runPairs({ seed, first, count }, (text) => failures.push(text));
  return { ...counts, failures };
}

describe('random changes of random models', () => {
  it('lose, duplicate and expose no value, in 25 pairs', async () => {
    const { failures, faults, migrated, back } = await run(41, 0, 25);
    expect(failures).toEqual([]);
    expect(faults).toEqual(NONE);
    expect([migrated > 15, back > 5]).toEqual([true, true]);
  }, 400_000);

  it.each([
    [571, 'an empty list in a component is made single'],
    [573, 'a type gets drafts, and its inverse side shows drafts with other links'],
    [621, 'a type gets drafts, and another one loses them'],
    [718, 'another default locale, and the inverse side of a localized relation'],
  ])('lose, duplicate and expose no value in pair %i of seed 30: %s', async (number) => {
    const { failures, migrated } = await run(30, number, 1);
    expect({ failures, migrated }).toEqual({ failures: [], migrated: 1 });
  });
});

describe('the comparison of a pair', () => {
  const member = (key: string, shape: Shape): Member => ({ key, name: key, shape, options: {} });
  const relation = { kind: 'relation', relation: 'manyToMany' } as const;
  const type = (key: string, drafts: boolean, members: Member[]): Type => ({
    ...{ key, name: key, plural: `${key}s`, table: null, isSingle: false, localized: false, removed: [] },
    drafts,
    members,
  });
  const sketch = (drafts: boolean): Sketch => ({
    types: [
      type('tag', drafts, [
        member('title', { kind: 'scalar', type: 'string' }),
        member('posts', { ...relation, target: 'post', other: 'tags', owns: false }),
      ]),
      type('post', true, [member('tags', { ...relation, target: 'tag', other: 'posts', owns: true })]),
    ],
    ...{ parts: [], locales: ['en'], defaultLocale: 'en', removed: [], made: 0 },
  });
  const version = (key: string, status: 'draft' | 'published', values: Values) => ({
    ...{ type: key, status, locale: 'en' },
    documents: new Map([['1', values]]),
  });
  const posts = (['published', 'draft'] as const).map((status) => version('post', status, { tags: [] }));
  const published = { title: 'a', posts: [], 'posts draft en': ['post 1'] };
  const was = [version('tag', 'published', published), ...posts];
  /** Compares a type without drafts with the same one that has got drafts. */
  const startDrafts = (draft: Values) => (): void =>
    compare({
      ...{ before: sketch(false), after: sketch(true), was, filled: new Set() },
      is: [version('tag', 'published', published), version('tag', 'draft', draft), ...posts],
    });

  it('accepts the links that a request for drafts showed before the type had drafts', () => {
    expect(startDrafts({ title: 'a', posts: ['post 1'] })).not.toThrow();
  });

  it('reports a lost link of an inverse side, and a lost value', () => {
    expect(startDrafts({ title: 'a', posts: [] })).toThrow(/lost: tag \(en, draft\) 1\.posts/);
    expect(startDrafts({ title: null, posts: ['post 1'] })).toThrow(/lost: tag \(en, draft\) 1\.title/);
  });
});
