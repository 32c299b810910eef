/** Checks a body in one pass: every key against the model and the permissions. Collects all references. */
import { isOwn, type OwnCondition } from '../access/decide.js';
import { ContentError, invalidKey, type Refusal, validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { isAuthor } from '../model/authors.js';
import { byKind } from '../model/by-kind.js';
import {
  type Attribute,
  type Component,
  type ContentType,
  type EmbeddedAttribute,
  type LinkedAttribute,
  type Model,
  type ScalarAttribute,
} from '../model/model.js';
import {
  withValue,
  componentOf,
  copyOf,
  type GivenInstance,
  type GivenMaps,
  type GivenRelation,
  type GivenValues,
  isGiven,
  noValues,
  scopesOf,
} from './given.js';
import { checkSize, dataOf, refuseKeysNextToData } from './read-body.js';
import { type Reference, referencesOf, relationInput } from './relation-input.js';
import { sentReferences } from './sent-references.js';
import { type LinkRefusal, type Telling, ALL_WRITE_RIGHTS, type WriteRights } from './write-rights.js';

export interface Lookup {
  readonly references: Reference[];
  readonly guarded: boolean;
  /** Owner condition of the caller; null if ownership does not matter. */
  readonly own: OwnCondition | null;
  /**
   * Relations in which only links of own documents may change. All their linked documents are looked up, too.
   */
  readonly ownOnly: readonly LinkedAttribute[];
}

type References = ReadonlyMap<ContentType, Lookup>;

export interface Body {
  readonly type: ContentType;
  readonly values: GivenValues;
  readonly refusals: readonly Refusal[];
  readonly references: References;
  /** Number of component instances, an upper bound of the new ids that the write needs. */
  readonly instances: number;
  /** Passwords to hash before the transaction begins. */
  readonly passwords: readonly string[];
  /** Returns how much an error may disclose about an attribute of the type (D27). */
  readonly telling: (attribute: Attribute) => Telling;
  /** Whether the caller sent the attribute's value: not a hook, a default or the stored document. */
  readonly isSent: (attribute: Attribute) => boolean;
  /** Whether the caller sent the attribute, also if a hook has changed its value since. */
  readonly isNamed: (attribute: Attribute) => boolean;
}

interface Walk {
  rights: WriteRights;
  readonly asked: WriteRights;
  readonly changed: ReadonlySet<string>;
  readonly former: Body | null;
  /** Attribute of the document that contains the current value. */
  root: Attribute | null;
  readonly references: Map<ContentType, Lookup>;
  readonly passwords: string[];
  readonly refusals: Refusal[];
  instances: number;
}

const SOURCE = { source: 'body' } as const;
const IGNORED_KEYS = ['publishedAt', 'locale'];

interface BodyLevel<M extends Model = Model> {
  readonly model: M;
  readonly path: readonly string[];
  readonly named: boolean;
  /** Whether the caller can read the stored value here, hidden attributes aside. */
  readonly shown: boolean;
}

function instanceOf(
  raw: Readonly<Record<string, unknown>>,
  where: BodyLevel<Component>,
  walk: Walk,
): GivenInstance {
  walk.instances += 1;
  return { component: where.model, id: raw['id'], values: valuesOf(raw, where, walk) };
}

/** Dotted path of a refused key (protocol 2.5), which has no indexes. */
const dottedPath = (path: readonly string[]): string => path.filter((part) => !/^\d+$/.test(part)).join('.');

interface SentValue {
  readonly raw: unknown;
  readonly path: readonly string[];
  readonly shown: boolean;
  readonly into: GivenMaps;
}

function scalar(attribute: ScalarAttribute, { raw, into }: SentValue, walk: Walk): void {
  if (attribute.def.type === 'password' && typeof raw === 'string') walk.passwords.push(raw);
  into.scalars = withValue(into.scalars, attribute.name, { attribute, raw });
}

function embed(attribute: EmbeddedAttribute, { raw, path, shown, into }: SentValue, walk: Walk): void {
  const list: readonly unknown[] = Array.isArray(raw) ? raw : [];
  const single = isObject(raw) ? [raw] : [];
  const items = attribute.many ? list : single;
  const instances = items.map((item, i) => {
    const model = componentOf(attribute, item);
    if (!isObject(item) || model === undefined) return null;
    const place = attribute.many ? [...path, String(i)] : path;
    return instanceOf(item, { model, path: place, named: attribute.named, shown }, walk);
  });
  into.embedded = withValue(into.embedded, attribute.name, { attribute, raw, instances });
}

/** Error for a relation that the caller may not write; `grant` is the missing grant (protocol 11.28, D26). */
function refusedLink(key: string, at: string, { grant }: LinkRefusal): ContentError {
  const refused = invalidKey(key, { at: at === key ? '' : at, path: at }, SOURCE);
  return grant === null ? refused : validationError(refused.message, { ...refused.details, grant });
}

function lookupOf(known: Lookup | undefined, type: ContentType, given: GivenRelation): Lookup {
  const { attribute, scope } = given;
  const { references, guarded, own, ownOnly } = known ?? {
    references: [],
    guarded: false,
    own: null,
    ownOnly: [],
  };
  const decisions = scopesOf(given).flatMap(({ targets, drafts }) => [targets, drafts(type)]);
  return {
    references,
    guarded: guarded || decisions.some((one) => one !== 'all'),
    own: own ?? decisions.find(isOwn) ?? null,
    ownOnly: scope.targets === 'all' ? ownOnly : [...ownOnly, attribute],
  };
}

function relation(attribute: LinkedAttribute, { raw, path, shown, into }: SentValue, walk: Walk): void {
  const at = dottedPath(path);
  const scope = walk.rights.links(attribute, shown);
  if ('grant' in scope) throw refusedLink(attribute.name, at, scope);
  const input = relationInput(raw, { attribute, at, types: scope.types });
  const given = { attribute, input, scope, shown, sent: sentReferences(attribute, shown, walk) };
  const references = referencesOf(input);
  for (const type of attribute.named ? new Set(references.map((one) => one.type)) : attribute.targets)
    walk.references.set(type, lookupOf(walk.references.get(type), type, given));
  for (const reference of references) walk.references.get(reference.type)?.references.push(reference);
  into.relations = withValue(into.relations, attribute.name, given);
}

const take = byKind<Attribute, [SentValue, Walk], void>({
  scalar,
  relation,
  morph: relation,
  component: embed,
  zone: embed,
});

function writable(
  key: string,
  { model, path, named }: BodyLevel,
  { mayWrite, trusted }: WriteRights,
): Attribute | undefined {
  if (model.model === 'component') {
    if (key === 'id' || key === 'documentId' || (named && key === '__component')) return undefined;
  } else {
    if (key === 'id' || key === 'documentId') throw validationError(`Invalid key ${key}`, { key, ...SOURCE });
    if (IGNORED_KEYS.includes(key)) return undefined;
  }
  const attribute = model.attributes.get(key);
  const settable = attribute?.writable === true || (trusted && attribute?.system === false);
  const refused = attribute !== undefined && (!settable || (model.model === 'type' && !mayWrite(attribute)));
  const prefix = attribute === undefined || refused ? dottedPath(path) : '';
  const at = prefix === '' ? key : `${prefix}.${key}`;
  if (refused || (attribute === undefined && isAuthor({ name: key })))
    throw invalidKey(key, { at: prefix === '' ? '' : at, path: at }, SOURCE);
  if (attribute === undefined)
    throw invalidKey(key, { at: prefix, path: prefix === '' ? null : prefix }, SOURCE);
  return attribute;
}

function member(key: string, { raw, path, into }: Omit<SentValue, 'shown'>, { where, walk }: Walking): void {
  const { model } = where;
  if (model.model === 'type') {
    walk.rights = walk.changed.has(key) ? ALL_WRITE_RIGHTS : walk.asked;
    walk.root = model.attributes.get(key) ?? null;
  }
  const attribute = writable(key, where, walk.rights);
  if (attribute === undefined || raw === undefined) return;
  const shown = model.model === 'type' ? walk.rights.isShown(attribute) : where.shown && !attribute.hidden;
  take(attribute, { raw, path, shown, into }, walk);
}

interface Walking {
  readonly where: BodyLevel;
  readonly walk: Walk;
}

function valuesOf(object: Readonly<Record<string, unknown>>, where: BodyLevel, walk: Walk): GivenValues {
  const into = noValues();
  for (const [key, raw] of Object.entries(object)) {
    const path = [...where.path, key];
    try {
      member(key, { raw, path, into }, { where, walk });
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      walk.refusals.push({ error, path });
    }
  }
  return into;
}

/** Values of a created document that its caller does not choose: the owner, and those of grants. */
function chosenFor({ type, creator, preset }: Creation): ReadonlyMap<string, unknown> {
  const owner = type.attributes.get(type.owner ?? '');
  if (owner === undefined || creator === null) return preset;
  const isLink = type.storage.relations.some(({ name }) => name === owner.name);
  return new Map([[owner.name, isLink ? { documentId: creator } : creator], ...preset]);
}

interface Creation extends Pick<BodyRules, 'creator' | 'preset'> {
  readonly type: ContentType;
}

/** Adds values to those of the body, unless a hook has set them. */
function withChosen(values: GivenValues, creation: Creation, walk: Walk): GivenValues {
  const chosen = [...chosenFor(creation)].filter(([name]) => !isGiven(values, name));
  if (chosen.length === 0) return values;
  [walk.rights, walk.root] = [ALL_WRITE_RIGHTS, null];
  const into = copyOf(values);
  for (const [name, raw] of chosen) {
    const attribute = creation.type.attributes.get(name);
    if (attribute !== undefined) take(attribute, { raw, path: [name], shown: true, into }, walk);
  }
  return into;
}

export interface BodyRules {
  readonly rights: WriteRights;
  readonly changed: ReadonlySet<string>;
  /** Body before hooks have changed it; null without such changes. */
  readonly former: Body | null;
  readonly creator: string | null;
  /** Values of grants for a created document. */
  readonly preset: ReadonlyMap<string, unknown>;
  readonly maxNodes: number;
  readonly strict: boolean;
}

/**
 * Checks the keys of a body. Throws a 400 for a missing `data` and exceeded limits.
 * Collects as refusals: unknown keys, malformed relations, and attributes that the caller may not write. Also
 * relations to types that the caller may not read, and links of documents that it may not update (protocol 11
 * and 15, D26).
 */
export function planBody(
  body: unknown,
  type: ContentType,
  { rights, changed, former, creator, preset, maxNodes, strict }: BodyRules,
): Body {
  checkSize(body, maxNodes);
  const data = dataOf(body);
  if (strict && isObject(body)) refuseKeysNextToData(body);
  const walk: Walk = {
    rights,
    asked: rights,
    changed,
    former,
    root: null,
    references: new Map(),
    passwords: [],
    refusals: [],
    instances: 0,
  };
  const sent = valuesOf(data, { model: type, path: [], named: false, shown: true }, walk);
  const values = withChosen(sent, { type, creator, preset }, walk);
  return {
    type,
    values,
    refusals: walk.refusals,
    references: walk.references,
    instances: walk.instances,
    passwords: walk.passwords,
    telling: rights.telling,
    isSent: ({ name }) => isGiven(sent, name) && !changed.has(name),
    isNamed: (attribute) => former?.isNamed(attribute) ?? isGiven(sent, attribute.name),
  };
}
