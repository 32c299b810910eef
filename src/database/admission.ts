/**
 * Who may use a connection now, and who waits. Without it a crowd waits in the pool for ever, behind whoever
 * asks for the most.
 */
import { Chain, type Link } from './chain.js';
import { runningTime } from './running-time.js';

/**
 * What work is, for its share of the places and its queue: a read, one that shows or looks through any number
 * of documents, one that takes long, a write, or a short statement of the library itself, for accounts for
 * example, which is never ended for others.
 */
export type Lane = 'own' | 'read' | 'heavy' | 'slow' | 'write';

/** How many there may be. */
export interface Places {
  /** At one time, all lanes together. */
  readonly all: number;
  /** At one time, by lane. */
  readonly lanes: Readonly<Record<Lane, number>>;
  /** Waiting in one lane. */
  readonly waiting: number;
}

/** Work that has a place, or waits for one. */
export interface Visitor extends Link {
  lane: Lane;
  /**
   * Work with the same key takes turns: one at a time has a place. Null for work that never waits for a turn.
   */
  readonly key: string | null;
  /** Called once, at once or later, when there is a place. */
  readonly enter: () => void;
  /** Asks a read to give its place back, because its lane has more than its share while others wait. */
  readonly bounce: () => void;
  state: 'waiting' | 'inside' | 'gone';
  /** When its work began, in running time; never, while its connection is being opened. */
  since: number;
  order: number;
}

interface LaneState {
  inside: number;
  readonly waiting: Set<Visitor>;
}

/** Reads that have taken so many milliseconds count as slow ones. */
const SLOW_AFTER = 250;
const PATROL = 100;

/** Parts of its time that this process is at work. */
const BUSY = 0.8;
const FREE = 0.6;

const LANES: readonly Lane[] = ['own', 'read', 'heavy', 'slow', 'write'];

/** A place for `most` in all, of which heavy and slow reads, and writes, leave some to others. */
export function placesOf(most: number, slowShare: number, waiting: number): Places {
  const slow = Math.max(1, Math.floor(most * slowShare));
  const heavy = Math.max(1, most - Math.ceil(slow / 2));
  const write = Math.max(1, most - slow);
  return { all: most, waiting, lanes: { own: most, read: most, heavy, slow, write } };
}

const emptyLane = (): LaneState => ({ inside: 0, waiting: new Set() });

export class Admission {
  private inside = 0;
  private order = 0;
  private readonly lanes: Readonly<Record<Lane, LaneState>> = {
    own: emptyLane(),
    read: emptyLane(),
    heavy: emptyLane(),
    slow: emptyLane(),
    write: emptyLane(),
  };
  private readonly reads = new Chain<Visitor>();
  /** Keys that have a place, each with those who wait for their turn. */
  private readonly turns = new Map<string, Set<Visitor>>();
  private patrol: NodeJS.Timeout | null = null;
  /** Places that slow reads do not get for now, because this process has enough to do with their answers. */
  private withheld = 0;
  private utilization = performance.eventLoopUtilization();

  constructor(private readonly places: Places) {}

  /** Lets a visitor in, or has it wait. Null when too many wait already. */
  admit(lane: Lane, key: string | null, calls: Pick<Visitor, 'enter' | 'bounce'>): Visitor | null {
    const { enter, bounce } = calls;
    const visitor: Visitor = {
      lane,
      key,
      enter,
      bounce,
      state: 'waiting',
      since: Number.POSITIVE_INFINITY,
      order: (this.order += 1),
      previous: null,
      next: null,
    };
    const turn = key === null ? undefined : this.turns.get(key);
    if (turn === undefined && this.hasRoom(lane)) {
      this.letIn(visitor);
      return visitor;
    }
    const queue = turn ?? this.lanes[lane].waiting;
    if (queue.size >= this.places.waiting) return null;
    queue.add(visitor);
    this.patrol ??= this.startPatrol();
    return visitor;
  }

