/**
 * Admission control of the connection pool: a bounded number of requests per lane, and a bounded queue. The
 * driver's own queue has no bound and no fairness.
 */
import { LinkedList, type Link } from '../kernel/linked-list.js';
import { runningTime } from '../kernel/running-time.js';

/**
 * Class of work, with its share of slots and its queue. A heavy read may touch any number of documents, a
 * slow one has taken long. The lane `own` has short statements of the library, which are never preempted.
 */
export type Lane = 'own' | 'read' | 'heavy' | 'slow' | 'write';

export interface SlotLimits {
  readonly all: number;
  readonly lanes: Readonly<Record<Lane, number>>;
  readonly waiting: number;
}

/** Slot of a request, which may still wait in the queue. */
export interface Slot extends Link {
  lane: Lane;
  /** Requests with the same key run one at a time. Null for a request without such a bound. */
  readonly key: string | null;
  readonly granted: () => void;
  /** Asks a slow read to release its slot, because its lane exceeds its share while other lanes wait. */
  readonly preempt: () => void;
  state: 'waiting' | 'inside' | 'gone';
  /** Start of the work in running time; infinite until the connection is open. */
  since: number;
  sequence: number;
}

/** Current slots of a lane. */
export interface LaneLoad {
  readonly kind: Lane | 'document';
  readonly active: number;
  readonly waiting: number;
}

interface LaneState {
  active: number;
  readonly waiting: Set<Slot>;
}

/** Milliseconds after which a read counts as slow. */
const SLOW_AFTER = 250;
const CHECK_INTERVAL = 100;

/** Event loop utilization above which slow reads lose slots, and below which they regain them. */
const BUSY = 0.8;
const FREE = 0.6;

const LANES: readonly Lane[] = ['own', 'read', 'heavy', 'slow', 'write'];

/** Divides `most` slots: heavy reads, slow reads and writes leave some to the other lanes. */
export function slotLimitsOf(most: number, slowShare: number, waiting: number): SlotLimits {
  const slow = Math.max(1, Math.floor(most * slowShare));
  const heavy = Math.max(1, most - Math.ceil(slow / 2));
  const write = Math.max(1, most - slow);
  return { all: most, waiting, lanes: { own: most, read: most, heavy, slow, write } };
}

const emptyLane = (): LaneState => ({ active: 0, waiting: new Set() });

export class Admission {
  private active = 0;
  private order = 0;
  private readonly lanes: Readonly<Record<Lane, LaneState>> = {
    own: emptyLane(),
    read: emptyLane(),
    heavy: emptyLane(),
    slow: emptyLane(),
    write: emptyLane(),
  };
  private readonly reads = new LinkedList<Slot>();
  /** Keys of slots that are active or wait in their lane, each with the slots that wait for the same key. */
  private readonly mutexes = new Map<string, Set<Slot>>();
  private timer: NodeJS.Timeout | null = null;
  private reserved = 0;
  private utilization = performance.eventLoopUtilization();

  constructor(private readonly limits: SlotLimits) {}

  /** Grants a slot or queues the request. Returns null when the queue is full. */
  request(lane: Lane, key: string | null, calls: Pick<Slot, 'granted' | 'preempt'>): Slot | null {
    const { granted, preempt } = calls;
    const slot: Slot = {
      lane,
      key,
      granted,
      preempt,
      state: 'waiting',
      since: Number.POSITIVE_INFINITY,
      sequence: (this.order += 1),
      previous: null,
      next: null,
    };
    const mutex = key === null ? undefined : this.mutexes.get(key);
    const hasRoom = mutex === undefined && this.hasRoom(lane);
    const queue = mutex ?? this.lanes[lane].waiting;
    if (!hasRoom && queue.size >= this.limits.waiting) return null;
    if (key !== null && mutex === undefined) this.mutexes.set(key, new Set());
    if (hasRoom) {
      this.grant(slot);
      return slot;
    }
    queue.add(slot);
    this.timer ??= this.startTimer();
    return slot;
  }

