/**
 * The order of every write, whatever it does: lock, load, authorise, hooks, plan, write, hooks, answer,
 * commit, hooks. What nothing stands between goes to the database in one flight: without hooks a write is two
 * of them.
 */
import { locking } from '../compile/compile-locks.js';
import { compileStartDrafts } from '../compile/compile-drafts.js';
import { compileSteps } from '../compile/compile-steps.js';
import type { WrittenAnswer } from '../compile/write-shape.js';
import { type Flaw, flawOf } from '../compile/failing.js';
import { AheadRunner } from '../database/ahead-runner.js';
import type { Database } from '../database/database.js';
import type { UniqueValues } from '../database/database-errors.js';
import type { Row, Runner } from '../database/runner.js';
import { bodyError, ContentError, isTaken } from '../errors.js';
import { writtenCoverage } from '../plan/coverage.js';
import type { Loaded } from '../plan/loaded.js';
import { type Lock, rowsLockOf, turnOf } from '../plan/locks.js';
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
import type { WritePlan } from '../plan/write-plan.js';
import type { Schema } from '../schema/model.js';
import type { ContentSettings } from '../settings.js';
import type { Statement } from '../sql.js';
import { newDocumentId } from './document-id.js';
import { withHeldValues } from './held-values.js';
import type { Changed, HookRun } from './hook-run.js';
import { InstanceIds } from './instance-ids.js';
import { expectationOf, foundIn, loadedFrom, loadStatement } from './load.js';
import { copiesVersions, type ModelWatch } from './model-watch.js';
import { isThere, ownOnly } from './standing.js';
import type { WriteOptions } from './write-options.js';

/** What writes stand on. */
export interface WriteBase {
  readonly database: Database;
  readonly schema: Schema;
  readonly settings: ContentSettings;
  readonly model: ModelWatch;
  readonly instanceIds: InstanceIds;
}

/** How a write is answered. */
export interface WriteAnswer<T> {
  /** Where the statement that writes a row may answer at once; null where another one has to. */
  readonly written: WrittenAnswer | null;
  /**
   * The statements that answer, which fail where there is no answer, so that they may go with the commit;
   * null where one has to look at an answer before it is known whether it is one.
   */
  readonly statements: (documentId: string | null) => readonly Statement[] | null;
  /** The answer, from the rows of the last statement. */
  readonly from: (rows: readonly Row[]) => T;
  /** What a statement that failed says to the client. */
  readonly failed: (flaw: Flaw) => Error;
  readonly look: (runner: Runner, documentId: string | null) => Promise<T>;
}

/** One write. */
export interface WriteRun<T> {
  readonly plan: WritePlan;
  /** The request's body as it came, for hooks; null where it has none. */
  readonly raw: unknown;
  readonly hooks: HookRun;
  /** The plan of what hooks have left of the body. */
  readonly replan: (changed: Changed) => Promise<WritePlan>;
  readonly options: WriteOptions;
  readonly answer: WriteAnswer<T>;
}

/** One attempt at a write, inside its transaction. */
interface Attempt {
  readonly base: WriteBase;
  readonly runner: AheadRunner;
  /** Whether it may count on what can be expected, and fail where that is not so. */
  readonly expects: boolean;
  /** Whether it looks up the values of unique columns, to report all that are taken. */
  readonly looks: boolean;
  /** Filled with what may be said of values that a unique index may refuse. */
  readonly values: UniqueValues;
}

/**
 * Runs a write in one transaction. Null where its document is not there for the caller: nothing has been
 * written then, and no hook has run.
 */
