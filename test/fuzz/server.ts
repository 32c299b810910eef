/** Server in a separate process, so that event loop measurements cover only the server. */
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { NamedCallers, createTables, startApp, withSql } from './apps.ts';
import { fill } from './content.ts';
import { buildSchema } from './internals.ts';
import { model, OPEN } from './model.ts';

/** First message: the server URL and the document ids of every type. */
export interface Ready {
  readonly url: string;
  readonly documents: Readonly<Record<string, readonly string[]>>;
}

/** Longest event loop delays since the last measurement, in milliseconds. */
export interface Measure {
  /** Wall-clock time, including the time of other processes. */
  readonly wall: number;
  /** Processor time of the main thread between two timer callbacks. */
  readonly cpu: number;
  readonly gc: number;
  readonly megabytes: number;
}

const READ = ['find', 'findOne'] as const;
const WRITE = ['create', 'update', 'delete', 'readDrafts'] as const;

/** All types except `company` and `ledger`; `reader` and unauthenticated callers may not read drafts. */
export const CALLERS = {
  all: Object.fromEntries(OPEN.map((type) => [type, [...READ, ...WRITE]])),
  reader: Object.fromEntries(OPEN.map((type) => [type, READ])),
};

export const fuzzOptions = {
  ...model,
  access: { public: CALLERS.reader },
  auth: { strategies: [new NamedCallers(CALLERS)] },
};

/** Document ids of every type, in order of creation. */
export async function documentsOf(databaseUrl: string): Promise<Ready['documents']> {
  const schema = buildSchema(model.contentTypes, model.components);
  return withSql(databaseUrl, async (sql) => {
    const found: Record<string, string[]> = {};
    for (const type of schema.types.values()) {
      const rows = await sql(`select document_id from "${type.table}" group by 1 order by min(id)`);
      found[type.singularApiId] = rows.map((row) => String(row['document_id']));
    }
    return found;
  });
}

/** Starts the application on an empty database and fills it. */
export async function startFilled(
  databaseUrl: string,
  adapter: 'express' | 'fastify',
): ReturnType<typeof startApp> {
  const running = await startApp(fuzzOptions, databaseUrl, adapter);
  await createTables(running.app);
  await withSql(databaseUrl, (sql) =>
    fill(running.app, sql, buildSchema(model.contentTypes, model.components)),
  );
  return running;
}

const TURN = 4;

function watchLoop(): () => Measure {
  const delay = monitorEventLoopDelay({ resolution: TURN });
  delay.enable();
  let cpu = 0;
  let gc = 0;
  const used = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let last = used();
  setInterval(() => {
    const now = used();
    cpu = Math.max(cpu, now - last);
    last = now;
  }, TURN);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) gc = Math.max(gc, duration);
  }).observe({ entryTypes: ['gc'] });
  return () => {
    const measure = {
      wall: delay.max / 1e6,
      cpu,
      gc,
      megabytes: Math.round(process.memoryUsage.rss() / 1e6),
    };
    delay.reset();
    cpu = 0;
    gc = 0;
    return measure;
  };
}

const [databaseUrl, adapter] = process.argv.slice(2);
if (process.send !== undefined && databaseUrl !== undefined && import.meta.filename === process.argv[1]) {
  const { url } = await startFilled(databaseUrl, adapter === 'fastify' ? 'fastify' : 'express');
  const measure = watchLoop();
  process.on('message', () => process.send?.(measure()));
  process.on('disconnect', () => process.exit(0));
  process.send({ url, documents: await documentsOf(databaseUrl) } satisfies Ready);
}
