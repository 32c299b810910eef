import { lockStatements } from '../../pool/locks.js';
import { compileStartDrafts } from '../compile/compile-drafts.js';
import { compileSteps } from '../compile/compile-steps.js';
import type { WrittenAnswer } from '../compile/write-shape.js';
import { type Flaw, flawOf } from '../compile/failing.js';
import { AheadRunner } from './ahead-runner.js';
import type { Database } from '../store/database.js';
import type { UniqueValues } from '../store/database-errors.js';
import type { Row, Runner } from '../../pool/runner.js';
import { bodyError } from '../../kernel/errors.js';
import { writtenCoverage } from '../plan/coverage.js';
import type { LoadedState } from '../plan/loaded.js';
import { missingLocks } from '../plan/locks.js';
import type { Lock } from '../../pool/locks.js';
import {
  type BodyWrite,
  checkedValues,
  type PlannedSteps,
  type StepsRequest,
  tellableValues,
  throwProblems,
  VERBS,
  type WriteTools,
} from '../plan/plan-write.js';
import type { WriteValues } from '../plan/plan-values.js';
import type { VersionRow } from '../plan/versions.js';
import type { WritePlan } from '../plan/write-plan.js';
import type { Schema } from '../model/model.js';
import type { ContentSettings } from '../../kernel/settings.js';
import type { Statement } from '../../kernel/sql.js';
import { newDocumentId } from './document-id.js';
import type { Claims } from './generate-uid.js';
import { withHeldValues } from './held-values.js';
import type { ChangedBody, HookRun } from './hook-run.js';
import { InstanceIds } from './instance-ids.js';
import { checkResult, loadedWithRights, mustCheckResult } from './version-rights.js';
import { expectationOf, type FoundState, foundIn, loadedFrom, loadStatement } from './load.js';
import { copiesVersions, type ModelWatch } from './model-watch.js';
import { addStage } from './stage-rights.js';
import { existsForCaller, ownConditionOf } from './document-rights.js';
import { ownConditionOfReads } from './version-tags.js';
import { checkTargets, linksIn, mayTakeTargets } from './taken-targets.js';
import type { PlannedWrite, WriteAdditions } from './write-additions.js';
import { withLocale } from './write-list.js';
import type { ValueLocks } from './value-locks.js';
import type { WriteOptions } from './write-options.js';

export interface WriteBase {
  readonly database: Database;
  readonly schema: Schema;
  readonly settings: ContentSettings;
  readonly model: ModelWatch;
  readonly instanceIds: InstanceIds;
  readonly additions: WriteAdditions;
}

export interface WriteAnswer<T> {
  readonly written: WrittenAnswer | null;
  /**
   * Statements that read the response and fail if there is none, so that they can be sent with the commit.
   * Null if the response must be checked before the commit.
   */
  readonly statements: (documentId: string | null) => readonly Statement[] | null;
  /** `before` are the versions of the document before the write. */
  readonly from: (rows: readonly Row[], before: readonly VersionRow[]) => T;
  readonly failed: (flaw: Flaw) => Error;
  readonly readBack: (runner: Runner, documentId: string | null, before: readonly VersionRow[]) => Promise<T>;
  /** Response if the document does not exist for the caller; throws if that is an error. */
  readonly absent: () => T;
}

export interface WriteRun<T> {
  readonly plan: WritePlan;
  readonly raw: unknown;
  readonly hooks: HookRun;
  readonly replan: (changed: ChangedBody) => Promise<WritePlan>;
  readonly options: WriteOptions;
  readonly answer: WriteAnswer<T>;
}

export interface Attempt {
  readonly base: WriteBase;
  readonly runner: AheadRunner;
  readonly expects: boolean;
  readonly checksTaken: boolean;
  readonly valueLocks: ValueLocks;
  readonly claims: Claims | null;
  readonly values: UniqueValues;
}

/** The stored state differs from the expected one, or a problem was found before the state was loaded. */
export class Unexpected extends Error {}

/** Runs a write. `found` is false, and nothing is written, if its document does not exist for the caller. */
export async function attempt<T>(work: Attempt, write: WriteRun<T>): Promise<WriteResult<T>> {
  try {
    return await perform(work, write);
  } catch (error) {
    throw work.runner.isWaiting || flawOf(error) === 'unexpected' ? new Unexpected() : error;
  }
}

export interface WriteResult<T> {
  readonly answer: T;
  readonly found: boolean;
}

