/**
 * A client that repeats the position of its last response. It must read its own writes, and must never read a state
 * older than one that it has seen, whichever server responds.
 */
import type { Value } from './history.ts';
import { LASTING } from './model.ts';
import type { HttpAnswer, Instance } from './world.ts';

export interface SessionBase {
  readonly instances: readonly Instance[];
  readonly documentIds: readonly string[];
  readonly random: () => number;
  readonly nextToken: () => number;
  /** The latest number of each slot whose write has its response. */
  readonly responded: Map<number, number>;
  /** Whether the client repeats positions. */
  readonly presents: boolean;
}

interface Item extends Value {
  readonly slot: number;
}

/** The body of a former response, for requests with If-None-Match. */
interface Remembered {
  readonly etag: string;
  readonly items: readonly Item[];
}

/** The share of writes. */
const WRITES = 0.3;
/** The share of reads that send the ETag of a former response. */
const CONDITIONAL = 0.3;
/** The share of steps before which the client learns what another one knows, with its positions. */
const MEETINGS = 0.05;

const PRIMARY = 'primary';

const raise = (numbers: Map<number, number>, slot: number, seq: number): unknown =>
  numbers.set(slot, Math.max(seq, numbers.get(slot) ?? 0));

const itemsOf = (body: string): readonly Item[] =>
  [(JSON.parse(body) as { readonly data: Item | readonly Item[] }).data].flat();

export class Session {
  readonly problems: string[] = [];
  readonly counts = { reads: 0, writes: 0, failures: 0 };
  /** The latest number of each slot that the client knows. */
  private readonly seen = new Map<number, number>();
  private positions = new Set<string>();
  private readonly remembered = new Map<string, Remembered>();
  private readonly base: SessionBase;

  constructor(base: SessionBase) {
    this.base = base;
  }

  /** Writes or reads something. Never throws. */
  async step(others: readonly Session[]): Promise<void> {
    const { random, instances, documentIds } = this.base;
    const instance = instances[Math.floor(random() * instances.length)] as Instance;
    const path = `/api/items/${documentIds[Math.floor(random() * LASTING)] ?? ''}`;
    if (random() < MEETINGS) this.meet(others[Math.floor(random() * others.length)] ?? this);
    try {
      if (random() < WRITES) await this.write(instance, path);
      else
        await this.read(instance, random() < 0.5 ? `${path}?fields=slot,token,seq` : '/api/items?sort=slot');
    } catch {
      this.counts.failures += 1;
    }
  }

  private meet({ positions, seen }: Session): void {
    for (const position of positions) this.positions.add(position);
    for (const [slot, seq] of seen) this.learn(slot, seq);
  }

  private learn(slot: number, seq: number): void {
    raise(this.seen, slot, seq);
  }

  private async write(instance: Instance, path: string): Promise<void> {
    const presented = [...this.positions];
    const body = { data: { token: this.base.nextToken() } };
    const answer = await instance.http('PUT', path, { body });
    if (!this.note(answer, presented)) return;
    this.counts.writes += 1;
    for (const { slot, seq } of itemsOf(answer.body)) {
      this.learn(slot, seq);
      raise(this.base.responded, slot, seq);
    }
  }

  private async read(instance: Instance, path: string): Promise<void> {
    const presented = [...this.positions];
    const position = this.base.presents && presented.length > 0 ? presented.join(', ') : null;
    const remembered = this.base.random() < CONDITIONAL ? this.remembered.get(path) : undefined;
    const known = remembered?.etag ?? null;
    // A replica may show a commit before the primary does, which is before the response to its write.
    const responded = new Map(this.base.responded);
    const answer = await instance.http('GET', path, { position, known });
    if (!this.note(answer, presented)) return;
    this.counts.reads += 1;
    const items = answer.status === 304 ? (remembered?.items ?? []) : itemsOf(answer.body);
    if (answer.etag !== null) this.remembered.set(path, { etag: answer.etag, items });
    const by = `GET ${path} of ${instance.name}, ${answer.status}, with position ${position}`;
    for (const { slot, seq } of items) {
      const before = this.seen.get(slot) ?? 0;
      if (seq < Math.min(before, responded.get(slot) ?? 0))
        this.problems.push(`${by}: ${seq} in slot ${slot}, after ${before}`);
      this.learn(slot, seq);
    }
  }

  /** Replaces the positions that a request has presented by that of its response. False for a failure. */
  private note({ status, position, body }: HttpAnswer, presented: readonly string[]): boolean {
    if (status === 200 || status === 304) {
      for (const one of presented) this.positions.delete(one);
      const isBack = this.base.presents && presented.some((one) => one !== PRIMARY && one > (position ?? ''));
      if (isBack) this.problems.push(`status ${status}, position ${position} after ${presented.join(', ')}`);
      this.positions.add(position ?? PRIMARY);
      return true;
    }
    if (status < 500) this.problems.push(`status ${status}: ${body}`);
    this.counts.failures += 1;
    return false;
  }
}
