/**
 * Counts the functions of `src` that a suite calls. `npm run sources` sets `SOURCES`, the folder for the
 * counts: one line of JSON for each suite.
 */
import { appendFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const isSource = ({ url }) => url.startsWith('file:') && /^src\//.test(relative(root, fileURLToPath(url)));

let session;

/** Starts to count, with all counts at zero. */
export async function startCounting() {
  if (session === undefined) {
    session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }
  await session.post('Profiler.takePreciseCoverage');
}

/** Writes the number of called functions by source file. The function of a module itself does not count. */
export async function writeCounts(folder, suite) {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const called = {};
  for (const { url, functions } of result.filter(isSource)) {
    const names = functions.filter(
      ({ ranges: [whole], functionName }) =>
        whole.count > 0 && (functionName !== '' || whole.startOffset > 0),
    );
    if (names.length > 0) called[relative(root, fileURLToPath(url))] = names.length;
  }
  appendFileSync(
    `${folder}/${process.pid}.jsonl`,
    `${JSON.stringify({ suite: relative(root, suite), called })}\n`,
  );
}
