/**
 * The body of a write, walked once: every key checked against the model and the rights, every reference
 * collected.
 */
import { isOwn, type OwnCondition } from '../access/decide.js';
import { invalidKey, noContainer, overLimit, validationError } from '../errors.js';
import { isObject } from '../json.js';
import { byKind } from '../schema/by-kind.js';
import {
  type Attribute,
  type Component,
  type ContentType,
  type EmbeddedAttribute,
  type LinkedAttribute,
  type Model,
  type ScalarAttribute,
} from '../schema/model.js';
import { typeMessage } from '../schema/print-value.js';
import {
  added,
  componentOf,
  copyOf,
  type GivenInstance,
  type GivenMaps,
  type GivenRelation,
  type GivenValues,
  isGiven,
  noValues,
} from './given.js';
import { type Reference, referencesOf, relationInput } from './relation-input.js';
import { CREATORS, type LinkRefusal, type Telling, TRUSTED, type WriteRights } from './rights.js';

/** What must be looked up of a type before the write. */
export interface Lookup {
  /** The documents that the body names. */
  readonly references: Reference[];
  /** Whether it matters which of them are published and whose they are. */
  readonly guarded: boolean;
  /** Which of them are the caller's own, where that matters; null where it does not. */
  readonly own: OwnCondition | null;
  /**
   * Relations of which only links of own documents may change: whose all linked documents are matters, too.
   */
  readonly ownOnly: readonly LinkedAttribute[];
}

/** The documents named, by type. */
type References = ReadonlyMap<ContentType, Lookup>;

/** A checked body. */
export interface Body {
  readonly type: ContentType;
  readonly values: GivenValues;
  readonly references: References;
  /** How many component instances the body holds, hence how many new ids may be needed. */
  readonly instances: number;
  /** Passwords to be hashed before the transaction begins. */
  readonly passwords: readonly string[];
  /** How much an error may tell of an attribute of the type (D27). */
  readonly telling: (attribute: Attribute) => Telling;
  /**
   * Whether the value of an attribute of the type is the caller's own, and not a hook's, a default or a
   * stored one.
   */
  readonly isSent: (attribute: Attribute) => boolean;
}

interface Walk {
  /** The rights behind the root key that is being walked: the caller's, or the hook's that put it there. */
  rights: WriteRights;
  readonly asked: WriteRights;
  readonly changed: ReadonlySet<string>;
  readonly references: Map<ContentType, Lookup>;
  readonly passwords: string[];
  instances: number;
}

const SOURCE = { source: 'body' } as const;
const TOLERATED = ['publishedAt', 'locale'];
const MAX_DEPTH = 100;

/** Bounds a parsed body before anything else recurses into it. */
function checkSize(data: unknown, allowed: number): void {
  let nodes = 0;
  const count = (value: unknown, depth: number): void => {
    nodes += 1;
    if (nodes > allowed) throw overLimit('bodyNodes', allowed, 'Too many values in the request body');
    if (depth > MAX_DEPTH) throw overLimit('bodyDepth', MAX_DEPTH, 'The request body is nested too deeply');
    if (typeof value !== 'object' || value === null) return;
    for (const nested of Object.values(value)) count(nested, depth + 1);
  };
  count(data, 0);
}

/** The `data` of a body. Throws a 400 where there is none. */
export function dataOf(body: unknown): Readonly<Record<string, unknown>> {
  if (body === null || (body !== undefined && typeof body !== 'object')) throw noContainer();
  const data = isObject(body) ? body['data'] : undefined;
  if (isObject(data)) return data;
  if (Array.isArray(data))
    throw validationError(typeMessage('this', 'object', { value: null, castFrom: data }));
  throw validationError('Missing "data" payload in the request body');
}

/**
 * A `status` or `locale` there would change nothing, and be missed by whoever sent it: both are parameters.
 */
