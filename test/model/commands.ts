/**
 * Commands as fast-check makes and shrinks them. They name documents by slots, not by ids: what is left of a sequence
 * when others are taken out still means the same.
 */
import fc from 'fast-check';
import { LOCALES } from './content.ts';
import { PARTS, type Relation, RELATIONS, type Side, type Type, TYPES } from './shape.ts';

/** How many documents of a type commands speak of. */
const SLOTS = 3;

/** The slot of a document that there never was. */
export const NOBODY = 3;

export interface PlaceSeed {
  readonly kind: 'start' | 'end' | 'before' | 'after';
  readonly slot: number;
}

export type PayloadSeed =
  | { readonly kind: 'set'; readonly slots: readonly number[] }
  | {
      readonly kind: 'change';
      readonly connect: readonly { readonly slot: number; readonly place: PlaceSeed | null }[];
      readonly disconnect: readonly number[];
    };

export interface InstanceSeed {
  /** Which of the stored instances; null for a new one. */
  readonly stored: number | null;
  readonly component: string;
  readonly text: string | null | undefined;
  readonly links: readonly { readonly name: string; readonly payload: PayloadSeed }[];
}

export type Entry =
  | { readonly kind: 'scalar'; readonly attribute: string; readonly value: string | number | null }
  | { readonly kind: 'embedded'; readonly attribute: string; readonly instances: readonly InstanceSeed[] }
  | { readonly kind: 'relation'; readonly attribute: string; readonly payload: PayloadSeed };

interface About {
  readonly type: string;
  readonly slot: number;
  readonly locale: string | null;
}

export type Command =
  | (About & {
      readonly verb: 'create' | 'update';
      readonly draft: boolean;
      readonly body: readonly Entry[];
      readonly caller: number | null;
      /** Whether the answer shows all that a GET would. */
      readonly populated: boolean;
    })
  | (About & { readonly verb: 'delete'; readonly caller: number | null })
  | (About & { readonly verb: 'unpublish' | 'discardDraft' });

const slot = fc.nat(SLOTS - 1);
/** Now and then a document that there is not. */
const target = fc.oneof({ weight: 40, arbitrary: slot }, { weight: 1, arbitrary: fc.constant(NOBODY) });
const slots = fc.uniqueArray(target, { maxLength: SLOTS });

const placeSeed: fc.Arbitrary<PlaceSeed | null> = fc.option(
  fc.record({ kind: fc.constantFrom('end', 'start', 'before', 'after'), slot }),
  { freq: 2 },
);

const many: fc.Arbitrary<PayloadSeed> = fc.oneof(
  fc.record({ kind: fc.constant('set'), slots }),
  fc.record({
    kind: fc.constant('change'),
    connect: fc.uniqueArray(fc.record({ slot: target, place: placeSeed }), {
      selector: (one) => one.slot,
      maxLength: SLOTS,
    }),
    disconnect: fc.uniqueArray(slot, { maxLength: 2 }),
  }),
);

const one: fc.Arbitrary<PayloadSeed> = fc.oneof(
  fc.record({ kind: fc.constant('set'), slots: fc.uniqueArray(target, { maxLength: 1 }) }),
  fc.record({
    kind: fc.constant('change'),
    connect: fc.array(fc.record({ slot: target, place: fc.constant(null) }), { maxLength: 1 }),
    disconnect: fc.uniqueArray(slot, { maxLength: 1 }),
  }),
);

const text = fc.constantFrom('a', 'b', null);

function instance(component: string): fc.Arbitrary<InstanceSeed> {
  const part = PARTS[component] ?? { one: {}, many: {} };
  const names = [...Object.keys(part.one), ...Object.keys(part.many)];
  const link = fc
    .constantFrom(...names)
    .chain((name) => fc.record({ name: fc.constant(name), payload: name in part.one ? one : many }));
  return fc.record({
    stored: fc.option(fc.nat(3), { freq: 2 }),
    component: fc.constant(component),
    text: fc.oneof(text, fc.constant(undefined)),
    links: fc.uniqueArray(link, { selector: ({ name }) => name, maxLength: 2 }),
  });
}

const relationEntry = ({ attribute, one: isOne }: Side): fc.Arbitrary<Entry> =>
  fc.record({
    kind: fc.constant('relation' as const),
    attribute: fc.constant(attribute),
    payload: isOne ? one : many,
  });

