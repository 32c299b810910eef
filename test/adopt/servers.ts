/**
 * `node test/adopt/servers.ts <archive> <URL of the API> [--key KEY] [--queries 500]`: moves an archive in and
 * compares the responses with those of the Strapi server that wrote it.
 */
import { parseArgs } from 'node:util';
import { CONTENT_SCHEMA, type ContentSchema } from 'nestjs-content-api';
import type * as NamesRoom from '../../src/features/adopt/former-names.ts';
import type * as ServersRoom from '../../src/features/compare/compare-servers.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { loadRoom } from '../support/rooms.ts';
import { adoptedModel, startAdopted } from './app.ts';

const { formerNames } = await loadRoom<typeof NamesRoom>('features/adopt/former-names');
const { compareServers } = await loadRoom<typeof ServersRoom>('features/compare/compare-servers');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    key: { type: 'string', default: '' },
    queries: { type: 'string', default: '500' },
    all: { type: 'boolean', default: false },
  },
});
const [file = '', api = ''] = positionals;
const server = await startPostgres();
process.env['TEST_DATABASE_URL'] = server.url;
const model = { ...(await adoptedModel(file, values.key)), hides: true };
const host = await startAdopted(model);
console.log(await host.adopt(file, '--key', values.key));
const { queries, differing } = await compareServers(
  {
    former: { api, token: null },
    now: { api: `${host.url}/api`, token: null },
    schema: host.app.get<ContentSchema>(CONTENT_SCHEMA),
    locales: model.locales,
    names: formerNames(model.definitions),
  },
  Number(values.queries),
  () => undefined,
);
const decided: Record<string, number> = {};
let undecided = 0;
for (const { path, differences } of differing) {
  for (const { rule } of differences) if (rule !== null) decided[rule] = (decided[rule] ?? 0) + 1;
  const left = differences.filter(({ rule }) => rule === null);
  if (left.length === 0) continue;
  undecided += 1;
  console.log(path.slice(0, 300));
  for (const { path: at, former, now } of left.slice(0, values.all ? 1000 : 4))
    console.log(
      `  ${at.join('.')}: ${(JSON.stringify(former) ?? 'none').slice(0, 200)} -> ${(JSON.stringify(now) ?? 'none').slice(0, 200)}`,
    );
}
console.log(`${queries} queries, ${differing.length} differ, ${undecided} not by a rule`, decided);
await host.close();
await server.stop();
