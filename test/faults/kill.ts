/** Repeatedly kills a writing process, and checks the documents. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startBusy } from '../concurrency/app.ts';
import { busy } from '../concurrency/model.ts';
import { lookUntil } from '../support/look-until.ts';
import { wholeProblems, writeWhole } from './whole.ts';

const ACTIVE = `select from pg_stat_activity
  where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`;
const script = fileURLToPath(new URL('./kill-child.ts', import.meta.url));

export async function killAndLook(
  times: number,
  random: () => number,
  note: (problems: string[]) => void,
): Promise<void> {
  if (times === 0) return;
  const app = await startBusy(busy);
  try {
    const topics: string[] = [];
    for (let i = 0; i < 7; i += 1)
      topics.push((await app.client.post('/api/topics', { name: `topic ${i}` })).body.data.documentId);
    for (let i = 0; i < 4; i += 1) await writeWhole(app.client, topics, null, 2 * i);
    const transactions = async (): Promise<number> =>
      Number((await app.sql('select txid_snapshot_xmax(txid_current_snapshot()) as n'))[0]?.['n']);
    for (let i = 0; i < times; i += 1) {
      const child = fork(script, [app.database.url], {
        execArgv: ['--no-warnings'],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      await once(child, 'message');
      const before = await transactions();
      await sleep(100 + random() * 500);
      child.kill('SIGKILL');
      await once(child, 'exit');
      // The server notices the end of a connection when it next reads from it.
      await lookUntil(
        () => app.sql(ACTIVE),
        ({ length }) => length === 0,
        4000,
      );
      const problems = await wholeProblems(app.sql);
      // Killed before its first write, which is not a test.
      if ((await transactions()) - before < 10) i -= 1;
      else note(problems);
      const others = await app.sql(
        `select document_id as id from stories group by 1 order by min(id) offset 8`,
      );
      for (const { id } of others) await app.client.delete(`/api/stories/${String(id)}?locale=*`);
    }
  } finally {
    await app.close();
  }
}
