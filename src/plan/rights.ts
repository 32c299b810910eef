/** The one rule about related content: what a caller may see of another type (D16). */
import type { Caller } from '../access/caller.js';
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
export const canShow = (permissions: Permissions, type: ContentType, published: boolean): boolean =>
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

/**
 * Reading an answer to `action`: what it names, and for the answer of a write what a GET would show. What is
 * granted on own documents counts where the document that was written is the user's own for certain.
 */
function reachOf(permissions: Permissions, { type, action, user }: Root): Reach {
  const { singularApiId } = type;
  if (action === 'find' || action === 'findOne') return permissions.reach(singularApiId, action);
  const owned = user !== null && (action === 'create' || permissions.allowsOwn(singularApiId, action));
  const named = (['find', 'findOne', action] as const).filter(
    (one) =>
      one !== 'delete' &&
      (permissions.allows(singularApiId, one) || (owned && permissions.allowsOwn(singularApiId, one))),
  );
  return named.map((one) => permissions.reach(singularApiId, one)).reduce(union, new Set<string>());
}

/** What a request is about. */
interface Root {
  readonly type: ContentType;
  readonly action: Action;
  readonly user: string | null;
}

/**
 * The rights of a request for `action` on a type: its own at the root, `find` on everything that is reached
 * from there.
 */
export function rightsOf(
  permissions: Permissions,
  root: Root,
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
  const reach = reachOf(permissions, root);
  const rights: Rights = {
    budget,
    canFollow,
    sees: (_model, attribute) => within(reach, attribute),
    beyond: (attribute) => (isLocales(attribute) ? rights : below),
  };
  return rights;
}

/** What a body may name. */
export interface WriteRights extends Pick<Rights, 'canFollow'> {
  readonly mayWrite: (attribute: Attribute) => boolean;
  /** Whether attributes that no request may write can be written. */
  readonly trusted: boolean;
}

/** What the host's own hooks put into a body. */
export const TRUSTED: WriteRights = { canFollow: () => true, mayWrite: () => true, trusted: true };

/**
 * The rights of a body: the attributes that `create` or `update` reaches, for users without the one that says
 * whose the document is, and relations to what may be found.
 */
export function writeRightsOf(
  { kind, permissions }: Caller,
  type: ContentType,
  action: 'create' | 'update',
): WriteRights {
  const reach = permissions.reach(type.singularApiId, action);
  return {
    trusted: false,
    canFollow: (attribute) => attribute.media || canShow(permissions, attribute.target, true),
    mayWrite: (attribute) =>
      (reach === null || reach.has(attribute.name)) && !(kind === 'user' && attribute.name === type.owner),
  };
}

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
  if (attribute.private || (attribute.kind === 'scalar' && !attribute.type.readable)) return 'hidden';
  return rights === null || rights.sees(model, attribute) ? attribute : 'hidden';
}
