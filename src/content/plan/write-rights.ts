/** Permissions of a write: attributes, links and what errors may disclose (D26, D27). */
import { type Caller, SCHEDULE } from '../access/caller.js';
import {
  decide,
  type Decision,
  decidePublished,
  grantedOf,
  isOwn,
  type OwnCondition,
  ruleOf,
  unapprovable,
} from '../access/decide.js';
import { type FieldScope, NO_FIELDS } from '../access/field-scope.js';
import { presetNames } from '../access/presets.js';
import type { Attribute, ContentType, LinkedAttribute } from '../model/model.js';
import { ownerTypeOf } from '../model/joins.js';
import { isPublishedSide } from '../model/published-side.js';
import { type Acting, decideReadBack, decideRelated, fieldsOf, isHidden, mayFind, oneOf } from './rights.js';

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
  /** Whether a linked document that the caller cannot find may be sent again (1.25), and be an anchor. */
  readonly resends: (type: ContentType) => boolean;
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
  resends: () => true,
  rows: 'all',
});

export const ALL_WRITE_RIGHTS: WriteRights = {
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
function mayWriteOf(caller: Caller, type: ContentType, action: 'create' | 'update'): WriteRights['mayWrite'] {
  const { kind, permissions } = caller;
  const preset = presetNames(caller, type, action);
  const fields = permissions.fields(type.singularApiId, action);
  return ({ name }) =>
    (fields === null || fields.has(name)) && !preset.has(name) && !(kind === 'user' && name === type.owner);
}

/** Name of the attribute that owns the links on the other side; undefined if this side owns them. */
function holdingSide({ def }: LinkedAttribute): string | undefined {
  if ('morphBy' in def) return def.morphBy;
  return 'mappedBy' in def ? def.mappedBy : undefined;
}

/** Links to documents that a condition of `find` hides are not sent again: a write keeps them. */
const resendsOf =
  (caller: Caller): LinkRight['resends'] =>
  (type) =>
    [true, false].every((state) => grantedOf(decideRelated(caller, type, state)) === null);

/**
 * Decides which files a body may reference. Document ids cannot be guessed, so each is accepted. Row ids need
 * `find` or `findOne` on files, except for a file that the caller sees in the written attribute.
 */
function filesOf(caller: Caller, attribute: LinkedAttribute, shown: boolean): LinkRight {
  const mayRead = attribute.targets.every((type) =>
    (['find', 'findOne'] as const).some((action) => decide(caller, type, action) === 'all'),
  );
  const files = { ...every(attribute), resends: resendsOf(caller) };
  return mayRead ? files : { ...files, rows: shown ? 'linked' : 'none' };
}

/** A write that publishes also changes the published links of other documents. */
export const decideState = (published: boolean): typeof decide => (published ? decidePublished : decide);

/**
 * Decides the accepted references of a relation: documents that may be found. Writing the inverse side
 * changes the other documents, which needs `update` on them (D26). Documents whose stages are an approval
 * stay approved, so it also needs the right to approve them.
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
  const resends = resendsOf(caller);
  const [target] = types;
  const written = target?.attributes.get(holdingSide(attribute) ?? '');
  if (target === undefined) return { grant: null };
  if (written === undefined) return { types, drafts, targets: 'all', resends, rows: 'all' };
  const targets = decideState(published)(caller, target, 'update');
  const mayUpdate =
    decide(caller, target, 'update') !== 'none' && mayWriteOf(caller, target, 'update')(written);
  if (targets !== 'none' && mayUpdate)
    return unapprovable(caller, target).length > 0
      ? { grant: `${target.singularApiId}.move` }
      : { types, drafts, targets, resends, rows: 'all' };
  const reserved = caller.kind === 'user' && written.name === target.owner;
  return { grant: reserved ? null : `${target.singularApiId}.${mayUpdate ? 'publish' : 'update'}` };
}

/** Whether published versions of a type need more than `update`: `publish`, an approval, or a tenant. */
const isGuarded = ({ publishBy, stages, tenant }: ContentType): boolean =>
  publishBy === 'right' || (stages?.publishing.size ?? 0) > 0 || tenant !== null;

/**
 * Owners whose links may change with the state of a document on the inverse side: those that the caller may
 * update and approve (D22, D26). With a filtered `update`, none: the copied links could change the result.
 * A schedule changes no guarded owners: who set its time may not be permitted to.
 */
export function decideOwners(
  caller: Caller,
  attribute: LinkedAttribute,
  publish: boolean,
): 'all' | 'none' | OwnCondition {
  const target = ownerTypeOf(attribute);
  const written = target.attributes.get(holdingSide(attribute) ?? '');
  const may =
    written !== undefined &&
    !(caller === SCHEDULE && isGuarded(target)) &&
    mayWriteOf(caller, target, 'update')(written) &&
    unapprovable(caller, target).length === 0;
  const owners = may ? decideState(publish)(caller, target, 'update') : 'none';
  return owners === 'all' || isOwn(owners) ? owners : 'none';
}

/**
 * Whether a link takes its target from another owner. Such a write changes the other document, which a
 * condition may not cover.
 */
const takesTargets = ({ join, exclusive, def }: LinkedAttribute): boolean =>
  join.side !== 'inverse' && (exclusive || ('relation' in def && def.relation.startsWith('oneTo')));

type Writing = Acting & { readonly action: 'create' | 'update' };

/**
 * Returns the rights of a write. A write to the published side puts back what was published: all links, like
 * a publish (D22). A refusal would disclose links that the caller may not see (27.15).
 */
export function writeRightsOf(caller: Caller, writing: Writing): WriteRights {
  const rights = askedRightsOf(caller, writing);
  return isPublishedSide(writing.type)
    ? { ...rights, mayWrite: ALL_WRITE_RIGHTS.mayWrite, links: ALL_WRITE_RIGHTS.links }
    : rights;
}

function askedRightsOf(caller: Caller, { type, action, published }: Writing): WriteRights {
  const mayWrite = mayWriteOf(caller, type, action);
  const isLimited = grantedOf(decideState(published)(caller, type, action)) !== null;
  // An existing document with drafts stores its current values in the draft, whatever state the write has.
  const back = { type, action, published: action === 'create' && published };
  const granted = fieldsOf(caller, type, [oneOf(type)]);
  const fields = decideReadBack(caller, back) === 'all' ? granted : NO_FIELDS;
  const isIn = (scope: FieldScope, attribute: Attribute): boolean =>
    !isHidden(attribute) && (scope === null || scope.has(attribute.name));
  const isRead = (attribute: Attribute): boolean => isIn(fields, attribute);
  // All documents that the caller may write have its tenant.
  const isTenant = (attribute: Attribute): boolean =>
    attribute.name === type.tenant && isIn(granted, attribute);
  return {
    trusted: false,
    mayWrite,
    links: (attribute, shown) =>
      isLimited && takesTargets(attribute)
        ? { grant: null }
        : linksOf(caller, attribute, { shown, published }),
    isShown: isRead,
    telling: (attribute) => {
      if (mayWrite(attribute)) return 'all';
      return isRead(attribute) || isTenant(attribute) ? 'shown' : 'nothing';
    },
  };
}
