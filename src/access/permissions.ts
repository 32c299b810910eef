/** What a caller may do: one look-up, asked wherever something is shown, written or called (D16). */
import { among } from '../schema/suggest.js';
import type { ContentType, Schema } from '../schema/model.js';

/** What can be granted on a content type. `readDrafts` goes beside `find` or `findOne` (D17). */
export const ACTIONS = ['find', 'findOne', 'create', 'update', 'delete', 'readDrafts', 'publish'] as const;

export type Action = (typeof ACTIONS)[number];

/** Actions that a grant can narrow to some attributes. */
const NARROWED: readonly Action[] = ['find', 'findOne', 'create', 'update'];

/** Actions that a grant can narrow to a user's own documents. */
const OWNED: readonly Action[] = ['find', 'findOne', 'create', 'update', 'delete', 'readDrafts'];

/**
 * One grant: an action, or actions narrowed to some attributes, to the user's own documents, or both.
 *
 * `fields` are names of attributes of the type, relations, components and media included: only they can be
 * read, filtered, sorted, searched and populated (`find`, `findOne`) or written (`create`, `update`). Ids,
 * timestamps and the locale can always be read. `own` needs a type with an `owner`; where the same action is
 * also granted on all documents, that grant decides. Own documents are found by their routes; populating,
 * filtering and linking through a relation needs `find` on all.
 */
export type Grant =
  | Action
  | {
      readonly actions: '*' | readonly Action[];
      readonly fields?: readonly string[];
      readonly own?: boolean;
    };

/** What can be granted beside content types: the list of locales. */
const OTHERS: ReadonlyMap<string, undefined> = new Map([['locale', undefined]]);

/**
 * Grants by `singularApiId`, or `'*'` for every type; a list of grants, or `'*'` for all actions. `locale:
 * ['find']` grants `GET /api/i18n/locales`.
 */
export type Grants = Readonly<Record<string, '*' | readonly Grant[]>>;

/** The attributes of a type that an action reaches: some, or null for all. */
export type Reach = ReadonlySet<string> | null;

interface Wide {
  readonly actions: readonly Action[];
  readonly fields: Reach;
  readonly own: boolean;
}

function widen(grant: Grant): Wide {
  if (typeof grant === 'string') return { actions: [grant], fields: null, own: false };
  const { actions, fields, own = false } = grant;
  const named = actions === '*' ? ACTIONS : actions;
  // No attributes at all: there is nothing that could be removed or published either.
  const possible = fields?.length === 0 ? named.filter((action) => NARROWED.includes(action)) : named;
  return {
    actions: own ? possible.filter((action) => OWNED.includes(action)) : possible,
    fields: fields === undefined ? null : new Set(fields),
    own,
  };
}

type Granted = ReadonlyMap<string, Reach>;

/** Adds what an action reaches to what it reached before. */
function add(granted: Map<string, Reach>, key: string, reach: Reach): void {
  granted.set(key, granted.has(key) ? union(granted.get(key) ?? null, reach) : reach);
}

/**
 * An immutable set of rights. Everything that is not granted is denied.
 *
 * @publicApi
 */
export class Permissions {
  private constructor(
    private readonly granted: Granted,
    private readonly owned: Granted = new Map(),
  ) {}

  /**
   * Whether `action` on the type with this `singularApiId` is granted on all documents, if only for some
   * attributes.
   */
  allows(type: string, action: Action): boolean {
    const { granted } = this;
    return granted.has(`${type}.${action}`) || granted.has(`*.${action}`);
  }

  /** Whether `action` is granted on a user's own documents and on no others. */
  allowsOwn(type: string, action: Action): boolean {
    return this.owned.has(`${type}.${action}`) && !this.allows(type, action);
  }

  /** The attributes that `action` reaches: null for all of them, an empty set where it is not granted. */
  reach(type: string, action: Action): Reach {
    const keys = [`*.${action}`, `${type}.${action}`];
    const known = keys.filter((key) => this.granted.has(key)).map((key) => this.granted.get(key) ?? null);
    if (known.length > 0) return known.reduce(union);
    const own = this.owned.get(`${type}.${action}`);
    return own === undefined ? NOTHING : own;
  }

  /** Whether nothing at all is granted. */
  get isEmpty(): boolean {
    return this.granted.size === 0 && this.owned.size === 0;
  }

  /** These rights and more. */
  plus(grants: Grants): Permissions {
    const more = Permissions.of(grants);
    const [granted, owned] = [new Map(this.granted), new Map(this.owned)];
    for (const [key, reach] of more.granted) add(granted, key, reach);
    for (const [key, reach] of more.owned) add(owned, key, reach);
    return new Permissions(granted, owned);
  }

  static readonly NONE = new Permissions(new Map());
  static readonly ALL = Permissions.of({ '*': '*' });

  /** The rights that several lists of grants give together. */
  static of(...lists: readonly Grants[]): Permissions {
    const [granted, owned] = [new Map<string, Reach>(), new Map<string, Reach>()];
    for (const [type, grants] of lists.flatMap((list) => Object.entries(list))) {
      for (const { actions, fields, own } of (grants === '*' ? ACTIONS : grants).map(widen)) {
        for (const action of actions)
          add(own ? owned : granted, `${type}.${action}`, NARROWED.includes(action) ? fields : null);
      }
    }
    return new Permissions(granted, owned);
  }
}

const NOTHING: Reach = new Set();

/** What two grants reach together. */
export const union = (a: Reach, b: Reach): Reach => (a === null || b === null ? null : new Set([...a, ...b]));

function fieldMistakes(fields: readonly string[], type: ContentType | undefined, at: string): string[] {
  if (type === undefined) return [`${at}: fields need a content type of their own, "*" has none`];
  const names = [...type.attributes.keys()];
  return fields
    .filter((field) => !type.attributes.has(field))
    .map((field) => `${at}: "${field}" is not an attribute of ${type.singularApiId}${among(field, names)}`);
}

function ownMistakes(actions: readonly string[], type: ContentType | undefined, at: string): string[] {
  const owner =
    type?.owner === null || type === undefined ? [`${at}: "own" needs a content type with an "owner"`] : [];
  return [
    ...owner,
    ...actions
      .filter((action) => action === 'publish')
      .map((action) => `${at}: "${action}" cannot be granted on own documents alone`),
  ];
}

/**
 * Grants that name a type, action or attribute which does not exist; `where` is their place in the options.
 */
export function checkGrants(grants: Grants, schema: Schema, where: string): string[] {
  const types = new Map<string, ContentType | undefined>([
    ...OTHERS,
    ...[...schema.types].filter(([, type]) => !type.internal),
  ]);
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
      const unknown = actions.filter((action) => !(ACTIONS as readonly string[]).includes(action));
      return [
        ...unknown.map((action) => `${at}: "${action}" is not an action${among(action, ACTIONS)}`),
        ...(fields === null ? [] : fieldMistakes(fields, types.get(name), at)),
        ...(own ? ownMistakes(actions, types.get(name), at) : []),
      ];
    });
  });
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** A grant as it came from a file or a database, where types prove nothing. */
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
