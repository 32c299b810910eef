/** Writers and deliveries in several processes that are killed, on a server that restarts. */
import { type ChildProcess, fork } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import type { MikroORM } from '@mikro-orm/core';
import {
  CONTENT_ORM,
  ContentModule,
  type ContentService,
  defineCollectionType,
  getContentToken,
} from 'nestjs-content-api';
import pg from 'pg';
import { createDatabase } from '../../support/database.ts';
import { LocalServer } from '../../support/local-server.ts';
import type { PostgresNode } from '../../support/postgres-node.ts';
import type { Done } from './instance.ts';

export interface RunOptions {
  readonly server: PostgresNode;
  readonly writes: number;
  readonly instances: number;
  readonly kills: number;
  readonly restarts: number;
  readonly by: 'log' | 'notify';
  readonly seed: number;
  readonly say: (line: string) => void;
}

export interface RunResult {
  readonly writes: number;
  readonly events: number;
  readonly repeated: number;
  readonly problems: readonly string[];
}

interface Received {
  readonly id: string;
  readonly documentId: string;
}

const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  attributes: { title: { type: 'string' } },
});

class Receiver extends LocalServer {
  readonly at = new Map<string, Received[]>();

  protected respond(text: string, request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    const body = JSON.parse(text) as { id?: string; documentId?: string; entry?: { documentId: string } };
    const id = String(request.headers['webhook-id'] ?? body.id);
    const list = this.at.get(path) ?? [];
    this.at.set(path, list);
    list.push({ id, documentId: body.entry?.documentId ?? body.documentId ?? '' });
    setTimeout(() => response.end(), path === '/slow' ? 2000 : 0);
  }
}

async function prepare(
  databaseUrl: string,
  by: RunOptions['by'],
  sql: (text: string) => Promise<unknown>,
): Promise<void> {
  const app = await NestFactory.createApplicationContext(
    {
      module: class Tables {},
      imports: [ContentModule.forRoot({ contentTypes: [memo], database: { clientUrl: databaseUrl } })],
    },
    { logger: false },
  );
  await app.get<MikroORM>(CONTENT_ORM, { strict: false }).schema.update();
  const memos = app.get<ContentService>(getContentToken('memo'), { strict: false });
  for (let i = 0; i < 20; i += 1) {
    const { documentId } = (await memos.create({ title: 'shared' })) as { documentId: string };
    await sql(`update memos set document_id = 'shared${i}' where document_id = '${documentId}'`);
  }
  if (by === 'notify') {
    await sql(`create function tell() returns trigger language plpgsql as
      $$ begin perform pg_notify('content_event', new.id || ' ' || new.document_id); return new; end $$`);
    await sql('create trigger tell after insert on content_event for each row execute function tell()');
  }
  await app.close();
}

/** Compares the log with the writes, and what was received with the log. */
function compare(
  done: readonly Done[],
  log: readonly { readonly id: string; readonly documentId: string; readonly action: string }[],
  received: ReadonlyMap<string, readonly Received[]>,
  paths: readonly string[],
): { readonly problems: string[]; readonly repeated: number } {
  const problems: string[] = [];
  const key = ({ documentId, action }: { documentId: string | null; action: string }): string =>
    `${documentId ?? '?'} ${action}`;
  const countOf = (list: readonly { documentId: string | null; action: string }[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const one of list) counts.set(key(one), (counts.get(key(one)) ?? 0) + 1);
    return counts;
  };
  const [committed, unknown, logged] = [
    countOf(done.filter((one) => one.committed === true)),
    countOf(done.filter((one) => one.committed === null)),
    countOf(log),
  ];
  const wholly = done.filter((one) => one.committed === null && one.documentId === null).length;
  let strays = 0;
  for (const [what, count] of logged) {
    const least = committed.get(what) ?? 0;
    const most = least + (unknown.get(what) ?? 0);
    if (count < least) problems.push(`${what}: ${least} writes, ${count} events`);
    if (count > most) strays += count - most;
  }
  for (const [what, count] of committed)
    if (!logged.has(what)) problems.push(`${what}: ${count} writes, no event`);
  // Creates without an outcome have no document id, and a killed process reports nothing about its last writes.
  if (strays > wholly + 3 * MAX_UNREPORTED) problems.push(`${strays} events without a write`);
  let repeated = 0;
  for (const path of paths) {
    const list = received.get(path) ?? [];
    const first = [...new Map(list.map((one) => [one.id, one])).keys()];
    repeated += list.length - first.length;
    const ids = new Set(first);
    const lost = log.filter(({ id }) => !ids.has(id));
    if (lost.length > 0)
      problems.push(`${path}: ${lost.length} of ${log.length} events lost, first ${lost[0]?.id ?? ''}`);
    const last = new Map<string, number>();
    const seen = new Set<string>();
    for (const { id, documentId } of list) {
      if (seen.has(id)) continue;
      seen.add(id);
      const n = Number(id.slice(4));
      if ((last.get(documentId) ?? 0) > n) problems.push(`${path}: ${id} of ${documentId} arrived too late`);
      last.set(documentId, n);
    }
    const known = new Set(log.map(({ id }) => id));
    const invented = first.filter((id) => !known.has(id));
    if (invented.length > 0) problems.push(`${path}: ${invented.length} events that were never committed`);
  }
  return { problems, repeated };
}

