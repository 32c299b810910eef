/**
 * Plans of callers with conditions: shared by all values, never by different forms, and equal to plans of one
 * caller alone.
 */
import { inspect } from 'node:util';
import { type GrantFilters, Permissions, type WhereOf } from 'nestjs-content-api';
import type { Caller } from '../../src/content/access/caller.ts';
import type { Action } from '../../src/content/access/actions.ts';
import type { Grant } from '../../src/content/access/permissions.ts';
import { compileAnswer } from '../../src/content/compile/compile-read.ts';
import { PlanCache, readKeyOf, statementOf } from '../../src/content/documents/plan-cache.ts';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import type { ContentType } from '../../src/content/model/model.ts';
import type { ReadPlan } from '../../src/content/plan/plan.ts';
import { planRead, type ReadRequest } from '../../src/content/plan/plan-read.ts';
import { parseQuery } from '../../src/content/query/parse-query.ts';
import { readRaw } from '../../src/content/query/read-raw.ts';
import { resolveSettings } from '../../src/kernel/settings.ts';
import type { Statement } from '../../src/kernel/sql.ts';

const team = { type: 'relation', relation: 'manyToOne', target: 'team' } as const;
const schema = buildSchema(
  [
    {
      kind: 'collectionType',
      singularApiId: 'team',
      pluralApiId: 'teams',
      attributes: { name: { type: 'string' }, size: { type: 'integer' } },
    },
    {
      kind: 'collectionType',
      singularApiId: 'note',
      pluralApiId: 'notes',
      draftAndPublish: true,
      localized: true,
      owner: 'writer',
      attributes: {
        title: { type: 'string' },
        size: { type: 'integer' },
        until: { type: 'datetime' },
        writer: { type: 'string' },
        team,
        box: { type: 'component', component: 'part.box', index: true },
        next: { type: 'relation', relation: 'manyToOne', target: 'note' },
      },
    },
  ],
  [{ uid: 'part.box', attributes: { word: { type: 'string' }, team } }],
);
const settings = resolveSettings({ locales: ['de'] });
const note = schema.types.get('note') as ContentType;
const READ = ['find', 'findOne', 'readDrafts'] as const;
const READING = { bytes: 1_000_000, noted: true, cached: true, marked: false } as const;

const permissionsOf = (grant: Exclude<Grant, string>, more: readonly Grant[] = []): Permissions =>
  Permissions.of({ note: [grant, ...more], team: ['find', 'findOne'] });

interface Asked {
  readonly text?: string;
  readonly caller: Caller;
  readonly action?: Action;
}

const ofAttributes = (permissions: Permissions, attributes: object, id = 'ann'): Caller => ({
  kind: 'user',
  id,
  permissions,
  attributes: { ...attributes },
});

const requestOf = ({ caller, action = 'find' }: Asked): ReadRequest => ({
  kind: action === 'find' ? 'list' : 'one',
  type: note,
  by: action === 'find' ? null : { documentId: 'a document' },
  caller,
  format: 'flat',
  action,
});

function queryable(): { ask: (asked: Asked) => ReadPlan; made: () => number } {
  let made = 0;
  const cache = new PlanCache(settings);
  const ask = (asked: Asked): ReadPlan =>
    cache.plan(asked.text ?? '', requestOf(asked), (query, shared) => {
      made += 1;
      return planRead(query, shared, { schema, settings });
    });
  return { ask, made: () => made };
}

const alone = (asked: Asked): ReadPlan =>
  planRead(parseQuery(readRaw(asked.text ?? '', settings.limits), settings), requestOf(asked), {
    schema,
    settings,
  });
const printed = (plan: ReadPlan): Statement => statementOf(plan, (one) => compileAnswer(one, READING));

const ofTeam: WhereOf = ({ attributes }) => ({ team: { name: attributes?.['team'] } });
const MEMBER = permissionsOf({ actions: READ, where: ofTeam });

