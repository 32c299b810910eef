/** Sends the requests of one tenant to both worlds, and reports every difference and every foreign change. */
import type { Reply } from '../fuzz/apps.ts';
import { maskedTag } from '../fuzz/leak-check.ts';
import { NEW_ROWS } from '../fuzz/restorable.ts';
import { randomFrom } from '../support/random.ts';
import { memberOf, ROLES } from './model.ts';
import { type Asked, type Known, Requests, SHIFT } from './requests.ts';
import { type Prepared, World } from './worlds.ts';

const UNMASKED = ['date', 'x-request-id', 'etag', 'content-length'];
/** Number of requests before both worlds are reset. */
const ROUND = 25;

/** Response in a form that is equal in both worlds: ids and times of new rows are numbered. */
export class Mask {
  private readonly known: ReadonlySet<string>;
  private readonly start = new Date().toISOString();

  constructor({ own, other, shared, files }: Known) {
    this.known = new Set([own, other, shared].flatMap((ids) => Object.values(ids).flat()).concat(files));
  }

  private text(body: string, fresh: Map<string, string>): string {
    const numbered = (id: string): string => {
      if (this.known.has(id)) return id;
      const name = fresh.get(id) ?? `new ${fresh.size}`;
      fresh.set(id, name);
      return name;
    };
    return body
      .replace(/\b[a-z][a-z0-9]{23}\b/g, numbered)
      .replace(/\\"\d+\.\d+\.\d+-\w+\\"/g, '<tag>')
      .replace(/"requestId":"[\w-]+"/g, '"requestId":"<id>"')
      .replace(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g, (time, at: string) => (at < this.start ? time : '"<now>"'))
      .replace(/"id":"?(\d+)"?/g, (id, n: string) =>
        Number(n) >= NEW_ROWS && Number(n) < SHIFT ? '"id":"<new>"' : id,
      );
  }

  /** Masks the transaction, and the time of a version that the run has written. */
  private tag(etag: string): string {
    const start = Date.parse(this.start);
    return maskedTag(etag).replace(/\.(\d{13})-/, (time, at: string) =>
      Number(at) < start ? time : '.now-',
    );
  }

  comparable({ status, headers, body }: Reply, { method }: Asked): string {
    const fresh = new Map<string, string>();
    const text = this.text(body, fresh);
    const shown = Object.entries(headers)
      .filter(([name]) => !UNMASKED.includes(name))
      .map(([name, value]) => [name, this.text(String(value), fresh)])
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
    const tag = method === 'GET' && text === body ? this.tag(String(headers['etag'])) : '';
    return JSON.stringify([status, shown, tag, text]);
  }
}

export interface Tally {
  requests: number;
  accepted: number;
  written: number;
}

export interface Finding {
  readonly role: string;
  readonly question: Asked;
  readonly after: readonly Asked[];
  readonly problem: string;
}

/** One role of the tenant in both worlds. */
export class TenantPair {
  readonly tally: Tally = { requests: 0, accepted: 0, written: 0 };
  private readonly worlds: readonly [World, World];
  private readonly known: Known;
  private readonly roles: readonly string[];
  private readonly mask: Mask;
  private readonly next: () => number;
  private trail: Asked[] = [];

  private constructor({ way, known }: Prepared, worlds: readonly [World, World], seed: number) {
    this.worlds = worlds;
    this.roles = Object.keys(ROLES[way]);
    this.known = known;
    this.mask = new Mask(known);
    this.next = randomFrom(seed);
  }

  static async start(
    prepared: Prepared,
    closing: (() => Promise<unknown>)[],
    seed: number,
  ): Promise<TenantPair> {
    const alpha = await World.start(prepared.alpha, prepared, closing);
    const omega = await World.start(prepared.omega, prepared, closing);
    return new TenantPair(prepared, [alpha, omega], seed);
  }

  /** Sends some requests of one role, and returns the first problem. */
  async round(size = ROUND): Promise<Finding | null> {
    const { roles } = this;
    const role = roles[Math.floor(this.next() * roles.length)] ?? '';
    const [alpha, omega] = this.worlds;
    await Promise.all(this.worlds.map((world) => world.restore()));
    this.trail = [];
    const before = await this.foreign();
    const requests = new Requests(this.next, this.known, () => alpha.created.length);
    for (let n = 0; n < size; n += 1) {
      const question = requests.request();
      const headers = memberOf(role, this.known.own['organisation']?.[0] ?? '');
      const replies = await Promise.all([alpha, omega].map((world) => world.ask(question, headers)));
      const [first, second] = replies.map((reply) => this.mask.comparable(reply, question));
      this.note(question, replies[0]);
      if (first !== second) return this.found(role, question, `${first ?? ''}\n  ${second ?? ''}`);
      this.trail.push(question);
    }
    const problem = changed(before, await this.foreign());
    return problem === null ? null : this.found(role, this.trail.pop() ?? { method: '', path: '' }, problem);
  }

  private note({ method }: Asked, reply: Reply | undefined): void {
    const isAccepted = (reply?.status ?? 500) < 300;
    this.tally.requests += 1;
    if (isAccepted) this.tally.accepted += 1;
    if (isAccepted && method !== 'GET') this.tally.written += 1;
  }

  private found(role: string, question: Asked, problem: string): Finding {
    return { role, question, after: this.trail, problem };
  }

  private foreign(): Promise<readonly Foreign[]> {
    return Promise.all(
      this.worlds.map(async (world) => ({ rows: await world.theirRows(), links: await world.linksToThem() })),
    );
  }
}

interface Foreign {
  readonly rows: ReadonlySet<string>;
  readonly links: ReadonlySet<string>;
}

/** Describes the first change to what belongs to the other tenant. */
function changed(before: readonly Foreign[], after: readonly Foreign[]): string | null {
  for (const [n, { rows, links }] of before.entries()) {
    const now = after[n];
    if (now === undefined) return 'a world is missing';
    const lost = [...rows].find((row) => !now.rows.has(row));
    const gained =
      [...now.rows].find((row) => !rows.has(row)) ?? [...now.links].find((link) => !links.has(link));
    if (lost !== undefined || gained !== undefined)
      return `the other tenant has lost ${lost ?? 'nothing'}\n  and got ${gained ?? 'nothing'}`;
  }
  return null;
}
