/** Permission rule for related content (D16). */
import type { Caller } from '../access/caller.js';
import { decide, type Decision, decideRead, grantedOf, isOwn, isSame } from '../access/decide.js';
import { type FieldScope, union } from '../access/field-scope.js';
import type { Action } from '../access/actions.js';
import type { ContentLimits } from '../../kernel/settings.js';
import { isAuthor } from '../model/authors.js';
import type { Attribute, ContentType, LinkedAttribute, Model } from '../model/model.js';

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
export const mayKnow = (
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

export const mayFind = (caller: Caller, type: ContentType, published: boolean): boolean =>
  decideRelated(caller, type, published) !== 'none';

/** Readable attributes of related documents. Of a type that `mayEnter` excludes, none is read. */
const findable = (caller: Caller, type: ContentType): FieldScope =>
  decideRelated(caller, type, true) === 'none' ? null : caller.permissions.fields(type.singularApiId, 'find');

export const oneOf = ({ kind }: ContentType): 'find' | 'findOne' =>
  kind === 'singleType' ? 'find' : 'findOne';

export interface Acting {
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

/** Union of the attributes that the actions are granted on, possibly for some documents only. */
export const fieldsOf = (caller: Caller, type: ContentType, actions: readonly Action[]): FieldScope =>
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

export const isHidden = ({ hidden }: Attribute): boolean => hidden;

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
  if (attribute === undefined)
    return model.model === 'type' && isAuthor({ name: key }) ? 'hidden' : undefined;
  if (isHidden(attribute) && !(attribute.private && rights?.seesPrivate === true)) return 'hidden';
  return rights === null || rights.mayRead(model, attribute) ? attribute : 'hidden';
}