export async function runWrite<T>(
  base: WriteBase,
  write: WriteRun<T>,
): Promise<{ readonly answer: T } | null> {
  const { plan, hooks, options } = write;
  const { type, documentId } = plan.target;
  const values: UniqueValues = new Map();
  const transact = (expects: boolean, looks = false): Promise<{ readonly answer: T } | null> =>
    base.database.transaction((runner) => attempt(startOf({ base, values, expects, looks }, runner), write), {
      values,
      retryOn: type.storage.contended,
      shared: hooks.insideTransaction,
      turn: turnOf(type, documentId),
      hangup: options.hangup ?? null,
      together: hooks.listening
        ? null
        : { locks: plan.locks, rows: rowsLockOf(type, documentId), kind: `${plan.verb} ${type.uid}` },
      ...(options.em === undefined ? {} : { joined: options.em }),
    });
  const done = await transact(true).catch((error: unknown) => {
    // A look at what is there says what is wrong.
    if (error instanceof Unexpected) return transact(false);
    const given = [...values.values()].filter(({ value }) => value !== undefined && value !== null);
    if (isTaken(error) && given.length > 1 && !hooks.listening && options.em === undefined)
      return transact(false, true);
    throw error;
  });
  if (done !== null) await hooks.committed(options.em);
  return done;
}

/** Something is not as a write expected it to be, or is wrong before anybody has looked. */
class Unexpected extends Error {}

const startOf = (start: Omit<Attempt, 'runner'>, runner: Runner): Attempt => ({
  ...start,
  runner: new AheadRunner(runner),
});

async function attempt<T>(work: Attempt, write: WriteRun<T>): Promise<{ readonly answer: T } | null> {
  try {
    return await performed(work, write);
  } catch (error) {
    throw work.runner.isWaiting || flawOf(error) === 'unexpected' ? new Unexpected() : error;
  }
}

/**
 * Whether no code of the host's runs along, so that statements may fail on purpose: in a transaction of the
 * host's that would end it, too.
 */
const isAlone = <T>({ runner }: Attempt, { hooks }: WriteRun<T>): boolean =>
  runner.em === null && !hooks.listening;

async function performed<T>(work: Attempt, write: WriteRun<T>): Promise<{ readonly answer: T } | null> {
  const expects = work.expects && isAlone(work, write);
  const loaded = await load({ ...work, expects }, write.plan, notHeld(write.plan.locks, work.runner.held));
  if (!isThere(write.plan, loaded.versions)) {
    const refusals = write.plan.body?.refusals ?? [];
    if (refusals.length > 0) throw bodyError(refusals, []);
    return null;
  }
  const planned = await stepsOf(work, ...(await changedByHooks(work, write, loaded)));
  return { answer: await writeAndAnswer(work, write, planned) };
}

/** What is wrong in one locale of several says in which. */
const ofLocale = (error: unknown, locale: string): unknown =>
  error instanceof ContentError && error.name === 'ValidationError'
    ? new ContentError(error.name, error.message, { ...error.details, locale })
    : error;

/** What hooks leave of the plan, and what is there after them: they may have written themselves. */
async function changedByHooks<T>(
  work: Attempt,
  { plan, raw, hooks, replan }: WriteRun<T>,
  loaded: Loaded,
): Promise<[WritePlan, Loaded]> {
  if (!hooks.changesData) return [plan, loaded];
  const changed = await replan(await hooks.before(work.runner, raw));
  return [changed, await load({ ...work, expects: false }, changed, notHeld(changed.locks, plan.locks))];
}

/** Locks that are not held yet. */
const notHeld = (locks: readonly Lock[], held: readonly Lock[]): Lock[] =>
  locks.filter(
    ({ name, exclusive }) => !held.some((one) => one.name === name && (one.exclusive || !exclusive)),
  );

/**
 * Waits for the locks and looks, in one flight. Documents without a draft get theirs first (D29). Where it is
 * known what there should be, a look whether it is so goes along with the write.
 */
