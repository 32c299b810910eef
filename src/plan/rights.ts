/** The one rule about related content: what a caller may see of another type (D16). */
import type { Caller } from '../access/caller.js';
import { decide, type Decision, decideRead, isOwn } from '../access/decide.js';
import { type Action, type FieldScope, union } from '../access/permissions.js';
import type { ContentLimits } from '../settings.js';
import type { Attribute, ContentType, LinkedAttribute, Model } from '../schema/model.js';
import { ownerTypeOf } from '../schema/joins.js';

/**
 * Rights as the plan asks for them. Populate leaves out, filters, sorts and writes refuse; all by this
 * answer.
 */
export interface Rights {
  /** Whether documents of a type that a relation leads to may be read. */
  readonly mayEnter: (attribute: LinkedAttribute, type: ContentType) => boolean;
  /** Whether an attribute of the model that stands here may be read. */
  readonly mayRead: (model: Model, attribute: Attribute) => boolean;
  /**
   * Rights in what an attribute leads to: `find` there, and the same rights in the other locales of one
   * document.
   */
  readonly enter: (attribute: Attribute) => Rights;
  /** What filters and sorts of one request may still step through. */
  readonly budget: { hops: number; readonly allowed: Pick<ContentLimits, 'hops' | 'hopDepth'> };
}

/**
 * Whether a caller learns of an attribute. Descriptions, OpenAPI and comparisons of versions use this rule
 * alone.
 */
export const isShown = (
  { mayEnter, mayRead }: Pick<Rights, 'mayEnter' | 'mayRead'>,
  model: Model,
  attribute: Attribute,
): boolean =>
  !attribute.hidden &&
  mayRead(model, attribute) &&
  (!attribute.linked || attribute.targets.some((type) => mayEnter(attribute, type)));

/** Whether documents of a type may be read from others: `find` on all, and `readDrafts` for drafts (D17). */
const mayFind = (caller: Caller, type: ContentType, published: boolean): boolean =>
  decideRead(caller, type, { action: 'find', published }) === 'all';

/**
 * What may be read of documents that a relation leads to. Where none may be, `mayEnter` leaves all of them
 * out or refuses.
 */
const findable = (caller: Caller, type: ContentType): FieldScope =>
  decide(caller, type, 'find') === 'all' ? caller.permissions.fields(type.singularApiId, 'find') : null;

/** The action that reads one document of a type. */
export const oneOf = ({ kind }: ContentType): Action => (kind === 'singleType' ? 'find' : 'findOne');

/** An action on a type, and whether it shows published documents or drafts. */
interface Acting {
  readonly type: ContentType;
  readonly action: Action;
  readonly published: boolean;
}

/**
 * Which of the documents that `action` may write their writer may read back (D27): all where that is certain,
 * which it is for own documents where only such are written.
 */
export function decideReadBack(caller: Caller, { type, action, published }: Acting): Decision {
  const reading = decideRead(caller, type, { action: oneOf(type), published });
  const theirs = action === 'create' || isOwn(decide(caller, type, action));
  return isOwn(reading) && theirs ? 'all' : reading;
}

/** The attributes of a type that actions are granted on together, be it on own documents alone. */
const fieldsOf = (caller: Caller, type: ContentType, actions: readonly Action[]): FieldScope =>
  actions
    .filter((action) => decide(caller, type, action) !== 'none')
    .map((action) => caller.permissions.fields(type.singularApiId, action))
    .reduce(union, new Set<string>());

/**
 * What an answer to `action` may name at its root. A read: what it is granted on. A create shows what was
 * created, and what a GET would. What was updated is shown like a GET; where it may not be read (`echoes`),
 * what the body may carry can be named, too.
 */
