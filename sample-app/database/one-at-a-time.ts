import { Client } from 'pg';

/** Key of the advisory lock, unique within the database: the letters of "atlas". */
const LOCK = 0x61_74_6c_61_73;

/**
 * Runs `work` under an advisory lock, so that one process at a time runs it on a database. PostgreSQL
 * releases the lock when the connection ends.
 */
export async function oneAtATime<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  // A lost connection releases the lock; unique codes still prevent duplicates.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    return await work();
  } finally {
    await client.end();
  }
}
