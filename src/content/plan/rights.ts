/** Permission rule for related content (D16). */
import type { Caller } from '../access/caller.js';
import {
  decide,
  type Decision,
  decidePublished,
  decideRead,
  grantedOf,
  isOwn,
  isSame,
  type OwnCondition,
  ruleOf,
} from '../access/decide.js';
import { type Action, type FieldScope, union } from '../access/permissions.js';
import type { ContentLimits } from '../../kernel/settings.js';
import type { Attribute, ContentType, LinkedAttribute, Model } from '../model/model.js';
import { ownerTypeOf } from '../model/joins.js';

/**
 * Permissions of a request. Populate omits content that is not permitted; filters, sort keys and writes
 * refuse it.
 */
export interface Rights {
  readonly mayEnter: (attribute: LinkedAttribute, type: ContentType) => boolean;
  readonly mayRead: (model: Model, attribute: Attribute) => boolean;
  /** Whether every document of a type may be read through an attribute, not only those of a rule. */
  readonly seesAll: (attribute: LinkedAttribute, type: ContentType) => boolean;
  /** Whether private attributes can be named: in the conditions of grants only. */
  readonly seesPrivate?: boolean;
  /**
   * Permissions inside an attribute: those of `find`; in other locales of the same document, the same ones.
   */
  readonly enter: (attribute: Attribute) => Rights;
  /** Remaining hops of filters and sort keys. */
  readonly budget: { hops: number; readonly allowed: Pick<ContentLimits, 'hops' | 'hopDepth'> };
}

/**
 * Whether a caller may know of an attribute. Descriptions, OpenAPI and comparisons of versions use this rule
 * only.
 */
export const isShown = (
  { mayEnter, mayRead }: Pick<Rights, 'mayEnter' | 'mayRead'>,
  model: Model,
  attribute: Attribute,
): boolean =>
  !attribute.hidden &&
  mayRead(model, attribute) &&
  (!attribute.linked || attribute.targets.some((type) => mayEnter(attribute, type)));

/**
 * Decides which documents of a type may be read through relations: those of `find`, and of `readDrafts` for
 * drafts (D17). A `find` of own documents does not count.
 */
export function decideRelated(caller: Caller, type: ContentType, published: boolean): Decision {
  const finding = decideRead(caller, type, { action: 'find', published });
  return isOwn(finding) ? 'none' : finding;
}

const mayFind = (caller: Caller, type: ContentType, published: boolean): boolean =>
  decideRelated(caller, type, published) !== 'none';

/** Readable attributes of related documents. Of a type that `mayEnter` excludes, none is read. */
const findable = (caller: Caller, type: ContentType): FieldScope =>
  decideRelated(caller, type, true) === 'none'
    ? null
    : caller.permissions.fields(type.singularApiId, 'find');

export const oneOf = ({ kind }: ContentType): Action => (kind === 'singleType' ? 'find' : 'findOne');

interface Acting {
  readonly type: ContentType;
  readonly action: Action;
  readonly published: boolean;
}

/**
 * Decides which of the written documents their writer may read back (D27). It is `all` if the caller may read
 * own documents and writes only such.
 */
export function decideReadBack(caller: Caller, { type, action, published }: Acting): Decision {
  const reading = decideRead(caller, type, { action: oneOf(type), published });
  const theirs = action === 'create' || isOwn(decide(caller, type, action));
  return isOwn(reading) && theirs ? 'all' : reading;
}

/** Union of the attributes that the actions are granted on, possibly for own documents only. */
const fieldsOf = (caller: Caller, type: ContentType, actions: readonly Action[]): FieldScope =>
  actions
    .filter((action) => decide(caller, type, action) !== 'none')
    .map((action) => caller.permissions.fields(type.singularApiId, action))
    .reduce(union, new Set<string>());

/**
 * Attributes in the root of the response to `action`. A read: the granted ones. A create: the created ones,
 * and those of a GET.
 * An update: those of a GET; with `echoes`, for documents that the caller may not read, also those that a
 * body may contain.
 */
