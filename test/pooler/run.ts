/**
 * Two processes behind PgBouncer, with mixed reads and writes: responses of each client, and rows of the
 * tables.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { keepsStatements, PgBouncer, type PgBouncerOptions } from './pgbouncer.ts';

export interface PoolerCase {
  readonly name: string;
  readonly pgbouncer: PgBouncerOptions;
  /** Options of the content module. */
  readonly options: object;
  /** Whether content is served; otherwise the start reports the reason. */
  readonly works: boolean;
  /** Part of a warning that both processes log at their start; null where they log none about poolers. */
  readonly warning: string | null;
}

const SETTINGS = ['options', 'statement_timeout'];
const REFUSED = 'A pooler refuses settings that come with a connection';
const NAMES_LOST = 'A connection pooler in transaction mode does not keep prepared statements';

/** Only for versions that can keep statements. */
const KEPT_STATEMENTS: PoolerCase = {
  name: 'transaction mode, statements kept by PgBouncer',
  // Fewer than the processes have: PgBouncer closes and prepares some again.
  pgbouncer: { mode: 'transaction', size: 4, ignores: SETTINGS, prepared: 5 },
  options: {},
  works: true,
  warning: null,
};

/** Each mode with default options, and with those of `docs/options.md`. */
export const CASES: readonly PoolerCase[] = [
  ...(keepsStatements ? [KEPT_STATEMENTS] : []),
  {
    name: 'transaction mode, default options',
    pgbouncer: { mode: 'transaction', size: 4, ignores: [] },
    options: {},
    works: false,
    warning: REFUSED,
  },
  {
    name: 'transaction mode, settings ignored',
    pgbouncer: { mode: 'transaction', size: 4, ignores: SETTINGS },
    options: {},
    works: true,
    warning: NAMES_LOST,
  },
  {
    name: 'transaction mode, preparedStatements: false',
    pgbouncer: { mode: 'transaction', size: 4, ignores: [] },
    options: { preparedStatements: false },
    works: true,
    warning: null,
  },
  {
    name: 'session mode, default options',
    pgbouncer: { mode: 'session', size: 24, ignores: [] },
    options: {},
    works: false,
    warning: REFUSED,
  },
  {
    name: 'session mode, settings ignored',
    pgbouncer: { mode: 'session', size: 24, ignores: SETTINGS },
    options: {},
    works: true,
    warning: null,
  },
];

/** Under Jest, instances run the sources; under npm, the build. */
const LOADER =
  process.env.JEST_WORKER_ID === undefined
    ? []
    : ['--import', new URL('../support/from-source.mjs', import.meta.url).href];

interface Instance {
  readonly url: string;
  readonly log: () => string;
  stop(): Promise<void>;
}

