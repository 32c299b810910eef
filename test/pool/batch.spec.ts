/** Collection of requests into batches. */
import { Batch, Batcher, type BatchEntry } from '../../src/pool/batch.ts';
import type { SlotRequest } from '../../src/pool/slot-request.ts';
import { useFakeClock } from './fake-clock.ts';

interface Entry extends BatchEntry {
  readonly name: string;
  readonly slot: SlotRequest;
}

/** Entry whose slot counts its ends and releases. */
function entry(name: string): Entry & { readonly calls: string[] } {
  const calls: string[] = [];
  const slot = {
    isOver: false,
    end: () => {
      calls.push('end');
      return (slot.isOver = true);
    },
    release: () => void calls.push('release'),
    fail: () => void calls.push('fail'),
    connected: () => void calls.push('connected'),
  };
  return { name, slot: slot as unknown as SlotRequest, batch: null, calls };
}

describe('a batcher', () => {
  const clock = useFakeClock();
  let batches: (readonly string[])[];
  let batcher: Batcher<string, Entry>;
  beforeEach(() => {
    batches = [];
    batcher = new Batcher({
      maxSize: 3,
      keyOf: ({ name }) => name[0] ?? '',
      fits: ({ name }) => !name.endsWith('!'),
      run: (batch) => void batches.push(batch.waiting.map(({ name }) => name)),
    });
  });
  const add = (...names: readonly string[]): void => {
    for (const name of names) batcher.add(entry(name));
  };

  it('runs a batch when the event loop has processed all requests that have arrived', async () => {
    add('a1', 'a2');
    expect(batches).toEqual([]);
    await clock.settle();
    expect(batches).toEqual([['a1', 'a2']]);
  });

  it('runs a full batch immediately, and once', async () => {
    add('a1', 'a2', 'a3', 'a4');
    expect(batches).toEqual([['a1', 'a2', 'a3']]);
    await clock.settle();
    expect(batches).toEqual([['a1', 'a2', 'a3'], ['a4']]);
  });

  it('runs each request at once if a batch has one at most', () => {
    batcher = new Batcher({
      maxSize: 1,
      keyOf: ({ name }) => name[0] ?? '',
      fits: () => true,
      run: (batch) => void batches.push(batch.waiting.map(({ name }) => name)),
    });
    add('a1', 'a2', 'a3');
    expect(batches).toEqual([['a1'], ['a2'], ['a3']]);
  });

  it('collects requests with different keys in different batches', async () => {
    add('a1', 'b1', 'a2');
    await clock.settle();
    expect(batches).toEqual([['a1', 'a2'], ['b1']]);
  });

  it('begins another batch with a request that does not fit', async () => {
    add('a1', 'a2!', 'a3');
    expect(batches).toEqual([['a1']]);
    await clock.settle();
    expect(batches).toEqual([['a1'], ['a2!', 'a3']]);
  });
});

describe('a batch', () => {
  const two = () => {
    const entries = [entry('a'), entry('b')] as const;
    const batch = new Batch<Entry>(entries[0]);
    batch.add(entries[1]);
    const failures: Error[] = [];
    batch.holder({ granted: () => undefined, fail: (error) => void failures.push(error) });
    return { entries, batch, failures };
  };
  const error = new Error('The client disconnected');

  it('goes on while one of its entries waits', () => {
    const { entries, batch, failures } = two();
    entries[0].slot.end();
    batch.entryFailed(error);
    expect([failures, batch.waiting]).toEqual([[], [entries[1]]]);
  });

  it('fails when none of its entries waits any more, once', () => {
    const { entries, batch, failures } = two();
    for (const { slot } of entries) slot.end();
    batch.entryFailed(error);
    batch.entryFailed(error);
    expect(failures).toEqual([error]);
  });

  it('ends and releases the slots of all entries', () => {
    const { entries, batch } = two();
    expect([batch.end(), batch.end()]).toEqual([true, false]);
    batch.release();
    expect(entries.map(({ calls }) => calls)).toEqual([
      ['end', 'release'],
      ['end', 'release'],
    ]);
  });

  it('leaves removed entries waiting, and calls back when its connection is released', () => {
    const { entries, batch, failures } = two();
    const released: string[] = [];
    batch.abort(error, () => void released.push('released'));
    expect([failures, released, entries.map(({ calls }) => calls)]).toEqual([[error], [], [[], []]]);
    batch.release();
    batch.release();
    expect(released).toEqual(['released']);
  });
});
