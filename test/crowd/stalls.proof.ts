/**
 * A suspended process finds expired timers and received responses when it continues. It must not report a
 * database timeout then.
 */
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ContentMetrics } from 'nestjs-content-api';
import pg from 'pg';
import { ChangeLogWorker } from '../../src/cache/change-log-worker.ts';
import type { Host } from '../http/helpers.ts';
import { startNotes, writeNote } from '../support/notes.ts';
import { blockEventLoop } from '../support/block-event-loop.ts';

describe('a suspended process', () => {
  let host: Host;
  const warned: string[] = [];
  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line) => void warned.push(String(line)));
    host = await startNotes({
      limits: { statementTimeout: 1500 },
      database: { pool: { min: 0, max: 3 }, driverOptions: { connectionTimeoutMillis: 400 } },
    });
    await host.app.get(ChangeLogWorker).maintain();
    await writeNote(host);
    warned.length = 0;
  });
  afterEach(async () => {
    await host.close();
    jest.restoreAllMocks();
  });

  let asked = 0;
  /** Sends reads with distinct queries at the same time. */
  const read = async (count: number): Promise<number[]> => {
    const answers = Array.from({ length: count }, () =>
      fetch(`${host.url}/api/notes?filters[title][$ne]=${(asked += 1)}`),
    );
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  /** Blocks the process as soon as the given number of statements or connections has begun. */
  function stopAt(what: 'query' | 'connect', times: number, milliseconds: number): () => void {
    let left = times;
    const original = pg.Client.prototype[what] as (...all: unknown[]) => unknown;
    const stopping = function (this: pg.Client, ...args: unknown[]): unknown {
      const result = original.apply(this, args);
      left -= 1;
      if (left === 0) setImmediate(() => blockEventLoop(milliseconds));
      return result;
    };
    pg.Client.prototype[what] = stopping as never;
    return () => {
      pg.Client.prototype[what] = original as never;
    };
  }

  it('gets its connections, however long they took', async () => {
    for (let times = 1; times <= 2; times += 1) {
      await host.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      );
      await new Promise((done) => setTimeout(done, 100));
      const back = stopAt('connect', times, 550);
      expect(await read(3)).toEqual([200, 200, 200]);
      back();
    }
  });

  it('gets its responses, and cancels no statement as slow', async () => {
    await read(3);
    for (let times = 1; times <= 3; times += 1) {
      const back = stopAt('query', times, 550);
      expect(await read(12)).toEqual(Array(12).fill(200));
      back();
    }
    const back = stopAt('query', 1, 1600);
    expect(await read(1)).toEqual([200]);
    back();
  });

  it('knows the changes, and continues to use its cache', async () => {
    const path = `${host.url}/api/notes`;
    for (let i = 0; i < 4; i += 1) await fetch(path);
    const { hits } = host.app.get(ContentMetrics).cache;
    const back = stopAt('query', 1, 2300);
    expect((await fetch(path)).status).toBe(200);
    back();
    expect([host.app.get(ContentMetrics).cache.hits, warned]).toEqual([hits + 1, []]);
  });
});
