import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MikroORM, PgliteDriver } from '@mikro-orm/pglite';

/**
 * Returns the folder of a complete PGlite cluster below `folder`. A new cluster gets this name only when it
 * is complete, because an interrupted one cannot be opened again.
 */
export async function ensureCluster(folder: string): Promise<string> {
  const finished = join(folder, 'cluster');
  if (existsSync(finished)) return finished;
  const unfinished = join(folder, 'cluster.new');
  rmSync(unfinished, { recursive: true, force: true });
  const orm = await MikroORM.init({
    driver: PgliteDriver,
    dbName: unfinished,
    entities: [],
    discovery: { warnWhenNoEntities: false },
  });
  await orm.em.getConnection().execute('select 1');
  await orm.close();
  renameSync(unfinished, finished);
  return finished;
}
