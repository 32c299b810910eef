/** Repeated work without a request: its first run, its interval and its end. */
import { mock } from 'node:test';
import { BackgroundWork } from '../../src/content/store/background-work.ts';
import { NO_TELEMETRY } from '../../src/kernel/telemetry.ts';

const MINUTE = 60_000;

describe('repeated background work', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval', 'setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it.each([
    ['each 10 seconds: from the interval on', MINUTE / 6, 6],
    ['each hour: after a minute', 60 * MINUTE, 1],
  ])('%s', (_name, interval, runs) => {
    let count = 0;
    new BackgroundWork(NO_TELEMETRY).repeat('test', interval, () => Promise.resolve((count += 1)));
    mock.timers.tick(MINUTE - 1);
    expect(count).toBe(runs - 1);
    mock.timers.tick(1);
    expect(count).toBe(runs);
    if (interval > MINUTE) mock.timers.tick(interval - MINUTE);
    expect(count).toBe(interval > MINUTE ? 2 : runs);
  });

  it('ends with the shutdown', async () => {
    let count = 0;
    const work = new BackgroundWork(NO_TELEMETRY);
    work.repeat('test', 60 * MINUTE, () => Promise.resolve((count += 1)));
    await work.beforeApplicationShutdown();
    mock.timers.tick(120 * MINUTE);
    expect(count).toBe(0);
  });
});