async function load(work: Attempt, plan: WritePlan, locks: readonly Lock[]): Promise<Loaded> {
  const { base, runner } = work;
  const { settings, instanceIds } = base;
  const needed = plan.body?.instances ?? 0;
  const ids = instanceIds.take(needed);
  const freshIds = ids === null ? InstanceIds.asked(needed) : 0;
  const { target, body, caller, precondition } = plan;
  const compares = precondition !== null && target.type.draftAndPublish;
  const coverage = compares ? writtenCoverage(caller, target.type, settings.limits) : null;
  const request = { target, own: ownOnly(plan), coverage, body, settings, freshIds };
  const taken = locking(locks);
  const expectation = work.expects ? expectationOf(request) : null;
  if (expectation !== null && ids !== null) {
    runner.ahead([...taken, ...expectation.statements]);
    return loadedFrom(expectation.found, request, ids);
  }
  const look = loadStatement(request);
  const statements = look === null ? taken : [...taken, look];
  const rows = statements.length === 0 ? [] : await runner.look(statements);
  const found = foundIn(look === null ? undefined : rows.at(-1)?.[0], request);
  const own = ids ?? instanceIds.keep(found.freshIds, needed);
  const loaded = loadedFrom(found, request, own);
  if (copiesVersions(plan, loaded)) base.model.check(loaded.model);
  if (look === null || plan.body === null || loaded.draftless.size === 0) return loaded;
  const drafts = [...loaded.draftless].map(([type, documentIds]) => compileStartDrafts(type, documentIds));
  return loadedFrom(foundIn((await runner.all([...drafts, look])).at(-1)?.[0], request), request, own);
}

/**
 * What is to be done, once the values that nobody else may have are held: in one go, or where hooks have put
 * values into a body for every locale, in one locale after the other.
 */
async function stepsOf(work: Attempt, plan: WritePlan, loaded: Loaded): Promise<PlannedSteps> {
  const { verb, target, body } = plan;
  const tools = toolsOf(work);
  if (body === null) return VERBS[verb].steps({ plan, loaded, writeValues: null }, tools);
  if (!target.everyLocale) {
    const writeValues = await valuesIn(work, { target, body }, loaded);
    return VERBS[verb].steps({ plan, loaded, writeValues }, tools);
  }
  const requests: StepsRequest[] = [];
  for (const found of loaded.each) {
    const one = { ...target, locale: found.versions.own?.locale ?? target.locale, everyLocale: false };
    try {
      const writeValues = await valuesIn(work, { target: one, body }, found);
      requests.push({ plan: { ...plan, target: one }, loaded: found, writeValues });
    } catch (error) {
      throw ofLocale(error, one.locale);
    }
  }
  const writes = requests.some(({ writeValues }) => hasValues(writeValues));
  if (!writes) return VERBS[verb].steps({ plan, loaded, writeValues: null }, tools);
  const steps = requests.flatMap((request) => VERBS[verb].steps(request, tools).steps);
  return { documentId: loaded.versions.documentId, steps };
}

const hasValues = (written: WriteValues | null): boolean =>
  written !== null && written.values.size + written.lists.size > 0;

const toolsOf = ({ base }: Attempt): WriteTools => ({
  strictRelations: base.settings.strictRelations,
  newDocumentId,
});

/** What a body comes to in one locale. */
async function valuesIn(work: Attempt, write: BodyWrite, loaded: Loaded): Promise<WriteValues> {
  const checked = checkedValues(write, loaded, toolsOf(work));
  // The documents that the body names are not loaded yet: a second attempt reports all problems.
  if (work.runner.isWaiting) throwProblems(checked);
  const { looks } = work;
  const writeValues = await withHeldValues(work.runner, { ...write, loaded, checked, looks });
  for (const [attribute, said] of tellableValues(write, writeValues)) work.values.set(attribute, said);
  return writeValues;
}

/** Writes and answers: in one flight with the commit, where nobody has to look in between. */
async function writeAndAnswer<T>(
  work: Attempt,
  write: WriteRun<T>,
  { documentId, steps }: PlannedSteps,
): Promise<T> {
  const { runner } = work;
  const { hooks, answer } = write;
  const alone = isAlone(work, write);
  const written = compileSteps(steps, alone ? answer.written : null);
  const others = alone ? answer.statements(documentId) : null;
  const answering = written.answers ? [] : others;
  if (answering !== null)
    return answer.from(await answered(runner, [...written.statements, ...answering], answer));
  await runner.all(written.statements);
  await hooks.after(runner, documentId);
  return answer.look(runner, documentId);
}

async function answered<T>(
  runner: Runner,
  statements: readonly Statement[],
  { failed }: WriteAnswer<T>,
): Promise<readonly Row[]> {
  try {
    return (await runner.last(statements)).at(-1) ?? [];
  } catch (error) {
    const flaw = flawOf(error);
    throw flaw === null || flaw === 'unexpected' ? error : failed(flaw);
  }
}
