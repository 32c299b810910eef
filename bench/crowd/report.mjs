/** Formats the results as Markdown. */
import { availableParallelism } from 'node:os';

const ms = (value) => value.toFixed(1);
const said = (statuses) =>
  Object.entries(statuses)
    .map(([status, count]) => `${count}× ${status}`)
    .join(', ');
const table = (head, rows) =>
  [head, head.map((_cell, i) => (i === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
const megabytes = (bytes) => (bytes / 1024 / 1024).toFixed(1);

export const report = ({ machine, options, idle, crowds, prepared }) => `# Crowd bench

\`npm run bench -- crowd\`, ${machine.date}: ${availableParallelism()} cores for server, PostgreSQL and clients together; Node ${process.versions.node}, PostgreSQL ${machine.version},
Express, NODE_ENV=production, ten connections, ${options.rows.toLocaleString('en')} rows. A trivial GET (five notes) every 20 ms for ${options.seconds} s, alone and while 30
expensive requests are always under way. Times are in milliseconds, measured by the client.

${table(
  ['load', 'p50', 'p95', 'p95 to idle', 'longest', 'responses', 'responses to the load'],
  [
    ['none', ms(idle.p50), ms(idle.p95), '1', ms(idle.max), said(idle.statuses), ''],
    ...crowds.map(({ name, hangUpAfter, small, crowd }) => [
      `${name}${hangUpAfter === undefined ? '' : `, aborted after ${hangUpAfter} ms`}`,
      ms(small.p50),
      ms(small.p95),
      (small.p95 / idle.p95).toFixed(1),
      ms(small.max),
      said(small.statuses),
      said(crowd.statuses),
    ]),
  ],
)}

After the aborting clients had stopped, PostgreSQL ran their statements for another ${crowds
  .filter(({ hangUpAfter }) => hangUpAfter !== undefined)
  .map(({ stillRunning }) => `${ms(stillRunning)} ms`)
  .join(' and ')}.

2,000 different expensive shapes, three times each (${said(prepared.statuses)}): the private memory of ${prepared.after.backends} backends went from
${megabytes(prepared.before.bytes)} MB (${prepared.before.backends} backends) to ${megabytes(prepared.after.bytes)} MB, by ${megabytes(prepared.grown)} MB.
`;
