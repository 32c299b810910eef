/** Targets with one owner, which a link takes from another document: the caller must be permitted to. */
import { grantedOf, unapprovable } from '../access/decide.js';
import { compileTakes, type Protection } from '../compile/compile-takes.js';
import { forbidden } from '../../kernel/errors.js';
import type { LinksStep, WriteStep } from '../plan/steps.js';
import type { WritePlan } from '../plan/write-plan.js';
import type { Runner } from '../../pool/runner.js';
import { decidedResult } from './document-rights.js';

function protectionOf(plan: WritePlan, defaultLocale: string): Protection {
  const decision = decidedResult(plan);
  const { type } = plan.target;
  const approved = plan.restores === 'deleted' || type.stages === null ? [] : unapprovable(plan.caller, type);
  return { decision: grantedOf(decision) === null ? 'all' : decision, approved, defaultLocale };
}

/** Whether the links of a write may take targets from documents that the caller may not change. */
export function mayTakeTargets(plan: WritePlan): boolean {
  const { type } = plan.target;
  if (!type.storage.owning.some(({ exclusive }) => exclusive)) return false;
  const { decision, approved } = protectionOf(plan, '');
  return decision !== 'all' || approved.length > 0;
}

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
  if (!mayTakeTargets(plan)) return;
  const protection = protectionOf(plan, defaultLocale);
  const results = await runner.all(links.flatMap((step) => compileTakes(step, protection) ?? []));
  if (results.some(([row]) => row?.['refused'] === true)) throw forbidden();
}