describe('the plans of callers with conditions', () => {
  it('are one plan and one statement for 1000 tenants', () => {
    const { ask, made } = queryable();
    const plans = Array.from({ length: 1000 }, (_, n) =>
      ask({ caller: ofAttributes(MEMBER, { team: `team ${n}` }, `user ${n}`) }),
    );
    const statements = plans.map(printed);
    expect(made()).toBe(1);
    expect(new Set(statements.map(({ text }) => text)).size).toBe(1);
    expect(
      statements.map(({ values }) => values.filter((value) => String(value).startsWith('team'))),
    ).toEqual(plans.map((_, n) => [`team ${n}`]));
    expect(new Set(plans.map(readKeyOf)).size).toBe(1000);
  });

  it('have a place for the values of the query and of the condition', () => {
    const { ask, made } = queryable();
    const asked = ['a', 'b'].flatMap((title) =>
      ['red', 'blue'].map((name) => ({
        text: `filters[title]=${title}&filters[team][name]=${name}`,
        caller: ofAttributes(MEMBER, { team: name }),
      })),
    );
    expect(asked.map((one) => printed(ask(one)).values)).toEqual(
      asked.map((one) => printed(alone(one)).values),
    );
    expect(made()).toBe(1);
  });

  it('contain nothing of the caller that was planned first', () => {
    const { ask } = queryable();
    const secret = 'a value of the first caller';
    const plan = ask({ caller: ofAttributes(MEMBER, { team: secret }, secret) });
    const other = ask({ caller: ofAttributes(MEMBER, { team: 'other' }, 'other') });
    expect(JSON.stringify(printed(plan).values)).toContain(secret);
    const limits = other.version.limits?.(note, { root: true, published: true });
    const parts = [limits, other.where, other.operands, printed(other)];
    expect(inspect(parts, { depth: 5 })).not.toContain(secret);
  });

  it('are not shared by different forms of a condition', () => {
    const { ask, made } = queryable();
    const where: WhereOf = ({ attributes }) => (attributes?.['filters'] ?? false) as GrantFilters | false;
    const permissions = permissionsOf({ actions: READ, where });
    const forms: readonly (GrantFilters | false)[] = [
      false,
      {},
      { title: 'a' },
      { title: { $ne: 'a' } },
      { title: { $null: true } },
      { title: { $null: false } },
      { title: { $notNull: true } },
      { team: { name: 'a' } },
      { team: { size: 1 } },
      { $not: { title: 'a' } },
      { $or: [{ title: 'a' }] },
      { $or: [{ title: 'a' }, { title: 'b' }] },
      { $or: [{ title: 'a' }, { title: 'a' }] },
      { title: { $in: [] } },
      { title: { $in: ['a'] } },
      { title: { $eq: ['a'] } },
      { title: { $eq: ['a', 'b'] } },
    ];
    const texts = forms.map(
      (filters) => printed(ask({ caller: ofAttributes(permissions, { filters }) })).text,
    );
    // Both cover no document, so they have one form.
    expect(made()).toBe(forms.length - 1);
    expect(texts).toEqual(
      forms.map((filters) => printed(alone({ caller: ofAttributes(permissions, { filters }) })).text),
    );
  });

  it('are shared by lists of any length', () => {
    const { ask, made } = queryable();
    const where: WhereOf = ({ attributes }) => ({ team: { size: { $in: attributes?.['sizes'] } } });
    const permissions = permissionsOf({ actions: READ, where });
    const values = [[1], [1, 2], [3, 4, 5]].map((sizes) => {
      const asked = { caller: ofAttributes(permissions, { sizes }) };
      expect(printed(ask(asked))).toEqual(printed(alone(asked)));
      return printed(ask(asked)).values;
    });
    expect(made()).toBe(1);
    expect(values.map((one) => one.find((value) => Array.isArray(value)))).toEqual([[1], [1, 2], [3, 4, 5]]);
  });

  it.each([
    ['own documents', permissionsOf({ actions: READ, own: true })],
    [
      'own documents and a condition',
      permissionsOf({ actions: READ, where: ofTeam }, [{ actions: READ, own: true }]),
    ],
  ])('are one plan and one statement for 1000 users with %s', (_name, permissions) => {
    const { ask, made } = queryable();
    const users = Array.from({ length: 1000 }, (_, n) => `user ${n}`);
    const callers = users.map((user) => ofAttributes(permissions, { team: 'red' }, user));
    for (const text of ['status=draft', 'filters[title]=x', 'populate=next']) {
      const plans = callers.map((caller) => ask({ caller, text }));
      const statements = plans.map(printed);
      expect(new Set(statements.map((one) => one.text)).size).toBe(1);
      users.forEach((user, n) => expect(statements[n]?.values).toContain(user));
      expect(printed(plans[7] as ReadPlan)).toEqual(printed(alone({ caller: callers[7] as Caller, text })));
      expect(new Set(plans.map(readKeyOf)).size).toBe(1000);
    }
    expect(made()).toBe(3);
  });

  it('of a user whose id equals a value of its condition are apart', () => {
    const { ask, made } = queryable();
    const permissions = permissionsOf({ actions: READ, where: ofTeam }, [{ actions: READ, own: true }]);
    for (const id of ['ann', 'red', 'bob']) {
      const asked = { caller: ofAttributes(permissions, { team: 'red' }, id) };
      expect(printed(ask(asked))).toEqual(printed(alone(asked)));
    }
    expect(made()).toBe(2);
  });

  it('fail for a wrong condition, without a change of other callers', () => {
    const { ask } = queryable();
    const where: WhereOf = ({ attributes }) => ({ team: { size: attributes?.['size'] } });
    const asked = (size: unknown): Asked => ({
      caller: ofAttributes(permissionsOf({ actions: READ, where }), { size }),
    });
    expect(printed(ask(asked(1))).values).toContain(1);
    expect(() => printed(ask(asked('many')))).toThrow('Forbidden');
    expect(() => printed(alone(asked('many')))).toThrow('Forbidden');
    expect(printed(ask(asked(2))).values).toContain(2);
  });

  const CONDITIONS: Readonly<Record<string, WhereOf>> = {
    relation: ofTeam,
    'two values': ({ attributes: { team: name, size } = {} }) => ({ $or: [{ title: name }, { size }] }),
    negation: ({ attributes: { team: name, size } = {} }) => ({ $not: { team: { name, size } } }),
    between: ({ attributes: { size } = {} }) => ({
      size: { $between: [size, 9] },
      until: { $gt: new Date(0) },
    }),
    component: ({ attributes: { team: name } = {} }) => ({
      box: { word: name, team: { name: [name, 'x'] } },
    }),
    text: ({ attributes: { team: name } = {} }) => ({ title: { $containsi: name }, next: { title: name } }),
  };
  const TEXTS = [
    '',
    'status=draft&locale=*',
    'filters[title]=a&filters[next][team][name][$ne]=b&sort=next.title',
    'populate[next][filters][title]=a&populate[team]=true&withState=true',
    'publicationFilter=modified&_q=a',
    'fallbackLocale[]=de&populate=*',
  ];
  const CALLERS = [
    { team: 'red', size: 1 },
    { team: 'blue', size: 2 },
    { team: '5', size: 5 },
  ];
  it.each(Object.entries(CONDITIONS))('print what the plan of one caller prints: %s', (_name, where) => {
    const { ask, made } = queryable();
    const narrow = permissionsOf({ actions: READ, where }, [{ actions: ['find'], where: ofTeam }]);
    for (const permissions of [permissionsOf({ actions: READ, where }), narrow])
      for (const text of TEXTS)
        for (const action of ['find', 'findOne', 'update'] as const)
          for (const attributes of CALLERS) {
            const asked = { text, action, caller: ofAttributes(permissions, attributes) };
            const failing = (plan: (one: Asked) => ReadPlan): unknown => {
              try {
                return printed(plan(asked));
              } catch (error) {
                return String(error);
              }
            };
            expect(failing(ask)).toEqual(failing(alone));
          }
    expect(made()).toBeLessThan(TEXTS.length * 3 * CALLERS.length * 2);
  });
});
