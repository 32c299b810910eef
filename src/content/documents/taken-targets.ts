/** Targets with one owner, which a link takes from another document: the caller must be permitted to. */
import { grantedOf, unapprovable } from '../access/decide.js';
import { compileTakes, type Protection } from '../compile/compile-takes.js';
import { forbidden } from '../../kernel/errors.js';
import type { LinksStep, WriteStep } from '../plan/steps.js';
import type { WritePlan } from '../plan/write-plan.js';
import type { Runner } from '../../pool/runner.js';
import { decidedResult } from './document-rights.js';

/** Returns the documents that the links of a write may take no target from; null if there are none. */
function protectionOf(plan: WritePlan): Omit<Protection, 'defaultLocale'> | null {
  const { type } = plan.target;
  if (type.storage.exclusive.length === 0) return null;
  const given = decidedResult(plan);
  const decision = grantedOf(given) === null ? 'all' : given;
  const approved = plan.restores === 'deleted' || type.stages === null ? [] : unapprovable(plan.caller, type);
  return decision === 'all' && approved.length === 0 ? null : { decision, approved };
}

/** Whether the links of a write may take targets from documents that the caller may not change. */
export const mayTakeTargets = (plan: WritePlan): boolean => protectionOf(plan) !== null;

export const linksIn = (steps: readonly WriteStep[]): readonly LinksStep[] =>
  steps.flatMap((step) => ('links' in step ? [step.links] : []));

/**
 * Throws ForbiddenError if links take their targets from documents outside the condition of the grant, or
 * from approved drafts that the caller may not approve.
 */
export async function checkTargets(
  runner: Runner,
  { plan, defaultLocale }: { readonly plan: WritePlan; readonly defaultLocale: string },
  links: readonly LinksStep[],
): Promise<void> {
  const protection = protectionOf(plan);
  if (protection === null) return;
  const statements = links.flatMap((step) => compileTakes(step, { ...protection, defaultLocale }) ?? []);
  const results = await runner.all(statements);
  if (results.some(([row]) => row?.['refused'] === true)) throw forbidden();
}