function refuseBeside(body: unknown): void {
  const foreign = Object.keys(body as object).find((key) => key !== 'data');
  if (foreign === undefined) return;
  const { message, details } = invalidKey(foreign, { at: '', path: null }, SOURCE);
  throw validationError(`${message}: a body has only "data"; parameters belong to the URL`, details);
}

/** Where a walk stands: the model, the dotted path, and whether the object says of which component it is. */
interface Where<M extends Model = Model> {
  readonly model: M;
  readonly prefix: string;
  readonly named: boolean;
  /** Whether the caller can read what is stored here, hidden attributes aside. */
  readonly shown: boolean;
}

function instanceOf(
  raw: Readonly<Record<string, unknown>>,
  where: Where<Component>,
  walk: Walk,
): GivenInstance {
  walk.instances += 1;
  return { component: where.model, id: raw['id'], values: valuesOf(raw, where, walk) };
}

/** What is sent for an attribute: its value and place, and what collects it. */
interface Sent {
  readonly raw: unknown;
  readonly at: string;
  /** Whether the caller can read what is stored for it. */
  readonly shown: boolean;
  readonly into: GivenMaps;
}

function scalar(attribute: ScalarAttribute, { raw, into }: Sent, walk: Walk): void {
  if (attribute.def.type === 'password' && typeof raw === 'string') walk.passwords.push(raw);
  into.scalars = added(into.scalars, attribute.name, { attribute, raw });
}

function embedded(attribute: EmbeddedAttribute, { raw, at, shown, into }: Sent, walk: Walk): void {
  const list: readonly unknown[] = Array.isArray(raw) ? raw : [];
  const single = isObject(raw) ? [raw] : [];
  const items = attribute.many ? list : single;
  const instances = items.map((item) => {
    const model = componentOf(attribute, item);
    if (!isObject(item) || model === undefined) return null;
    return instanceOf(item, { model, prefix: at, named: attribute.named, shown }, walk);
  });
  into.embedded = added(into.embedded, attribute.name, { attribute, raw, instances });
}

/** A relation that must not be written; `grant` says what would allow it (protocol 11.28, D26). */
function refusedLink(key: string, at: string, { grant }: LinkRefusal): Error {
  const refused = invalidKey(key, { at: at === key ? '' : at, path: at }, SOURCE);
  return grant === null ? refused : validationError(refused.message, { ...refused.details, grant });
}

/** What has to be known of the documents of a type, beside what is known already. */
function lookupOf(known: Lookup | undefined, type: ContentType, { attribute, scope }: GivenRelation): Lookup {
  const { references, guarded, own, ownOnly } = known ?? {
    references: [],
    guarded: false,
    own: null,
    ownOnly: [],
  };
  const drafts = scope.drafts(type);
  return {
    references,
    guarded: guarded || scope.targets !== 'all' || drafts !== 'all',
    own: own ?? [scope.targets, drafts].find(isOwn) ?? null,
    ownOnly: isOwn(scope.targets) ? [...ownOnly, attribute] : ownOnly,
  };
}

function relation(attribute: LinkedAttribute, { raw, at, shown, into }: Sent, walk: Walk): void {
  const scope = walk.rights.links(attribute, shown);
  if ('grant' in scope) throw refusedLink(attribute.name, at, scope);
  const input = relationInput(raw, { attribute, at, types: scope.types });
  const given = { attribute, input, scope };
  const references = referencesOf(input);
  for (const type of attribute.named ? new Set(references.map((one) => one.type)) : attribute.targets)
    walk.references.set(type, lookupOf(walk.references.get(type), type, given));
  for (const reference of references) walk.references.get(reference.type)?.references.push(reference);
  into.relations = added(into.relations, attribute.name, given);
}

const take = byKind<Attribute, [Sent, Walk], void>({
  scalar,
  relation,
  morph: relation,
  component: embedded,
  zone: embedded,
});

