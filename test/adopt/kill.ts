/** Kills moves at random moments; the next run of the command continues. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Dice } from '../evolution/pairs/dice.ts';
import { snapshot } from '../http/helpers.ts';
import { createDatabase } from '../support/database.ts';
import { type Adopted, adoptedModel, startAdopted } from './app.ts';
import { compare, type Comparison } from './compare.ts';
import { KEY, type Subject } from './prove.ts';

const CHILD = fileURLToPath(new URL('./adopt-child.ts', import.meta.url));
const LOADER = fileURLToPath(new URL('../support/from-source.mjs', import.meta.url));

interface Run {
  /** Time from the start of the command to its end or to the kill, in milliseconds. */
  readonly took: number;
  readonly done: boolean;
}

/** Runs the command in a process, which is killed some milliseconds after the command began. */
async function runUntil(file: string, { database, folder }: Adopted, wait: number | null): Promise<Run> {
  // Plain Node needs the loader in the child, because the child begins with the sources.
  const child = fork(CHILD, [file, KEY, database.url, folder], {
    execArgv: ['--no-warnings', '--import', LOADER],
    env: { ...process.env, JEST_WORKER_ID: '1' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  let [started, done] = [0, false];
  const began = new Promise<void>((resolve) => {
    child.on('message', (word) => {
      if (word === 'started') started = performance.now();
      else done = true;
      resolve();
    });
  });
  await Promise.race([began, gone]);
  if (wait !== null) {
    await Promise.race([sleep(wait), gone]);
    child.kill('SIGKILL');
  }
  await gone;
  return { took: performance.now() - started, done };
}

/**
 * Moves an archive into one database at once. Into another, it moves the archive with kills, and then to the
 * end. All answers must match.
 */
export async function proveKills(
  { world, file }: Subject,
  { times, dice }: { readonly times: number; readonly dice: Dice },
): Promise<Comparison & { readonly killed: number }> {
  const databases = [await createDatabase(), await createDatabase()] as const;
  const model = await adoptedModel(file, KEY);
  const [whole, broken] = [await startAdopted(model, databases[0]), await startAdopted(model, databases[1])];
  try {
    const { took, done } = await runUntil(file, whole, null);
    if (!done) throw new Error('The first move did not end');
    let killed = 0;
    for (let n = 0; n < times; n += 1)
      if (!(await runUntil(file, broken, (dice.below(1000) / 1000) * took)).done) killed += 1;
    const last = await runUntil(file, broken, null);
    const unfinished = last.done ? [] : ['the last run did not end'];
    const { differences, answers } = await compare(broken, world);
    const left = Object.keys(await snapshot(broken)).filter((table) => table.startsWith('content_import'));
    return {
      differences: [...unfinished, ...differences, ...left.map((one) => `${one} is left`)],
      answers,
      killed,
    };
  } finally {
    await whole.close();
    await broken.close();
    for (const database of databases) await database.drop();
  }
}
