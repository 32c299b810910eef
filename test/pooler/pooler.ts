/**
 * `npm run pooler [-- --seconds N]`
 *
 * Two processes behind PgBouncer in session and transaction mode. No response shows another type, no row is
 * in another table, and every acknowledged write is stored once.
 */
import { parseArgs } from 'node:util';
import { MikroORM } from '@mikro-orm/postgresql';
import { contentEntities } from 'nestjs-content-api';
import { createDatabase } from '../support/database.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { hasPgBouncer } from './pgbouncer.ts';
import { CASES, runCase } from './run.ts';
import { contentTypes } from './types.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, only: { type: 'string' } },
});
if (!hasPgBouncer) throw new Error('pgbouncer is not installed (Debian: apt install pgbouncer)');
const server = await startPostgres();
try {
  const database = await createDatabase(server.url);
  const orm = await MikroORM.init({ clientUrl: database.url, entities: contentEntities({ contentTypes }) });
  await orm.schema.create();
  await orm.close();
  for (const each of CASES) {
    if (values.only !== undefined && !each.name.includes(values.only)) continue;
    const { reads, writes, refused, problems } = await runCase(database.url, each, Number(values.seconds));
    const refusals = Object.entries(refused).map(([status, count]) => `, ${count} × ${status}`);
    console.log(
      `${each.name}: ${reads} reads, ${writes} writes${refusals.join('')}; ${problems.length} violations`,
    );
    for (const problem of [...new Set(problems)].slice(0, 10)) console.log(`  VIOLATION ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
} finally {
  await server.stop();
}
