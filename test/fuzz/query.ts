/**
 * `npm run fuzz:query [-- --requests N --seconds N --seed S --concurrency C]`: sends arbitrary query strings
 * to all routes. Each request must return 200 or a 4xx in the common error format in time, without blocking
 * the event loop.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { createDatabase } from '../support/database.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { Client, type Reply } from './apps.ts';
import { describeBudget, readBudget, timeLimit } from './budget.ts';
import { type FuzzRequest, requests, targetOf } from './arbitraries.ts';
import { checkKept } from './kept.ts';
import { problemOf, SLOW } from './oracle.ts';
import { BLOCK, runPure, schema } from './pure.ts';
import type { Measure, Ready } from './server.ts';

const { budget, values } = readBudget({
  name: 'fuzz:query',
  proves: 'Any query string on any route returns 200 or a 4xx in the common error format in time.',
  budget: { requests: 100_000 },
  options: { concurrency: { type: 'string', default: '8' } },
  help: { 'concurrency C': 'requests under way at once (8)' },
});
const { seed } = budget;
/** Large number of requests, so that the time limit ends the run if only seconds are given. */
const runs = Math.min(budget.requests, 2 ** 30);
const concurrency = Number(values['concurrency']);
/** A third of the time for each phase. */
const limit = timeLimit(budget.seconds / 3);
let failures = 0;

const show = (text: string): string =>
  text.length > 1500 ? `${text.slice(0, 1500)}… (${text.length} characters)` : text;

function fail(what: string, request: FuzzRequest, error: string): void {
  failures += 1;
  console.log(
    `\nFAILED: ${what}\n  ${error}\n  ${request.method} /api/${show(request.path)}?${show(request.query)}\n  caller ${request.caller ?? 'public'}${request.v4 ? ', v4' : ''}`,
  );
}

/** Minimum processor time of a few runs, which excludes garbage collection and compilation. */
const pureTime = (request: FuzzRequest): number =>
  Math.min(...Array.from({ length: 4 }, () => runPure(request).milliseconds));

