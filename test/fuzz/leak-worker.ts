/** Sends requests of some callers in a separate process, until its time or number limit. */
import { askOpen, askPair, type Question } from './leak-check.ts';
import { type Coverage, nothing, note } from './leak-coverage.ts';
import { randomFrom } from '../support/random.ts';
import { countQuestions, endless, type Probe } from './leak-probes.ts';
import { connectWorlds, type Pair, type Prepared, schema, type Worlds } from './leak-worlds.ts';
import type { PreparedWriter } from './leak-write-worlds.ts';
import { type WriteFailure, WritePair } from './leak-writes.ts';

/** Work of one process. */
export interface Job {
  readonly prepared: Prepared;
  readonly writers: readonly PreparedWriter[];
  readonly seed: number;
  /** Deadline in the format of `Date.now()`. */
  readonly until: number;
  /** Least time of the requests in milliseconds, even if the applications have started late. */
  readonly least: number;
  /** Number of pairs of reads, and of writes, per caller. */
  readonly requests: number;
  readonly leaky: boolean;
}

export interface Finding {
  /** Findings of the same kind are reported once. */
  readonly kind: string;
  readonly text: string;
}

export interface Done {
  readonly coverage: Coverage;
  readonly findings: readonly Finding[];
}

const COMBINED = 0.1;
const CONTROLS = 2;

const show = (text: string): string =>
  text.length > 1200 ? `${text.slice(0, 1200)}… (${text.length} characters)` : text;

class Run {
  readonly coverage = nothing();
  readonly findings: Finding[] = [];
  private readonly job: Job;
  private readonly until: number;

  constructor(job: Job) {
    this.job = job;
    this.until = Math.max(job.until, Date.now() + job.least);
  }

  private goesOn(asked: number): boolean {
    return asked < this.job.requests && Date.now() < this.until;
  }

  private found(pair: Pair, { path, query, v4 }: Question, problem: string): void {
    this.findings.push({
      kind: `${pair.caller} ${problem.slice(0, 30)}`,
      text: `as ${pair.caller}: GET /api/${path}?${show(query)}${v4 ? ' (v4)' : ''}\n  ${problem}`,
    });
  }

  /** Checks that a request distinguishes the worlds when nothing is hidden. */
  private async control(
    pair: Pair,
    question: Question,
    probe: Probe,
    seen: Map<string, number>,
  ): Promise<void> {
    const times = seen.get(probe.technique) ?? 0;
    if (probe.secret === null || times >= CONTROLS) return;
    seen.set(probe.technique, times + 1);
    this.coverage.control += 1;
    if (await askOpen(pair, question, probe.technique)) this.coverage.detected += 1;
  }

  async reads(pair: Pair, documents: Worlds['documents'], seed: number): Promise<void> {
    const { coverage } = this;
    const asking = {
      schema,
      grants: pair.grants,
      seed,
      documents,
      depth: 3,
      share: () => 1,
      perWay: () => Infinity,
    };
    coverage.matrix += countQuestions(asking);
    const next = randomFrom(seed + 1);
    const seen = new Map<string, number>();
    let last: Probe | null = null;
    let asked = 0;
    for (const probe of endless(asking)) {
      if (!this.goesOn(asked)) return;
      asked += 1;
      const combined: Probe | null = last !== null && next() < COMBINED ? last : null;
      const query = combined === null ? probe.query : `${probe.query}&${combined.query}`;
      const question = { path: probe.path, query, v4: asked % 5 === 0 };
      const { status, tagged, problem } = await askPair(pair, question);
      if (tagged) coverage.tagged += 1;
      coverage.pairs += 1;
      if (combined !== null) coverage.combinations += 1;
      if (status === 200) coverage.answered += 1;
      if (problem !== null) this.found(pair, question, problem);
      note(coverage, pair.caller, probe);
      if (combined === null) await this.control(pair, question, probe, seen);
      last = probe;
    }
  }

  async writes(pair: WritePair): Promise<void> {
    for (let asked = 0; this.goesOn(asked); asked += 1) {
      const failure = await pair.step();
      if (failure !== null) this.findings.push(written(pair.writer, failure));
    }
    this.coverage.writers.set(pair.writer, pair.tally);
  }
}

const bodyOf = (body: unknown): string => (body === undefined ? '' : ` ${JSON.stringify(body)}`);

/** Characters of two texts around their first difference. */
function different(one: string, other: string): readonly [string, string] {
  const at = one.split('').findIndex((character, i) => character !== other[i]);
  const start = Math.max(0, at - 250);
  return [one.slice(start, start + 500), other.slice(start, start + 500)];
}

function written(writer: string, { question, after, answers: [alpha, omega] }: WriteFailure): Finding {
  const { method, type, path, body, condition } = question;
  const before = after.slice(-3).map((one) => `\n  after ${one.method} /api/${one.path}${bodyOf(one.body)}`);
  const [ofAlpha, ofOmega] = different(alpha.body, omega.body);
  return {
    kind: `${writer} ${method} ${type.singularApiId} ${alpha.status} ${omega.status}`,
    text:
      `as ${writer}: ${method} /api/${path}${bodyOf(body)}${bodyOf(condition)}${before.join('')}` +
      `\n  ${alpha.status} ${ofAlpha}\n  ${omega.status} ${ofOmega}`,
  };
}

export async function work(job: Job): Promise<Done> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const { pairs, documents, kept } = await connectWorlds(job.prepared, closing, job.leaky);
    const writers: WritePair[] = [];
    for (const prepared of job.writers) writers.push(await WritePair.start(prepared, closing, job.seed));
    const run = new Run(job);
    await Promise.all([
      ...pairs.map((pair) => run.reads(pair, documents, job.seed)),
      ...writers.map((pair) => run.writes(pair)),
    ]);
    const worlds = pairs.flatMap(({ alpha, omega, open }) => [alpha, omega, open.alpha, open.omega]);
    const clients = new Set([
      ...worlds.map(({ client }) => client),
      ...writers.flatMap((pair) => pair.clients),
    ]);
    for (const { described } of clients) run.coverage.described += described?.counts.described ?? 0;
    run.coverage.kept = kept();
    return { coverage: run.coverage, findings: run.findings };
  } finally {
    for (const close of closing) await close();
  }
}

if (process.send !== undefined && import.meta.filename === process.argv[1]) {
  process.once('message', (job: Job) => {
    void work(job).then(
      (done) => process.send?.(done, () => process.disconnect()),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
