/**
 * Writes `test/sources.json`: the specs that test each source file of more than 80 lines. Runs all suites and
 * counts the functions of each file that they call. `npm run sources`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { LONG, longSources, type Sources } from './support/long-sources.ts';

interface Counts {
  readonly suite: string;
  readonly called: Readonly<Record<string, number>>;
}

/** Specs named for each source file. */
const NAMED = 3;
/** A named spec calls this share of the functions that the best spec calls. */
const ENOUGH = 0.8;

const root = dirname(import.meta.dirname);

function run(): Counts[] {
  const folder = mkdtempSync(join(tmpdir(), 'sources-'));
  try {
    spawnSync(
      process.execPath,
      ['--no-warnings', join(root, 'node_modules/jest/bin/jest.js'), ...process.argv.slice(2)],
      { cwd: root, stdio: 'inherit', env: { ...process.env, SOURCES: folder } },
    );
    const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Counts);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const total = ({ called }: Counts): number => Object.values(called).reduce((sum, one) => sum + one, 0);

/** Of the specs that call enough functions of a file, those that call the fewest functions of other files. */
function specsOf(source: string, counts: readonly Counts[]): string[] {
  const calls = ({ called }: Counts): number => called[source] ?? 0;
  const most = Math.max(...counts.map(calls));
  return counts
    .filter((one) => calls(one) > 0 && calls(one) >= ENOUGH * most)
    .sort((one, other) => total(one) - total(other) || (one.suite < other.suite ? -1 : 1))
    .slice(0, NAMED)
    .map(({ suite }) => suite);
}

const counts = run();
const sources: Sources = Object.fromEntries(
  longSources(root).map((source) => [source, specsOf(source, counts)]),
);
writeFileSync(join(root, 'test/sources.json'), `${JSON.stringify(sources, null, 2)}\n`);
const untested = Object.keys(sources).filter((source) => sources[source]?.length === 0);
console.log(
  `${Object.keys(sources).length} source files of more than ${LONG} lines, ${untested.length} without a test`,
);
for (const source of untested) console.log(`  ${source}`);
