/** The one rule about related content: what a caller may see of another type (D16). */
import { type Caller, scopeOf, userOf } from '../access/caller.js';
import { type Action, type Permissions, type Reach, union } from '../access/permissions.js';
import type { ContentLimits } from '../settings.js';
import type { Attribute, ContentType, Model, RelationAttribute } from '../schema/model.js';

/**
 * Rights as the plan asks for them. Populate leaves out, filters, sorts and writes refuse; all by this
 * answer.
 */
export interface Rights {
  readonly canFollow: (attribute: RelationAttribute) => boolean;
  /** Whether an attribute of the model that stands here may be read. */
  readonly sees: (model: Model, attribute: Attribute) => boolean;
  /**
   * Rights in what an attribute leads to: `find` there, and the same rights in the other locales of one
   * document.
   */
  readonly beyond: (attribute: Attribute) => Rights;
  /** What filters and sorts of one request may still step through. */
  readonly budget: { hops: number; readonly allowed: Pick<ContentLimits, 'hops' | 'hopDepth'> };
}

/**
 * Whether documents of a type may be shown in this publication state: `find`, and `readDrafts` for drafts
 * (D17).
 */
const canShow = (permissions: Permissions, type: ContentType, published: boolean): boolean =>
  permissions.allows(type.singularApiId, 'find') &&
  (published || !type.draftAndPublish || permissions.allows(type.singularApiId, 'readDrafts'));

/** Whether an attribute leads to the other locales of the same document. */
const isLocales = (attribute: Attribute): boolean =>
  attribute.kind === 'relation' && attribute.join.kind === 'locales';

/** What every document shows to whoever may read it at all. */
const isOpen = (attribute: Attribute): boolean =>
  attribute.kind === 'scalar' ? attribute.system : isLocales(attribute);

/**
 * What may be read of documents that are reached. Where none may be, `canFollow` leaves all of them out or
 * refuses.
 */
const findable = (permissions: Permissions, { singularApiId }: ContentType): Reach =>
  permissions.allows(singularApiId, 'find') ? permissions.reach(singularApiId, 'find') : null;

/** Who asks about which type. The user is the one to whom own documents belong; null for anybody else. */
interface Asking {
  readonly type: ContentType;
  readonly permissions: Permissions;
  readonly user: string | null;
}

/** The documents of a type that rights cover. */
export type Extent = 'all' | 'own' | 'none';

/** Which documents may be read in a state; drafts with `readDrafts` beside (D17). */
export function readingOf({ type, permissions, user }: Asking, action: Action, published: boolean): Extent {
  const rights: Action[] = published || !type.draftAndPublish ? [action] : [action, 'readDrafts'];
  const id = type.singularApiId;
  if (rights.every((right) => permissions.allows(id, right))) return 'all';
  const own = (right: Action): boolean => permissions.allows(id, right) || permissions.allowsOwn(id, right);
  return user !== null && type.owner !== null && rights.every(own) ? 'own' : 'none';
}

/** The action that reads one document of a type. */
const oneOf = ({ kind }: ContentType): Action => (kind === 'singleType' ? 'find' : 'findOne');

/**
 * Which of the documents that `action` may write their writer may read back (D27): all where that is certain,
 * which it is for own documents where only such are written.
 */
export function readingBack(asking: Asking, action: Action, published: boolean): Extent {
  const extent = readingOf(asking, oneOf(asking.type), published);
  const theirs = action === 'create' || asking.permissions.allowsOwn(asking.type.singularApiId, action);
  return extent === 'own' && theirs ? 'all' : extent;
}

/**
 * The attributes that the actions reach together. What is granted on own documents counts where `own` says
 * so.
 */
function reachOf({ type, permissions, user }: Asking, actions: readonly Action[], own: boolean): Reach {
  const { singularApiId } = type;
  return actions
    .filter(
      (one) =>
        permissions.allows(singularApiId, one) ||
        (own && user !== null && permissions.allowsOwn(singularApiId, one)),
    )
    .map((one) => permissions.reach(singularApiId, one))
    .reduce(union, new Set<string>());
}

/**
 * What an answer to `action` may name at its root. A read: what it reaches. A create shows what was created,
 * and what a GET would. What was updated is shown like a GET; where it may not be read (`echo`), what the
 * body may carry can be named, too.
 */
export function answerReach(asking: Asking, action: Action, echo: boolean): Reach {
  const { type, permissions } = asking;
  if (action === 'find' || action === 'findOne') return permissions.reach(type.singularApiId, action);
  if (action === 'create') return reachOf(asking, ['find', 'findOne', 'create'], true);
  if (action === 'delete')
    return reachOf(asking, ['find', 'findOne'], permissions.allowsOwn(type.singularApiId, action));
  return reachOf(asking, echo ? [oneOf(type), 'update'] : [oneOf(type)], true);
}

/**
 * The rights of a request that reaches `reach` at its root: `find` on everything that is reached from there.
 */
export function rightsOf(
  permissions: Permissions,
  reach: Reach,
  published: boolean,
  limits: ContentLimits,
): Rights {
  const budget = { hops: limits.hops, allowed: limits };
  const canFollow = (attribute: RelationAttribute): boolean =>
    attribute.media || isLocales(attribute) || canShow(permissions, attribute.target, published);
  const within = (reach: Reach, attribute: Attribute): boolean =>
    reach === null || isOpen(attribute) || reach.has(attribute.name);
  const below: Rights = {
    budget,
    canFollow,
    sees: (model, attribute) =>
      model.model === 'component' || model.internal || within(findable(permissions, model), attribute),
    beyond: () => below,
  };
  const rights: Rights = {
    budget,
    canFollow,
    sees: (_model, attribute) => within(reach, attribute),
    beyond: (attribute) => (isLocales(attribute) ? rights : below),
  };
  return rights;
}

