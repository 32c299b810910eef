/** Permissions by type and action. `decide` applies them to a caller (D16). */
import { LRUCache } from 'lru-cache';
import { acrossSubject, type Action, actionsOn, EVERY, stageSubject, widerSubjects } from './actions.js';
import { type FieldScope, intersection, isWithin, NO_FIELDS, union } from './field-scope.js';
import { entriesOf, type FieldScopes, grantedOf, textOf } from './field-scopes.js';
import { fromData } from './data-conditions.js';
import {
  type AnyEntry,
  type Entry,
  type LimitedGrants,
  limitedOf,
  type LimitedEntry,
  type LimitedGrant,
  limitedText,
  placeOf,
} from './limited-grants.js';
import {
  conditionOf,
  type GrantCondition,
  type GrantFilters,
  type PresetOf,
  type WhereOf,
} from './grant-condition.js';

const FIELD_SCOPED_ACTIONS: readonly Action[] = ['find', 'findOne', 'create', 'update'];

/**
 * One grant: an action, or actions limited to some attributes, to some documents, or both.
 *
 * `fields` are names of attributes of the type, including relations, components and media. Only these can be
 * read, filtered, sorted, searched and populated (`find`, `findOne`) or written (`create`, `update`). Ids,
 * timestamps and the locale are always readable.
 *
 * `own` and `where` limit a grant to some documents. `own`: the user's own ones, in a type with an `owner`.
 * `where`: those that meet the filters. A grant of the same action on all documents has precedence. Several
 * limited grants of an action add up their documents. They grant only the attributes that all of them list.
 *
 * `stages` limits `move` to these stages, in a type with stages. `tenant: 'all'` covers the documents of all
 * tenants, in a type with a tenant.
 *
 * `preset` returns values of the documents that the caller creates, which it can neither send nor change.
 *
 * `where` and `preset` can also be JSON. `$CURRENT_USER` is the caller's id, and `$CURRENT_USER.team` its
 * attribute `team`: `{ team: { documentId: '$CURRENT_USER.team' } }`. JSON cannot name private attributes.
 */
export type Grant =
  | Action
  | {
      readonly actions: '*' | readonly Action[];
      readonly fields?: readonly string[];
      readonly stages?: readonly string[];
      readonly tenant?: 'all';
      readonly own?: boolean;
      readonly where?: WhereOf | GrantFilters;
      readonly preset?: PresetOf | GrantFilters;
    };

/**
 * Grants by `singularApiId`, or `'*'` for every type: a list of grants, or `'*'` for all actions.
 * `locale: ['find']` grants `GET /api/i18n/locales`, `'content-type-builder': ['find']` the model, and `desk:
 * ['open']` the desk.
 */
export type Grants = Readonly<Record<string, '*' | readonly Grant[]>>;

interface NormalGrant {
  readonly actions: readonly Action[];
  /** Stages of `move`; null for all. */
  readonly stages: readonly string[] | null;
  readonly isAcross: boolean;
  readonly fields: FieldScope;
  readonly limit: GrantCondition | null;
}

interface LimitParts {
  readonly own?: boolean;
  readonly where?: WhereOf | GrantFilters;
  readonly preset?: PresetOf | GrantFilters;
}

const NO_DOCUMENT = (): false => false;

/** Returns the condition of a grant. One with `own` and `where` is refused, so it grants nothing. */
function limitOf(grant: Exclude<Grant, string>): GrantCondition | null {
  const { own = false, ...data }: LimitParts = grant;
  const where = data.where === undefined ? undefined : fromData(data.where);
  const preset = data.preset === undefined ? null : fromData(data.preset);
  if (own) return conditionOf(where === undefined ? 'own' : NO_DOCUMENT, preset);
  return where === undefined && preset === null ? null : conditionOf(where ?? 'all', preset);
}

