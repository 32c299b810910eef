/**
 * Formats the results as Markdown. Only ratios of one run are meaningful; all other numbers depend on the
 * machine.
 */
import { availableParallelism } from 'node:os';
import { cpuMs, ratio, rps, summary } from '../read/measure.mjs';

const TITLES = {
  library: 'this library, Express',
  fastify: 'this library, Fastify',
  honest: 'honest limit',
  limit: 'unchecked statement',
  reference: 'reference',
};
/** Peers of the comparison. */
const PEERS = ['reference', 'honest', 'limit'];

/** Targets: requests per second as a multiple of a peer's. */
const TARGETS = {
  post: { reference: 40, honest: 0.8, limit: 0.55 },
  put: { reference: 100, honest: 0.8, limit: 0.45 },
};
/** Targets for the library's requests: most round trips and custom plans. */
const ROUND_TRIPS = 2;
const CUSTOM_PLANS = 0;

const number = (value, digits = 2) =>
  value === null || value === undefined || Number.isNaN(value) ? '–' : value.toFixed(digits);
const times = (value) =>
  value === null || Number.isNaN(value) ? '–' : `${value.toFixed(value < 10 ? 2 : 0)}×`;
const table = (head, rows) =>
  [head, head.map((_cell, i) => (i === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

export const report = ({ machine, options, shapes, wrong }) => `# Write bench

\`npm run bench -- write\`, ${machine.date}: ${availableParallelism()} cores for servers, PostgreSQL and load generator together; Node ${process.versions.node},
PostgreSQL ${machine.version} (fsync ${machine.fsync}, synchronous_commit on, full_page_writes on, autovacuum off), ${options.connections} connections, pools of 10, NODE_ENV=production,
${options.rows.toLocaleString('en')} articles before the first write. Each server is measured ${options.seconds} s per request, in ${options.rounds} rounds that take turns; a figure is the median of the
rounds, a ratio the median of the ratios within a round. CPU is the time of the process and PostgreSQL per request. Requests per second are
those that succeeded.

POST creates an article with an author, two categories, a component, a repeatable component and a zone, and publishes it; PUT changes three
values, both relations and both components of an existing article and publishes it. Before measuring, each server has done 10,000 of
them, or as many as it can in 20 s; all servers' responses are compared,
also to a following GET with \`populate=*\`; the library and the honest limit refuse the same ${wrong} wrong requests.

Both hand-written peers are node:http and pg for these two requests only. The honest limit has the library's locks, target checks and
validation, and reads the response inside its transaction, in two pipelines: begin, locks, target checks;
then rows with their links, response, commit. The unchecked statement (two named statements without a transaction) writes the
same values without target checks, validation or locks. In the library concurrent short writes share a
transaction; the peers have one for each.

${table(
  [
    'request',
    'library : reference',
    'library : honest limit',
    'library : unchecked statement',
    'round trips',
    'custom plans',
    'failed',
  ],
  shapes.flatMap((shape) =>
    oursOf(shape).map((ours) => [
      titleOf(shape, ours),
      ...PEERS.map((peer) => `${against(ours, find(shape, peer))} (≥ ${TARGETS[shape.name][peer]}×)`),
      `${number(ours.roundTrips, 1)} (≤ ${ROUND_TRIPS})`,
      `${number(ours.customPlans, 1)} (${CUSTOM_PLANS})`,
      `${failures(ours)} (0)`,
    ]),
  ),
)}

In brackets: the target. The same for CPU:

${table(
  [
    'request',
    'CPU, reference : library',
    'CPU, honest limit : library',
    'CPU, unchecked statement : library',
  ],
  shapes.flatMap((shape) =>
    oursOf(shape).map((ours) => [
      titleOf(shape, ours),
      ...PEERS.map((peer) => lessCpu(ours, find(shape, peer))),
    ]),
  ),
)}

${table(
  [
    'request',
    'server',
    'requests/s',
    'failed',
    'p50 ms',
    'p99 ms',
    'server CPU ms',
    'PostgreSQL CPU ms',
    'statements',
    'round trips',
    'parsed again',
    'custom plans',
  ],
  shapes.flatMap((shape) =>
    shape.results.map((result, i) => {
      const { rps: perSecond, serverMs, postgresMs, p50, p99 } = summary(result);
      return [
        i === 0 ? shape.title : '',
        TITLES[result.key],
        number(perSecond, perSecond < 100 ? 1 : 0),
        failures(result),
        number(p50, 1),
        number(p99, 1),
        number(serverMs),
        number(postgresMs),
        number(result.statements, 1),
        number(result.roundTrips, 1),
        number(result.parsed, 1),
        number(result.customPlans, 1),
      ];
    }),
  ),
)}

"statements" are those executed per request, BEGIN and COMMIT included; "parsed again" those that were not prepared before;
"custom plans" are prepared statements that were planned for that one execution (\`pg_prepared_statements\`, queried on the server's own
connections before and after the counted requests, which follow as many others). Statements that are parsed again are planned again too,
and are not counted as custom plans.
`;

const find = (shape, key) => shape.results.find((result) => result.key === key);

/** Results of the library, on each of its adapters. */
const oursOf = (shape) => shape.results.filter(({ key }) => key === 'library' || key === 'fastify');

const titleOf = (shape, { key }) => `${shape.title}, ${TITLES[key].split(', ')[1]}`;

const against = (ours, other) => (other === undefined ? '–' : times(ratio(ours, other, rps)));

const lessCpu = (ours, other) => (other === undefined ? '–' : times(ratio(other, ours, cpuMs)));

function failures({ rounds }) {
  const failed = rounds.reduce((sum, round) => sum + round.errors, 0);
  const sent = rounds.reduce((sum, round) => sum + round.requests, 0);
  const statuses = [
    ...new Set(
      rounds.flatMap((round) => Object.keys(round.statuses).filter((status) => !(Number(status) < 400))),
    ),
  ];
  return failed === 0 ? '0' : `${failed} of ${sent} (${statuses.join(', ')})`;
}
