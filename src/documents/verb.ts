/** The order of every write, whatever it does: lock, authorise, hooks, work, hooks, answer, commit, hooks. */
import { compileQueue, type Lock } from '../compile/compile-load.js';
import type { Database } from '../database/database.js';
import type { UniqueValues } from '../database/database-errors.js';
import { contendedIndexes } from '../database/entities.js';
import type { Runner } from '../database/runner.js';
import type { Changed, HookRun } from './hook-run.js';
import { turnOf } from './locks.js';
import { isThere, type Target } from './standing.js';
import type { WriteOptions } from './write-options.js';

/** One write: about what, and its own part of the order. */
export interface Verb<T> {
  readonly target: Omit<Target, 'caller'>;
  /** Held before anything is looked at. */
  readonly locks: readonly Lock[];
  /** The request's body, already checked; null where it has none. */
  readonly body: unknown;
  readonly hooks: HookRun;
  /** What may be said of unique attributes that are refused. */
  readonly values: UniqueValues;
  readonly options: WriteOptions;
  /** Writes, and says which document it was. */
  readonly work: (runner: Runner, changed: Changed) => Promise<string | null>;
  readonly answer: (runner: Runner, documentId: string | null) => Promise<T>;
}

/**
 * Runs a write in one transaction. Null where its document is not there for the caller: nothing has run then.
 */
export async function runVerb<T>(database: Database, verb: Verb<T>): Promise<{ readonly answer: T } | null> {
  const { target, locks, hooks, values } = verb;
  const { caller, em, hangup = null } = verb.options;
  const done = await database.transaction(
    async (runner) => {
      if (locks.length > 0) await runner.run(compileQueue(locks));
      if (!(await isThere(runner, { ...target, caller }, hooks.listening))) return null;
      const documentId = await verb.work(runner, await hooks.before(runner, verb.body));
      await hooks.after(runner, documentId);
      return { answer: await verb.answer(runner, documentId) };
    },
    {
      values,
      retryOn: contendedIndexes(target.type),
      shared: hooks.insideTransaction,
      turn: turnOf(target.type, target.documentId),
      hangup,
      ...(em === undefined ? {} : { joined: em }),
    },
  );
  if (done !== null) await hooks.committed(em);
  return done;
}
