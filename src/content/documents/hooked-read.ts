/** Reads with hooks of the host, which may refuse them. */
import type { ReadPlan } from '../plan/plan.js';
import type { Answer } from './answer.js';
import { documentIdIn } from './document-id.js';
import type { ContentReadEvent, Hooks } from './hooks.js';

interface HookedRead {
  readonly plan: ReadPlan;
  readonly by: Pick<ContentReadEvent, 'action' | 'caller' | 'requestId'>;
  readonly hooks: Hooks;
  readonly answer: () => Promise<Answer>;
}

/** Runs the hooks of a read, then the read. A document that is read by its row id is found first. */
export async function hookedRead({ plan, by, hooks, answer }: HookedRead): Promise<Answer> {
  const { kind, type } = plan;
  const isByRowId = kind === 'one' && type.kind === 'collectionType' && plan.documentId === null;
  const documentId = isByRowId ? documentIdIn((await answer()).data) : plan.documentId;
  await hooks.runReadHooks({ type: type.singularApiId, documentId, ...by });
  return answer();
}
