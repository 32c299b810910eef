/** The outcome as Markdown. Only ratios of one run mean anything; the rest is that of one machine. */
import { availableParallelism } from 'node:os';
import { cpuMs, ratio, rps, summary } from '../read/measure.mjs';

const TITLES = { library: 'this library, Express', limit: 'hand-written statement', reference: 'reference' };
/** How many times the reference's requests per second are wanted. */
const TARGETS = { post: 40, put: 100 };

const number = (value, digits = 2) =>
  value === null || value === undefined || Number.isNaN(value) ? '–' : value.toFixed(digits);
const times = (value) =>
  value === null || Number.isNaN(value) ? '–' : `${value.toFixed(value < 10 ? 2 : 0)}×`;
const table = (head, rows) =>
  [head, head.map((_cell, i) => (i === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

export const report = ({ machine, options, shapes }) => `# Write bench

\`npm run bench -- write\`, ${machine.date}: ${availableParallelism()} cores for servers, PostgreSQL and load generator together; Node ${process.versions.node},
PostgreSQL ${machine.version} (fsync ${machine.fsync}, synchronous_commit on, full_page_writes on, autovacuum off), ${options.connections} connections, pools of 10, NODE_ENV=production,
${options.rows.toLocaleString('en')} articles before the first write. Each server is measured ${options.seconds} s per request, in ${options.rounds} rounds that take turns; a figure is the median of the
rounds, a ratio the median of the ratios within a round. CPU is what the process and PostgreSQL used per request. Requests per second are
those that succeeded.

POST makes an article with an author, two categories, a component, a repeatable component and a zone, and publishes it; PUT changes three
values, both relations and both components of an existing article and publishes it. Before measuring, all servers' answers are compared,
and what a following GET with \`populate=*\` shows. The hand-written statement (node:http, pg, two named statements, no transaction around
them) writes the same rows without looking anything up, checking anything or locking anything.

${table(
  [
    'request',
    'library : reference',
    'target',
    'library : hand-written',
    'CPU, reference : library',
    'CPU, hand-written : library',
  ],
  shapes.map((shape) => [
    shape.title,
    against(shape, 'reference'),
    `${TARGETS[shape.name]}×`,
    against(shape, 'limit'),
    lessCpu(shape, 'reference'),
    lessCpu(shape, 'limit'),
  ]),
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
    'parsed anew',
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
      ];
    }),
  ),
)}

"statements" are those executed per request, BEGIN and COMMIT included; "parsed anew" those that were not prepared before.
`;

const find = (shape, key) => shape.results.find((result) => result.key === key);

function against(shape, peer) {
  const other = find(shape, peer);
  return other === undefined ? '–' : times(ratio(find(shape, 'library'), other, rps));
}

function lessCpu(shape, peer) {
  const other = find(shape, peer);
  return other === undefined ? '–' : times(ratio(other, find(shape, 'library'), cpuMs));
}

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
