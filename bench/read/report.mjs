/**
 * Formats the results as Markdown. Only ratios of one run are meaningful; milliseconds and requests per
 * second depend on the machine.
 */
import { availableParallelism } from 'node:os';
import { cpuMs, median, ratio, ROUNDS, rps, summary } from './measure.mjs';
import { PEERS } from './peers.mjs';

const number = (value, digits = 2) => (value === null || Number.isNaN(value) ? '–' : value.toFixed(digits));
const times = (value) => (value === null ? '–' : `${value.toFixed(value < 10 ? 2 : 0)}×`);
const table = (head, rows) =>
  [head, head.map((_cell, i) => (i === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
const thousands = (value) => Number(value).toLocaleString('en');

export function report({ machine, options, compared, scaled }) {
  const parts = [`# Read bench\n`, header(machine, options)];
  if (compared.shapes.length > 0) {
    parts.push(
      `## Against its peers, ${thousands(compared.rows)} articles\n`,
      EXPLAINED,
      ratios(compared),
      '\n### In numbers\n',
      details(compared),
      memory(compared),
    );
    parts.push(deepPages(compared));
  }
  for (const { model, shapes } of scaled)
    if (shapes.length > 0) parts.push(growth(model, shapes, options.rows));
  parts.push(targets(compared, scaled, options));
  return `${parts.filter(Boolean).join('\n')}\n`;
}

const header = (
  machine,
  { seconds, connections },
) => `\`npm run bench -- read\`, ${machine.date}: ${availableParallelism()} cores for servers, PostgreSQL and load generator together;
Node ${process.versions.node}, PostgreSQL ${machine.version} (shared_buffers ${machine.shared_buffers}, fsync ${machine.fsync}, autovacuum off, tables vacuumed before),
${connections} connections, pools of 10, NODE_ENV=production. Each server is measured ${seconds} s per request shape, in ${ROUNDS} rounds that take turns; a figure is the median of
the rounds, a ratio the median of the ratios within a round. CPU is the time of the process and its children (PostgreSQL: all of it), per request.\n`;

const EXPLAINED = `Before measuring, all responses are compared: Express, Fastify and the hand-written limit (node:http, pg, one named statement per
shape, no query language, \`plan_cache_mode=force_generic_plan\`) send the same bytes; MikroORM (\`em.findAndCount\` with \`populate\`, \`serialize\`, node:http, its own tables with foreign keys
and indexes) and the reference (5.54.0, its own tables) the same data. Requests/s as a multiple of each peer's; in brackets the same for
CPU per request, server and PostgreSQL together (above 1: this library needs less).

The library's cache is off here (\`cache.md\` has it on). If all connections request the same list concurrently, the library reads it once for all
of them, and no peer does. The cost of one list is in the rows that request another page each time.\n`;

const find = (shape, key) => shape.results.find((result) => result.key === key);

function against(shape, peer, ours = 'express') {
  const [one, other] = [find(shape, ours), find(shape, peer)];
  if (!other) return '–';
  return `${times(ratio(one, other, rps))} (${times(1 / ratio(one, other, cpuMs))})`;
}

const ratios = ({ shapes }) =>
  table(
    ['request', 'Express : limit', 'Fastify : limit', 'Express : MikroORM', 'Express : reference'],
    shapes.map((shape) => [
      shape.title,
      against(shape, 'limit'),
      against(shape, 'limit', 'fastify'),
      against(shape, 'mikroOrm'),
      against(shape, 'reference'),
    ]),
  );

const details = ({ shapes }) =>
  table(
    ['request', 'server', 'requests/s', 'server CPU ms', 'PostgreSQL CPU ms', 'p50 ms', 'p99 ms'],
    shapes.flatMap((shape) =>
      shape.results.map((result, i) => {
        const { rps: perSecond, serverMs, postgresMs, p50, p99 } = summary(result);
        return [
          i === 0 ? shape.title : '',
          PEERS[result.key].title,
          number(perSecond, 0),
          number(serverMs),
          number(postgresMs),
          number(p50, 1),
          number(p99, 1),
        ];
      }),
    ),
  );

const memory = ({ memory: used }) =>
  `\nResident memory after the run: ${Object.entries(used)
    .map(([key, mb]) => `${PEERS[key].title} ${number(mb, 0)} MB`)
    .join(', ')}.\n`;

/**
 * Returns the cost of populate on the first page and on a late one. Its share must not grow with skipped
 * rows.
 */
function deepPages({ shapes }) {
  const by = (name) => shapes.find((shape) => shape.name === name);
  const [first, firstFull, late, lateFull] = [
    'list',
    'list-populated',
    'deep-page',
    'deep-page-populated',
  ].map(by);
  if (![first, firstFull, late, lateFull].every(Boolean)) return '';
  const cost = populateCost(first, firstFull);
  const lateCost = populateCost(late, lateFull);
  return (
    `\n### Skipped rows\n\nPopulate costs ${number(cost)} ms of CPU (server and PostgreSQL) on page 1 and ${number(lateCost)} ms on ${late.title}: ${times(lateCost / cost)}. ` +
    `The page itself costs ${number(total(first))} and ${number(total(late))} ms without populate.\n`
  );
}

const total = (shape, key = 'express') => median(find(shape, key).rounds.map(cpuMs));
const populateCost = (plain, full) => total(full) - total(plain);

function growth(model, shapes, rows) {
  const [small, large] = [rows[0], rows.at(-1)].map(String);
  const heading = `## Growth of the table: ${model}, ${thousands(small)} → ${thousands(large)} documents\n\nThis library (Express) alone. CPU is server + PostgreSQL.\n`;
  return `${heading}\n${table(
    [
      'request',
      `CPU ms, ${thousands(small)}`,
      `CPU ms, ${thousands(large)}`,
      'CPU',
      `p50 ms, ${thousands(small)}`,
      `p50 ms, ${thousands(large)}`,
      'p50',
      'in the target',
    ],
    shapes.map((shape) => {
      const [one, other] = [find(shape, large), find(shape, small)];
      const [big, little] = [summary(one), summary(other)];
      const sum = ({ serverMs, postgresMs }) => serverMs + postgresMs;
      return [
        shape.title,
        number(sum(little)),
        number(sum(big)),
        times(ratio(one, other, cpuMs)),
        number(little.p50, 1),
        number(big.p50, 1),
        times(ratio(one, other, (round) => round.p50)),
        shape.inTarget ? 'yes' : 'no',
      ];
    }),
  )}\n`;
}

/** Targets: requests per second relative to a peer, for unshared lists, filters and documents. */
const WANTED = [
  ['pages', 'express', 'reference', 8],
  ['pages-populated', 'express', 'reference', 8],
  ['pages', 'express', 'limit', 0.9],
  ['pages-populated', 'express', 'limit', 0.9],
  ['by-slug', 'express', 'limit', 0.85],
  ['by-author', 'express', 'limit', 0.85],
  ['by-employer', 'express', 'limit', 0.85],
  ['by-category', 'express', 'limit', 0.85],
  ['one', 'express', 'limit', 0.65],
  ['one', 'fastify', 'limit', 0.72],
];

function targets(compared, scaled, options) {
  const lines = [];
  const line = (what, wanted, got, met) => lines.push([what, wanted, got, met ? 'met' : '**missed**']);
  for (const [name, ours, peer, least] of WANTED) {
    const shape = compared.shapes.find((each) => each.name === name);
    const [one, other] = shape === undefined ? [] : [find(shape, ours), find(shape, peer)];
    if (one === undefined || other === undefined) continue;
    const got = ratio(one, other, rps);
    line(
      `${shape.title}: requests/s, ${PEERS[ours].title} against the ${PEERS[peer].title}`,
      `≥ ${least}×`,
      times(got),
      got >= least,
    );
  }
  const flat = scaled.flatMap(({ model, shapes }) =>
    shapes.filter(({ inTarget }) => inTarget).map((shape) => ({ model, ...shape })),
  );
  for (const shape of flat) {
    const got = ratio(find(shape, String(options.rows.at(-1))), find(shape, String(options.rows[0])), cpuMs);
    line(
      `${shape.model}, ${shape.title}: CPU per request as the table grows`,
      '≤ 1.3×',
      times(got),
      got <= 1.3,
    );
  }
  return lines.length === 0 ? '' : `## Targets\n\n${table(['figure', 'target', 'measured', ''], lines)}`;
}