/** Entries of a body; of one relation above all, where one is meant. */
function entries({ scalars, embedded, sides, owner }: Type, about: Relation | null): fc.Arbitrary<Entry> {
  const relations = fc.oneof(...sides.map(relationEntry));
  const meant = sides.filter(({ relation }) => relation.name === about?.name).map(relationEntry);
  const plain = fc.oneof(
    ...scalars.map(({ attribute, number }): fc.Arbitrary<Entry> =>
      fc.record({
        kind: fc.constant('scalar'),
        attribute: fc.constant(attribute),
        value: number ? fc.constantFrom(1, 2, null) : text,
      }),
    ),
  );
  const parts = embedded.map(({ attribute, components }): fc.Arbitrary<Entry> =>
    fc.record({
      kind: fc.constant('embedded'),
      attribute: fc.constant(attribute),
      instances: fc.array(fc.oneof(...components.map(instance)), { maxLength: 3 }),
    }),
  );
  const owned = sides.filter(({ attribute }) => attribute === owner).map(relationEntry);
  return fc.oneof(
    { weight: 8, arbitrary: relations },
    { weight: 2, arbitrary: plain },
    ...parts.map((arbitrary) => ({ weight: 1, arbitrary })),
    ...owned.map((arbitrary) => ({ weight: 3, arbitrary })),
    ...meant.map((arbitrary) => ({ weight: 40, arbitrary })),
  );
}

const locale = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.constantFrom(...LOCALES) },
);

const populated = fc.nat(2).map((n) => n === 2);

function commandsOf(type: Type, meant: Relation | null = null): fc.Arbitrary<Command> {
  const body = fc.uniqueArray(entries(type, meant), { selector: ({ attribute }) => attribute, maxLength: 3 });
  const about = { type: fc.constant(type.name), slot: type.single ? fc.constant(0) : slot, locale };
  const caller = type.owner === null ? fc.constant(null) : fc.option(slot, { freq: 3 });
  const write = { ...about, draft: fc.boolean(), body, caller, populated };
  const update: fc.Arbitrary<Command> = fc.record({ verb: fc.constant('update'), ...write });
  const create: fc.Arbitrary<Command> = fc.record({ verb: fc.constant('create'), ...write });
  const publish: fc.Arbitrary<Command> = fc.record({
    ...{ verb: fc.constant('update'), ...about, draft: fc.constant(false) },
    ...{ body: fc.constant([]), caller: fc.constant(null), populated },
  });
  const gone = { ...about, locale: fc.oneof(locale, fc.constant('*')), caller };
  const remove: fc.Arbitrary<Command> = fc.record({ verb: fc.constant('delete'), ...gone });
  const state: fc.Arbitrary<Command> = fc.record({
    verb: fc.constantFrom('unpublish', 'discardDraft'),
    ...about,
  });
  return fc.oneof(
    { weight: 12, arbitrary: update },
    { weight: type.single ? 0 : 2, arbitrary: create },
    { weight: type.drafts ? 4 : 0, arbitrary: publish },
    { weight: 2, arbitrary: remove },
    { weight: type.drafts ? 4 : 0, arbitrary: state },
  );
}

const WEIGHTS: Readonly<Record<string, number>> = {
  story: 6,
  topic: 4,
  person: 3,
  tag: 2,
  essay: 1,
  page: 1,
};

export const command: fc.Arbitrary<Command> = fc.oneof(
  ...TYPES.map((type) => ({ weight: WEIGHTS[type.name] ?? 1, arbitrary: commandsOf(type) })),
);

/** Commands on the two types of a relation, most of them about it: what meets anywhere meets there. */
function commandsAbout(relation: Relation): fc.Arbitrary<Command> {
  const types = TYPES.filter(({ name }) => name === relation.from || name === relation.to);
  return fc.oneof(...types.map((type) => commandsOf(type, relation)));
}

const arrays = (one: fc.Arbitrary<Command>, max: number): fc.Arbitrary<Command[]> =>
  fc.array(one, { minLength: 1, maxLength: max, size: 'max' });

/** Sequences of commands, about anything or one relation; long ones are as likely as short ones. */
export const sequences = (max: number): fc.Arbitrary<Command[]> =>
  fc.oneof(
    { weight: RELATIONS.length, arbitrary: arrays(command, max) },
    ...RELATIONS.map((relation) => ({ weight: 2, arbitrary: arrays(commandsAbout(relation), max) })),
  );