/** The attribute that a key may write; undefined for one that is tolerated without effect. */
function writable(
  key: string,
  { model, prefix, named }: Where,
  { mayWrite, trusted }: WriteRights,
): Attribute | undefined {
  const at = prefix === '' ? key : `${prefix}.${key}`;
  if (model.model === 'component') {
    if (key === 'id' || key === 'documentId' || (named && key === '__component')) return undefined;
  } else {
    if (key === 'id' || key === 'documentId') throw validationError(`Invalid key ${key}`, { key, ...SOURCE });
    if (TOLERATED.includes(key)) return undefined;
  }
  const attribute = model.attributes.get(key);
  const settable = attribute?.writable === true || (trusted && attribute?.system === false);
  const refused = attribute !== undefined && (!settable || (model.model === 'type' && !mayWrite(attribute)));
  if (refused || (attribute === undefined && CREATORS.includes(key)))
    throw invalidKey(key, { at: prefix === '' ? '' : at, path: at }, SOURCE);
  if (attribute === undefined)
    throw invalidKey(key, { at: prefix, path: prefix === '' ? null : prefix }, SOURCE);
  return attribute;
}

function valuesOf(object: Readonly<Record<string, unknown>>, where: Where, walk: Walk): GivenValues {
  const { model, prefix } = where;
  const into = noValues();
  for (const [key, raw] of Object.entries(object)) {
    if (model.model === 'type') walk.rights = walk.changed.has(key) ? TRUSTED : walk.asked;
    const attribute = writable(key, where, walk.rights);
    if (attribute === undefined || raw === undefined) continue;
    const shown = model.model === 'type' ? walk.rights.isShown(attribute) : where.shown && !attribute.hidden;
    take(attribute, { raw, at: prefix === '' ? key : `${prefix}.${key}`, shown, into }, walk);
  }
  return into;
}

/** A new document of a type that may have owners, and the user who creates it. */
interface Creation {
  readonly type: ContentType;
  readonly creator: string;
}

/** The values with the owner among them, unless a hook has named one. */
function withOwner(values: GivenValues, { type, creator }: Creation, walk: Walk): GivenValues {
  const attribute = type.attributes.get(type.owner ?? '');
  if (attribute === undefined || isGiven(values, attribute.name)) return values;
  walk.rights = TRUSTED;
  const into = copyOf(values);
  const isLink = type.storage.relations.some(({ name }) => name === attribute.name);
  take(
    attribute,
    { raw: isLink ? { documentId: creator } : creator, at: attribute.name, shown: true, into },
    walk,
  );
  return into;
}

/** Whose body it is. */
export interface BodyRules {
  readonly rights: WriteRights;
  /** Root keys that hooks have added: the host's own, so the caller's rights do not bind them. */
  readonly changed: ReadonlySet<string>;
  /** The user who creates the document; null for anybody else, and for an update. */
  readonly creator: string | null;
  readonly maxNodes: number;
  /** Whether what stands beside `data` is refused, and not ignored. */
  readonly strict: boolean;
}

/**
 * Checks the keys of a body. Throws a 400 for a missing `data`, unknown and refused keys, malformed relation
 * payloads, attributes that the caller may not write, relations to types that they may not read, and
 * relations whose links belong to documents that they may not update (protocol sections 11 and 15, D26).
 */
export function planBody(
  body: unknown,
  type: ContentType,
  { rights, changed, creator, maxNodes, strict }: BodyRules,
): Body {
  checkSize(body, maxNodes);
  const data = dataOf(body);
  if (strict) refuseBeside(body);
  const walk: Walk = { rights, asked: rights, changed, references: new Map(), passwords: [], instances: 0 };
  const sent = valuesOf(data, { model: type, prefix: '', named: false, shown: true }, walk);
  const values = creator === null ? sent : withOwner(sent, { type, creator }, walk);
  return {
    type,
    values,
    references: walk.references,
    instances: walk.instances,
    passwords: walk.passwords,
    telling: rights.telling,
    isSent: ({ name }) => isGiven(sent, name) && !changed.has(name),
  };
}
