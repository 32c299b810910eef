/**
 * Cached plans and permissions: shared between callers with equal permissions, and bounded for any requests.
 */
import { setTimeout } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { Permissions } from 'nestjs-content-api';
import type { Caller } from '../../src/content/access/caller.ts';
import { heavyOf, PlanCache, readKeyOf, statementOf } from '../../src/content/documents/plan-cache.ts';
import type { ReadPlan } from '../../src/content/plan/plan.ts';
import { planRead, type ReadRequest } from '../../src/content/plan/plan-read.ts';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import type { ContentType } from '../../src/content/model/model.ts';
import { resolveSettings } from '../../src/kernel/settings.ts';
import { slot, sql, type Statement, template } from '../../src/kernel/sql.ts';

const attributes = { title: { type: 'string' }, writer: { type: 'string' } } as const;
const schema = buildSchema(
  [{ kind: 'collectionType', singularApiId: 'note', pluralApiId: 'notes', owner: 'writer', attributes }],
  [],
);
const settings = resolveSettings({});
const type = schema.types.get('note') as ContentType;
const LIMIT = 100;
const cacheOf = (maxCachedPlans: number): PlanCache => new PlanCache({ ...settings, maxCachedPlans });

const callerWith = (permissions: Permissions): Caller => ({ kind: 'user', id: 'ann', permissions });
const READER = callerWith(Permissions.of({ note: ['find', 'findOne'] }));

interface Asked {
  readonly text?: string;
  readonly caller?: Caller;
  readonly documentId?: string;
}

/** Queries a cache and counts how often it plans. */
function queryable(cache: PlanCache): { ask: (asked?: Asked) => ReadPlan; made: () => number } {
  let made = 0;
  const ask = ({ text = '', caller = READER, documentId }: Asked = {}): ReadPlan => {
    const request: ReadRequest = {
      kind: documentId === undefined ? 'list' : 'one',
      type,
      by: documentId === undefined ? null : { documentId },
      caller,
      format: 'flat',
      action: documentId === undefined ? 'find' : 'findOne',
    };
    return cache.plan(text, request, (query, asked) => {
      made += 1;
      return planRead(query, asked, { schema, settings });
    });
  };
  return { ask, made: () => made };
}

