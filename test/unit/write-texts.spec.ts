/** Cached texts of writes: each depends on its key, and on nothing else. */
import fc from 'fast-check';
import { compileLocks } from '../../src/pool/locks.ts';
import { compileSteps } from '../../src/content/compile/compile-steps.ts';
import type { FoundRow } from '../../src/content/plan/found-targets.ts';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import type { ContentType, Schema } from '../../src/content/model/model.ts';
import type { Statement } from '../../src/kernel/sql.ts';
import { stepsOf } from './planning.ts';

const toNotes = { type: 'relation', target: 'note' } as const;

const modelOf = (): Schema =>
  buildSchema(
    [
      {
        kind: 'collectionType',
        singularApiId: 'note',
        pluralApiId: 'notes',
        draftAndPublish: true,
        localized: true,
        attributes: {
          title: { type: 'string', localized: true },
          views: { type: 'integer' },
          meta: { type: 'json' },
          parts: { type: 'component', component: 'note.part', repeatable: true },
          friend: { ...toNotes, relation: 'manyToOne', inversedBy: 'friends' },
          friends: { ...toNotes, relation: 'oneToMany', mappedBy: 'friend' },
          twin: { ...toNotes, relation: 'oneToOne' },
          related: { ...toNotes, relation: 'manyToMany', inversedBy: 'relating' },
          relating: { ...toNotes, relation: 'manyToMany', mappedBy: 'related' },
          about: { type: 'relation', relation: 'morphToMany' },
        },
      },
    ],
    [{ uid: 'note.part', attributes: { text: { type: 'string' } } }],
  );

interface Write {
  readonly data: object;
  readonly state: 'new' | 'draft' | 'both' | 'unmodified';
  readonly elsewhere: boolean;
  readonly draft: boolean;
}

const FOUND: readonly FoundRow[] = ['a', 'b', 'c'].map((id, i) => [i + 10, id, true, true, true]);

function rowsOf({ state, elsewhere }: Write) {
  const row = {
    documentId: 'doc',
    locale: 'en',
    stamp: '1',
    kept: false,
    own: true,
    live: true,
    shown: true,
  };
  const [draft, live] = [
    { ...row, id: 1, published: false, revision: '7', covered: '7' },
    { ...row, id: 2, published: true, revision: state === 'unmodified' ? '7' : '8', covered: '7' },
  ];
  const other = { ...draft, id: 3, locale: 'fr' };
  const here = { new: [], draft: [draft], both: [draft, live], unmodified: [draft, live] }[state];
  return elsewhere ? [...here, other] : here;
}

function statementsOf(schema: Schema, write: Write): Statement[] {
  const type = schema.types.get('note') as ContentType;
  const rows = rowsOf(write);
  const stored = rows.length === 0 ? null : {};
  const { data, draft } = write;
  const steps = stepsOf({ schema, type, data, draft, stored, rows, found: { note: FOUND } });
  return [...compileSteps(steps, null).statements];
}

/** Texts and values of a write, alone and merged with an equal one. */
const sentBy = (schema: Schema, write: Write): unknown[] =>
  statementsOf(schema, write).map((one) => [one.text, one.values, one.silent, one.merger?.merge([one, one])]);

const id = fc.constantFrom('a', 'b', 'c');
const ids = fc.uniqueArray(id, { maxLength: 3 });
const writes = fc.record<Write>({
  data: fc.record(
    {
      title: fc.option(fc.string({ maxLength: 5 })),
      views: fc.option(fc.integer({ min: 0, max: 9 })),
      meta: fc.option(fc.dictionary(fc.constantFrom('k', 'l'), fc.integer())),
      parts: fc.array(fc.record({ text: fc.constantFrom('x', 'y') }), { maxLength: 2 }),
      friend: fc.option(id),
      friends: ids,
      twin: fc.option(id),
      related: ids,
      relating: ids,
      about: ids.map((list) => list.map((documentId) => ({ __type: 'api::note.note', documentId }))),
    },
    { requiredKeys: [] },
  ),
  state: fc.constantFrom('new', 'draft', 'both', 'unmodified'),
  elsewhere: fc.boolean(),
  draft: fc.boolean(),
});

describe('cached texts', () => {
  it('equal the printed ones, with the values of each write', () => {
    const kept = modelOf();
    fc.assert(
      fc.property(writes, (write) => {
        // A model without writes has an empty cache.
        expect(sentBy(kept, write)).toEqual(sentBy(modelOf(), write));
      }),
      { numRuns: 150 },
    );
  });

  it('are the same for writes that differ only in their values', () => {
    const schema = modelOf();
    const write = (n: number, list: readonly string[]): Statement[] =>
      statementsOf(schema, {
        data: { title: `Title ${n}`, views: n, meta: { n }, friend: list[0], related: list },
        state: 'both',
        elsewhere: true,
        draft: false,
      });
    const [first, second] = [write(1, ['a', 'b']), write(2, ['c'])];
    expect(second.map(({ text }) => text)).toEqual(first.map(({ text }) => text));
    expect(second.flatMap(({ values }) => values)).toContain('Title 2');
    expect(second.flatMap(({ values }) => values)).not.toContain('Title 1');
  });

  it('of locks distinguish shared from exclusive ones, in the order of their names', () => {
    const [shared, exclusive] = [
      { name: 'a', exclusive: false },
      { name: 'b', exclusive: true },
    ];
    const { text, values } = compileLocks([shared, exclusive]);
    expect(compileLocks([exclusive, shared])).toEqual({ text, values, silent: true });
    const [one, other] = [compileLocks([shared]), compileLocks([exclusive])];
    expect(one.text).toBe('select pg_advisory_xact_lock_shared(hashtextextended($1::text, 0))');
    expect(other.text).toBe('select pg_advisory_xact_lock(hashtextextended($1::text, 0))');
    expect(values).toEqual(['a', 'b']);
  });

  it('of locks acquire a lock that is needed in both modes once, exclusively', () => {
    const [shared, exclusive] = [
      { name: 'a', exclusive: false },
      { name: 'a', exclusive: true },
    ];
    expect(compileLocks([shared, exclusive, shared])).toEqual(compileLocks([exclusive]));
  });
});