function purePhase(): void {
  const start = performance.now();
  let slowest = 0;
  let statements = 0;
  const property = fc.property(requests(schema), (request) => {
    const { kind, milliseconds: first } = runPure(request);
    const milliseconds = first > BLOCK / 4 ? pureTime(request) : first;
    slowest = Math.max(slowest, milliseconds);
    if (kind === 'statement') statements += 1;
    checkKept(request);
    if (milliseconds > BLOCK) throw new Error(`took ${milliseconds.toFixed(1)} ms of processor time`);
  });
  const result = fc.check(property, { seed, numRuns: runs, ...limit });
  const [request] = result.counterexample ?? [];
  if (request !== undefined) fail('query string → statement', request, String(result.errorInstance));
  console.log(
    `pure: ${result.numRuns} queries, ${statements} became statements, slowest ${slowest.toFixed(1)} ms, ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
}

class Server {
  private readonly client: Client;
  private readonly child: ChildProcess;
  private readonly documents: Ready['documents'];

  private constructor(child: ChildProcess, { url, documents }: Ready) {
    this.child = child;
    this.client = new Client(url, { described: true });
    this.documents = documents;
  }

  static async start(databaseUrl: string, adapter: string): Promise<Server> {
    const script = new URL('./server.ts', import.meta.url).pathname;
    const child = fork(script, [databaseUrl, adapter], {
      execArgv: ['--max-http-header-size=200000', '--no-warnings'],
    });
    const [ready] = (await once(child, 'message')) as [Ready];
    return new Server(child, ready);
  }

  send(request: FuzzRequest): Promise<Reply> {
    const { v4, caller, method } = request;
    const { path, body } = targetOf(request, this.documents);
    const headers = {
      ...(caller === null ? {} : { authorization: `Bearer ${caller}` }),
      ...(v4 ? { 'strapi-response-format': 'v4' } : {}),
    };
    return this.client.get(path, headers, method, body);
  }

  /** Number of responses that were compared with the API description of their caller. */
  get described(): number {
    return this.client.described?.counts.described ?? 0;
  }

  async measure(): Promise<Measure> {
    this.child.send('measure');
    const [measure] = (await once(this.child, 'message')) as [Measure];
    return measure;
  }

  get exited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  stop(): void {
    this.client.close();
    if (!this.exited) this.child.disconnect();
  }
}

/** Event loop delay of a single request, as the minimum of a few runs. */
async function blockAlone(server: Server, request: FuzzRequest): Promise<number> {
  let smallest = Infinity;
  for (let i = 0; i < 4 && smallest > BLOCK; i += 1) {
    await server.measure();
    await server.send(request);
    smallest = Math.min(smallest, (await server.measure()).wall);
  }
  return smallest;
}

/** Duration of a single request, which shows whether it is slow or the machine was busy. */
async function timeAlone(server: Server, request: FuzzRequest | null): Promise<string> {
  if (request === null) return '';
  let smallest = Infinity;
  for (let i = 0; i < 4; i += 1) smallest = Math.min(smallest, (await server.send(request)).milliseconds);
  return `, the same alone ${smallest.toFixed(0)} ms`;
}

async function httpPhase(server: Server, adapter: string, count: number): Promise<void> {
  const statuses = new Map<number, number>();
  let recent: FuzzRequest[] = [];
  let slowest = { milliseconds: 0, request: null as FuzzRequest | null };
  const check = async (request: FuzzRequest): Promise<void> => {
    recent.push(request);
    let reply = await server.send(request);
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    for (let i = 0; i < 3 && reply.milliseconds > SLOW; i += 1) reply = await server.send(request);
    if (reply.milliseconds > slowest.milliseconds) slowest = { milliseconds: reply.milliseconds, request };
    const problem =
      problemOf(reply, request.method) ??
      (reply.milliseconds > SLOW ? `took ${reply.milliseconds.toFixed(0)} ms` : null);
    if (problem !== null) throw new Error(problem);
  };
  const arbitrary = requests(schema);
  const check1 = (numRuns: number, from: number, body: (request: FuzzRequest) => Promise<unknown>) =>
    fc.check(
      fc.asyncProperty(arbitrary, async (request) => void (await body(request))),
      { seed: from, numRuns, ...limit },
    );

  await check1(Math.min(3000, count), seed + 1000, (request) => server.send(request));
  recent = [];
  await server.measure();

  const start = performance.now();
  const max = { wall: 0, cpu: 0, gc: 0, alone: 0, suspects: 0, megabytes: 0 };
  const suspects: FuzzRequest[][] = [];
  let running = true;
  const watch = (async () => {
    while (running) {
      await new Promise((done) => setTimeout(done, 250));
      const window = recent;
      recent = [];
      const measure = await server.measure();
      max.wall = Math.max(max.wall, measure.wall);
      max.cpu = Math.max(max.cpu, measure.cpu);
      max.gc = Math.max(max.gc, measure.gc);
      max.megabytes = Math.max(max.megabytes, measure.megabytes);
      if (measure.wall > BLOCK) suspects.push(window);
    }
  })();
  const each = Math.ceil(count / concurrency);
  const results = await Promise.all(
    Array.from({ length: concurrency }, (_, i) => check1(each, seed + i, check)),
  );
  running = false;
  await watch;
  for (const result of results) {
    const [request] = result.counterexample ?? [];
    if (request !== undefined) fail(`${adapter}, seed ${result.seed}`, request, String(result.errorInstance));
  }
  const seconds = (performance.now() - start) / 1000;
  // Repeats the requests of a blocked period, to exclude the garbage collector and other processes as the
  // cause.
  for (const window of suspects) {
    max.suspects += 1;
    for (const request of window) {
      const alone = await blockAlone(server, request);
      max.alone = Math.max(max.alone, alone);
      if (alone > BLOCK)
        fail('event loop blocked', request, `for ${alone.toFixed(1)} ms, each time when alone`);
    }
  }
  if (server.exited) throw new Error(`the ${adapter} server died`);
  const total = results.reduce((sum, { numRuns }) => sum + numRuns, 0);
  const answers = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, n]) => `${status}: ${n}`)
    .join(', ');
  console.log(`${adapter}: ${server.described} responses compared with the API description`);
  console.log(
    `${adapter}: ${total} requests in ${seconds.toFixed(0)} s (${answers}), slowest ${slowest.milliseconds.toFixed(0)} ms${await timeAlone(server, slowest.request)}`,
  );
  console.log(
    `${adapter}: event loop blocked at most ${max.wall.toFixed(1)} ms by the clock, ${max.cpu.toFixed(1)} ms of processor time per turn, collector ${max.gc.toFixed(1)} ms; ` +
      `${max.suspects} windows over ${BLOCK} ms, longest by a request alone ${max.alone.toFixed(1)} ms; ${max.megabytes} MB`,
  );
}

console.log(`fuzz:query with ${describeBudget(budget)}`);
purePhase();
const postgres = await startPostgres();
try {
  for (const adapter of ['express', 'fastify']) {
    const database = await createDatabase(postgres.url);
    const server = await Server.start(database.url, adapter);
    try {
      await httpPhase(server, adapter, Math.ceil(runs / 2));
    } finally {
      server.stop();
    }
  }
} finally {
  await postgres.stop();
}
console.log(failures === 0 ? 'fuzz:query: passed' : `fuzz:query: ${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;
