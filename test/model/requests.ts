/** Converts a command to a request, and to its effect on the model. */
import { randomUUID } from 'node:crypto';
import { DEFAULT_LOCALE } from './content.ts';
import {
  type Command,
  type Entry,
  type InstanceSeed,
  ABSENT_SLOT,
  type PayloadSeed,
  type PlaceSeed,
  slotOf,
} from './commands.ts';
import type { Request } from './client.ts';
import type { Body, GivenInstance, Payload, Position } from './body.ts';
import { everything, join, uidOf, versionQuery } from './queries.ts';
import { PARTS, type Type, typeNamed } from './shape.ts';
import { type Instance, localeOf, type World, writtenState } from './world.ts';

/** Documents of slots, and ids of instances in the service. */
export interface Names {
  readonly world: World;
  /** Returns the document of a slot, or undefined if there is none now. */
  readonly find: (type: string, slot: number) => string | undefined;
  readonly typeOf: (id: string) => string | undefined;
  readonly instanceId: (key: number) => number | undefined;
}

/** A person who never existed. */
const STRANGER = 'zzzzzzzzzzzzzzzzzzzzzzzz';

/** Returns the slots that a command mentions, by type; their documents are created first. */
export function mentioned(command: Command): { readonly type: string; readonly slot: number }[] {
  if (command.verb === 'release') return command.entries.map(({ type, slot }) => ({ type, slot }));
  if (command.verb === 'bulk')
    return command.items.flatMap((item) =>
      item.verb === 'publish' ? [{ type: item.type, slot: item.slot }] : mentioned(item),
    );
  // A deleted document stays deleted until it is restored.
  if (command.verb === 'restore') return [];
  const type = typeNamed(command.type);
  const own = command.verb === 'create' ? [] : [{ type: command.type, slot: command.slot }];
  const caller =
    'caller' in command && command.caller !== null ? [{ type: 'person', slot: command.caller }] : [];
  const body = 'body' in command ? command.body.flatMap((entry) => mentionedIn(entry, type)) : [];
  return [...own, ...caller, ...body].filter(({ slot }) => slot !== ABSENT_SLOT);
}

function mentionedIn(entry: Entry, { sides }: Type): { readonly type: string; readonly slot: number }[] {
  const of = (targets: readonly string[], payload: PayloadSeed): { type: string; slot: number }[] =>
    (payload.kind === 'set' ? payload.slots : payload.connect.map(({ slot }) => slot)).map((n) =>
      slotOf(targets, n),
    );
  if (entry.kind === 'relation') {
    const side = sides.find(({ attribute }) => attribute === entry.attribute);
    return side === undefined ? [] : of(side.targets, entry.payload);
  }
  if (entry.kind === 'scalar') return [];
  return entry.instances.flatMap(({ component, links }) =>
    links.flatMap(({ name, payload }) => of([targetInside(component, name)], payload)),
  );
}

const targetInside = (component: string, name: string): string =>
  PARTS[component]?.one[name] ?? PARTS[component]?.many[name] ?? '';

function payloadOf(seed: PayloadSeed, targets: readonly string[], { find: findSlot }: Names): Payload {
  const find = (n: number): string | undefined => findSlot(slotOf(targets, n).type, slotOf(targets, n).slot);
  const id = (n: number): string => find(n) ?? STRANGER;
  // A single type has one document for all slots.
  if (seed.kind === 'set') return { set: [...new Set(seed.slots.map(id))] };
  // A missing document is neither an anchor nor disconnected.
  const position = (place: PlaceSeed | null): Position | undefined => {
    if (place === null) return undefined;
    if (place.kind === 'start' || place.kind === 'end') return { [place.kind]: true };
    const anchor = find(place.slot);
    return anchor === undefined ? undefined : { [place.kind]: anchor };
  };
  const connect = seed.connect.map(({ slot, place }) => {
    const at = position(place);
    return at === undefined ? { documentId: id(slot) } : { documentId: id(slot), position: at };
  });
  const first = connect.filter(
    ({ documentId }, i) => connect.findIndex((one) => one.documentId === documentId) === i,
  );
  return { connect: first, disconnect: seed.disconnect.flatMap((slot) => find(slot) ?? []) };
}

/** An instance of a body. It has the id of a stored one at most once. */
function instanceOf(seed: InstanceSeed, stored: Instance[], names: Names): GivenInstance {
  const known = stored.filter(
    ({ component, key }) => component === seed.component && names.instanceId(key) !== undefined,
  );
  const one = seed.stored === null ? undefined : known[seed.stored];
  if (one !== undefined) stored.splice(stored.indexOf(one), 1);
  const links = seed.links.map(({ name, payload }): [string, Payload] => [
    name,
    payloadOf(payload, [targetInside(seed.component, name)], names),
  ]);
  const text = seed.text === undefined ? {} : { text: seed.text };
  return { key: one?.key ?? null, component: seed.component, ...text, links: Object.fromEntries(links) };
}

/**
 * Instances whose ids a body may contain: those of the draft, and remaining ones of the published version
 * (D18).
 */
