/** Formats the results as Markdown, without parts that were not measured. */
import { availableParallelism } from 'node:os';

const mb = (bytes) => (bytes / 1024 / 1024).toFixed(0);
const table = (head, rows) =>
  [head, head.map((_cell, i) => (i === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

const memory = ({ before, peak, after, seconds, contents, sent, disk }, { uploads, megabytes }) => `
## Memory and disk

${uploads} uploads of ${megabytes} MB, 20 at a time, in ${seconds.toFixed(1)} s; ${contents} different contents. Resident memory of the server: ${mb(before)} MB before,
${mb(peak)} MB at most, **+${mb(peak - before)} MB**, ${mb(after)} MB after. On disk: ${disk.files} files, ${mb(disk.bytes)} MB of ${mb(sent)} MB of different contents.
`;

const pictures = ({ count, bytes, turns, ratio, used }) => `
## Pictures

${count} photographs of ${(bytes / 1024 / 1024).toFixed(1)} MB in each round, 20 at a time: each is re-encoded and has four formats. Pictures per second, in turns with
\`sharp\` alone, which processes the same files from disk; median of the ratios: **${ratio.toFixed(2)}×**.
Memory in the first turn: ${mb(used.before)} MB before, ${mb(used.peak)} MB at most.

${table(
  ['round', 'library', 'sharp', 'ratio'],
  turns.map(({ library, bare }, i) => [
    i + 1,
    library.toFixed(2),
    bare.toFixed(2),
    `${(library / bare).toFixed(2)}×`,
  ]),
)}
`;

const downloads = (sizes) => `
## Downloads

Ten connections, in turns with \`express.static\` on the same bytes; medians.

${table(
  ['file', 'library, per second', 'express.static, per second', 'ratio'],
  sizes.map(({ name, turns, ratio }) => {
    const sorted = [...turns].sort((a, b) => a.library / a.peer - b.library / b.peer);
    const turn = sorted[Math.floor(sorted.length / 2)];
    return [name, turn.library.toFixed(0), turn.peer.toFixed(0), `${ratio.toFixed(2)}×`];
  }),
)}
`;

const refused = ({ files, kinds }) => `
## Refused uploads and removals

On a server without files, in turns with one that has ${files.toLocaleString('en')}; medians in milliseconds.

${table(
  ['request', 'no files', 'many files', 'ratio'],
  kinds.map(({ name, none, many, ratio }) => [
    name,
    none.toFixed(1),
    many.toFixed(1),
    `${ratio.toFixed(2)}×`,
  ]),
)}
`;

const PARTS = { memory, pictures, downloads, refused };

export const report = ({ machine, options, ...outcome }) =>
  [
    `# Upload bench

\`npm run bench -- upload\`, ${machine.date}: ${availableParallelism()} cores for server, PostgreSQL and clients together; Node ${process.versions.node}, PostgreSQL ${machine.version},
Express, NODE_ENV=production, files in a directory. The machine's load average before it began: ${machine.load}; above 2, other programs
ran on it, and only ratios are meaningful.
`,
    ...Object.entries(outcome).map(([name, part]) => PARTS[name](part, options)),
  ].join('');
