/** Random scenarios of the fuzzer of rights: a document, and what a caller does to it. */
import fc from 'fast-check';
import { type Action, type Caller, ROLES, TENANT } from './rights-callers.ts';
import { CONDITIONS, isConstrained, type TypeName, TYPES } from './rights-model.ts';

export interface Body {
  readonly title?: string | null;
  readonly kind?: string;
  /** Of stories. */
  readonly stage?: string;
  readonly topic?: string | null;
  readonly team?: number;
  readonly seal?: number;
  readonly tags?: readonly number[];
  readonly connect?: boolean;
  readonly parts?: readonly string[];
}

const VERBS = [
  'create',
  'update',
  'delete',
  'publish',
  'unpublish',
  'discard',
  'schedule',
  'release',
  'undo',
  'restore',
  'tag',
] as const;

/** A write, with the members that its verb needs. */
export interface Write {
  readonly verb: (typeof VERBS)[number];
  readonly locale: 'en' | 'de' | '*';
  readonly draft: boolean;
  readonly body: Body;
  /** Whether it is an item of a bulk request, if there is one for the verb. */
  readonly bulk: boolean;
  /** The other one of two kinds: an entry or a time that unpublishes, a deleted document, links to remove. */
  readonly unpublish: boolean;
  /** Number of the version to restore, or of the tag. */
  readonly version: number;
}

/** Writes of one document. */
export interface Scenario {
  readonly type: TypeName;
  /** Tenant of the document, if its type has tenants. */
  readonly org: string;
  /** Writes of the application, before the caller's. */
  readonly before: readonly Write[];
  readonly caller: Caller;
  readonly writes: readonly Write[];
}

const body: fc.Arbitrary<Body> = fc.record(
  {
    title: fc.constantFrom('x', 'y', 'x', 'y', null),
    kind: fc.constantFrom('open', 'closed'),
    stage: fc.constantFrom('written', 'read', 'read'),
    topic: fc.constantFrom('a', 'b', 'a', 'b', null),
    team: fc.nat(1),
    seal: fc.nat(1),
    tags: fc.subarray([0, 1]),
    connect: fc.boolean(),
    parts: fc.constantFrom(['p'], ['p'], ['p', 'q'], ['q'], []),
  },
  { requiredKeys: [] },
);

const write = (verbs: readonly Write['verb'][]): fc.Arbitrary<Write> =>
  fc.record({
    verb: fc.constantFrom(...verbs),
    locale: fc.constantFrom('en', 'de', 'en', 'de', 'de', '*'),
    draft: fc.boolean(),
    body,
    bulk: fc.nat(3).map((n) => n === 0),
    unpublish: fc.boolean(),
    version: fc.nat(3),
  });

/** Makes versions in both languages, and drafts that differ from what is published. */
const preparations: fc.Arbitrary<readonly Write[]> = fc
  .tuple(
    write(['update']),
    fc.boolean(),
    fc.array(write(['update', 'update', 'unpublish', 'delete']), { maxLength: 4 }),
  )
  .map(([first, isTranslated, others]) => [
    ...(isTranslated ? [{ ...first, locale: 'de', draft: false } as const] : []),
    ...others,
  ]);

const scenariosOf = (types: readonly TypeName[], roles: readonly string[]): fc.Arbitrary<Scenario> =>
  fc.record({
    type: fc.constantFrom(...types),
    org: fc.constantFrom(TENANT, TENANT, TENANT, 'two'),
    before: preparations,
    caller: fc.record({
      role: fc.constantFrom(...roles),
      first: fc.nat(CONDITIONS.length - 1),
      second: fc.nat(CONDITIONS.length - 1),
    }),
    writes: fc.array(write(VERBS), { minLength: 3, maxLength: 10 }),
  });

/** Mostly writes under conditions. Callers with all rights are those that meet constraints and stages. */
export const scenarios: fc.Arbitrary<Scenario> = fc.oneof(
  {
    weight: 3,
    arbitrary: scenariosOf([...TYPES, 'article', 'report', 'story', 'story'], Object.keys(ROLES)),
  },
  { weight: 1, arbitrary: scenariosOf(TYPES.filter(isConstrained), ['chief', 'chief', 'editor', 'drafter']) },
);

/** Actions that must be granted for a verb. */
export const ACTIONS_OF: Readonly<Record<Write['verb'], readonly Action[]>> = {
  create: ['create'],
  update: ['update'],
  delete: ['delete'],
  publish: ['publish'],
  unpublish: ['publish'],
  discard: ['publish'],
  schedule: ['publish'],
  release: ['publish'],
  undo: ['publish', 'update'],
  restore: ['update'],
  tag: ['update'],
};

/** Verbs of types with drafts. */
export const OF_DRAFTS: readonly string[] = [
  'publish',
  'unpublish',
  'discard',
  'schedule',
  'release',
  'undo',
];

/** An undo needs a release. */
export const stepsOf = (one: Write): readonly Write[] =>
  one.verb === 'undo' ? [{ ...one, verb: 'release', draft: false }, one] : [one];

/** Whether the application itself writes, later. The right is that on the document when the time is set. */
export const isDeferred = ({ verb, draft }: Write): boolean =>
  verb === 'schedule' || (verb === 'release' && draft);