function storedInstances(
  { type, slot, locale }: Command,
  attribute: string,
  { world, find }: Names,
): Instance[] {
  const document = world.documents.get(find(type, slot) ?? '');
  if (document === undefined) return [];
  const here = localeOf(document.type, locale ?? DEFAULT_LOCALE);
  const list = (state: 'draft' | 'published'): Instance[] => [
    ...((world.values(document, state, here)[attribute] ?? []) as readonly Instance[]),
  ];
  const drafts = list(writtenState(document.type));
  return [...drafts, ...list('published').filter(({ key }) => !drafts.some((one) => one.key === key))];
}

export function bodyOf(command: Command & { readonly body: readonly Entry[] }, names: Names): Body {
  const type = typeNamed(command.type);
  const scalars: Record<string, string | number | null> = {};
  const embedded: Record<string, GivenInstance[]> = {};
  const relations: Record<string, Payload> = {};
  for (const entry of command.body) {
    if (entry.kind === 'scalar') scalars[entry.attribute] = entry.value;
    else if (entry.kind === 'embedded') {
      const stored = command.verb === 'create' ? [] : storedInstances(command, entry.attribute, names);
      embedded[entry.attribute] = entry.instances.map((seed) => instanceOf(seed, stored, names));
    } else {
      const side = type.sides.find(({ attribute }) => attribute === entry.attribute);
      // Signed-in people never set the owner (D26).
      if (
        side === undefined ||
        (command.verb !== 'delete' &&
          'caller' in command &&
          command.caller !== null &&
          type.owner === entry.attribute)
      )
        continue;
      relations[entry.attribute] = payloadOf(entry.payload, side.targets, names);
    }
  }
  return { scalars, embedded, relations };
}

/** Notation of an item: its id, and its type if items may be of several (11.30). */
type Naming = (id: string) => string | { readonly documentId: string; readonly __type?: string };

const byId: Naming = (id) => id;

/** Returns a payload as it is sent; half of the lists are in the short form (11.2). */
function sent(payload: Payload, one: boolean, name: Naming = byId): unknown {
  if (!('set' in payload)) {
    const item = (id: string): object =>
      [name(id)].map((it) => (typeof it === 'string' ? { documentId: it } : it))[0]!;
    const place = (position: Position | undefined): object => {
      const anchor = position?.before ?? position?.after;
      const type = anchor === undefined ? undefined : name(anchor);
      return position === undefined
        ? {}
        : { position: { ...position, ...(typeof type === 'object' ? { __type: type.__type } : {}) } };
    };
    return {
      connect: payload.connect.map(({ documentId, position }) => ({
        ...item(documentId),
        ...place(position),
      })),
      disconnect: payload.disconnect.map(name),
    };
  }
  const list = payload.set.map(name);
  if (one) return list[0] ?? null;
  return list.length % 2 === 0 ? list : { set: list };
}

/** Returns the `data` of a body. */
export function dataOf({ scalars, embedded, relations }: Body, type: Type, names: Names): object {
  const lists = Object.entries(relations).map(([name, payload]) => {
    const side = type.sides.find(({ attribute }) => attribute === name);
    const [first = ''] = side?.targets ?? [];
    const typed: Naming = (documentId) => {
      const of = names.typeOf(documentId) ?? first;
      return { documentId, __type: uidOf(of) };
    };
    const naming = side !== undefined && side.targets.length > 1 ? typed : byId;
    return [name, sent(payload, side?.one === true, naming)];
  });
  const instances = Object.entries(embedded).map(([name, list]) => {
    const zone = type.embedded.find(({ attribute }) => attribute === name)?.zone === true;
    return [name, list.map((item) => instanceData(item, zone, names))];
  });
  return { ...scalars, ...Object.fromEntries([...lists, ...instances]) };
}

function instanceData(
  { key, component, text, links }: GivenInstance,
  zone: boolean,
  { instanceId }: Names,
): object {
  const part = PARTS[component];
  return {
    ...(zone ? { __component: component } : {}),
    ...(key === null ? {} : { id: instanceId(key) }),
    ...(text === undefined ? {} : { text }),
    ...Object.fromEntries(
      Object.entries(links).map(([name, payload]) => [
        name,
        sent(payload, part !== undefined && name in part.one),
      ]),
    ),
  };
}

/** Returns a new key for a request that may be repeated; undefined for others. */
export const idempotencyKeyOf = (command: Command): string | undefined =>
  'repeated' in command && command.repeated ? randomUUID() : undefined;

export function writeRequest(
  command: Command & { readonly draft: boolean; readonly populated: boolean },
  data: object,
  { id, caller }: { readonly id: string | undefined; readonly caller: string | null },
): Request {
  const type = typeNamed(command.type);
  const query = join(
    versionQuery(command.draft ? 'draft' : 'published', command.locale),
    command.populated ? everything(type) : '',
  );
  const creates = command.verb === 'create';
  const path = type.single || creates ? `/api/${type.path}` : `/api/${type.path}/${id}`;
  return { method: creates ? 'POST' : 'PUT', path: `${path}${query}`, data, caller };
}

export function plainRequest(
  command: Command,
  { id, caller }: { readonly id: string; readonly caller: string | null },
): Request {
  const type = typeNamed(command.type);
  const query = command.locale === null ? '' : `?locale=${command.locale}`;
  if (command.verb === 'delete')
    return { method: 'DELETE', path: `/api/${type.path}${type.single ? '' : `/${id}`}${query}`, caller };
  return { method: 'POST', path: `/states/${type.name}/${id}/${command.verb}${query}`, caller };
}
