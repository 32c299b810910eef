/** Permissions by type and action. `decide` applies them to a caller (D16). */
import { LRUCache } from 'lru-cache';
import { among } from '../model/suggest.js';
import type { ContentType, Schema } from '../model/model.js';
import { DESK_GRANT, MODEL_GRANT } from '../model/naming.js';

/** Actions on a content type. `readDrafts` is granted in addition to `find` or `findOne` (D17). */
export const ACTIONS = ['find', 'findOne', 'create', 'update', 'delete', 'readDrafts', 'publish'] as const;

export type Action = (typeof ACTIONS)[number] | 'open';

const EVERY = '*';

/** Actions on a type, on every type, or on the desk, which can only be opened. */
export const actionsOn = (subject: string): readonly Action[] => {
  if (subject === DESK_GRANT) return ['open'];
  return subject === EVERY ? [...ACTIONS, 'open'] : ACTIONS;
};

const NARROWED: readonly Action[] = ['find', 'findOne', 'create', 'update'];

/**
 * One grant: an action, or actions limited to some attributes, to the user's own documents, or both.
 *
 * `fields` are names of attributes of the type, including relations, components and media. Only these can be
 * read, filtered, sorted, searched and populated (`find`, `findOne`) or written (`create`, `update`). Ids,
 * timestamps and the locale are always readable.
 *
 * `own` needs a type with an `owner`. A grant of the same action on all documents has precedence. Only a
 * type's own routes return own documents; populating, filtering and linking through a relation needs `find`
 * on all.
 */
export type Grant =
  | Action
  | {
      readonly actions: '*' | readonly Action[];
      readonly fields?: readonly string[];
      readonly own?: boolean;
    };

/** Grants that do not belong to a content type: the list of locales, the model, and the desk. */
const OTHERS: ReadonlyMap<string, undefined> = new Map([
  ['locale', undefined],
  [MODEL_GRANT, undefined],
  [DESK_GRANT, undefined],
]);

/**
 * Grants by `singularApiId`, or `'*'` for every type: a list of grants, or `'*'` for all actions.
 * `locale: ['find']` grants `GET /api/i18n/locales`, `'content-type-builder': ['find']` the model, and `desk:
 * ['open']` the desk.
 */
export type Grants = Readonly<Record<string, '*' | readonly Grant[]>>;

/** Attributes that an action is granted on; null for all. */
export type FieldScope = ReadonlySet<string> | null;

const NO_FIELDS: FieldScope = new Set();

export const union = (a: FieldScope, b: FieldScope): FieldScope =>
  a === null || b === null ? null : new Set([...a, ...b]);

interface NormalGrant {
  readonly actions: readonly Action[];
  readonly fields: FieldScope;
  readonly own: boolean;
}

function normalise(grant: Grant, subject: string): NormalGrant {
  if (typeof grant === 'string') return { actions: [grant], fields: null, own: false };
  const { actions, fields, own = false } = grant;
  const named = actions === '*' ? actionsOn(subject) : actions;
  // A grant of no attributes grants no deletion or publication either.
  return {
    actions: fields?.length === 0 ? named.filter((action) => NARROWED.includes(action)) : named,
    fields: fields === undefined ? null : new Set(fields),
    own,
  };
}

/** Field scopes by type, which may be `*`, and action. */
type Granted = ReadonlyMap<string, ReadonlyMap<Action, FieldScope>>;

interface Entry {
  readonly type: string;
  readonly action: Action;
  readonly fields: FieldScope;
}

const entriesOf = (granted: Granted): Entry[] =>
  [...granted].flatMap(([type, actions]) =>
    [...actions].map(([action, fields]) => ({ type, action, fields })),
  );

function grantedOf(entries: readonly Entry[]): Granted {
  const granted = new Map<string, Map<Action, FieldScope>>();
  for (const { type, action, fields } of entries) {
    const actions = granted.get(type) ?? new Map<Action, FieldScope>();
    granted.set(type, actions);
    actions.set(action, actions.has(action) ? union(actions.get(action) ?? null, fields) : fields);
  }
  return granted;
}

const textOf = (granted: Granted): string[] =>
  entriesOf(granted)
    .map(({ type, action, fields }) =>
      JSON.stringify([type, action, fields === null ? null : [...fields].sort()]),
    )
    .sort();

/** Size of the LRU caches below, which contain up to twice as many entries. */
const REMEMBERED = 1000;

/** LRU cache of permissions by content. Evicted permissions that are created again are a different object. */
const interned = new LRUCache<string, Permissions>({ max: REMEMBERED });

const lasting = new Map<string, Permissions>();

const sums = new LRUCache<string, Permissions>({ max: REMEMBERED });

let made = 0;

/**
 * Immutable set of permissions. An action that is not granted is denied. Equal permissions are the same
 * object, so that all users, tokens and requests with equal permissions share cached plans.
 *
 * @publicApi
 */
export class Permissions {
  /** Unique id in this process. */
  readonly id: number = (made += 1);

  private constructor(
    private readonly granted: Granted,
    private readonly owned: Granted,
    private readonly key: string,
  ) {
    Object.freeze(this);
  }

  /**
   * Whether `action` on the type with this `singularApiId` is granted on all documents, possibly for some
   * attributes only.
   */
  allows(type: string, action: Action): boolean {
    const { granted } = this;
    return granted.get(type)?.has(action) === true || granted.get(EVERY)?.has(action) === true;
  }

  /** Whether `action` is granted on the user's own documents only. */
  allowsOwn(type: string, action: Action): boolean {
    return this.owned.get(type)?.has(action) === true && !this.allows(type, action);
  }

