/**
 * Commands as fast-check generates and shrinks them. They name documents by slots instead of ids, so that the
 * rest of a sequence keeps its meaning when commands are removed.
 */
import fc from 'fast-check';
import { LOCALES } from './content.ts';
import {
  INITIAL,
  PARTS,
  READY,
  type Relation,
  RELATIONS,
  type Side,
  STAGE,
  type Type,
  TYPES,
} from './shape.ts';

/** Number of documents per type. */
const SLOTS = 3;

/** Slot of a document that never existed. */
export const ABSENT_SLOT = 3;

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
  /** Index of a stored instance; null for a new one. */
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

/** Writes that may name the version that they expect. */
interface Conditional {
  /** Whether the write has the tag that was read last for its version, and a new one is read afterwards. */
  readonly conditional: boolean;
}

/** Requests that may be sent twice, with the same `Idempotency-Key`. */
interface Repeatable {
  readonly repeated: boolean;
}

/** Document of a release, in a locale or in all (`*`). */
interface EntrySeed extends About {
  readonly unpublish: boolean;
}

/** Publishes documents together, and takes that back at once if `undo`. With `dry`, only asks what it would do. */
interface Release {
  readonly verb: 'release';
  readonly entries: readonly EntrySeed[];
  readonly undo: boolean;
  readonly dry: boolean;
}

/** Publishes and unpublishes a document at times that have passed, in this order. */
interface Schedule {
  readonly verb: 'schedule';
  readonly actions: readonly ('publish' | 'unpublish')[];
}

type SingleCommand =
  | (About &
      Conditional &
      Repeatable & {
        readonly verb: 'create' | 'update';
        readonly draft: boolean;
        readonly body: readonly Entry[];
        readonly caller: number | null;
        /** Whether the response is populated like a GET. */
        readonly populated: boolean;
      })
  | (About & Conditional & Repeatable & { readonly verb: 'delete'; readonly caller: number | null })
  | (About & { readonly verb: 'unpublish' | 'discardDraft' });

/** Item of a bulk request. The caller is that of the request. */
export type Item = SingleCommand | (About & { readonly verb: 'publish' });

/** Writes of one type in one request. */
interface Bulk extends Repeatable {
  readonly verb: 'bulk';
  /** Whether all are written or none. */
  readonly atomic: boolean;
  readonly items: readonly Item[];
  readonly caller: number | null;
}

/** Restores a stored version of a document, or the whole document if it was deleted. */
interface Restore extends Repeatable {
  readonly verb: 'restore';
  /** Number of the version, modulo the number of versions that the document has. */
  readonly version: number;
}

export type Command =
  SingleCommand | (About & Release) | (About & Schedule) | (About & Bulk) | (About & Restore);

const slot = fc.nat(SLOTS - 1);

/**
 * Returns the document of a number in a payload. With one type it is the slot; with several, the types
 * alternate.
 */
export function slotOf(
  targets: readonly string[],
  n: number,
): { readonly type: string; readonly slot: number } {
  return { type: targets[n % targets.length] ?? '', slot: Math.floor(n / targets.length) };
}

/** Numbers of documents of several types, and sometimes of a missing one. */
const numbers = (types: number): { there: fc.Arbitrary<number>; any: fc.Arbitrary<number> } => {
  const there = fc.nat(SLOTS * types - 1);
  const missing = fc.constant(ABSENT_SLOT * types);
  return { there, any: fc.oneof({ weight: 40, arbitrary: there }, { weight: 1, arbitrary: missing }) };
};

function many(types = 1): fc.Arbitrary<PayloadSeed> {
  const { there, any } = numbers(types);
  const kind = fc.constantFrom<PlaceSeed['kind']>('end', 'start', 'before', 'after');
  const place = fc.option(fc.record({ kind, slot: there }), { freq: 2 });
  const connect = fc.record({ slot: any, place });
  return fc.oneof(
    fc.record({ kind: fc.constant('set' as const), slots: fc.uniqueArray(any, { maxLength: SLOTS }) }),
    fc.record({
      kind: fc.constant('change' as const),
      connect: fc.uniqueArray(connect, { selector: (one) => one.slot, maxLength: SLOTS }),
      disconnect: fc.uniqueArray(there, { maxLength: 2 }),
    }),
  );
}