  release(slot: Slot): void {
    const { state, lane, key } = slot;
    slot.state = 'gone';
    if (state === 'gone') return;
    if (state === 'inside') {
      this.active -= 1;
      this.lanes[lane].active -= 1;
      this.reads.delete(slot);
    } else {
      this.lanes[lane].waiting.delete(slot);
      // A slot in the queue of its key does not have the key.
      if (key !== null && this.mutexes.get(key)?.delete(slot) === true) return;
    }
    if (key !== null) this.endTurn(key);
    this.grantWaiting();
  }

  /** Slots by lane; `document` has the requests that wait for another one with their key. */
  get load(): readonly LaneLoad[] {
    const keyed = [...this.mutexes.values()].reduce((sum, others) => sum + others.size, 0);
    const lanes = LANES.map((kind) => {
      const { active, waiting } = this.lanes[kind];
      return { kind, active, waiting: waiting.size };
    });
    return [...lanes, { kind: 'document', active: this.mutexes.size, waiting: keyed }];
  }

  private hasRoom(lane: Lane): boolean {
    const share = this.limits.lanes[lane] - (lane === 'slow' ? this.reserved : 0);
    return this.active < this.limits.all && this.lanes[lane].active < Math.max(1, share);
  }

  private grant(slot: Slot): void {
    slot.state = 'inside';
    this.active += 1;
    this.lanes[slot.lane].active += 1;
    if (slot.lane !== 'own' && slot.lane !== 'write') this.reads.add(slot);
    slot.granted();
  }

  /** Gives the key to the next slot that waits for it, which moves to the queue of its lane. */
  private endTurn(key: string): void {
    const others = this.mutexes.get(key);
    this.mutexes.delete(key);
    const [next] = others ?? [];
    if (others === undefined || next === undefined) return;
    others.delete(next);
    this.mutexes.set(key, others);
    this.lanes[next.lane].waiting.add(next);
  }

  /** Grants waiting slots in the order of arrival, while their lanes have room. */
  private grantWaiting(): void {
    // Without a timer the queues are empty.
    if (this.timer === null) return;
    for (;;) {
      let first: Slot | undefined;
      for (const lane of LANES) {
        if (this.lanes[lane].waiting.size === 0 || !this.hasRoom(lane)) continue;
        const [candidate] = this.lanes[lane].waiting;
        if (first === undefined || (candidate !== undefined && candidate.sequence < first.sequence))
          first = candidate;
      }
      if (first === undefined) return;
      this.lanes[first.lane].waiting.delete(first);
      this.grant(first);
    }
  }

  private startTimer(): NodeJS.Timeout {
    return runningTime.after(CHECK_INTERVAL, (now) => this.reclassify(now - SLOW_AFTER));
  }

  /** Moves reads that started before the limit to the slow lane, and preempts the latest beyond its share. */
  private reclassify(limit: number): void {
    this.adaptToLoad();
    const waiting = (lane: Lane): number => this.lanes[lane].waiting.size;
    const others = LANES.reduce((sum, lane) => sum + (lane === 'slow' ? 0 : waiting(lane)), 0);
    const isOver = others + waiting('slow') === 0 && this.mutexes.size === 0;
    this.timer = isOver ? null : this.startTimer();
    if (isOver) return;
    for (const slot of this.reads) {
      if (slot.lane === 'slow' || slot.since > limit) continue;
      this.lanes[slot.lane].active -= 1;
      this.lanes.slow.active += 1;
      slot.lane = 'slow';
    }
    if (others === 0) return;
    const slowOnes = [...this.reads].filter(({ lane }) => lane === 'slow');
    for (const slot of slowOnes.slice(this.limits.lanes.slow)) slot.preempt();
  }

  /** Large responses of slow reads keep the event loop busy: reduces their slots while it is. */
  private adaptToLoad(): void {
    const { utilization } = performance.eventLoopUtilization(this.utilization);
    this.utilization = performance.eventLoopUtilization();
    if (utilization > BUSY) this.reserved = Math.min(this.reserved + 1, this.limits.lanes.slow - 1);
    else if (utilization < FREE) this.reserved = Math.max(0, this.reserved - 1);
    if (utilization < FREE) this.grantWaiting();
  }
}