function normalise(grant: Grant, subject: string): NormalGrant {
  if (typeof grant === 'string')
    return { actions: [grant], stages: null, isAcross: false, fields: null, limit: null };
  const { actions, stages = null, fields } = grant;
  const named = actions === '*' ? actionsOn(subject) : actions;
  // A grant of no attributes grants no deletion or publication either.
  return {
    actions: fields?.length === 0 ? named.filter((action) => FIELD_SCOPED_ACTIONS.includes(action)) : named,
    stages,
    isAcross: grant.tenant === 'all',
    fields: fields === undefined ? null : new Set(fields),
    limit: limitOf(grant),
  };
}

interface Contents {
  readonly granted: FieldScopes;
  readonly entries: readonly LimitedEntry[];
  readonly isWithinTenant: boolean;
}

/** Size of the LRU caches below, which contain up to twice as many entries. */
const CACHE_SIZE = 1000;

/** LRU cache of permissions by content. Evicted permissions that are created again are a different object. */
const permissionsCache = new LRUCache<string, Permissions>({ max: CACHE_SIZE });

const lasting = new Map<string, Permissions>();

const sums = new LRUCache<string, Permissions>({ max: CACHE_SIZE });

let count = 0;

/**
 * Immutable set of permissions. An action that is not granted is denied. Equal permissions are the same
 * object, so that all users, tokens and requests with equal permissions share cached plans.
 *
 * @publicApi
 */
export class Permissions {
  /** Unique id in this process. */
  readonly id: number = (count += 1);
  /** Whether a grant has `where` or `preset`, so that plans depend on the caller. */
  readonly hasWhere: boolean;
  /** Whether a grant covers own documents only. */
  readonly hasOwn: boolean;
  /** Different functions of the grants with `where`, in a fixed order. */
  readonly filters: readonly WhereOf[];
  /** Different functions of the grants with `preset`, in a fixed order. */
  readonly presets: readonly PresetOf[];
  /** Whether its grants are within the tenant of their caller. Equal raw grants are another object. */
  readonly isWithinTenant: boolean;
  private readonly granted: FieldScopes;
  private readonly entries: readonly LimitedEntry[];
  private readonly limited: LimitedGrants;

