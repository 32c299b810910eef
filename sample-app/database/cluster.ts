import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MikroORM, PgliteDriver } from '@mikro-orm/pglite';

/**
 * The folder of a finished PGlite cluster below `folder`. A new cluster is made under another name and
 * renamed when it is done, because one that was killed while it was being made can never be opened again.
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