  /** Gives a place back, or stops waiting for one. May be called more than once. */
  leave(visitor: Visitor): void {
    const { state, lane, key } = visitor;
    visitor.state = 'gone';
    if (state === 'waiting') {
      this.lanes[lane].waiting.delete(visitor);
      if (key !== null) this.turns.get(key)?.delete(visitor);
    }
    if (state !== 'inside') return;
    this.inside -= 1;
    this.lanes[lane].inside -= 1;
    this.reads.delete(visitor);
    if (key !== null) this.endTurn(key);
    this.callNext();
  }

  private hasRoom(lane: Lane): boolean {
    const share = this.places.lanes[lane] - (lane === 'slow' ? this.withheld : 0);
    return this.inside < this.places.all && this.lanes[lane].inside < Math.max(1, share);
  }

  private letIn(visitor: Visitor): void {
    visitor.state = 'inside';
    this.inside += 1;
    this.lanes[visitor.lane].inside += 1;
    if (visitor.lane !== 'own' && visitor.lane !== 'write') this.reads.add(visitor);
    if (visitor.key !== null) this.turns.set(visitor.key, this.turns.get(visitor.key) ?? new Set());
    visitor.enter();
  }

  /** Those who waited for the turn wait for a place now: the first of them for the next turn. */
  private endTurn(key: string): void {
    const others = this.turns.get(key);
    this.turns.delete(key);
    const [next] = others ?? [];
    if (others === undefined || next === undefined) return;
    others.delete(next);
    this.turns.set(key, others);
    this.lanes[next.lane].waiting.add(next);
  }

  /** The first in line of each lane that has room; whoever came first, first. */
  private callNext(): void {
    // Nobody has waited since the last patrol ended.
    if (this.patrol === null) return;
    for (;;) {
      let first: Visitor | undefined;
      for (const lane of LANES) {
        if (this.lanes[lane].waiting.size === 0 || !this.hasRoom(lane)) continue;
        const [candidate] = this.lanes[lane].waiting;
        if (first === undefined || (candidate !== undefined && candidate.order < first.order))
          first = candidate;
      }
      if (first === undefined) return;
      this.lanes[first.lane].waiting.delete(first);
      this.letIn(first);
    }
  }

  private startPatrol(): NodeJS.Timeout {
    return runningTime.after(PATROL, (now) => this.look(now - SLOW_AFTER));
  }

  /**
   * While others wait, reads that have begun before the limit and turn out slow count as such; beyond their
   * share the latest have to go.
   */
  private look(limit: number): void {
    this.spare();
    const waiting = (lane: Lane): number => this.lanes[lane].waiting.size;
    const others = LANES.reduce((sum, lane) => sum + (lane === 'slow' ? 0 : waiting(lane)), 0);
    const isOver = others + waiting('slow') === 0 && this.turns.size === 0;
    this.patrol = isOver ? null : this.startPatrol();
    if (isOver) return;
    for (const visitor of this.reads) {
      if (visitor.lane === 'slow' || visitor.since > limit) continue;
      this.lanes[visitor.lane].inside -= 1;
      this.lanes.slow.inside += 1;
      visitor.lane = 'slow';
    }
    if (others === 0) return;
    const slowOnes = [...this.reads].filter(({ lane }) => lane === 'slow');
    for (const visitor of slowOnes.slice(this.places.lanes.slow)) visitor.bounce();
  }

  /** Slow reads bring large answers: while they keep the process busy, fewer of them run at a time. */
  private spare(): void {
    const { utilization } = performance.eventLoopUtilization(this.utilization);
    this.utilization = performance.eventLoopUtilization();
    if (utilization > BUSY) this.withheld = Math.min(this.withheld + 1, this.places.lanes.slow - 1);
    else if (utilization < FREE) this.withheld = Math.max(0, this.withheld - 1);
    if (utilization < FREE) this.callNext();
  }
}
