/** `query_timeout` of the driver, which starts a timer for every query. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Host } from '../http/helpers.ts';
import { readNotes, startNotes, writeNote } from '../support/notes.ts';

const LIMIT = 250;
const PLACES = 2;

describe('queries with a limit of the driver', () => {
  let host: Host;
  beforeAll(async () => {
    const database = { pool: { min: 0, max: PLACES }, driverOptions: { query_timeout: LIMIT } };
    host = await startNotes({ cache: false, database });
  });
  afterAll(() => host.close());

  const some = (): Promise<number[]> =>
    Promise.all([readNotes(host), writeNote(host), readNotes(host), writeNote(host)]);
  const rounds = async (): Promise<number[]> => {
    const statuses: number[] = [];
    for (let i = 0; i < 4; i += 1) statuses.push(...(await some()));
    return [...new Set(statuses)].sort();
  };

  it('clear the timer when they get their result', async () => {
    expect(await rounds()).toEqual([200, 201]);
    await sleep(2 * LIMIT);
    expect(await rounds()).toEqual([200, 201]);
  });

  it('that exceed it are a 503, and the connection is used again after it is free', async () => {
    const other = new pg.Client({ connectionString: host.database.url });
    await other.connect();
    await other.query('begin; lock table notes in access exclusive mode');
    expect(await some()).toEqual([503, 503, 503, 503]);
    await other.query('rollback');
    await other.end();
    await sleep(2 * LIMIT);
    expect(await rounds()).toEqual([200, 201]);
  });
});