function one(types = 1): fc.Arbitrary<PayloadSeed> {
  const { there, any } = numbers(types);
  return fc.oneof(
    fc.record({ kind: fc.constant('set' as const), slots: fc.uniqueArray(any, { maxLength: 1 }) }),
    fc.record({
      kind: fc.constant('change' as const),
      connect: fc.array(fc.record({ slot: any, place: fc.constant(null) }), { maxLength: 1 }),
      disconnect: fc.uniqueArray(there, { maxLength: 1 }),
    }),
  );
}

const text = fc.constantFrom('a', 'b', null);

function instance(component: string): fc.Arbitrary<InstanceSeed> {
  const part = PARTS[component] ?? { one: {}, many: {} };
  const names = [...Object.keys(part.one), ...Object.keys(part.many)];
  const link = fc
    .constantFrom(...names)
    .chain((name) => fc.record({ name: fc.constant(name), payload: name in part.one ? one() : many() }));
  return fc.record({
    stored: fc.option(fc.nat(3), { freq: 2 }),
    component: fc.constant(component),
    text: fc.oneof(text, fc.constant(undefined)),
    links: fc.uniqueArray(link, { selector: ({ name }) => name, maxLength: 2 }),
  });
}

const relationEntry = ({ attribute, one: isOne, targets }: Side): fc.Arbitrary<Entry> =>
  fc.record({
    kind: fc.constant('relation' as const),
    attribute: fc.constant(attribute),
    payload: (isOne ? one : many)(targets.length),
  });

function valueOf(attribute: string, number: boolean): fc.Arbitrary<string | number | null> {
  if (attribute === STAGE) return fc.constantFrom(INITIAL, READY, READY);
  return number ? fc.constantFrom(1, 2, null) : text;
}

