/**
 * The rule of access, from the documentation: a pure function of definitions and grants, which shares nothing
 * with the code that it judges.
 */
import type { Action, Grant, Grants } from 'nestjs-content-api';
import { type AttributeOf, COMPONENTS, type ModelOf, TYPES } from './model.ts';

/** Who asks. */
export interface Asker {
  readonly grants: readonly Grants[];
  /** Whether it is a user, who can own documents. */
  readonly user: boolean;
}

/** A request: who asks, and what it is about. */
export interface Ask extends Asker {
  readonly type: string;
  readonly action: Action;
  readonly draft: boolean;
  /** The document that is named belongs to somebody else; otherwise it is the asking user's. */
  readonly foreign?: boolean;
}

/** Names of attributes, `all`, or null for a right that is not there. */
type Reach = ReadonlySet<string> | 'all' | null;

/** What has been worked out, which every step of every path asks for. */
const reaches = new WeakMap<readonly Grants[], Map<string, Reach>>();

function reach(asker: Pick<Asker, 'grants'>, type: string, action: Action, own = false): Reach {
  const known = reaches.get(asker.grants) ?? new Map<string, Reach>();
  reaches.set(asker.grants, known);
  const key = `${type} ${action} ${own}`;
  const found = known.get(key) ?? (known.has(key) ? null : reachOf(asker, type, { action, own }));
  known.set(key, found);
  return found;
}

function reachOf(
  { grants }: Pick<Asker, 'grants'>,
  type: string,
  { action, own }: { readonly action: Action; readonly own: boolean },
): Reach {
  const lists = grants
    .flatMap((one) => Object.entries(one))
    .filter(([name]) => name === '*' || name === type)
    .map(([, list]) => list);
  const matching = lists
    .flatMap((list): readonly Grant[] => (list === '*' ? [action] : list))
    .filter((grant) => {
      const { actions, own: owned = false } = typeof grant === 'string' ? { actions: [grant] } : grant;
      return owned === own && (actions === '*' || actions.includes(action));
    });
  if (matching.length === 0) return null;
  const fields = matching.map((grant) => (typeof grant === 'string' ? undefined : grant.fields));
  return fields.includes(undefined) ? 'all' : new Set(fields.flatMap((names) => names ?? []));
}

/**
 * What an action reaches in a document of the one who asks: a grant on all documents decides where there is
 * one.
 */
const reachOfOwn = (asker: Asker, type: string, action: Action): Reach =>
  reach(asker, type, action) ?? (asker.user ? reach(asker, type, action, true) : null);

/** Whether an action is granted on all documents of a type. */
export const allowed = (asker: Asker, type: string, action: Action): boolean =>
  reach(asker, type, action) !== null;

const isRead = (action: Action): boolean => action === 'find' || action === 'findOne';

/** The documents that a request may be about: all of them, the user's own, or none. */
export function scope(ask: Ask): 'all' | 'own' | 'none' {
  const { type, action, draft } = ask;
  const rights: Action[] =
    draft && isRead(action) && TYPES.get(type)?.draftAndPublish === true ? [action, 'readDrafts'] : [action];
  if (rights.every((right) => allowed(ask, type, right))) return 'all';
  return rights.every((right) => reachOfOwn(ask, type, right) !== null) ? 'own' : 'none';
}

/** Whether documents of a type may be shown where a relation leads to them. */
const shows = (ask: Asker & Pick<Ask, 'draft'>, type: string): boolean =>
  allowed(ask, type, 'find') &&
  (!ask.draft || TYPES.get(type)?.draftAndPublish !== true || allowed(ask, type, 'readDrafts'));

/** The action that reads one document. */
const readOf = (type: string): Action => (TYPES.get(type)?.kind === 'singleType' ? 'find' : 'findOne');

/** Whether who has updated a document may read it: the document itself, and where it is a draft, drafts (D27). */
function readsBack(ask: Ask): boolean {
  const reading = { ...ask, action: readOf(ask.type) };
  return (
    ask.action !== 'update' || scope(reading) === 'all' || (scope(reading) === 'own' && ask.foreign !== true)
  );
}

/**
 * What may be named at the root of an answer. A create shows what was created and what a GET would; an update what a
 * GET would, and where that shows nothing, what can be sent.
 */
function rootReach(ask: Ask): Reach {
  if (isRead(ask.action)) return reachOfOwn(ask, ask.type, ask.action);
  const actions: Action[] = ask.action === 'create' ? ['find', 'findOne', 'create'] : [readOf(ask.type)];
  const all = [...actions, ...(readsBack(ask) ? [] : [ask.action])].map((one) =>
    reachOfOwn(ask, ask.type, one),
  );
  return all.includes('all')
    ? 'all'
    : new Set(all.flatMap((one) => (one instanceof Set ? [...(one as ReadonlySet<string>)] : [])));
}

