/**
 * Access rule of the documentation, as a pure function of definitions and grants. It shares no code with the
 * implementation that it verifies.
 */
import type { Action, Grant, Grants } from 'nestjs-content-api';
import { type AttributeOf, COMPONENTS, type ModelOf, TYPES } from './model.ts';

/** Grants and identity of a caller. */
export interface Asker {
  readonly grants: readonly Grants[];
  /** Whether the caller is a user, who can own documents. */
  readonly user: boolean;
}

/** Request of a caller: its type, action and state. */
export interface Ask extends Asker {
  readonly type: string;
  readonly action: Action;
  readonly draft: boolean;
  /** Whether the named document belongs to another user. */
  readonly foreign?: boolean;
}

/** Attribute names, `all`, or null without a grant. */
type Reach = ReadonlySet<string> | 'all' | null;

/** Cache of computed reaches, which every step of a path uses. */
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
 * Returns the attributes that an action covers in the caller's own documents. A grant on all documents takes
 * precedence over a grant on own ones.
 */
const reachOfOwn = (asker: Asker, type: string, action: Action): Reach =>
  reach(asker, type, action) ?? (asker.user ? reach(asker, type, action, true) : null);

export const allowed = (asker: Asker, type: string, action: Action): boolean =>
  reach(asker, type, action) !== null;

const isRead = (action: Action): boolean => action === 'find' || action === 'findOne';

/** Returns the set of documents that a request may use: all, the user's own ones, or none. */
export function scope(ask: Ask): 'all' | 'own' | 'none' {
  const { type, action, draft } = ask;
  const rights: Action[] =
    draft && isRead(action) && TYPES.get(type)?.draftAndPublish === true ? [action, 'readDrafts'] : [action];
  if (rights.every((right) => allowed(ask, type, right))) return 'all';
  return rights.every((right) => reachOfOwn(ask, type, right) !== null) ? 'own' : 'none';
}

/** Returns whether a relation may show documents of a type. */
const shows = (ask: Asker & Pick<Ask, 'draft'>, type: string): boolean =>
  allowed(ask, type, 'find') &&
  (!ask.draft || TYPES.get(type)?.draftAndPublish !== true || allowed(ask, type, 'readDrafts'));

/** Action that reads a single document. */
const readOf = (type: string): Action => (TYPES.get(type)?.kind === 'singleType' ? 'find' : 'findOne');

/** Returns whether the caller of an update may read the document, including drafts if it is a draft (D27). */
function readsBack(ask: Ask): boolean {
  const reading = { ...ask, action: readOf(ask.type) };
  return (
    ask.action !== 'update' || scope(reading) === 'all' || (scope(reading) === 'own' && ask.foreign !== true)
  );
}

/**
 * Returns the readable attributes at the root of a response. A create returns its input and the attributes
 * of a GET. An update returns the attributes of a GET, or the writable ones if the caller may not read the
 * document.
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
 * Returns whether a response contains the values below an attribute. For an unreadable document it contains
 * the ids and the complete values of the body. An inverse relation is excluded, because other documents also
 * change it.
 */
export const echoed = (ask: Ask, key: string, sent: object): boolean =>
  readsBack(ask) ||
  ['id', 'documentId'].includes(key) ||
  (Object.hasOwn(sent, key) && TYPES.get(ask.type)?.attributes[key]?.mappedBy === undefined);

/** Model that a path has reached, with its readable attributes. */
interface Place {
  readonly of: 'type' | 'component' | 'zone' | 'file' | 'value';
  readonly name: string;
  readonly reach: Reach;
}

export const ALWAYS = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale'];
const OF_COMPONENTS = ['id', 'documentId'];

const value: Place = { of: 'value', name: '', reach: null };

/** Relation to the other locales of a document, with the same grants as the document. */
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

/** Resolves one step of a path; null if the step is forbidden or the attribute is not a relation. */
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
 * Returns whether a caller may read the attribute at the end of a path, by filter, sort, `fields`,
 * `populate` or search. A component name follows the name of its zone.
 */
export const may = (ask: Ask, path: readonly string[]): boolean => walk(ask, path) !== null;

/**
 * Returns whether an action may change an attribute from either side. Users may not change the owner of a
 * document.
 */
function mayChange(ask: Asker, type: string, action: Action, attribute: string): boolean {
  const granted = reachOfOwn(ask, type, action);
  if (granted === null || (granted !== 'all' && !granted.has(attribute))) return false;
  const model = TYPES.get(type);
  return model?.attributes[attribute] !== undefined && !(ask.user && model.owner === attribute);
}

/**
 * Returns whether a body may contain an attribute. The targets of a relation must be readable. If the other
 * side owns the relation, the write updates the documents there (D26).
 */
export function mayWrite(ask: Ask, attribute: string): boolean {
  const { type, action } = ask;
  if (!mayChange(ask, type, action, attribute)) return false;
  const { mappedBy, target = '' } = attributesOf({ of: 'type', name: type })[attribute] ?? {};
  if (mappedBy !== undefined && !mayChange(ask, target, 'update', mappedBy)) return false;
  return targetsOf('type', type, attribute).every((one) => shows({ ...ask, draft: false }, one));
}

/** Returns whether a body may name files by row id. Document ids are always allowed. */
export const mayNameFileRows = (ask: Asker): boolean =>
  allowed(ask, 'file', 'find') || allowed(ask, 'file', 'findOne');

/** Returns whether the caller of an update can read the stored value of an attribute. */
export function readsStored(ask: Ask, attribute: string): boolean {
  const { type } = ask;
  const reading = { ...ask, action: readOf(type), draft: true };
  const documents = scope(reading);
  const granted = reachOfOwn(ask, type, reading.action);
  const shown = granted === 'all' || granted?.has(attribute) === true;
  const hidden = attributesOf({ of: 'type', name: type })[attribute]?.private === true;
  return shown && !hidden && (documents === 'all' || (documents === 'own' && scope(ask) === 'own'));
}

/** Types that a filled attribute links, including those of its components. */
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

/** Path through the model. `scalar` is true if it ends in a value. */
export interface Path {
  readonly keys: readonly string[];
  readonly scalar: boolean;
  /** Number of relations, components, zones and media on the path. */
  readonly hops: number;
}

/** Returns the models that one step of a path reaches. */
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
 * Generates paths of at most `depth` hops: readable attributes, and one step further. Nested `localizations`
 * are skipped, because they repeat the first ones.
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

/** Readable paths of a request, and the paths that are one step longer. */
export const pathsOf = (ask: Ask, depth: number): Path[] => [
  ...pathsFrom('type', ask.type, depth, (keys) => may(ask, keys)),
];

/** Paths of a response with all relations populated. */
export const shown = (ask: Ask, depth: number): string[] =>
  pathsOf(ask, depth)
    .filter(({ keys }) => may(ask, keys))
    .map(({ keys }) => keys.join('.'));

/** Lists the paths of a response in the same notation. */
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