  /** Returns the attributes that `action` is granted on: null for all, an empty set without a grant. */
  fields(type: string, action: Action): FieldScope {
    const scopes = this.allows(type, action)
      ? [this.granted.get(EVERY)?.get(action), this.granted.get(type)?.get(action)]
      : [this.owned.get(type)?.get(action)];
    const known = scopes.filter((scope) => scope !== undefined);
    return known.length === 0 ? NO_FIELDS : known.reduce(union);
  }

  /** Whether no action is granted. */
  get isEmpty(): boolean {
    return this.granted.size === 0 && this.owned.size === 0;
  }

  /** Whether other permissions grant nothing in addition to these. */
  covers(other: Permissions): boolean {
    return this.plus(other).key === this.key;
  }

  /** Returns the union with other permissions. */
  plus(more: Permissions): Permissions {
    const key = `${this.id} ${more.id}`;
    const known = sums.get(key);
    if (known !== undefined) return known;
    const entries = (part: 'granted' | 'owned'): Entry[] =>
      [this, more].flatMap((one) => entriesOf(one[part]));
    const sum = Permissions.intern(entries('granted'), entries('owned'));
    sums.set(key, sum);
    return sum;
  }

  static readonly ALL = Permissions.of({ '*': '*' });

  static {
    for (const [key, rights] of interned) lasting.set(key, rights);
  }

  /** Returns the combined permissions of several lists of grants. */
  static of(...lists: readonly Grants[]): Permissions {
    const entries = lists
      .flatMap((list) => Object.entries(list))
      .flatMap(([type, grants]) =>
        (grants === '*' ? actionsOn(type) : grants).map((grant) => [type, grant] as const),
      )
      .flatMap(([type, grant]) => {
        const { actions, fields, own } = normalise(grant, type);
        return actions.map((action) => ({
          type,
          action,
          fields: NARROWED.includes(action) ? fields : null,
          own,
        }));
      });
    return Permissions.intern(
      entries.filter(({ own }) => !own),
      entries.filter(({ own }) => own),
    );
  }

  /**
   * Returns the shared object with these permissions. Grants that a more general grant covers are ignored.
   */
  private static intern(onAll: readonly Entry[], onOwn: readonly Entry[]): Permissions {
    const all = grantedOf(onAll);
    const onEvery = ({ action }: Entry): FieldScope | undefined => all.get(EVERY)?.get(action);
    const isOnAll = ({ type, action }: Entry): boolean => all.get(type)?.has(action) === true;
    const granted = grantedOf(
      entriesOf(all).filter((entry) => entry.type === EVERY || onEvery(entry) !== null),
    );
    const own = grantedOf(onOwn.filter((entry) => onEvery(entry) === undefined && !isOnAll(entry)));
    const key = JSON.stringify([textOf(granted), textOf(own)]);
    const known = lasting.get(key) ?? interned.get(key);
    if (known !== undefined) return known;
    const rights = new Permissions(granted, own, key);
    interned.set(key, rights);
    return rights;
  }
}

function fieldMistakes(fields: readonly string[], type: ContentType | undefined, at: string): string[] {
  if (type === undefined) return [`${at}: "fields" needs a content type, and "*" is none`];
  const names = [...type.attributes.keys()];
  return fields
    .filter((field) => !type.attributes.has(field))
    .map((field) => `${at}: "${field}" is not an attribute of ${type.singularApiId}${among(field, names)}`);
}

const ownMistakes = (type: ContentType | undefined, at: string): string[] =>
  type?.owner === null || type === undefined ? [`${at}: "own" needs a content type with an "owner"`] : [];

/**
 * Returns the errors of grants with unknown types, actions or attributes; `where` is their path in the
 * options.
 */
export function checkGrants(grants: Grants, schema: Schema, where: string): string[] {
  const types = new Map<string, ContentType | undefined>([...OTHERS, ...schema.types]);
  return Object.entries(grants).flatMap(([name, list]) => {
    const at = `${where}.${name}`;
    if (name !== '*' && !types.has(name))
      return [`${where}: "${name}" is not a content type${among(name, [...types.keys()])}`];
    if (list === '*') return [];
    if (!Array.isArray(list)) return [`${at}: expected "*" or a list of grants`];
    return (list as readonly unknown[]).flatMap((grant) => {
      const { actions, fields, own } = shapeOf(grant);
      if (actions === null)
        return [`${at}: expected an action or { actions, fields, own }, found ${JSON.stringify(grant)}`];
      const known: readonly string[] = actionsOn(name);
      const unknown = actions.filter((action) => !known.includes(action));
      return [
        ...unknown.map((action) => `${at}: "${action}" is not an action${among(action, known)}`),
        ...(fields === null ? [] : fieldMistakes(fields, types.get(name), at)),
        ...(own ? ownMistakes(types.get(name), at) : []),
      ];
    });
  });
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Reads a grant from a file or a database, where its type is not guaranteed. */
function shapeOf(grant: unknown): {
  readonly actions: readonly string[] | null;
  readonly fields: readonly string[] | null;
  readonly own: boolean;
} {
  if (typeof grant === 'string') return { actions: [grant], fields: null, own: false };
  const wrong = { actions: null, fields: null, own: false };
  if (
    typeof grant !== 'object' ||
    grant === null ||
    Object.keys(grant).some((key) => !['actions', 'fields', 'own'].includes(key))
  )
    return wrong;
  const {
    actions,
    fields,
    own = false,
  } = grant as { readonly actions?: unknown; readonly fields?: unknown; readonly own?: unknown };
  if ((fields !== undefined && !isTexts(fields)) || typeof own !== 'boolean') return wrong;
  const named = isTexts(actions) ? actions : null;
  return { actions: actions === '*' ? [] : named, fields: fields ?? null, own };
}
