/** Approvals of other locales that a write ends, because it changes content that all locales share. */
import { userOf } from '../access/caller.js';
import { unapprovable } from '../access/decide.js';
import type { WriteStep } from './steps.js';
import { isInOtherLocale, type Versions } from './versions.js';
import type { WritePlan } from './write-plan.js';

/** Whether a write may change shared content: values that the caller sent, or a discarded draft. */
function changesSharedContent({ verb, target: { type, everyLocale }, body }: WritePlan): boolean {
  if (!type.localized) return false;
  if (body === null) return verb === 'discardDraft';
  if (everyLocale) return false;
  const { scalars, embedded, relations } = body.values;
  return [scalars, embedded, relations].some((given) =>
    [...given.values()].some(({ attribute }) => !attribute.localized && body.isNamed(attribute)),
  );
}

/** Returns the step that ends approvals, for a caller who cannot approve (protocol 8.41). */
export function endApprovals(plan: WritePlan, { all }: Versions): WriteStep[] {
  const { caller, target, restores = null } = plan;
  const { type } = target;
  if (type.stages === null || restores === 'deleted' || !changesSharedContent(plan)) return [];
  const drafts = all.filter((row) => !row.published && isInOtherLocale(all, target)(row));
  const approved = unapprovable(caller, type);
  if (drafts.length === 0 || approved.length === 0) return [];
  const { initial } = type.stages;
  return [{ kind: 'stage', type, initial, approved, drafts, by: userOf(caller) }];
}