export function answerFields(
  caller: Caller,
  { type, action }: Pick<Acting, 'type' | 'action'>,
  echoes: boolean,
): FieldScope {
  if (action === 'find' || action === 'findOne') return caller.permissions.fields(type.singularApiId, action);
  if (action === 'create') return fieldsOf(caller, type, ['find', 'findOne', 'create']);
  if (action === 'delete') {
    // Attributes that are readable on own documents only are included if only own documents may be deleted.
    const deleted = decide(caller, type, action);
    const shown = (['find', 'findOne'] as const).filter((read) => {
      const reading = decide(caller, type, read);
      return reading === 'all' || (isOwn(deleted) && grantedOf(reading) === null) || isSame(reading, deleted);
    });
    return fieldsOf(caller, type, shown);
  }
  return fieldsOf(caller, type, echoes ? [oneOf(type), 'update'] : [oneOf(type)]);
}

export interface RootScope {
  readonly fields: FieldScope;
  readonly published: boolean;
}

/** Permissions of a request: those of its action at the root, `find` everywhere below. */
export function rightsOf(caller: Caller, { fields, published }: RootScope, limits: ContentLimits): Rights {
  const budget = { hops: limits.hops, allowed: limits };
  const mayEnter: Rights['mayEnter'] = ({ media, open }, type) =>
    media || open || mayFind(caller, type, published);
  const seesAll: Rights['seesAll'] = ({ media, open }, type) =>
    media || open || decideRelated(caller, type, published) === 'all';
  const within = (scope: FieldScope, attribute: Attribute): boolean =>
    scope === null || attribute.open || scope.has(attribute.name);
  const below: Rights = {
    budget,
    mayEnter,
    seesAll,
    mayRead: (model, attribute) =>
      model.model === 'component' || model.internal || within(findable(caller, model), attribute),
    enter: () => below,
  };
  const rights: Rights = {
    budget,
    mayEnter,
    seesAll,
    mayRead: (_model, attribute) => within(fields, attribute),
    enter: (attribute) => (attribute.open ? rights : below),
  };
  return rights;
}

/** Disclosure of an error about an attribute: all, only the parts that are not private, or nothing. */
export type Telling = 'all' | 'shown' | 'nothing';

export interface LinkRight {
  readonly types: readonly ContentType[];
  /** Drafts that may be referenced. Other documents need a published version. */
  readonly drafts: (type: ContentType) => Decision;
  /**
   * Documents that may be linked or unlinked: own ones if the inverse side is written and `update` is granted
   * on own ones.
   */
  readonly targets: Exclude<Decision, 'none'>;
  /** Accepted row ids. They are consecutive, so a client can guess them. */
  readonly rows: 'all' | 'linked' | 'none';
}

export interface LinkRefusal {
  readonly grant: string | null;
}

export interface WriteRights {
  readonly mayWrite: (attribute: Attribute) => boolean;
  /**
   * Decides the accepted references of a relation; `shown` is true if the caller can read the stored links.
   */
  readonly links: (attribute: LinkedAttribute, shown: boolean) => LinkRight | LinkRefusal;
  readonly isShown: (attribute: Attribute) => boolean;
  readonly telling: (attribute: Attribute) => Telling;
  /** Whether attributes that requests may not write are accepted. */
  readonly trusted: boolean;
}

const every = ({ targets: types }: LinkedAttribute): LinkRight => ({
  types,
  drafts: () => 'all',
  targets: 'all',
  rows: 'all',
});

export const TRUSTED: WriteRights = {
  mayWrite: () => true,
  links: every,
  isShown: () => true,
  telling: () => 'all',
  trusted: true,
};

/**
 * Whether a caller may write an attribute, from either side of a relation: `create` or `update` must be
 * granted on it. Users may not write the owner attribute.
 */
function mayWriteOf(
  { kind, permissions }: Caller,
  type: ContentType,
  action: 'create' | 'update',
): WriteRights['mayWrite'] {
  const fields = permissions.fields(type.singularApiId, action);
  return ({ name }) => (fields === null || fields.has(name)) && !(kind === 'user' && name === type.owner);
}

/** Name of the attribute that owns the links on the other side; undefined if this side owns them. */
function holdingSide({ def }: LinkedAttribute): string | undefined {
  if ('morphBy' in def) return def.morphBy;
  return 'mappedBy' in def ? def.mappedBy : undefined;
}

/**
 * Decides which files a body may reference. Document ids cannot be guessed, so each is accepted. Row ids need
 * `find` or `findOne` on files, except for a file that the caller sees in the written attribute.
 */
