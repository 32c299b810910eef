/**
 * `npm run bench -- conditions [--seconds 4] [--rounds 7] [--teams 1000] [--rows 50000] [--cache]`: a list with
 * the condition of a grant over a relation against the same filter in the query, in alternating rounds. All
 * teams take turns. Prints ratios, executions per request, and the numbers of plans and prepared statements.
 *
 * Concurrent requests of one team are equal, so they share executions. The kinds with `apart` differ in a
 * value that changes no result, so that no requests are equal.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startDatabases } from '../databases.mjs';
import { run } from '../load.mjs';
import { median } from '../read/measure.mjs';
import { spawnServer } from '../spawn-server.mjs';

const options = Object.fromEntries(
  Object.entries({ seconds: '4', rounds: '7', teams: '1000', rows: '50000', connections: '10' }).map(
    ([name, value]) => [name, { type: 'string', default: value }],
  ),
);

export async function bench(args) {
  const { values } = parseArgs({ args, options: { ...options, cache: { type: 'boolean', default: false } } });
  const [seconds, rounds, teams, connections] = ['seconds', 'rounds', 'teams', 'connections'].map((name) =>
    Number(values[name]),
  );
  const page = 'sort=title&pagination[pageSize]=20&pagination[withCount]=false';
  const apart = (n) => `/api/articles?filters[title][$ne]=${n}&${page}`;
  const kinds = {
    filter: (n) => ({ path: `/api/articles?filters[team][name]=team%20${n % teams}&${page}` }),
    condition: (n) => ({ path: `/api/articles?${page}`, headers: { 'x-team': `team ${n % teams}` } }),
    'one team': () => ({ path: `/api/articles?${page}`, headers: { 'x-team': 'team 1' } }),
    'condition, apart': (n) => ({ path: apart(n), headers: { 'x-team': `team ${n % teams}` } }),
    'one team, apart': (n) => ({ path: apart(n), headers: { 'x-team': 'team 1' } }),
  };
  const databases = await startDatabases();
  let server;
  try {
    const given = [
      '--database-url',
      await databases.create(),
      '--teams',
      values.teams,
      '--rows',
      values.rows,
    ];
    server = await spawnServer({
      args: [
        join(import.meta.dirname, 'conditions-server.mjs'),
        ...given,
        ...(values.cache ? ['--cache'] : []),
      ],
      env: { NODE_ENV: 'production' },
    });
    const { url } = server;
    const bodyOf = async ({ path, headers }) => (await fetch(`${url}${path}`, { headers })).text();
    for (const n of [0, 1, 2]) assert.equal(await bodyOf(kinds.filter(n)), await bodyOf(kinds.condition(n)));
    const countsOf = async () => (await fetch(`${url}/counts`)).json();
    const before = await countsOf();
    const rates = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
    const executions = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
    for (let round = -1; round < rounds; round += 1)
      for (const kind of Object.keys(kinds)) {
        const { executions: earlier } = await countsOf();
        const { rps, errors, requests } = await run({ url, request: kinds[kind], connections, seconds });
        assert.equal(errors, 0);
        if (round < 0) continue;
        rates[kind].push(rps);
        executions[kind].push(((await countsOf()).executions - earlier - 1) / requests);
      }
    const after = await countsOf();
    const ratioTo = (kind, base) => median(rates[kind].map((rate, i) => rate / rates[base][i])).toFixed(2);
    console.log(`requests per second, median of ${rounds} rounds${values.cache ? ', with the cache' : ''}:`);
    for (const kind of Object.keys(kinds))
      console.log(
        `  ${kind}: ${median(rates[kind]).toFixed(0)}, ${median(executions[kind]).toFixed(2)} executions per request`,
      );
    console.log(`condition to filter: ${ratioTo('condition', 'filter')}`);
    console.log(`${teams} teams to one team: ${ratioTo('condition', 'one team')}`);
    console.log(`the same, apart: ${ratioTo('condition, apart', 'one team, apart')}`);
    console.log(`plans: ${before.plans} after 3 teams, ${after.plans} after ${teams}`);
    console.log(
      `prepared statements: ${before.statements} after 3 teams, ${after.statements} after ${teams}`,
    );
  } finally {
    await server?.stop();
    await databases.stop();
  }
}
