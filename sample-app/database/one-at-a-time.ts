import { Client } from 'pg';

/** Any number will do, as long as nobody else in the database uses it. These are the letters of "atlas". */
const LOCK = 0x61_74_6c_61_73;

/**
 * Runs `work` while no other process runs its own on the same database; waits for one that does. PostgreSQL
 * gives the lock back when the connection ends, however it ends.
 */
export async function oneAtATime<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  // Without the connection the lock is gone; unique codes still keep anything from being doubled.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    return await work();
  } finally {
    await client.end();
  }
}