function filesOf(caller: Caller, attribute: LinkedAttribute, shown: boolean): LinkRight {
  const mayRead = attribute.targets.every((type) =>
    (['find', 'findOne'] as const).some((action) => decide(caller, type, action) === 'all'),
  );
  if (mayRead) return every(attribute);
  return { ...every(attribute), rows: shown ? 'linked' : 'none' };
}

/** A write that publishes also changes the published links of other documents. */
export const decideState = (published: boolean): typeof decide => (published ? decidePublished : decide);

/**
 * Decides the accepted references of a relation: documents that may be found. Writing the inverse side
 * changes the other documents, which needs `update` on them (D26).
 */
function linksOf(
  caller: Caller,
  attribute: LinkedAttribute,
  { shown, published }: { readonly shown: boolean; readonly published: boolean },
): LinkRight | LinkRefusal {
  if (attribute.media) return filesOf(caller, attribute, shown);
  const types = attribute.targets.filter((type) => mayFind(caller, type, true));
  const drafts: LinkRight['drafts'] = (type) => {
    const finding = decideRelated(caller, type, false);
    if (ruleOf(finding) !== null) return finding;
    return type.draftAndPublish ? decide(caller, type, 'readDrafts') : 'all';
  };
  const [target] = types;
  const written = target?.attributes.get(holdingSide(attribute) ?? '');
  if (target === undefined) return { grant: null };
  if (written === undefined) return { types, drafts, targets: 'all', rows: 'all' };
  const targets = decideState(published)(caller, target, 'update');
  const mayUpdate =
    decide(caller, target, 'update') !== 'none' && mayWriteOf(caller, target, 'update')(written);
  if (targets !== 'none' && mayUpdate) return { types, drafts, targets, rows: 'all' };
  const reserved = caller.kind === 'user' && written.name === target.owner;
  return { grant: reserved ? null : `${target.singularApiId}.${mayUpdate ? 'publish' : 'update'}` };
}

/**
 * Owners whose links may change with the state of a document on the inverse side: all, or those that the
 * caller may update (D22, D26). With a filtered `update`, none: the copied links could change the result.
 */
export function decideOwners(
  caller: Caller,
  attribute: LinkedAttribute,
  publish: boolean,
): 'all' | 'none' | OwnCondition {
  const target = ownerTypeOf(attribute);
  const written = target.attributes.get(holdingSide(attribute) ?? '');
  const may = written !== undefined && mayWriteOf(caller, target, 'update')(written);
  const owners = may ? decideState(publish)(caller, target, 'update') : 'none';
  return owners === 'all' || isOwn(owners) ? owners : 'none';
}

type Writing = Acting & { readonly action: 'create' | 'update' };

export function writeRightsOf(caller: Caller, { type, action, published }: Writing): WriteRights {
  const mayWrite = mayWriteOf(caller, type, action);
  // An existing document with drafts stores its current values in the draft, whatever state the write has.
  const back = { type, action, published: action === 'create' && published };
  const fields = fieldsOf(caller, type, decideReadBack(caller, back) === 'all' ? [oneOf(type)] : []);
  const isRead = (attribute: Attribute): boolean =>
    !isHidden(attribute) && (fields === null || fields.has(attribute.name));
  return {
    trusted: false,
    mayWrite,
    links: (attribute, shown) => linksOf(caller, attribute, { shown, published }),
    isShown: isRead,
    telling: (attribute) => {
      if (mayWrite(attribute)) return 'all';
      return isRead(attribute) ? 'shown' : 'nothing';
    },
  };
}

export const isHidden = ({ hidden }: Attribute): boolean => hidden;

/** Names that exist in the protocol but can never be read, filtered or sorted (protocol 4.29, 5.40). */
export const CREATORS = ['createdBy', 'updatedBy'];

/**
 * Returns an attribute by name, `hidden` if it exists but may not be used, undefined if it does not exist.
 * Null permissions check only whether any caller may use it.
 */
export function lookUp(
  model: Model,
  key: string,
  rights: Pick<Rights, 'mayRead' | 'seesPrivate'> | null,
): Attribute | 'hidden' | undefined {
  const attribute = model.attributes.get(key);
  if (attribute === undefined) return model.model === 'type' && CREATORS.includes(key) ? 'hidden' : undefined;
  const isPrivate = attribute.kind !== 'scalar' || attribute.type.readable;
  if (isHidden(attribute) && !(isPrivate && rights?.seesPrivate === true)) return 'hidden';
  return rights === null || rights.mayRead(model, attribute) ? attribute : 'hidden';
}
