/** Time limits of a process that can be suspended: only its running time counts. */
import { setTimeout as wait } from 'node:timers/promises';
import { Admission, slotLimitsOf } from '../../src/pool/admission.ts';
import { runningTime } from '../../src/kernel/running-time.ts';
import { TimeoutList } from '../../src/kernel/timeout-list.ts';
import { blockEventLoop } from '../support/block-event-loop.ts';

const TIMEOUT = 400;

describe('time limits', () => {
  const list = new TimeoutList(TIMEOUT);
  let ended: string[] = [];
  const add = (name: string): (() => void) => {
    const timeout = list.add(() => void ended.push(name));
    return () => list.delete(timeout);
  };
  beforeEach(() => {
    ended = [];
  });

  it('end work after its own limit, and not if it is done by then', async () => {
    add('first');
    const done = add('done');
    await wait(TIMEOUT / 2);
    add('second');
    done();
    await wait(TIMEOUT / 2 + 50);
    expect(ended).toEqual(['first']);
    await wait(TIMEOUT / 2);
    expect(ended).toEqual(['first', 'second']);
  });

  it('exclude the time in which the process was suspended, however often', async () => {
    add('asked before');
    for (let times = 0; times < 3; times += 1) {
      blockEventLoop(TIMEOUT + 100);
      add(`asked after ${times}`);
      await wait(20);
    }
    expect(ended).toEqual([]);
    await wait(TIMEOUT + 150);
    expect(ended).toEqual(['asked before', 'asked after 0', 'asked after 1', 'asked after 2']);
  });

  it('exclude the time in which the process was suspended if no work waited for long before', async () => {
    add('done')();
    await wait(TIMEOUT / 2);
    add('asked');
    blockEventLoop(TIMEOUT + 100);
    await wait(20);
    expect(ended).toEqual([]);
    await wait(TIMEOUT);
    expect(ended).toEqual(['asked']);
  });
});

describe('reads in the queue', () => {
  it('are rejected when they are slow, but not after the process was suspended', async () => {
    const bounced: number[] = [];
    const admission = new Admission(slotLimitsOf(2, 0.4, 10));
    const visitors = [1, 2, 3].map((number) => {
      const bounce = (): void => void bounced.push(number);
      return admission.request('read', null, { granted: () => undefined, preempt: bounce });
    });
    for (const waiter of visitors) if (waiter?.state === 'inside') waiter.since = runningTime.now();
    blockEventLoop(500);
    await wait(150);
    expect(bounced).toEqual([]);
    await wait(300);
    expect(bounced).toContain(2);
    for (const waiter of visitors) if (waiter !== null) admission.release(waiter);
  });
});
