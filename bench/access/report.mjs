/** Formats the results as Markdown. */
import { availableParallelism } from 'node:os';

const ms = (value) => value.toFixed(3);
const table = (head, rows) =>
  [head, head.map((_cell, i) => (i === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

export const report = ({ machine, options, pairs }) => `# Access bench

\`npm run bench -- access\`, ${machine.date}: ${availableParallelism()} cores for server, PostgreSQL and client together; Node ${process.versions.node}, PostgreSQL ${machine.version},
Express, NODE_ENV=production. Checks whether the time of a refusal reveals its cause: ${options.tries.toLocaleString('en')} tries of each kind, in turns, one request
at a time over one connection. All refusals of a pair have the same bytes. Times are in milliseconds, measured by the client.

${table(
  ['request', 'refused for', 'mean', 'median', 'p95'],
  pairs.flatMap(({ name, groups }) =>
    groups.map((group, i) => [
      i === 0 ? name : '',
      group.name,
      ms(group.mean),
      ms(group.median),
      ms(group.p95),
    ]),
  ),
)}

${table(
  ['request', 'difference of the medians', 'noise', 'verdict', 'control: the first kind with itself'],
  pairs.map(({ name, difference, noise, alike, control }) => [
    name,
    ms(difference),
    ms(noise),
    alike ? 'alike' : 'different',
    `${ms(control.difference)}, ${control.alike ? 'alike' : 'different'}`,
  ]),
)}

"noise" is the bound of a difference by chance: in 99 of 100 splits of one kind's tries into random halves, the halves' medians are
no further apart (scaled to whole lists). "alike" is a difference within the noise; a smaller one cannot be measured.
`;