export function answerFields(
  caller: Caller,
  { type, action }: Pick<Acting, 'type' | 'action'>,
  echoes: boolean,
): FieldScope {
  if (action === 'find' || action === 'findOne') return caller.permissions.fields(type.singularApiId, action);
  if (action === 'create') return fieldsOf(caller, type, ['find', 'findOne', 'create']);
  if (action === 'delete') {
    // What is only read of own documents is shown where only such are deleted.
    const own = isOwn(decide(caller, type, action));
    const shown = (['find', 'findOne'] as const).filter(
      (read) => own || decide(caller, type, read) === 'all',
    );
    return fieldsOf(caller, type, shown);
  }
  return fieldsOf(caller, type, echoes ? [oneOf(type), 'update'] : [oneOf(type)]);
}

/** What a caller may read at the root of a request. */
export interface RootScope {
  readonly fields: FieldScope;
  readonly published: boolean;
}

/** The rights of a request: its own at the root, `find` on everything that is entered from there. */
export function rightsOf(caller: Caller, { fields, published }: RootScope, limits: ContentLimits): Rights {
  const budget = { hops: limits.hops, allowed: limits };
  const mayEnter: Rights['mayEnter'] = ({ media, open }, type) =>
    media || open || mayFind(caller, type, published);
  const within = (scope: FieldScope, attribute: Attribute): boolean =>
    scope === null || attribute.open || scope.has(attribute.name);
  const below: Rights = {
    budget,
    mayEnter,
    mayRead: (model, attribute) =>
      model.model === 'component' || model.internal || within(findable(caller, model), attribute),
    enter: () => below,
  };
  const rights: Rights = {
    budget,
    mayEnter,
    mayRead: (_model, attribute) => within(fields, attribute),
    enter: (attribute) => (attribute.open ? rights : below),
  };
  return rights;
}

/**
 * How much may be told of a problem with an attribute: all, only of what is not private below it, or nothing.
 */
export type Telling = 'all' | 'shown' | 'nothing';

/** Among which documents a relation's references count. */
export interface LinkRight {
  /** The types whose documents may be named. */
  readonly types: readonly ContentType[];
  /** The drafts of a type that may be named; of the others only documents that have a published version. */
  readonly drafts: (type: ContentType) => Decision;
  /**
   * The documents that may be linked or unlinked: own ones where the links are theirs, and `update` is
   * granted on own ones.
   */
  readonly targets: Exclude<Decision, 'none'>;
  /** Which row ids count. They are consecutive numbers, so a client can guess them all. */
  readonly rows: 'all' | 'linked' | 'none';
}

/** Why a relation must not be written: the grant that is missing, where there is one that would help. */
export interface LinkRefusal {
  readonly grant: string | null;
}

/** What a body may name. */
export interface WriteRights {
  readonly mayWrite: (attribute: Attribute) => boolean;
  /** What a relation may be linked to; `shown` says whether the caller can read the stored links. */
  readonly links: (attribute: LinkedAttribute, shown: boolean) => LinkRight | LinkRefusal;
  /** Whether the caller can read what is stored for an attribute of the type. */
  readonly isShown: (attribute: Attribute) => boolean;
  readonly telling: (attribute: Attribute) => Telling;
  /** Whether attributes that no request may write can be written. */
  readonly trusted: boolean;
}

const every = ({ targets: types }: LinkedAttribute): LinkRight => ({
  types,
  drafts: () => 'all',
  targets: 'all',
  rows: 'all',
});

/** What the host's own hooks put into a body. */
export const TRUSTED: WriteRights = {
  mayWrite: () => true,
  links: every,
  isShown: () => true,
  telling: () => 'all',
  trusted: true,
};

/**
 * Whether a caller may write an attribute: one that `create` or `update` is granted on, and for users not the
 * one that says whose a document is. The same from either side of a relation.
 */
function mayWriteOf(
  { kind, permissions }: Caller,
  type: ContentType,
  action: 'create' | 'update',
): WriteRights['mayWrite'] {
  const fields = permissions.fields(type.singularApiId, action);
  return ({ name }) => (fields === null || fields.has(name)) && !(kind === 'user' && name === type.owner);
}

/** The name of the attribute that holds this relation's links on the other side, where it is not itself. */
function holdingSide({ def }: LinkedAttribute): string | undefined {
  if ('morphBy' in def) return def.morphBy;
  return 'mappedBy' in def ? def.mappedBy : undefined;
}

