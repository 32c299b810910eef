/** A process that dies while it publishes due schedules changes nothing, and another one publishes them. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ContentEvent,
  type ContentService,
  getContentToken,
  OnContentCommitted,
} from 'nestjs-content-api';
import { startBusy } from '../concurrency/app.ts';
import { scheduled } from '../fixtures/scheduled.ts';
import { createDatabase } from '../support/database.ts';
import { lookUntil } from '../support/look-until.ts';

const CHILD = fileURLToPath(new URL('./schedule-child.ts', import.meta.url));
const LOADER = fileURLToPath(new URL('../support/from-source.mjs', import.meta.url));

/** Seconds between polls. */
const OFTEN = 1 / 50;

class Watcher {
  static readonly seen: string[] = [];

  @OnContentCommitted('page', 'publish')
  on({ documentId }: ContentEvent): void {
    Watcher.seen.push(String(documentId));
  }
}

it('8.27 D15 another process publishes once what a killed process has begun to publish', async () => {
  const database = await createDatabase();
  const start = (everySeconds: number, makeTables: boolean) =>
    startBusy({ ...scheduled, schedule: { everySeconds }, database, makeTables, providers: [Watcher] });
  const quiet = await start(0, true);
  const pages = quiet.app.get<ContentService<{ documentId: string }>>(getContentToken('page'), {
    strict: false,
  });
  try {
    const { documentId } = await pages.create({ title: 'Hello' }, { status: 'draft' });
    await pages.schedule(documentId, { publishAt: '2020-01-01T00:00:00Z' });
    const child = fork(CHILD, [database.url], {
      execArgv: ['--no-warnings', '--import', LOADER],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const gone = once(child, 'exit');
    const [message] = (await Promise.race([once(child, 'message'), gone])) as unknown[];
    expect(message).toBe('inside');
    child.kill('SIGKILL');
    await gone;
    expect(await pages.findOne(documentId)).toBeNull();
    expect(await pages.findSchedule(documentId)).toMatchObject({ publishAt: '2020-01-01T00:00:00.000Z' });
    const other = await start(OFTEN, false);
    try {
      await lookUntil(
        () => pages.findOne(documentId),
        (page) => page !== null,
      );
      await sleep(100);
      expect(await pages.findOne(documentId)).toMatchObject({ title: 'Hello' });
    } finally {
      await other.close();
    }
    expect(Watcher.seen).toEqual([documentId]);
    expect(await quiet.sql('select * from content_schedule')).toEqual([]);
  } finally {
    await quiet.close();
    await database.drop();
  }
});