describe('the plan cache', () => {
  it('shares a plan between callers with equal permissions', () => {
    const { ask, made } = queryable(cacheOf(LIMIT));
    const first = ask();
    expect(ask({ caller: { kind: 'token', id: 't', permissions: READER.permissions } })).toBe(first);
    expect(ask({ caller: callerWith(Permissions.of({ note: ['findOne', 'find'] })) })).toBe(first);
    expect(made()).toBe(1);
  });

  it('shares nothing with other permissions, another query or another route', () => {
    const { ask, made } = queryable(cacheOf(LIMIT));
    const narrow = callerWith(Permissions.of({ note: [{ actions: ['find'], fields: ['title'] }] }));
    const shown = (plan: ReadPlan): boolean => plan.object.fields.some(({ name }) => name === 'writer');
    expect(shown(ask())).toBe(true);
    expect(shown(ask({ caller: narrow }))).toBe(false);
    expect(shown(ask({ text: 'fields=title' }))).toBe(false);
    expect(ask({ documentId: 'a' }).kind).toBe('one');
    expect(made()).toBe(4);
  });

  it('caches one plan for all documents of a type', () => {
    const { ask, made } = queryable(cacheOf(LIMIT));
    const [a, b] = [ask({ documentId: 'a' }), ask({ documentId: 'b' })];
    expect([a.documentId, b.documentId, made()]).toEqual(['a', 'b', 1]);
    const printed = (plan: ReadPlan): Statement =>
      statementOf(plan, () => template(sql`${slot(({ documentId }: ReadPlan) => documentId)}`));
    expect([printed(a).values, printed(b).values]).toEqual([['a'], ['b']]);
    expect(heavyOf(b)).toBe(false);
  });

  it('caches one plan for all values of a filter, with one statement name', () => {
    const { ask, made } = queryable(cacheOf(LIMIT));
    const [a, b, again] = ['a', 'b', 'a'].map((title) => ask({ text: `filters[title]=${title}` }));
    expect([a, b, again].map((plan) => plan?.operands?.values)).toEqual([['a'], ['b'], ['a']]);
    expect(a?.shared).toBe(b?.shared);
    const [key, other, same] = [a, b, again].map((plan) => readKeyOf(plan as ReadPlan));
    expect(key).not.toBe(other);
    expect(key).toBe(same);
    expect(made()).toBe(1);
  });

  it('caches one plan for users with own documents, without their ids', () => {
    const { ask, made } = queryable(cacheOf(LIMIT));
    const permissions = Permissions.of({ note: [{ actions: ['find'], own: true }] });
    const planFor = (id: string): ReadPlan => ask({ caller: { kind: 'user', id, permissions } });
    const [ann, bob] = [planFor('ann'), planFor('bob')];
    expect(ann.where).toMatchObject({ kind: 'own', user: expect.not.stringMatching(/ann|bob/) });
    expect(bob.where).toBe(ann.where);
    expect([ann, bob].map(({ operands }) => operands?.granted)).toEqual([['ann'], ['bob']]);
    expect(readKeyOf(ann)).not.toBe(readKeyOf(bob));
    expect(made()).toBe(1);
  });

  it.each([
    [0, 6],
    [1, 6],
    [2, 6],
    [3, 3],
    [6, 3],
  ])('with space for %i, three queries requested twice are planned %i times', (limit, times) => {
    const { ask, made } = queryable(cacheOf(limit));
    for (const page of [1, 2, 3, 1, 2, 3]) ask({ text: `pagination[page]=${page}` });
    expect(made()).toBe(times);
  });

  it('does not plan a recently used query again', () => {
    const { ask, made } = queryable(cacheOf(LIMIT));
    for (let n = 0; n < 1000; n += 1) {
      ask({ text: `pagination[start]=${n}` });
      ask({ text: 'sort=title' });
    }
    expect(made()).toBe(1001);
  });
});

describe('ten thousand sets of permissions', () => {
  const SETS = 10_000;
  /** Creates a different set for each number: the actions of a type with that number. */
  const setOf = (n: number): Permissions => Permissions.of({ note: ['find'], [`type-${n}`]: ['find'] });

  it('are cached up to a bound, with their plans', async () => {
    const cache = cacheOf(LIMIT);
    const { ask, made } = queryable(cache);
    const rights: WeakRef<Permissions>[] = [];
    const plans: WeakRef<ReadPlan>[] = [];
    for (let n = 0; n < SETS; n += 1) {
      const permissions = setOf(n);
      rights.push(new WeakRef(permissions));
      plans.push(new WeakRef(ask({ caller: callerWith(permissions) })));
    }
    expect(made()).toBe(SETS);
    // A weak reference retains its object until the end of the task that created it.
    await setTimeout(0);
    v8.setFlagsFromString('--expose-gc');
    (vm.runInNewContext('gc') as () => void)();
    const alive = (refs: readonly WeakRef<object>[]): number =>
      refs.filter((ref) => ref.deref() !== undefined).length;
    expect(alive(plans)).toBeGreaterThan(0);
    expect(alive(plans)).toBeLessThanOrEqual(LIMIT);
    expect(alive(rights)).toBeGreaterThan(0);
    expect(alive(rights)).toBeLessThanOrEqual(2000);
    expect(ask({ caller: callerWith(setOf(SETS - 1)) })).toBe(plans[SETS - 1]?.deref());
  });

  it('have distinct ids', () => {
    const ids = new Set(Array.from({ length: SETS }, (_, n) => setOf(n).id));
    expect(ids.size).toBe(SETS);
  });
});
