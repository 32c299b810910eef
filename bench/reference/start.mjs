/**
 * Starts the reference from a bench script, in its own process:
 *
 * const reference = await startReference({ databaseUrl });   // { pid, url, output(), stop() }
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { spawnServer } from '../spawn-server.mjs';

const directory = import.meta.dirname;

export function isInstalled() {
  return existsSync(join(directory, 'node_modules', '@strapi', 'strapi', 'package.json'));
}

/**
 * Starts the server. `port` 0 selects a free one. The database must exist; an empty one gets tables and base
 * data in about ten seconds.
 */
export async function startReference({ databaseUrl, port = 0 }) {
  if (!isInstalled()) throw new Error('The reference is not installed: run `npm install --prefix bench/reference` first.');
  return spawnServer({
    args: [join(directory, 'server.mjs'), '--database-url', databaseUrl, '--port', String(port)],
    cwd: directory,
  });
}