/** Milliseconds without a delivery after which the run ends, because the events that are left are lost. */
const STUCK = 120_000;

/** Writes of one process whose outcome it may not have reported when it is killed. */
const MAX_UNREPORTED = 20;

export async function runEvents(options: RunOptions): Promise<RunResult> {
  const { server, by, say } = options;
  const database = await createDatabase(server.url);
  const receiver = new Receiver();
  await receiver.start();
  const done: Done[] = [];
  const children: ChildProcess[] = [];
  let seed = options.seed;
  let failed: string | null = null;
  const reach = async (count: number): Promise<void> => {
    while (done.length < count) {
      if (failed !== null) throw new Error(failed);
      await sleep(20);
    }
  };
  const sql = async (text: string): Promise<Record<string, unknown>[]> => {
    for (;;) {
      const client = new pg.Client({ connectionString: database.url });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return (await client.query<Record<string, unknown>>(text)).rows;
      } catch (error) {
        if (!/ECONNREFUSED|terminat|starting up|shutting down/.test(String(error))) throw error;
        await sleep(100);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  };
  // In the negative control one instance listens, as one delivers otherwise.
  const start = (i: number): ChildProcess => {
    const way = by === 'log' || i === 0 ? by : 'mute';
    const child = fork(
      join(import.meta.dirname, 'instance.ts'),
      [database.url, receiver.url, way, String((seed += 1))],
      {
        execArgv: ['--no-warnings', ...process.execArgv],
      },
    );
    child.once('exit', (code) => {
      if (code !== null && code !== 0) failed = `An instance ended with ${code}`;
    });
    child.on('message', (message) => {
      if (typeof message === 'object') done.push(message as Done);
    });
    return child;
  };
  const heard = (child: ChildProcess, what: string): Promise<void> =>
    new Promise((resolve) => {
      child.on('message', (message) => {
        if (message === what) resolve();
      });
      child.once('exit', () => resolve());
    });
  try {
    await prepare(database.url, by, sql);
    for (let i = 0; i < options.instances; i += 1) children.push(start(i));
    await Promise.all(children.map((child) => heard(child, 'ready')));
    const harms = [
      ...Array.from({ length: options.kills }, () => 'kill'),
      ...Array.from({ length: options.restarts }, (_, i) => (i % 2 === 0 ? 'crash' : 'fast')),
    ].sort((a, b) => (`${a}${options.seed}` < `${b}${options.seed}` ? -1 : 1));
    const step = options.writes / (harms.length + 1);
    for (const [i, harm] of harms.entries()) {
      await reach(step * (i + 1));
      say(`${done.length} writes, ${harm}`);
      if (harm === 'kill') {
        const at = i % children.length;
        children[at]?.kill('SIGKILL');
        children[at] = start(at);
        await heard(children[at], 'ready');
      } else {
        await server.halt(harm === 'fast' ? 'fast' : 'crash');
        await sleep(300);
        await server.resume();
      }
    }
    await reach(options.writes);
    for (const child of children) child.send('stop');
    await Promise.all(children.map((child) => heard(child, 'stopped')));
    say(`${done.length} writes, waiting for their events`);
    const names = by === 'log' ? `('webhook healthy', 'handler handler')` : `('none')`;
    let [left, changedAt] = [-1, Date.now()];
    for (; left !== 0 && Date.now() - changedAt < STUCK; await sleep(500)) {
      const [row] = await sql(`select
        (select count(*)::int from content_event_reader r, content_event e where r.name in ${names}
          and not pg_visible_in_snapshot(e.xid, r.base)
          and not coalesce(pg_visible_in_snapshot(e.xid, r.target) and e.id <= r.after, false)) +
        (select count(*)::int from content_event_delivery where reader in ${names}) as left`);
      const now = Number(row?.['left']);
      if (now !== left) [left, changedAt] = [now, Date.now()];
    }
    const log = (await sql(
      `select 'evt_' || id as id, document_id as "documentId", action from content_event order by id`,
    )) as {
      id: string;
      documentId: string;
      action: string;
    }[];
    const { problems, repeated } = compare(
      done,
      log,
      receiver.at,
      by === 'log' ? ['/healthy', '/handler'] : ['/healthy'],
    );
    return { writes: done.length, events: log.length, repeated, problems };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    receiver.stop();
    await database.drop().catch(() => undefined);
  }
}
