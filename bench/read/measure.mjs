/**
 * Measures in rounds. In each, every server gets a turn of a second or two, so that other load on the machine
 * affects all of them.
 */
import { readFileSync } from 'node:fs';
import { cpuOf } from '../cpu.mjs';
import { run } from '../load.mjs';

export const ROUNDS = 5;
const WARM_UP_SECONDS = 1;
const SETTLE_SECONDS = 0.15;

/**
 * Measures `contestants` (`{ key, server, paths }`) on one shape. `postgres` is the process id of the
 * database server, or null. Resolves with one entry per contestant: `{ key, rounds: [{ rps, p50, p99,
 * serverMs, postgresMs }] }`, CPU in ms per request.
 */
export async function measure(contestants, { seconds, connections, postgres }) {
  const results = contestants.map(({ key }) => ({ key, rounds: [] }));
  const turn = ({ server, paths }, duration) =>
    run({ url: server.url, paths, connections, seconds: duration });
  for (const contestant of contestants) await turn(contestant, WARM_UP_SECONDS);
  for (let round = 0; round < ROUNDS; round += 1) {
    // The first contestant rotates.
    for (let i = 0; i < contestants.length; i += 1) {
      const place = (i + round) % contestants.length;
      const contestant = contestants[place];
      await turn(contestant, SETTLE_SECONDS);
      const before = cpu(contestant, postgres);
      const { rps, p50, p99, errors, statuses, requests } = await turn(contestant, seconds / ROUNDS);
      const after = cpu(contestant, postgres);
      if (errors > 0)
        throw new Error(
          `${contestant.key} failed ${errors} of ${requests} requests: ${JSON.stringify(statuses)}`,
        );
      const used = (what) => (after[what] === null ? null : ((after[what] - before[what]) * 1000) / requests);
      results[place].rounds.push({ rps, p50, p99, serverMs: used('server'), postgresMs: used('postgres') });
    }
  }
  return results;
}

const cpu = ({ server }, postgres) => ({
  server: cpuOf([server.pid]),
  postgres: postgres === null ? null : cpuOf([postgres]),
});

export function median(values) {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (known.length === 0) return null;
  const middle = known.length >> 1;
  return known.length % 2 === 1 ? known[middle] : (known[middle - 1] + known[middle]) / 2;
}

/** Returns the medians of a contestant's rounds. */
export const summary = ({ rounds }) =>
  Object.fromEntries(
    ['rps', 'p50', 'p99', 'serverMs', 'postgresMs'].map((what) => [
      what,
      median(rounds.map((round) => round[what])),
    ]),
  );

/** Returns the ratio of one contestant's value to another's: the median of the ratios within a round. */
export const ratio = (one, other, value) =>
  median(one.rounds.map((round, i) => value(round) / value(other.rounds[i])));

export const rps = (round) => round.rps;
export const cpuMs = (round) => round.serverMs + round.postgresMs;

/** Returns the resident memory of a process in MB (Linux; elsewhere null). */
export function memoryOf(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
  } catch {
    return null;
  }
}