async function startInstance(databaseUrl: string, options: object): Promise<Instance> {
  const child: ChildProcess = fork(
    join(import.meta.dirname, 'instance.ts'),
    [databaseUrl, JSON.stringify(options)],
    { execArgv: ['--no-warnings', ...LOADER], silent: true },
  );
  let log = '';
  child.stdout?.on('data', (bytes: Buffer) => (log += String(bytes)));
  child.stderr?.on('data', (bytes: Buffer) => (log += String(bytes)));
  const url = await new Promise<string>((done, fail) => {
    child.once('message', (message) => done(message as string));
    child.once('exit', () => fail(new Error(`An instance has ended: ${log}`)));
  });
  return {
    url,
    log: () => log,
    stop: async () => {
      const ended = new Promise((done) => child.once('exit', done));
      child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

export interface PoolerOutcome {
  readonly reads: number;
  readonly writes: number;
  /** Responses other than 200 and 201, by status. */
  readonly refused: Readonly<Record<string, number>>;
  /** Each violation in one line. */
  readonly problems: readonly string[];
}

/** Runs a case for some seconds on a database that has the tables of `types.ts`. */
export async function runCase(
  databaseUrl: string,
  each: PoolerCase,
  seconds: number,
): Promise<PoolerOutcome> {
  const bouncer = await PgBouncer.start(databaseUrl, each.pgbouncer);
  const instances: Instance[] = [];
  try {
    for (let i = 0; i < 2; i += 1) instances.push(await startInstance(bouncer.url, each.options));
    const load = new Load(
      each,
      instances.map(({ url }) => url),
    );
    await load.run(seconds);
    await load.compare(databaseUrl);
    for (const { log } of instances) load.checkLog(log());
    return load;
  } finally {
    for (const instance of instances) await instance.stop();
    await bouncer.stop();
  }
}

/** Paths of the clients: the first process has one type, the second another, both a third one. */
const PATHS = [
  ['plains', 'shareds'],
  ['secrets', 'shareds'],
] as const;
const CLIENTS = 6;

class Load implements PoolerOutcome {
  reads = 0;
  writes = 0;
  readonly refused: Record<string, number> = {};
  readonly problems: string[] = [];
  /** Titles of acknowledged documents, by path. */
  private readonly acknowledged = new Map<string, Set<string>>();

  private readonly each: PoolerCase;
  private readonly urls: readonly string[];

  constructor(each: PoolerCase, urls: readonly string[]) {
    this.each = each;
    this.urls = urls;
  }

  async run(seconds: number): Promise<void> {
    const until = Date.now() + seconds * 1000;
    const clients = this.urls.flatMap((url, at) =>
      (PATHS[at] ?? []).flatMap((path) =>
        Array.from({ length: CLIENTS / 2 }, (_, i) =>
          this.client(`${url}/api/${path}`, `${path} ${at} ${i}`, until),
        ),
      ),
    );
    await Promise.all(clients);
    if (this.each.works !== this.writes > 0)
      this.problems.push(`${this.writes} writes where content is ${this.each.works ? '' : 'not '}served`);
  }

  /** Writes, changes and reads documents of one path, whose titles begin with the path. */
  private async client(url: string, title: string, until: number): Promise<void> {
    const [path = ''] = title.split(' ');
    const titles = this.acknowledged.get(path) ?? new Set();
    this.acknowledged.set(path, titles);
    for (let i = 0; Date.now() < until; i += 1) {
      const own = `${title} ${i}`;
      const made = await this.send(url, 'POST', { title: own, count: i });
      if (made !== null) {
        titles.add(own);
        this.check(path, [made], own);
        const changed = await this.send(`${url}/${made.documentId}`, 'PUT', { count: i + 1 });
        if (changed !== null) this.check(path, [changed], own);
      }
      for (let page = 1; page <= 3; page += 1) {
        const listed = await this.list(
          `${url}?sort=id:desc&pagination[page]=${page}&pagination[pageSize]=10`,
        );
        this.check(path, listed, null);
      }
    }
  }

  private check(path: string, documents: readonly Shown[], title: string | null): void {
    for (const shown of documents) {
      const isRight = shown.title.startsWith(`${path} `) && (title === null || shown.title === title);
      if (!isRight) this.problems.push(`a response of ${path} shows "${shown.title}"`);
    }
  }

  private async send(url: string, method: string, data: object): Promise<Shown | null> {
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data }),
    });
    const body = (await response.json()) as { data: Shown };
    if (!response.ok) return this.refuse(response.status);
    this.writes += 1;
    return body.data;
  }

  private async list(url: string): Promise<readonly Shown[]> {
    const response = await fetch(url);
    const body = (await response.json()) as { data: Shown[] };
    if (!response.ok) return this.refuse(response.status) ?? [];
    this.reads += 1;
    return body.data;
  }

  private refuse(status: number): null {
    this.refused[status] = (this.refused[status] ?? 0) + 1;
    if (status !== 503 || this.each.works) this.problems.push(`a response has the status ${status}`);
    return null;
  }

  /** Checks that every acknowledged document is in its table once, and no other one is. */
  async compare(databaseUrl: string): Promise<void> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    for (const [path, titles] of this.acknowledged) {
      const { rows } = await client.query<{ title: string }>(`select title from ${path}`);
      const stored = rows.map(({ title }) => title);
      const foreign = stored.filter((title) => !title.startsWith(`${path} `));
      const lost = [...titles].filter((title) => !stored.includes(title));
      const doubled = stored.length - new Set(stored).size;
      if (foreign.length + lost.length + doubled > 0)
        this.problems.push(
          `${path}: ${foreign.length} foreign rows, ${lost.length} lost, ${doubled} doubled`,
        );
      await client.query(`truncate ${path}`);
    }
    await client.end();
  }

  checkLog(log: string): void {
    const { warning } = this.each;
    if (warning === null ? /pooler/i.test(log) : !log.includes(warning))
      this.problems.push(`the log of the start contains: ${log.trim() || 'nothing'}`);
  }
}

interface Shown {
  readonly documentId: string;
  readonly title: string;
}