/** Entries of a body, mainly of the given relation. */
function entries({ scalars, embedded, sides, owner }: Type, about: Relation | null): fc.Arbitrary<Entry> {
  const relations = fc.oneof(...sides.map(relationEntry));
  const meant = sides.filter(({ relation }) => relation.name === about?.name).map(relationEntry);
  const plain = fc.oneof(
    ...scalars.map(({ attribute, number }): fc.Arbitrary<Entry> =>
      fc.record({
        kind: fc.constant('scalar'),
        attribute: fc.constant(attribute),
        value: valueOf(attribute, number),
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

/** Approves a draft. */
export const TO_READY: Entry = { kind: 'scalar', attribute: STAGE, value: READY };

const populated = fc.nat(2).map((n) => n === 2);
const repeated = fc.nat(3).map((n) => n === 3);

function singleCommands(type: Type, meant: Relation | null): fc.Arbitrary<SingleCommand> {
  const body = fc.uniqueArray(entries(type, meant), { selector: ({ attribute }) => attribute, maxLength: 3 });
  const about = { type: fc.constant(type.name), slot: type.single ? fc.constant(0) : slot, locale };
  const caller = type.update === 'none' ? fc.constant(null) : fc.option(slot, { freq: 3 });
  const conditional = fc.boolean();
  const write = { ...about, draft: fc.boolean(), body, caller, populated, conditional, repeated };
  const update: fc.Arbitrary<SingleCommand> = fc.record({ verb: fc.constant('update'), ...write });
  const create: fc.Arbitrary<SingleCommand> = fc.record({
    ...{ verb: fc.constant('create'), ...write },
    caller: type.owner === null ? fc.constant(null) : caller,
  });
  const publish: fc.Arbitrary<SingleCommand> = fc.record({
    ...{ verb: fc.constant('update'), ...about, draft: fc.constant(false) },
    ...{
      body: type.staged ? fc.constantFrom([], [TO_READY]) : fc.constant([]),
      caller,
      populated,
      conditional,
      repeated,
    },
  });
  const leaving = type.owner === null ? fc.constant(null) : caller;
  const gone = {
    ...about,
    locale: fc.oneof(locale, fc.constant('*')),
    caller: leaving,
    conditional,
    repeated,
  };
  const remove: fc.Arbitrary<SingleCommand> = fc.record({ verb: fc.constant('delete'), ...gone });
  const state: fc.Arbitrary<SingleCommand> = fc.record({
    verb: fc.constantFrom('unpublish', 'discardDraft'),
    ...about,
    locale: fc.oneof({ weight: 3, arbitrary: locale }, { weight: 1, arbitrary: fc.constant('*') }),
  });
  return fc.oneof(
    { weight: 12, arbitrary: update },
    { weight: type.single ? 0 : 2, arbitrary: create },
    { weight: type.drafts ? 4 : 0, arbitrary: publish },
    { weight: 2, arbitrary: remove },
    { weight: type.drafts ? 4 : 0, arbitrary: state },
  );
}

/** Bulk requests of a collection type. People send updates only. */
function bulks(type: Type, meant: Relation | null): fc.Arbitrary<Command> {
  const about = { type: fc.constant(type.name), slot, locale: fc.oneof(locale, fc.constant('*')) };
  const publish = fc.record({ verb: fc.constant('publish' as const), ...about });
  const item: fc.Arbitrary<Item> = fc.oneof(
    { weight: 5, arbitrary: singleCommands(type, meant) },
    { weight: type.drafts ? 1 : 0, arbitrary: publish },
  );
  const items = fc.array(item, { minLength: 1, maxLength: 4 });
  const person = type.update === 'none' ? fc.constant(null) : fc.option(slot, { freq: 3 });
  const atomic = fc.nat(2).map((n) => n > 0);
  return fc.tuple(items, person, atomic, repeated).map(([all, by, isAtomic, isRepeated]): Command => {
    const [first] = all as [Item];
    const isPeoples = by !== null && all.every(({ verb }) => verb === 'update');
    const caller = isPeoples ? by : null;
    // Keys need one transaction.
    return { ...first, verb: 'bulk', atomic: isAtomic, items: all, caller, repeated: isRepeated && isAtomic };
  });
}

const restores = ({ name, single }: Type): fc.Arbitrary<Command> =>
  fc.record({
    verb: fc.constant('restore' as const),
    type: fc.constant(name),
    slot: single ? fc.constant(0) : slot,
    locale: fc.constant(null),
    version: fc.nat(20),
    repeated,
  });

const schedules = ({ name, single, localized }: Type): fc.Arbitrary<Command> =>
  fc.record({
    verb: fc.constant('schedule' as const),
    type: fc.constant(name),
    slot: single ? fc.constant(0) : slot,
    locale: localized ? locale : fc.constant(null),
    actions: fc.shuffledSubarray(['publish', 'unpublish'] as const, { minLength: 1 }),
  });

function commandsOf(type: Type, meant: Relation | null = null): fc.Arbitrary<Command> {
  return fc.oneof(
    { weight: 10, arbitrary: singleCommands(type, meant) },
    { weight: type.single ? 0 : 2, arbitrary: bulks(type, meant) },
    { weight: 1, arbitrary: restores(type) },
    { weight: type.drafts ? 1 : 0, arbitrary: schedules(type) },
  );
}

const released = ({ name, single, localized }: Type): fc.Arbitrary<EntrySeed> =>
  fc.record({
    type: fc.constant(name),
    slot: single ? fc.constant(0) : slot,
    locale: localized ? fc.oneof(locale, fc.constant('*')) : fc.constant(null),
    unpublish: fc.nat(3).map((n) => n === 3),
  });

/** Releases of documents of some types. */
function releases(types: readonly Type[]): fc.Arbitrary<Command> {
  const entry = fc.oneof(...types.filter(({ drafts }) => drafts).map(released));
  const selector = ({ type, slot: n }: EntrySeed): string => `${type} ${n}`;
  return fc
    .record({
      entries: fc.uniqueArray(entry, { selector, minLength: 1, maxLength: 3 }),
      undo: fc.nat(3).map((n) => n > 0),
      dry: fc.nat(5).map((n) => n === 5),
    })
    .map(({ entries, ...how }) => ({ verb: 'release', ...(entries[0] as EntrySeed), entries, ...how }));
}

/** Publishes a document, edits its draft, and releases and undoes that. */
function editsReleased(type: Type): fc.Arbitrary<Command[]> {
  const body = fc.uniqueArray(entries(type, null), { selector: ({ attribute }) => attribute, maxLength: 3 });
  return fc.tuple(released(type), body, body).map(([entry, first, then]): Command[] => {
    const about = { ...entry, locale: entry.locale === '*' ? null : entry.locale };
    const plain = { caller: null, populated: false, conditional: false, repeated: false };
    const edit = { verb: 'update', ...about, ...plain } as const;
    const others = first.filter(({ attribute }) => attribute !== STAGE);
    return [
      { ...edit, draft: false, body: type.staged ? [...others, TO_READY] : others },
      { ...edit, draft: true, body: then },
      { verb: 'release', ...entry, entries: [entry], undo: true, dry: false },
    ];
  });
}

/** Deletes a document, and restores it after another command. */
function deletesRestored(type: Type): fc.Arbitrary<Command[]> {
  return fc.tuple(singleCommands(type, null), command, restores(type)).map(([first, other, restore]) => {
    const about = { type: type.name, slot: restore.slot, locale: '*' } as const;
    const remove = { verb: 'delete', ...about, caller: null, conditional: false, repeated: false } as const;
    return [{ ...first, slot: restore.slot }, remove, other, restore];
  });
}

const WEIGHTS: Readonly<Record<string, number>> = {
  story: 6,
  topic: 4,
  person: 3,
  tag: 2,
  essay: 2,
  remark: 2,
  page: 1,
};

export const command: fc.Arbitrary<Command> = fc.oneof(
  ...TYPES.map((type) => ({ weight: WEIGHTS[type.name] ?? 1, arbitrary: commandsOf(type) })),
  { weight: 2, arbitrary: releases(TYPES) },
);

/** Commands on the two types of a relation, mostly on it, so that they interact. */
function commandsAbout(relation: Relation): fc.Arbitrary<Command> {
  const types = TYPES.filter(({ name }) => name === relation.from || relation.to.includes(name));
  const writes = types.map((type) => ({ weight: 8, arbitrary: commandsOf(type, relation) }));
  return types.some(({ drafts }) => drafts)
    ? fc.oneof(...writes, { weight: 2, arbitrary: releases(types) })
    : fc.oneof(...writes);
}

const arrays = (one: fc.Arbitrary<Command>, max: number): fc.Arbitrary<Command[]> =>
  fc.array(one, { minLength: 1, maxLength: max, size: 'max' });

/** Commands that belong together, several times. */
const flows = (max: number, flow: (type: Type) => fc.Arbitrary<Command[]>, types: readonly Type[]) =>
  fc
    .array(fc.oneof(...types.map(flow)), { minLength: 1, maxLength: Math.max(1, Math.floor(max / 3)) })
    .map((all) => all.flat());

const withDrafts = TYPES.filter(({ drafts }) => drafts);
const collections = TYPES.filter(({ single }) => !single);

/** Sequences of commands, about all types or one relation; long ones are as likely as short ones. */
export const sequences = (max: number): fc.Arbitrary<Command[]> =>
  fc.oneof(
    { weight: RELATIONS.length, arbitrary: arrays(command, max) },
    { weight: RELATIONS.length, arbitrary: flows(max, editsReleased, withDrafts) },
    { weight: RELATIONS.length, arbitrary: flows(max, deletesRestored, collections) },
    ...RELATIONS.map((relation) => ({ weight: 2, arbitrary: arrays(commandsAbout(relation), max) })),
  );