/**
 * The files that a body may name. A client cannot guess document ids, so each of them counts. Row ids
 * need `find` or `findOne` on files, except for a file that the caller sees in the written attribute.
 */
function filesOf(caller: Caller, attribute: LinkedAttribute, shown: boolean): LinkRight {
  const mayRead = attribute.targets.every((type) =>
    (['find', 'findOne'] as const).some((action) => decide(caller, type, action) === 'all'),
  );
  if (mayRead) return every(attribute);
  return { ...every(attribute), rows: shown ? 'linked' : 'none' };
}

/**
 * What a relation may be linked to: documents that may be found. From the side that does not own the links,
 * writing them changes the other documents, which needs `update` on them (D26).
 */
function linksOf(caller: Caller, attribute: LinkedAttribute, shown: boolean): LinkRight | LinkRefusal {
  if (attribute.media) return filesOf(caller, attribute, shown);
  const types = attribute.targets.filter((type) => mayFind(caller, type, true));
  const drafts: LinkRight['drafts'] = (type) =>
    type.draftAndPublish ? decide(caller, type, 'readDrafts') : 'all';
  const [target] = types;
  const written = target?.attributes.get(holdingSide(attribute) ?? '');
  if (target === undefined) return { grant: null };
  if (written === undefined) return { types, drafts, targets: 'all', rows: 'all' };
  const targets = decide(caller, target, 'update');
  if (targets !== 'none' && mayWriteOf(caller, target, 'update')(written))
    return { types, drafts, targets, rows: 'all' };
  const reserved = caller.kind === 'user' && written.name === target.owner;
  return { grant: reserved ? null : `${target.singularApiId}.update` };
}

/**
 * Whose links may change with the state of a document that does not own them: of all owners, or of those that
 * the caller may update (D22, D26).
 */
export function decideOwners(caller: Caller, attribute: LinkedAttribute): Decision {
  const target = ownerTypeOf(attribute);
  const written = target.attributes.get(holdingSide(attribute) ?? '');
  const may = written !== undefined && mayWriteOf(caller, target, 'update')(written);
  return may ? decide(caller, target, 'update') : 'none';
}

/** A write: of which type, and in which state its answer is. */
type Writing = Acting & { readonly action: 'create' | 'update' };

/** The rights of a body. */
export function writeRightsOf(caller: Caller, { type, action, published }: Writing): WriteRights {
  const mayWrite = mayWriteOf(caller, type, action);
  // What is stored of an existing document is a draft where there are drafts, whatever state the write is
  // about.
  const back = { type, action, published: action === 'create' && published };
  const fields = fieldsOf(caller, type, decideReadBack(caller, back) === 'all' ? [oneOf(type)] : []);
  const isRead = (attribute: Attribute): boolean =>
    !isHidden(attribute) && (fields === null || fields.has(attribute.name));
  return {
    trusted: false,
    mayWrite,
    links: (attribute, shown) => linksOf(caller, attribute, shown),
    isShown: isRead,
    telling: (attribute) => {
      if (mayWrite(attribute)) return 'all';
      return isRead(attribute) ? 'shown' : 'nothing';
    },
  };
}

/** What nobody can read. */
export const isHidden = ({ hidden }: Attribute): boolean => hidden;

/** Names that exist in the protocol but can never be read, filtered or sorted (protocol 4.29, 5.40). */
export const CREATORS = ['createdBy', 'updatedBy'];

/**
 * An attribute by name: itself, `hidden` when it exists but must not be used, undefined when it does not
 * exist. Without rights: whether anybody at all may use it.
 */
export function lookUp(
  model: Model,
  key: string,
  rights: Pick<Rights, 'mayRead'> | null,
): Attribute | 'hidden' | undefined {
  const attribute = model.attributes.get(key);
  if (attribute === undefined) return model.model === 'type' && CREATORS.includes(key) ? 'hidden' : undefined;
  if (isHidden(attribute)) return 'hidden';
  return rights === null || rights.mayRead(model, attribute) ? attribute : 'hidden';
}
