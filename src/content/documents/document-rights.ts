/** Checks of a caller's permission on one document, made under its lock and before any hook runs. */
import {
  decide,
  type Decision,
  decidePublished,
  decideRead,
  grantedOf,
  isOwn,
  type OwnCondition,
} from '../access/decide.js';
import type { VersionRightsRequest, StateDecisions } from '../compile/compile-version-rights.js';
import { forbidden } from '../../kernel/errors.js';
import type { Attribute, ContentType } from '../model/model.js';
import { NOTHING_GIVEN } from '../plan/given.js';
import { checkPrecondition, refuseAbsent } from '../plan/precondition.js';
import { VERBS } from '../plan/plan-write.js';
import { oneOf } from '../plan/rights.js';
import type { VersionRow, Versions } from '../plan/versions.js';
import type { WritePlan } from '../plan/write-plan.js';

const decisionOf = ({ caller, target, right }: WritePlan): Decision => decide(caller, target.type, right);

const decidedLive = ({ caller, target, right }: WritePlan): Decision =>
  decidePublished(caller, target.type, right);

const ownPartOf = (decision: Decision): OwnCondition | null => (isOwn(decision) ? decision : null);

export const ownOnly = (plan: WritePlan): OwnCondition | null => ownPartOf(decisionOf(plan));

/**
 * Condition on the caller's own documents that the write or its effect on the published version requires,
 * null for none.
 */
export const ownConditionOf = (plan: WritePlan): OwnCondition | null =>
  ownPartOf(decidedLive(plan)) ?? ownOnly(plan);

/** Decision that the versions must meet which a write changes. */
export const decidedResult = (plan: WritePlan): Decision =>
  plan.target.publish ? decidedLive(plan) : decisionOf(plan);

/**
 * Decisions about the versions of the written document. Null if none of them has the condition of a grant.
 */
export function decisionsOf(
  plan: WritePlan,
): Pick<VersionRightsRequest, 'written' | 'live' | 'shown'> | null {
  const { caller, target } = plan;
  if (!caller.permissions.hasWhere) return null;
  const reading = (published: boolean): Decision =>
    decideRead(caller, target.type, { action: oneOf(target.type), published });
  const shown: StateDecisions = { published: reading(true), drafts: reading(false) };
  const [written, live] = [decisionOf(plan), decidedLive(plan)];
  const isGranted = [written, live, shown.published, shown.drafts].some((one) => grantedOf(one) !== null);
  return isGranted ? { written, live, shown } : null;
}

const createsDocument = ({ verb, target: { type } }: WritePlan): boolean =>
  verb === 'create' || (verb === 'update' && type.kind === 'singleType');

function concernedVersions({ verb, target }: WritePlan, { all }: Versions): readonly VersionRow[] {
  const any = !VERBS[verb].ofLocale || target.everyLocale;
  return any ? all : all.filter(({ locale }) => locale === target.locale);
}

/**
 * Whether the document exists for the caller. If the caller may write only own documents, another document
 * counts as absent, or throws ForbiddenError if the caller may read it. Throws PreconditionFailedError if the
 * precondition does not match, which requires a document.
 */
export function existsForCaller(plan: WritePlan, versions: Versions): boolean {
  const { precondition, target } = plan;
  if (!mayBeWritten(plan, versions)) {
    // A missing and a hidden document cause the same error.
    refuseAbsent(precondition);
    return false;
  }
  // Checked last, so that a caller learns nothing of a version without permission.
  if (precondition !== null) checkPrecondition(precondition, target, versions.all);
  return true;
}

function mayBeWritten(plan: WritePlan, versions: Versions): boolean {
  const rows = concernedVersions(plan, versions);
  if (rows.length === 0) return createsDocument(plan);
  const isPublished = rows.some(({ published }) => published);
  if (mayWrite(plan, versions)) {
    if (plan.verb === 'delete' && isPublished && !mayUnpublish(plan, rows)) throw forbidden();
    return true;
  }
  if (mayKnow(plan, rows)) throw forbidden();
  return false;
}

/**
 * Whether the caller may write the document. A document belongs to one user in all its versions. The
 * condition of a grant must be met by each version that the write changes.
 */
function mayWrite(plan: WritePlan, versions: Versions): boolean {
  const decision = decidedResult(plan);
  const rows = concernedVersions(plan, versions);
  if (grantedOf(decisionOf(plan)) === null && grantedOf(decision) === null)
    return ownOnly(plan) === null || rows.some(({ own }) => own);
  if (plan.verb === 'delete') return rows.every(({ own }) => own);
  return changedBy(plan, versions).every(({ own, live }) => own && (live || !plan.target.publish));
}

const isShared = ({ system, localized }: Attribute): boolean => !system && !localized;

/** Whether all locales of a document share values of some attributes. */
export const hasSharedValues = ({ localized, attributes }: ContentType): boolean =>
  localized && [...attributes.values()].some(isShared);

/**
 * Whether a write may change versions in other locales: it writes, publishes or discards attributes that all
 * locales share.
 */
export function changesOtherLocales({ verb, target, body }: WritePlan): boolean {
  const { type, everyLocale, publish } = target;
  if (!type.localized || everyLocale) return type.localized;
  if (type.draftAndPublish && (publish || verb === 'discardDraft')) return hasSharedValues(type);
  const { scalars, relations, embedded } = body?.values ?? NOTHING_GIVEN;
  return [scalars, relations, embedded].some((values) =>
    [...values.values()].some(({ attribute }) => isShared(attribute)),
  );
}

/** Returns the locale in which a write adds a version, and changes no other one; null if there is none. */
export function addedLocaleOf(plan: WritePlan, { all }: Versions): string | null {
  const { verb, target } = plan;
  const isAdded = verb === 'update' && target.type.localized && !changesOtherLocales(plan);
  return isAdded && all.every(({ locale }) => locale !== target.locale) ? target.locale : null;
}

export const firstOf = <T>(...lists: (readonly T[])[]): readonly T[] =>
  lists.find((list) => list.length > 0) ?? [];

/** Versions that a write changes or copies. A new locale or draft is copied from the other versions. */
function changedBy(plan: WritePlan, { all }: Versions): readonly VersionRow[] {
  const { verb, target, body } = plan;
  const isInLocale = ({ locale }: VersionRow): boolean => locale === target.locale;
  const here = changesOtherLocales(plan) ? all : firstOf(all.filter(isInLocale), all);
  // Discarding changes drafts only, also in the locales that share values.
  if (verb === 'discardDraft' && !target.everyLocale)
    return here.filter((row) => isInLocale(row) || !row.published);
  const drafts = here.filter(({ published }) => !published);
  return target.publish || body === null ? here : firstOf(drafts, here);
}

/** Whether the caller may delete a published version (protocol 8.31). */
function mayUnpublish(plan: WritePlan, rows: readonly VersionRow[]): boolean {
  const decision = decidedLive(plan);
  if (grantedOf(decision) !== null) return rows.every(({ live, published }) => live || !published);
  return isOwn(decision) ? rows.some(({ live }) => live) : decision === 'all';
}

/**
 * Whether the caller may know of a document that it may not write: a draft is absent without permission to
 * read drafts.
 */
function mayKnow({ target: { type }, caller }: WritePlan, rows: readonly VersionRow[]): boolean {
  const published = rows.some((row) => row.published);
  const reading = decideRead(caller, type, { action: oneOf(type), published });
  return reading === 'all' || (grantedOf(reading) !== null && rows.some(({ shown }) => shown));
}