/**
 * Whether an answer shows what stands below an attribute: of a document that may not be read only the ids, and what
 * the body carried in full. On the side that does not own it, a relation is not the body's alone.
 */
export const echoed = (ask: Ask, key: string, sent: object): boolean =>
  readsBack(ask) ||
  ['id', 'documentId'].includes(key) ||
  (Object.hasOwn(sent, key) && TYPES.get(ask.type)?.attributes[key]?.mappedBy === undefined);

/** Where a path has led to. */
interface Place {
  readonly of: 'type' | 'component' | 'zone' | 'file' | 'value';
  readonly name: string;
  readonly reach: Reach;
}

export const ALWAYS = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale'];
const OF_COMPONENTS = ['id', 'documentId'];

const value: Place = { of: 'value', name: '', reach: null };

/** The other locales of a document, which show what the document itself may. */
const localizations = (type: string): AttributeOf => ({
  type: 'relation',
  relation: 'oneToMany',
  target: type,
});

export function attributesOf({
  of,
  name,
}: Pick<Place, 'of' | 'name'>): Readonly<Record<string, AttributeOf>> {
  const model: ModelOf | undefined =
    of === 'type' ? TYPES.get(name) : of === 'component' ? COMPONENTS.get(name) : undefined;
  return {
    ...model?.attributes,
    ...(of === 'type' && model?.localized === true ? { localizations: localizations(name) } : {}),
  };
}

/** One step of a path, or null where it must not be taken or leads nowhere. */
function step(ask: Ask, place: Place, key: string): Place | null {
  if (place.of === 'value') return null;
  if (place.of === 'file') return value;
  if (place.of === 'zone') return { of: 'component', name: key, reach: 'all' };
  if ((place.of === 'type' ? ALWAYS : OF_COMPONENTS).includes(key)) return value;
  const attribute = attributesOf(place)[key];
  if (attribute === undefined || attribute.private === true || attribute.type === 'password') return null;
  if (key === 'localizations') return place;
  if (place.reach === null || (place.reach !== 'all' && !place.reach.has(key))) return null;
  switch (attribute.type) {
    case 'media':
      return { of: 'file', name: key, reach: 'all' };
    case 'component':
      return { of: 'component', name: attribute.component ?? '', reach: 'all' };
    case 'dynamiczone':
      return { of: 'zone', name: key, reach: 'all' };
    case 'relation': {
      const target = attribute.target ?? '';
      return shows(ask, target) ? { of: 'type', name: target, reach: reach(ask, target, 'find') } : null;
    }
    default:
      return value;
  }
}

const root = (ask: Ask): Place => ({ of: 'type', name: ask.type, reach: rootReach(ask) });

const walk = (ask: Ask, path: readonly string[]): Place | null =>
  path.reduce<Place | null>((place, key) => place && step(ask, place, key), root(ask));

/**
 * Whether the attribute at the end of a path may be read: filtered and sorted by, selected, populated,
 * searched. The name of a component follows that of its zone.
 */
export const may = (ask: Ask, path: readonly string[]): boolean => walk(ask, path) !== null;

/** Whether an attribute may be changed, from whichever side. Whose a document is users do not say. */
function mayChange(ask: Asker, type: string, action: Action, attribute: string): boolean {
  const granted = reachOfOwn(ask, type, action);
  if (granted === null || (granted !== 'all' && !granted.has(attribute))) return false;
  const model = TYPES.get(type);
  return model?.attributes[attribute] !== undefined && !(ask.user && model.owner === attribute);
}

/**
 * Whether a body may name an attribute. A relation must lead to what may be found; where the other side owns it,
 * writing it updates the documents there (D26).
 */
export function mayWrite(ask: Ask, attribute: string): boolean {
  const { type, action } = ask;
  if (!mayChange(ask, type, action, attribute)) return false;
  const { mappedBy, target = '' } = attributesOf({ of: 'type', name: type })[attribute] ?? {};
  if (mappedBy !== undefined && !mayChange(ask, target, 'update', mappedBy)) return false;
  return targetsOf('type', type, attribute).every((one) => shows({ ...ask, draft: false }, one));
}

/** Whether a body may name any file by the id of its row; by its document id it always may. */
export const mayNameFileRows = (ask: Asker): boolean =>
  allowed(ask, 'file', 'find') || allowed(ask, 'file', 'findOne');

