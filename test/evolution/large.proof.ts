/**
 * Migrations of a large type while an application of the earlier release serves: requests wait only briefly,
 * and a migration that was killed continues. `MIGRATION_ROWS=1000000` sets the number of documents, and
 * `npm run proofs -- evolution/large` prints the longest waits.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { migrateContent } from 'nestjs-content-api';
import type { Host } from '../http/helpers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { expectSoon } from '../support/dose.ts';
import { MODELS, type Step } from './large-models.ts';
import { ormOf, start } from './run.ts';

const ROWS = Number(process.env['MIGRATION_ROWS'] ?? 20_000);
/** Milliseconds of traffic before each migration. */
const USUAL = 2000;
const CHILD = fileURLToPath(new URL('./migrate-child.ts', import.meta.url));
const LOADER = fileURLToPath(new URL('../support/from-source.mjs', import.meta.url));

/** Longest waits in milliseconds, and failed requests by status. */
interface Waits {
  readonly longest: Record<Client, number>;
  readonly failed: Record<string, number>;
  /** Path of the write that was under way when the writers of notes paused. */
  late: string | null;
}
type Client = 'readers of notes' | 'writers of notes' | 'readers of tags' | 'writers of tags';

const ADMIN = { 'x-admin': 'yes', 'content-type': 'application/json' };
const body = (data: object): RequestInit => ({
  method: 'PUT',
  headers: ADMIN,
  body: JSON.stringify({ data }),
});

function requestsOf(tag: string): Record<Client, () => readonly [string, RequestInit]> {
  const note = (): string => `d${1 + Math.floor(Math.random() * ROWS)}`;
  return {
    'readers of notes': () => [`/api/notes/${note()}`, { headers: ADMIN }],
    'writers of notes': () => [`/api/notes/${note()}`, body({ text: `written ${Math.random()}` })],
    'readers of tags': () => ['/api/tags', { headers: ADMIN }],
    'writers of tags': () => [`/api/tags/${tag}`, body({ name: `name ${Math.random()}` })],
  };
}

/** Sends requests one after another per kind of client, while `work` runs. */
async function underTraffic(
  host: Host,
  tag: string,
  work: (pause: () => void) => Promise<unknown>,
): Promise<Waits> {
  const waits: Waits = {
    longest: { 'readers of notes': 0, 'writers of notes': 0, 'readers of tags': 0, 'writers of tags': 0 },
    failed: {},
    late: null,
  };
  let isDone = false;
  let isPaused = false;
  const clients = Object.entries(requestsOf(tag)) as [Client, () => readonly [string, RequestInit]][];
  const running = clients.map(async ([client, request]) => {
    while (!isDone && !(isPaused && client === 'writers of notes')) {
      const [path, init] = request();
      const from = performance.now();
      const { status } = await fetch(`${host.url}${path}`, init);
      waits.longest[client] = Math.max(waits.longest[client], performance.now() - from);
      if (isPaused && client === 'writers of notes') waits.late = path;
      if (status >= 400) waits.failed[`${client} ${status}`] = (waits.failed[`${client} ${status}`] ?? 0) + 1;
    }
  });
  try {
    await work(() => (isPaused = true));
  } finally {
    isDone = true;
    await Promise.all(running);
  }
  return waits;
}