/**
 * Whether no application code runs in the transaction, so that statements may fail on purpose. In a joined
 * transaction, such a failure would abort the application's work, too.
 */
const runsNoHostCode = <T>({ runner }: Attempt, { hooks }: WriteRun<T>): boolean =>
  runner.em === null && !hooks.listening;

async function perform<T>(work: Attempt, write: WriteRun<T>): Promise<WriteResult<T>> {
  const isChecked = mustCheckResult(write.plan) || mayTakeTargets(write.plan);
  const expects = work.expects && runsNoHostCode(work, write) && !isChecked;
  const missing = missingLocks(write.plan.locks, work.runner.held);
  const loaded = await load({ ...work, expects }, write.plan, missing);
  if (!existsForCaller(write.plan, loaded.versions)) {
    const refusals = write.plan.body?.refusals ?? [];
    if (refusals.length > 0) throw bodyError(refusals, []);
    return { answer: write.answer.absent(), found: false };
  }
  const [plan, found] = await changedByHooks(work, write, loaded);
  const planned = await stepsOf(work, { plan, options: write.options }, found);
  const before = loaded.versions.all;
  const writing = { ...planned, plan, versions: found.versions, before, loaded: found };
  return { answer: await writeAndAnswer(work, write, writing), found: true };
}

/** Returns the plan after the hooks, and the state loaded again, because hooks may write themselves. */
async function changedByHooks<T>(
  work: Attempt,
  { plan, raw, hooks, replan }: WriteRun<T>,
  loaded: LoadedState,
): Promise<[WritePlan, LoadedState]> {
  if (!hooks.changesData) return [plan, loaded];
  const changed = await replan(await hooks.before(work.runner, raw));
  return [changed, await load({ ...work, expects: false }, changed, missingLocks(changed.locks, plan.locks))];
}

/**
 * Acquires the locks and loads the state in one round trip. Creates missing drafts first (D29). If the state
 * is predictable, a check of it is sent with the write.
 */
async function load(work: Attempt, plan: WritePlan, locks: readonly Lock[]): Promise<LoadedState> {
  const { base, runner } = work;
  const { settings, instanceIds } = base;
  const needed = plan.body?.instances ?? 0;
  const ids = instanceIds.take(needed);
  const freshIds = ids === null ? InstanceIds.withReserve(needed) : 0;
  const { target, body, caller, precondition } = plan;
  const compares = precondition !== null && target.type.draftAndPublish;
  const coverage = compares ? writtenCoverage(caller, target.type, settings.limits) : null;
  const own = ownConditionOf(plan) ?? ownConditionOfReads(plan);
  const keptIf = base.additions.keptOf(target.type);
  const request = { target, own, coverage, kept: keptIf, body, settings, freshIds };
  const taken = lockStatements(locks);
  const expectation = work.expects ? expectationOf(request) : null;
  if (expectation !== null && ids !== null) {
    runner.ahead([...taken, ...expectation.statements]);
    return loadedFrom(expectation.found, request, ids);
  }
  const loading = loadStatement(request);
  const statements = loading === null ? taken : [...taken, loading];
  const rows = statements.length === 0 ? [] : await runner.load(statements);
  const check = { plan, defaultLocale: settings.defaultLocale };
  const loadedIn = (row: Row | undefined): LoadedState | Promise<LoadedState> => {
    const found = foundIn(row, request);
    const made = (state: FoundState): LoadedState =>
      loadedFrom(state, request, ids ?? instanceIds.keep(found.freshIds, needed));
    return caller.permissions.hasWhere ? loadedWithRights(runner, check, { found, made }) : made(found);
  };
  const loaded = await loadedIn(loading === null ? undefined : rows.at(-1)?.[0]);
  if (copiesVersions(plan, loaded)) base.model.check(loaded.model);
  if (loading === null || plan.body === null || loaded.draftless.size === 0) return loaded;
  const drafts = [...loaded.draftless].map(([type, documentIds]) => compileStartDrafts(type, documentIds));
  return loadedIn((await runner.all([...drafts, loading])).at(-1)?.[0]);
}

/**
 * Returns the steps of a write after its unique values are reserved. If hooks put values into a body for
 * every locale, the locales are planned one after another.
 */