/** Whether the one who updates a document can read what is stored there for an attribute. */
export function readsStored(ask: Ask, attribute: string): boolean {
  const { type } = ask;
  const reading = { ...ask, action: readOf(type), draft: true };
  const documents = scope(reading);
  const granted = reachOfOwn(ask, type, reading.action);
  const shown = granted === 'all' || granted?.has(attribute) === true;
  const hidden = attributesOf({ of: 'type', name: type })[attribute]?.private === true;
  return shown && !hidden && (documents === 'all' || (documents === 'own' && scope(ask) === 'own'));
}

/** The types that a filled attribute links to, those of its components included. */
export function targetsOf(of: 'type' | 'component', name: string, attribute: string): string[] {
  const def = attributesOf({ of, name })[attribute];
  if (def?.type === 'relation') return [def.target ?? ''];
  const components = def?.type === 'component' ? [def.component ?? ''] : (def?.components ?? []);
  return components.flatMap((uid) =>
    Object.keys(attributesOf({ of: 'component', name: uid })).flatMap((key) =>
      targetsOf('component', uid, key),
    ),
  );
}

/** A way through the model. `scalar` when it ends in a value. */
export interface Path {
  readonly keys: readonly string[];
  readonly scalar: boolean;
  /** How many relations, components, zones and media it leads through. */
  readonly hops: number;
}

/** What a path of one step leads to. */
function next(
  attribute: AttributeOf,
  key: string,
): (readonly [way: readonly string[], of: 'type' | 'component' | 'file', name: string])[] {
  if (attribute.type === 'media') return [[[key], 'file', '']];
  if (attribute.type === 'relation') return [[[key], 'type', attribute.target ?? '']];
  if (attribute.type === 'component') return [[[key], 'component', attribute.component ?? '']];
  return (attribute.components ?? []).map((uid) => [[key, uid], 'component', uid]);
}

/**
 * Paths from a place of at most `depth` hops, over what may be read and one step beyond it. Other locales of
 * other locales would be the first ones again.
 */
function* pathsFrom(
  of: 'type' | 'component' | 'file',
  name: string,
  depth: number,
  open: (keys: readonly string[]) => boolean,
): Generator<Path> {
  const always = of === 'file' ? ['url'] : of === 'type' ? ALWAYS : OF_COMPONENTS;
  for (const key of always) yield { keys: [key], scalar: true, hops: 0 };
  for (const [key, attribute] of Object.entries(attributesOf({ of, name }))) {
    const ways = next(attribute, key);
    if (ways.length === 0) yield { keys: [key], scalar: true, hops: 0 };
    if (ways.length === 0 || depth === 0) continue;
    yield { keys: [key], scalar: false, hops: 1 };
    for (const [way, kind, target] of ways) {
      if (way.length > 1) yield { keys: way, scalar: false, hops: 1 };
      if (!open(way)) yield { keys: [...way, 'id'], scalar: true, hops: 1 };
      else {
        for (const { keys, scalar, hops } of pathsFrom(
          kind,
          target,
          key === 'localizations' ? 0 : depth - 1,
          (below) => open([...way, ...below]),
        )) {
          if (keys[0] !== 'localizations' || key !== 'localizations')
            yield { keys: [...way, ...keys], scalar, hops: hops + 1 };
        }
      }
    }
  }
}

/** The paths of a request: those that may be read, and those that go one step too far. */
export const pathsOf = (ask: Ask, depth: number): Path[] => [
  ...pathsFrom('type', ask.type, depth, (keys) => may(ask, keys)),
];

/** What an answer with everything populated shows. */
export const shown = (ask: Ask, depth: number): string[] =>
  pathsOf(ask, depth)
    .filter(({ keys }) => may(ask, keys))
    .map(({ keys }) => keys.join('.'));

/** What an answer shows, in the same words. */
export function pathsIn(
  value: unknown,
  of: 'type' | 'component' | 'file' | 'zone',
  name: string,
  prefix = '',
): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, of, name, prefix));
  if (typeof value !== 'object' || value === null) return [];
  if (of === 'file') return 'url' in value ? [`${prefix}url`] : [];
  if (of === 'zone') {
    const uid = String((value as { __component?: unknown }).__component);
    return [`${prefix}${uid}`, ...pathsIn(value, 'component', uid, `${prefix}${uid}.`)];
  }
  return Object.entries(value)
    .filter(([key]) => key !== '__component')
    .flatMap(([key, nested]) => {
      const attribute = attributesOf({ of, name })[key];
      const way = `${prefix}${key}`;
      if (attribute?.type === 'dynamiczone') return [way, ...pathsIn(nested, 'zone', key, `${way}.`)];
      return [
        way,
        ...(attribute === undefined
          ? []
          : next(attribute, key).flatMap(([, kind, target]) => pathsIn(nested, kind, target, `${way}.`))),
      ];
    });
}