  private constructor(
    { granted, entries, isWithinTenant }: Contents,
    private readonly key: string,
  ) {
    [this.granted, this.entries, this.isWithinTenant] = [granted, entries, isWithinTenant];
    this.limited = limitedOf(entries);
    this.hasWhere = entries.some(({ limit }) => limit.where !== 'own' || limit.preset !== null);
    this.hasOwn = entries.some(({ limit }) => limit.where === 'own');
    this.filters = [
      ...new Set(entries.flatMap(({ limit: { where } }) => (typeof where === 'function' ? [where] : []))),
    ];
    this.presets = [...new Set(entries.flatMap(({ limit: { preset } }) => preset ?? []))];
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

  /** Whether `action` on a type is granted on all documents and for all attributes. */
  allowsWhole(type: string, action: Action): boolean {
    return this.allows(type, action) && this.fields(type, action) === null;
  }

  /** Returns the conditions under which `action` is granted; none if it is granted on all documents. */
  limits(type: string, action: Action): readonly GrantCondition[] {
    return this.limitedTo(type, action).map(({ condition }) => condition);
  }

  private limitedTo(type: string, action: Action): readonly LimitedGrant[] {
    return this.limited.get(placeOf({ type, action })) ?? [];
  }

  /** Returns the attributes that `action` is granted on: null for all, an empty set without a grant. */
  fields(type: string, action: Action): FieldScope {
    const scopes = [this.granted.get(EVERY)?.get(action), this.granted.get(type)?.get(action)];
    const present = scopes.filter((scope) => scope !== undefined);
    if (present.length > 0) return present.reduce(union);
    const limited = this.limitedTo(type, action);
    return limited.length === 0 ? NO_FIELDS : limited.map(({ fields }) => fields).reduce(intersection);
  }

  /** Whether no action is granted. */
  get isEmpty(): boolean {
    return this.granted.size === 0 && this.limited.size === 0;
  }

  /**
   * Whether other permissions grant nothing in addition to these. Alone, a grant of some documents can show
   * more of their attributes than together with others.
   */
  covers(other: Permissions): boolean {
    const shows = ({ type, action }: LimitedEntry): boolean =>
      !FIELD_SCOPED_ACTIONS.includes(action) ||
      isWithin(other.fields(type, action), this.fields(type, action));
    return this.plus(other).key === this.key && other.entries.every(shows);
  }

  /** Returns the union with other permissions. */
  plus(more: Permissions): Permissions {
    const key = `${this.id} ${more.id}`;
    const cached = sums.get(key);
    if (cached !== undefined) return cached;
    const both = [this, more];
    const sum = Permissions.intern(
      both.flatMap(({ granted }) => entriesOf(granted)),
      both.flatMap(({ entries }) => entries),
      both.every(({ isWithinTenant }) => isWithinTenant),
    );
    sums.set(key, sum);
    return sum;
  }

  static readonly ALL = Permissions.of({ '*': '*' });

  static {
    for (const [key, rights] of permissionsCache) lasting.set(key, rights);
  }

  /** Returns the combined permissions of several lists of grants. */
  static of(...lists: readonly Grants[]): Permissions {
    const entries = lists
      .flatMap((list) => Object.entries(list))
      .flatMap(([type, grants]) =>
        (grants === '*' ? actionsOn(type) : grants).map((grant) => [type, grant] as const),
      )
      .flatMap(([type, grant]) => {
        const { actions, stages, isAcross, fields, limit } = normalise(grant, type);
        const moved = stages?.map((stage) => stageSubject(type, stage)) ?? [type];
        return actions.flatMap((action) =>
          (action === 'move' ? moved : [type]).map((subject) => ({
            type: isAcross ? acrossSubject(subject) : subject,
            action,
            fields: FIELD_SCOPED_ACTIONS.includes(action) ? fields : null,
            limit,
          })),
        );
      });
    return Permissions.from(entries);
  }

  /** Returns other permissions, in which `change` replaces each entry by others. */
  replaceEntries(
    change: (entry: AnyEntry) => readonly AnyEntry[],
    isWithinTenant = this.isWithinTenant,
  ): Permissions {
    const onAll = entriesOf(this.granted).map((entry) => ({ ...entry, limit: null }));
    return Permissions.from([...onAll, ...this.entries].flatMap(change), isWithinTenant);
  }

  private static from(entries: readonly AnyEntry[], isWithinTenant = false): Permissions {
    return Permissions.intern(
      entries.filter(({ limit }) => limit === null),
      entries.flatMap(({ limit, ...entry }) => (limit === null ? [] : [{ ...entry, limit }])),
      isWithinTenant,
    );
  }

  /**
   * Returns the shared object with these permissions. Grants that a more general grant covers are ignored.
   */
  private static intern(
    onAll: readonly Entry[],
    onSome: readonly LimitedEntry[],
    isWithinTenant: boolean,
  ): Permissions {
    const all = grantedOf(onAll);
    const onWider = ({ type, action }: Entry): FieldScope | undefined =>
      widerSubjects(type)
        .map((wider) => all.get(wider)?.get(action))
        .find((fields) => fields !== undefined);
    const isOnAll = ({ type, action }: Entry): boolean => all.get(type)?.has(action) === true;
    const granted = grantedOf(entriesOf(all).filter((entry) => onWider(entry) !== null));
    const entries = onSome.filter((entry) => onWider(entry) === undefined && !isOnAll(entry));
    const key = JSON.stringify([textOf(granted), limitedText(limitedOf(entries))]);
    const cacheKey = `${isWithinTenant} ${key}`;
    const cached = lasting.get(cacheKey) ?? permissionsCache.get(cacheKey);
    if (cached !== undefined) return cached;
    const rights = new Permissions({ granted, entries, isWithinTenant }, key);
    permissionsCache.set(cacheKey, rights);
    return rights;
  }
}