async function stepsOf(
  work: Attempt,
  { plan, options }: Pick<WriteRun<never>, 'plan' | 'options'>,
  loaded: LoadedState,
): Promise<PlannedSteps> {
  const { verb, target, body } = plan;
  const tools = toolsOf(work, options);
  if (body === null) return VERBS[verb].steps({ plan, loaded, writeValues: null }, tools);
  if (!target.everyLocale) {
    const writeValues = await valuesIn(work, { plan, target, body }, loaded);
    return VERBS[verb].steps({ plan, loaded, writeValues }, tools);
  }
  const requests: StepsRequest[] = [];
  for (const found of loaded.each) {
    const locale = found.versions.own?.locale ?? target.locale;
    const one = { ...target, locale, linkLocale: locale, everyLocale: false };
    try {
      const writeValues = await valuesIn(work, { plan, target: one, body }, found);
      requests.push({ plan: { ...plan, target: one }, loaded: found, writeValues });
    } catch (error) {
      throw withLocale(error, one.locale);
    }
  }
  const writes = requests.some(({ writeValues }) => hasValues(writeValues));
  if (!writes) return VERBS[verb].steps({ plan, loaded, writeValues: null }, tools);
  const steps = requests.flatMap((request) => VERBS[verb].steps(request, tools).steps);
  return { documentId: loaded.versions.documentId, steps };
}

const hasValues = (written: WriteValues | null): boolean =>
  written !== null && written.values.size + written.lists.size > 0;

const toolsOf = ({ base }: Attempt, options?: WriteOptions): WriteTools => ({
  strictRelations: base.settings.strictRelations,
  newDocumentId,
  documentId: options?.documentId ?? null,
  createdAt: options?.createdAt ?? null,
  createdBy: options?.createdBy,
});

interface PlannedBody extends BodyWrite {
  readonly plan: WritePlan;
}

async function valuesIn(work: Attempt, write: PlannedBody, loaded: LoadedState): Promise<WriteValues> {
  const { caller, restores = null } = write.plan;
  const { defaultLocale } = work.base.settings;
  const staging = { write: { ...write, restores }, loaded, caller, defaultLocale };
  const planned = checkedValues(staging.write, loaded, toolsOf(work));
  const checked = write.target.type.stages === null ? planned : await addStage(work.runner, staging, planned);
  // The documents that the body references are not loaded yet: a second attempt reports all problems.
  if (work.runner.isWaiting) throwProblems(checked);
  const writeValues = await withHeldValues(work.runner, { ...work, ...write, loaded, checked });
  for (const [attribute, said] of tellableValues(write, writeValues)) work.values.set(attribute, said);
  return writeValues;
}

/** Writes and responds; in one round trip with the commit, unless application code must run between. */
async function writeAndAnswer<T>(
  work: Attempt,
  write: WriteRun<T>,
  {
    before,
    loaded,
    ...planned
  }: PlannedWrite & {
    readonly before: readonly VersionRow[];
    readonly loaded: LoadedState;
  },
): Promise<T> {
  const { documentId, steps } = planned;
  const { base, runner } = work;
  const { hooks, answer } = write;
  const added = base.additions.of(planned);
  const following = base.additions.after(planned);
  const check = { plan: planned.plan, defaultLocale: base.settings.defaultLocale };
  const isLimited = mustCheckResult(planned.plan);
  await checkTargets(runner, check, linksIn(steps));
  const alone = runsNoHostCode(work, write) && !isLimited;
  const written = compileSteps(steps, alone ? answer.written : null);
  const statements = [...added, ...written.statements];
  const others = (): readonly Statement[] | null => (alone ? answer.statements(documentId) : null);
  const answering = written.answers ? [] : others();
  if (answering !== null) {
    const every = [...statements, ...answering];
    return answer.from(
      await readAnswer({ runner, answer, at: every.length - 1 }, [...every, ...following]),
      before,
    );
  }
  await runner.write([...statements, ...following]);
  if (isLimited) await checkResult(runner, check, { documentId, loaded });
  await hooks.after(runner, documentId);
  return answer.readBack(runner, documentId, before);
}

interface Answering<T> {
  readonly runner: Runner;
  readonly answer: WriteAnswer<T>;
  /** Index of the statement that returns the response. */
  readonly at: number;
}

async function readAnswer<T>(
  { runner, answer: { failed }, at }: Answering<T>,
  statements: readonly Statement[],
): Promise<readonly Row[]> {
  try {
    return (await runner.finish(statements))[at] ?? [];
  } catch (error) {
    const flaw = flawOf(error);
    throw flaw === null || flaw === 'unexpected' ? error : failed(flaw);
  }
}
