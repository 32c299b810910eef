/** Writes of one transaction: all of them or none. */
import { inThisContext } from '../../kernel/async-context.js';
import { ContentError, isTaken } from '../../kernel/errors.js';
import { lockStatements } from '../../pool/locks.js';
import type { Lock } from '../../pool/locks.js';
import type { Runner } from '../../pool/runner.js';
import { rowsLockOf, mutexOf } from '../plan/locks.js';
import type { TransactionOptions } from '../store/database.js';
import type { UniqueValues } from '../store/database-errors.js';
import { requireTransaction } from '../store/require-transaction.js';
import { AheadRunner } from './ahead-runner.js';
import { inLockstep } from './lockstep.js';
import { ValueLocks } from './value-locks.js';
import { withIndex } from './write-list.js';
import { type Claims, SameValue } from './generate-uid.js';
import { attempt, Unexpected, type WriteBase, type WriteRun, type WriteResult } from './run-write.js';

type Writes<T> = readonly [WriteRun<T>, ...WriteRun<T>[]];

interface Manner {
  /** Whether the stored state is expected instead of loaded. */
  readonly expects: boolean;
  /** Whether all unique values are checked before the write, if there are several. */
  readonly checksTaken?: boolean;
  /** Whether writes without common locks send their statements together. */
  readonly together?: boolean;
}

/**
 * Runs writes in one transaction, in order, with the `em` and the client of the first. Returns one response
 * each. The error of one rolls back all, and has its `index` in the details if there are several.
 *
 * Several writes run together first, if no hook listens. After an error they run one after another, which
 * tells the write that fails, and all its taken values.
 */
export async function runWrites<T>(base: WriteBase, writes: Writes<T>): Promise<readonly T[]> {
  const values: UniqueValues = new Map();
  const [{ options }] = writes;
  requireTransaction(options.em);
  const isHeard = writes.some(({ hooks }) => hooks.listening);
  // Without a second attempt, the first one checks all unique values.
  const mayRepeat = !isHeard && options.em === undefined;
  const together = writes.length > 1 && mayRepeat;
  let done: WriteResult<T>[] = [];
  const transact = ({ expects, checksTaken = !mayRepeat, together = false }: Manner): Promise<void> =>
    base.database.transaction(
      // A batch may call this from the context of another request.
      inThisContext(async (runner: Runner) => {
        done = [];
        const claims: Claims | null = together ? new Map() : null;
        const valueLocks = ValueLocks.of(runner.em, writes.length);
        const shared = { base, values, expects, checksTaken, claims, valueLocks };
        const open = await openFor(runner, writes);
        const one = (write: WriteRun<T>, through: Runner): Promise<WriteResult<T>> => {
          const holding = writes.length === 1 ? through : { ...through, held: write.plan.locks };
          return attempt({ ...shared, runner: new AheadRunner(holding) }, write);
        };
        if (together) done = await inLockstep(open, writes, { locksOf: locksAmongWrites, work: one });
        else for (const write of writes) done.push(await one(write, open));
      }),
      { values, ...traitsOf(writes) },
    );
  await transact({ expects: true, together })
    .catch((error: unknown) => {
      // The second attempt loads the stored state and reports the exact problem.
      if (error instanceof Unexpected) return transact({ expects: false, together });
      const given = [...values.values()].filter((said) => (said?.value ?? null) !== null);
      if (!together && mayRepeat && isTaken(error) && given.length > 1)
        return transact({ expects: false, checksTaken: true });
      throw error;
    })
    .catch((error: unknown) => {
      if (together && isFaultOfWrite(error)) return transact({ expects: false, checksTaken: true });
      throw error;
    })
    .catch((error: unknown) => {
      const index = done.length;
      throw writes.length > 1 && index < writes.length ? withIndex(index, error) : error;
    });
  if (isHeard)
    for (const [i, { hooks }] of writes.entries())
      if (done[i]?.found === true) await hooks.committed(options.em);
  return done.map(({ answer }) => answer);
}

/**
 * Locks of a write among those of its transaction. A write that may change the rows of its document must not
 * run at the same time, since both load their state first.
 */
function locksAmongWrites<T>({ plan: { target, locks } }: WriteRun<T>): readonly Lock[] {
  const rows = rowsLockOf(target.type, target.documentId);
  return rows === null ? locks : [...locks, { name: rows, exclusive: false }];
}

/** Whether an error is the fault of a write, not of the connection or the load. */
const isFaultOfWrite = (error: unknown): boolean =>
  error instanceof Unexpected ||
  error instanceof SameValue ||
  (error instanceof ContentError && error.status < 500);

function traitsOf<T>(writes: Writes<T>): Omit<TransactionOptions, 'values'> {
  const [{ plan, hooks, options }, ...others] = writes;
  const { type, documentId } = plan.target;
  const kind = `${plan.verb} ${type.uid}`;
  const isOne = others.length === 0;
  return {
    retryOn: writes.flatMap((write) => write.plan.target.type.storage.contended),
    shared: writes.some((write) => write.hooks.insideTransaction),
    mutex: isOne ? mutexOf(type, documentId) : null,
    disconnect: options.disconnect ?? null,
    together:
      isOne && !hooks.listening ? { locks: plan.locks, rows: rowsLockOf(type, documentId), kind } : null,
    ...(options.em === undefined ? {} : { joined: options.em }),
  };
}

/**
 * Returns the runner of the writes. For several, and for callers that wait for the locks, it has acquired all
 * locks, and does not commit itself.
 */
async function openFor<T>(runner: Runner, writes: Writes<T>): Promise<Runner> {
  const [{ options }] = writes;
  if (writes.length === 1 && options.locked === undefined) return runner;
  const locks: Lock[] = writes.flatMap(({ plan }) => plan.locks);
  const run: Runner['run'] = (statement) => runner.run(statement);
  const all: Runner['all'] = (statements) => runner.all(statements);
  if (locks.length > 0) await all(lockStatements(locks));
  await options.locked?.();
  return { em: runner.em, held: [], run, all, load: all, finish: all };
}
