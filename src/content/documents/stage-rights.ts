/** Rights to move a draft to another stage, in the transaction of the write. */
import type { Caller } from '../access/caller.js';
import { decideMove, isOwn } from '../access/decide.js';
import { compileVersionRights } from '../compile/compile-version-rights.js';
import type { LoadedState } from '../plan/loaded.js';
import { type StagedWrite, stageChangeOf, withStage } from '../plan/plan-stage.js';
import type { CheckedValues } from '../plan/plan-write.js';
import type { Runner } from '../../pool/runner.js';
import type { ContentType } from '../model/model.js';

export interface Staging {
  readonly write: StagedWrite;
  readonly loaded: LoadedState;
  readonly caller: Caller;
  readonly defaultLocale: string;
}

const NOTHING = { published: 'none', drafts: 'none' } as const;

/**
 * Whether a caller may move the version to a stage. A condition is about the stored version, so it covers no
 * new one, except the caller's own.
 */
async function mayMove(
  runner: Runner,
  { type, stage }: { readonly type: ContentType; readonly stage: string },
  { loaded: { versions }, caller, defaultLocale }: Staging,
): Promise<boolean> {
  const decision = decideMove(caller, type, stage);
  if (typeof decision === 'string') return decision === 'all';
  const { documentId, own } = versions;
  if (own === undefined) return isOwn(decision) && documentId === null;
  const request = { type, documentId, defaultLocale, written: decision, live: decision, shown: NOTHING };
  const rows = await runner.run(compileVersionRights(request));
  return rows.some(({ id, written }) => Number(id) === own.id && written === true);
}

/** Returns the values of a write with the stage of the version. */
export async function addStage(
  runner: Runner,
  staging: Staging,
  checked: CheckedValues,
): Promise<CheckedValues> {
  const { write, loaded } = staging;
  const change = stageChangeOf(write, loaded);
  if (change === null) return checked;
  const { type } = write.target;
  const may = change.asks === null || (await mayMove(runner, { type, stage: change.asks }, staging));
  return withStage(checked, write, { change, may });
}
