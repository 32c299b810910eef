/**
 * Whether the caller may act on this very document; asked under its lock, before any code of the host's runs.
 */
import { decide, decideRead, isOwn, type OwnCondition } from '../access/decide.js';
import { forbidden } from '../errors.js';
import { checkPrecondition } from '../plan/precondition.js';
import { VERBS } from '../plan/plan-write.js';
import type { VersionRow, Versions } from '../plan/versions.js';
import type { WritePlan } from '../plan/write-plan.js';

/** The condition on what a write may change, where its caller may change own documents alone. */
export function ownOnly({ caller, target, right }: WritePlan): OwnCondition | null {
  const decision = decide(caller, target.type, right);
  return isOwn(decision) ? decision : null;
}

/** Whether a write makes a document where there is none. */
const makesOne = ({ verb, target: { type } }: WritePlan): boolean =>
  verb === 'create' || (verb === 'update' && type.kind === 'singleType');

/** The versions that a verb is about. */
function concerned({ verb, target }: WritePlan, { all }: Versions): readonly VersionRow[] {
  const any = !VERBS[verb].ofLocale || target.everyLocale;
  return any ? all : all.filter(({ locale }) => locale === target.locale);
}

/**
 * Whether the document is there for the caller. One that is not theirs, where only their own may be written,
 * counts as absent, or throws ForbiddenError where they may read it. Throws PreconditionFailedError where it
 * is not as the write wants it to be.
 */
export function isThere(plan: WritePlan, versions: Versions): boolean {
  if (!mayBeWritten(plan, versions)) return false;
  // Asked last, so that nobody learns of a version that is not theirs.
  if (plan.precondition !== null) checkPrecondition(plan.precondition, plan.target, versions.all);
  return true;
}

function mayBeWritten(plan: WritePlan, versions: Versions): boolean {
  const rows = concerned(plan, versions);
  if (rows.length === 0) return makesOne(plan);
  if (ownOnly(plan) === null || rows.some(({ own }) => own)) return true;
  const isPublished = rows.some(({ published }) => published);
  if (mayKnow(plan, isPublished)) throw forbidden();
  return false;
}

/** Whether the caller may know of a document that is not theirs: a draft is absent without a right to it. */
const mayKnow = ({ target: { type }, caller }: WritePlan, published: boolean): boolean =>
  decideRead(caller, type, { action: 'findOne', published }) === 'all';
