/** Admission: slots by lane, the order of the queues, mutexes, and slow reads that give up their slots. */
import { Admission, type Lane, type Slot, slotLimitsOf } from '../../src/pool/admission.ts';
import { useFakeClock } from './fake-clock.ts';

/** Milliseconds after which a running read is certainly classified as slow, if another request waits. */
const SLOW = 400;

describe('slot limits', () => {
  it('leave slots to other lanes than heavy reads, slow reads and writes', () => {
    expect(slotLimitsOf(10, 0.4, 50)).toEqual({
      all: 10,
      waiting: 50,
      lanes: { own: 10, read: 10, heavy: 8, slow: 4, write: 6 },
    });
  });

  it('give each lane at least one slot', () => {
    expect(slotLimitsOf(1, 0.1, 50).lanes).toEqual({ own: 1, read: 1, heavy: 1, slow: 1, write: 1 });
  });
});

describe('admission', () => {
  const clock = useFakeClock();
  let admission: Admission;
  /** Names of the requests that got a slot, and of those that were preempted. */
  let granted: string[];
  let preempted: string[];

  beforeEach(() => {
    clock.utilization = 0;
    granted = [];
    preempted = [];
  });

  const start = (slots: number, { slowShare = 0.4, waiting = 100 } = {}): void => {
    admission = new Admission(slotLimitsOf(slots, slowShare, waiting));
  };
  const request = (name: string, lane: Lane = 'read', key: string | null = null): Slot | null => {
    const [names, preemptedNames] = [granted, preempted];
    return admission.request(lane, key, {
      granted: () => void names.push(name),
      preempt: () => void preemptedNames.push(name),
    });
  };
  /** Requests a slot whose work begins now. */
  const run = (name: string, lane: Lane = 'read'): Slot => {
    const slot = request(name, lane)!;
    slot.since = clock.now;
    return slot;
  };

  it('grants slots until all are occupied', () => {
    start(2);
    for (const name of ['first', 'second', 'third']) request(name);
    expect(granted).toEqual(['first', 'second']);
  });

  it('grants a released slot to the request that has waited longest', () => {
    start(1);
    const first = request('first')!;
    request('second');
    request('third');
    admission.release(first);
    expect(granted).toEqual(['first', 'second']);
  });

  it('counts a slot that is released twice once', () => {
    start(1);
    const first = request('first')!;
    admission.release(first);
    admission.release(first);
    request('second');
    request('third');
    expect(granted).toEqual(['first', 'second']);
  });

  it('keeps the order of arrival across lanes', () => {
    start(1);
    const first = request('first')!;
    request('write', 'write');
    request('read');
    request('own', 'own');
    admission.release(first);
    expect(granted).toEqual(['first', 'write']);
  });

  it.each([
    ['heavy', 8],
    ['slow', 4],
    ['write', 6],
  ] as const)('grants the lane %s at most %d of ten slots', (lane, most) => {
    start(10);
    for (let i = 0; i < 10; i += 1) request(lane, lane);
    expect(granted).toHaveLength(most);
  });

  it('grants a slot to a later read while the lane of an earlier request is full', () => {
    start(3);
    for (const name of ['first write', 'second write', 'third write']) request(name, 'write');
    request('read');
    expect(granted).toEqual(['first write', 'second write', 'read']);
  });

  it('rejects a request when the queue of its lane is full, but not one of another lane', () => {
    start(1, { waiting: 2 });
    request('running');
    expect([request('a'), request('b')].map((slot) => slot?.state)).toEqual(['waiting', 'waiting']);
    expect(request('c')).toBeNull();
    expect(request('write', 'write')?.state).toBe('waiting');
  });

  it('skips a request that has left the queue', () => {
    start(1);
    const first = request('first')!;
    const second = request('second')!;
    request('third');
    admission.release(second);
    admission.release(first);
    expect(granted).toEqual(['first', 'third']);
  });

  describe('with a mutex', () => {
    it('runs requests with the same key one at a time, and others beside them', () => {
      start(4);
      const first = request('first', 'write', 'note')!;
      request('second', 'write', 'note');
      request('other', 'write', 'page');
      expect(granted).toEqual(['first', 'other']);
      admission.release(first);
      expect(granted).toEqual(['first', 'other', 'second']);
    });

    it('occupies no slot while a request waits for its mutex', () => {
      start(2);
      request('first', 'read', 'note');
      request('second', 'read', 'note');
      request('other');
      expect(granted).toEqual(['first', 'other']);
    });

    it('skips a request that has left the queue of its key', () => {
      start(2);
      const first = request('first', 'read', 'note')!;
      const second = request('second', 'read', 'note')!;
      request('third', 'read', 'note');
      admission.release(second);
      admission.release(first);
      expect(granted).toEqual(['first', 'third']);
    });

    it('passes the key on when a request leaves that has it and waits for a slot', () => {
      start(1);
      const first = request('first', 'write', 'note')!;
      const other = request('other', 'write')!;
      const second = request('second', 'write', 'note')!;
      admission.release(first);
      admission.release(second);
      request('third', 'write', 'note');
      admission.release(other);
      expect(granted).toEqual(['first', 'other', 'third']);
    });

    it('runs requests one at a time that arrive while no slot is free', () => {
      start(3);
      const others = ['one', 'two', 'three'].map((name) => request(name)!);
      const first = request('first', 'read', 'note')!;
      request('second', 'read', 'note');
      for (const other of others) admission.release(other);
      expect(granted).toEqual(['one', 'two', 'three', 'first']);
      admission.release(first);
      expect(granted).toEqual(['one', 'two', 'three', 'first', 'second']);
    });

    it('rejects a request when the queue of its key is full', () => {
      start(2, { waiting: 1 });
      request('first', 'read', 'note');
      expect(request('second', 'read', 'note')?.state).toBe('waiting');
      expect(request('third', 'read', 'note')).toBeNull();
    });
  });

  describe('of slow reads', () => {
    it('preempts the latest ones beyond their share while another request waits', async () => {
      start(3);
      for (const name of ['first', 'second', 'third']) run(name);
      request('waiting');
      await clock.advance(SLOW);
      // The share of slow reads is one slot of three.
      expect([...new Set(preempted)]).toEqual(['second', 'third']);
    });

    it('preempts none of them while no other request waits', async () => {
      start(3);
      for (const name of ['first', 'second', 'third']) run(name);
      await clock.advance(SLOW);
      expect(preempted).toEqual([]);
    });

    it('preempts none before 250 ms', async () => {
      start(3);
      for (const name of ['first', 'second', 'third']) run(name);
      request('waiting');
      await clock.advance(240);
      expect(preempted).toEqual([]);
    });

    it('does not count the time in which a read waits for its connection', async () => {
      start(2);
      request('connecting');
      request('connecting too');
      request('waiting');
      await clock.advance(SLOW);
      expect(preempted).toEqual([]);
    });

    it('preempts neither writes nor statements of the library', async () => {
      start(4);
      for (const name of ['a', 'b']) run(name, 'write');
      for (const name of ['c', 'd']) run(name, 'own');
      request('waiting');
      await clock.advance(SLOW);
      expect(preempted).toEqual([]);
    });

    it('moves them to the slow lane, so that a waiting heavy read gets a slot', async () => {
      start(4);
      for (const name of ['first', 'second', 'third']) run(name, 'heavy');
      request('fourth', 'heavy');
      expect(granted).not.toContain('fourth');
      await clock.advance(SLOW);
      admission.release(run('any'));
      expect(granted).toContain('fourth');
    });

    it('reduces their slots while the event loop is busy, and restores them', async () => {
      start(10);
      const slots = Array.from({ length: 4 }, (_, i) => run(`slow ${i}`, 'slow'));
      request('waiting', 'slow');
      clock.utilization = 0.9;
      await clock.advance(1000);
      for (const slot of slots.slice(0, 3)) admission.release(slot);
      expect(granted).not.toContain('waiting');
      clock.utilization = 0.1;
      await clock.advance(1000);
      expect(granted).toContain('waiting');
    });
  });
});
