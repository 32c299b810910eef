/** Cache entries: valid until a poll reports a change, bypassed while every poll reports one, bounded in bytes. */
import type { ChangeLog } from '../../src/cache/change-log.ts';
import { ReadCache } from '../../src/cache/read-cache.ts';

const NOTES = { types: ['note'], document: null };

/** Change log whose polls report a change of every subject while `isChanging`. */
class FakeLog {
  position = 0;
  server: string | null = null;
  isChanging = false;
  private changedAt = 0;

  check(): Promise<boolean> {
    this.position += 1;
    this.server = 'one';
    if (this.isChanging) this.changedAt = this.position;
    return Promise.resolve(true);
  }

  hasChanged(_subject: object, position: number): boolean {
    return this.changedAt > position;
  }
}

describe('ReadCache', () => {
  let log: FakeLog;
  let cache: ReadCache<string>;
  let reads: number;
  beforeEach(() => {
    log = new FakeLog();
    cache = new ReadCache(log as unknown as ChangeLog, 100_000);
    reads = 0;
  });
  const read = (key = 'list', bytes = 10): Promise<string> => {
    const load = () => {
      reads += 1;
      return Promise.resolve({ answer: `read ${reads}`, position: log.position, bytes, until: Infinity });
    };
    return cache.read({ key, subject: NOTES, load, bypass: load });
  };
  const times = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 1) await read();
  };

  it('returns the cached response until a poll reports a change', async () => {
    expect([await read(), await read()]).toEqual(['read 1', 'read 1']);
    log.isChanging = true;
    expect(await read()).toBe('read 2');
    log.isChanging = false;
    expect(await read()).toBe('read 2');
    expect(cache.counts).toEqual({ hits: 2, misses: 1, stale: 1, passed: 0 });
  });

  it('bypasses an entry for 64 reads after 8 stale polls in a row', async () => {
    log.isChanging = true;
    await times(9);
    expect(cache.counts).toMatchObject({ misses: 1, stale: 8, passed: 0 });
    const polls = log.position;
    await times(64);
    expect([cache.counts.passed, log.position]).toEqual([64, polls]);
  });

  it('bypasses it again after one stale poll, and not after a valid one', async () => {
    log.isChanging = true;
    await times(9 + 64);
    await times(2 + 64);
    expect(cache.counts).toMatchObject({ misses: 2, stale: 9, passed: 128 });
    log.isChanging = false;
    await times(3);
    expect(cache.counts).toMatchObject({ misses: 3, stale: 9, passed: 128, hits: 2 });
  });

  it('does not bypass an entry with a valid poll among eight', async () => {
    for (let i = 0; i < 20; i += 1) {
      log.isChanging = true;
      await times(7);
      log.isChanging = false;
      await times(1);
    }
    expect(cache.counts.passed).toBe(0);
  });

  it('evicts the least recently used entries beyond its bytes', async () => {
    for (const key of ['a', 'b', 'c']) await read(key, 30_000);
    await read('a', 30_000);
    await read('d', 30_000);
    expect(cache.size).toBe(3);
    expect(cache.bytes).toBeLessThanOrEqual(100_000);
    reads = 0;
    await read('a', 30_000);
    expect(reads).toBe(0);
    await read('b', 30_000);
    expect(reads).toBe(1);
  });

  it('does not store a response that is larger than the cache', async () => {
    await read('large', 200_000);
    expect([cache.size, cache.bytes]).toEqual([0, 0]);
  });
});