/**
 * How much may be told of a problem with an attribute: all, only of what is not private below it, or nothing.
 */
export type Telling = 'all' | 'shown' | 'nothing';

/** Among which documents a relation's references count. */
export interface LinkScope {
  /** The drafts that may be named; of the others only documents that have a published version. */
  readonly drafts: Extent;
  /**
   * Whether only own documents may be linked or unlinked: the links are theirs, and `update` is granted on
   * own ones.
   */
  readonly ownOnly: boolean;
}

/** Why a relation must not be written: the grant that is missing, where there is one that would help. */
export interface LinkRefusal {
  readonly grant: string | null;
}

/** What a body may name. */
export interface WriteRights {
  readonly mayWrite: (attribute: Attribute) => boolean;
  readonly links: (attribute: RelationAttribute) => LinkScope | LinkRefusal;
  readonly telling: (attribute: Attribute) => Telling;
  /** The user to whom own documents belong. */
  readonly user: string | null;
  /** Whether attributes that no request may write can be written. */
  readonly trusted: boolean;
}

const EVERY: LinkScope = { drafts: 'all', ownOnly: false };

/** What the host's own hooks put into a body. */
export const TRUSTED: WriteRights = {
  mayWrite: () => true,
  links: () => EVERY,
  telling: () => 'all',
  user: null,
  trusted: true,
};

/**
 * Whether a caller may write an attribute: one that `create` or `update` reaches, and for users not the one
 * that says whose a document is. The same from either side of a relation.
 */
function mayWriteOf(
  { kind, permissions }: Caller,
  type: ContentType,
  action: 'create' | 'update',
): WriteRights['mayWrite'] {
  const reach = permissions.reach(type.singularApiId, action);
  return ({ name }) => (reach === null || reach.has(name)) && !(kind === 'user' && name === type.owner);
}

/**
 * The attribute on the other side whose values are this relation's links; undefined for a side that owns
 * them.
 */
const ownerSide = ({ def, target }: RelationAttribute): Attribute | undefined =>
  'mappedBy' in def && def.mappedBy !== undefined ? target.attributes.get(def.mappedBy) : undefined;

/**
 * What a relation may be linked to: documents that may be found. From the side that does not own the links,
 * writing them changes the other documents, which needs `update` on them (D26).
 */
function linksOf(caller: Caller, attribute: RelationAttribute): LinkScope | LinkRefusal {
  const { target, media } = attribute;
  if (media) return EVERY;
  if (!canShow(caller.permissions, target, true)) return { grant: null };
  const drafts = target.draftAndPublish ? scopeOf(caller, target, 'readDrafts') : 'all';
  const written = ownerSide(attribute);
  if (written === undefined) return { drafts, ownOnly: false };
  const update = scopeOf(caller, target, 'update');
  if (update !== 'none' && mayWriteOf(caller, target, 'update')(written))
    return { drafts, ownOnly: update === 'own' };
  const reserved = caller.kind === 'user' && written.name === target.owner;
  return { grant: reserved ? null : `${target.singularApiId}.update` };
}

/** A write: of which type, and in which state its answer is. */
interface Writing {
  readonly type: ContentType;
  readonly action: 'create' | 'update';
  readonly published: boolean;
}

/** The rights of a body. */
export function writeRightsOf(caller: Caller, { type, action, published }: Writing): WriteRights {
  const mayWrite = mayWriteOf(caller, type, action);
  const asking = { type, permissions: caller.permissions, user: userOf(caller) };
  // What is stored of an existing document is a draft where there are drafts, whatever state the write is
  // about.
  const reads = readingBack(asking, action, action === 'create' && published) === 'all';
  const reach = reachOf(asking, reads ? [oneOf(type)] : [], true);
  const isRead = (attribute: Attribute): boolean =>
    !isHidden(attribute) && (reach === null || reach.has(attribute.name));
  return {
    trusted: false,
    user: asking.user,
    mayWrite,
    links: (attribute) => linksOf(caller, attribute),
    telling: (attribute) => {
      if (mayWrite(attribute)) return 'all';
      return isRead(attribute) ? 'shown' : 'nothing';
    },
  };
}

/** What nobody can read. */
export const isHidden = (attribute: Attribute): boolean =>
  attribute.private || (attribute.kind === 'scalar' && !attribute.type.readable);

/** Names that exist in the protocol but can never be read, filtered or sorted (protocol 4.29, 5.40). */
export const CREATORS = ['createdBy', 'updatedBy'];

/**
 * An attribute by name: itself, `hidden` when it exists but must not be used, undefined when it does not
 * exist. Without rights: whether anybody at all may use it.
 */
export function lookUp(
  model: Model,
  key: string,
  rights: Pick<Rights, 'sees'> | null,
): Attribute | 'hidden' | undefined {
  const attribute = model.attributes.get(key);
  if (attribute === undefined) return model.model === 'type' && CREATORS.includes(key) ? 'hidden' : undefined;
  if (isHidden(attribute)) return 'hidden';
  return rights === null || rights.sees(model, attribute) ? attribute : 'hidden';
}