const begin = (database: TestDatabase, step: Step): ChildProcess =>
  fork(CHILD, [database.url, step], {
    execArgv: ['--no-warnings', '--import', LOADER],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

async function migrate(
  database: TestDatabase,
  step: Step,
  beforeStep = (): void => undefined,
): Promise<void> {
  const child = begin(database, step);
  child.on('message', (word) => {
    if (word === 1) beforeStep();
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`The migration ended with ${String(code)}`);
}

/** Kills a migration after half of its batches. Returns whether it was still running. */
async function kill(database: TestDatabase, step: Step): Promise<boolean> {
  const child = begin(database, step);
  const exit = once(child, 'exit');
  let isDone = false;
  child.on('message', (word) => {
    if (word === 'done') isDone = true;
    else if (Number(word) >= 0.5) child.kill('SIGKILL');
  });
  await exit;
  return !isDone;
}

describe(`a migration of ${ROWS} documents under traffic`, () => {
  let database: TestDatabase;
  let host: Host;
  let tag: string;

  beforeAll(async () => {
    database = await createDatabase();
    const model = MODELS['the first model'];
    host = await start(database, model);
    await migrateContent({ orm: ormOf(host), model });
    await host.sql(
      `insert into notes (document_id, created_at, updated_at, published_at, published, locale, title, text, score, revision)
       select 'd' || n, now(), now(), now(), true, 'en', 'Title ' || n, repeat('text ', 20), n % 1000, n
       from generate_series(1, $1::int) n`,
      [ROWS],
    );
    await host.sql('vacuum analyze notes');
    const made = await fetch(`${host.url}/api/tags`, { ...body({ name: 'a' }), method: 'POST' });
    ({
      data: { documentId: tag },
    } = (await made.json()) as { data: { documentId: string } });
  }, 600_000);
  afterAll(async () => {
    await host.close();
    await database.drop();
  });

  const steps: readonly [Step, kills: boolean][] = [
    ['a column is renamed', false],
    ['a required attribute with a default is added', false],
    ['an integer becomes a string', true],
    ['drafts are switched on', true],
  ];

  it.each(steps)(
    '%s: writers of other types wait at most a second, readers of the type at most two',
    async (step, kills) => {
      // On a busy machine, requests also wait without a migration.
      const usual = await underTraffic(host, tag, () => sleep(USUAL));
      const busy = 2 * Math.max(...Object.values(usual.longest));
      let seconds = 0;
      const { longest, failed, late } = await underTraffic(host, tag, async (pause) => {
        if (kills) expect(await kill(database, step)).toBe(true);
        const from = performance.now();
        // Processes of the earlier release do not write drafts, so those would be outdated.
        await migrate(database, step, step === 'drafts are switched on' ? pause : undefined);
        seconds = (performance.now() - from) / 1000;
      });
      const shown = Object.entries(longest).map(([client, wait]) => `${client} ${wait.toFixed(0)} ms`);
      const told = `${shown.join(', ')}; usually ${(busy / 2).toFixed(0)} ms; ${JSON.stringify(failed)}`;
      console.info(`${step}: ${seconds.toFixed(1)} s; ${told}`);
      expectSoon(longest['writers of tags'], 1000 + busy);
      expectSoon(longest['readers of tags'], 1000 + busy);
      expectSoon(longest['readers of notes'], 2000 + busy);
      expect(Object.keys(failed).filter((one) => one.includes('tags'))).toEqual([]);
      await host.close();
      host = await start(database, MODELS[step]);
      // The earlier release may have published this write without a draft.
      if (late !== null) await fetch(`${host.url}${late}`, body({ text: 'written again' }));
      const { data } = (await (await fetch(`${host.url}/api/notes/d7`, { headers: ADMIN })).json()) as {
        data: Record<string, unknown>;
      };
      expect(data).toMatchObject({ documentId: 'd7', headline: 'Title 7' });
      expect(await host.sql('select count(*)::int as n from content_model')).toEqual([{ n: 1 }]);
    },
    3_600_000,
  );

  it('has lost no value and no write in the end', async () => {
    const [row] = await host.sql(
      `select count(*) filter (where published)::int as published, count(*) filter (where not published)::int as drafts,
         count(*) filter (where kind = 'plain' and score = (((substr(document_id, 2))::int) % 1000)::text)::int as whole
       from notes`,
    );
    expect(row).toEqual({ published: ROWS, drafts: ROWS, whole: 2 * ROWS });
    const differing = await host.sql(
      `select p.document_id from notes p join notes d using (document_id, locale)
       where p.published and not d.published and row(p.headline, p.text, p.score, p.kind, p.revision)
         is distinct from row(d.headline, d.text, d.score, d.kind, d.revision)`,
    );
    expect(differing).toEqual([]);
    const left = await host.sql(
      `select attname as name from pg_attribute where attrelid = 'notes'::regclass and attname like 'content%'
       union all select tgname from pg_trigger where tgname like 'content_ahead%'
       union all select proname from pg_proc where proname like '%content_ahead%'`,
    );
    expect(left).toEqual([]);
  });
});
