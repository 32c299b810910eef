/** Checks of a caller's permission on one document, made under its lock and before any hook runs. */
import {
  decide,
  decidePublished,
  decideRead,
  isOwn,
  type OwnCondition,
  ownPartOf,
} from '../access/decide.js';
import { forbidden, preconditionFailed } from '../../kernel/errors.js';
import { checkPrecondition } from '../plan/precondition.js';
import { VERBS } from '../plan/plan-write.js';
import type { VersionRow, Versions } from '../plan/versions.js';
import type { WritePlan } from '../plan/write-plan.js';

export function ownOnly({ caller, target, right }: WritePlan): OwnCondition | null {
  return ownPartOf(decide(caller, target.type, right));
}

/**
 * Condition on the caller's own documents that the write or its effect on the published version requires,
 * null for none.
 */
export function ownWritten(plan: WritePlan): OwnCondition | null {
  return ownPartOf(decidePublished(plan.caller, plan.target.type, plan.right)) ?? ownOnly(plan);
}

const makesOne = ({ verb, target: { type } }: WritePlan): boolean =>
  verb === 'create' || (verb === 'update' && type.kind === 'singleType');

function concerned({ verb, target }: WritePlan, { all }: Versions): readonly VersionRow[] {
  const any = !VERBS[verb].ofLocale || target.everyLocale;
  return any ? all : all.filter(({ locale }) => locale === target.locale);
}

/**
 * Whether the document exists for the caller. If the caller may write only own documents, another document
 * counts as absent, or throws ForbiddenError if the caller may read it. Throws PreconditionFailedError if the
 * precondition does not match, which requires a document.
 */
export function isThere(plan: WritePlan, versions: Versions): boolean {
  const { precondition, target } = plan;
  if (!mayBeWritten(plan, versions)) {
    // The same for a missing and for a hidden document.
    if (precondition !== null && precondition.match !== null) throw preconditionFailed();
    return false;
  }
  // Checked last, so that a caller learns nothing of a version without permission.
  if (precondition !== null) checkPrecondition(precondition, target, versions.all);
  return true;
}

function mayBeWritten(plan: WritePlan, versions: Versions): boolean {
  const rows = concerned(plan, versions);
  if (rows.length === 0) return makesOne(plan);
  const isPublished = rows.some(({ published }) => published);
  const isTheirs = rows.some(({ own }) => own);
  if (ownOnly(plan) === null || isTheirs) {
    if (plan.verb === 'delete' && isPublished && !mayUnpublish(plan, isTheirs)) throw forbidden();
    return true;
  }
  if (mayKnow(plan, isPublished)) throw forbidden();
  return false;
}

/** Whether the caller may delete a published version (protocol 8.31). */
function mayUnpublish({ caller, target: { type }, right }: WritePlan, own: boolean): boolean {
  const decision = decidePublished(caller, type, right);
  return isOwn(decision) ? own : decision === 'all';
}

/**
 * Whether the caller may know of a document of another user: a draft is absent without permission to read
 * drafts.
 */
const mayKnow = ({ target: { type }, caller }: WritePlan, published: boolean): boolean =>
  decideRead(caller, type, { action: 'findOne', published }) === 'all';
