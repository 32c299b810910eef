/**
 * Checks that a history is linearizable, as M. Herlihy and J. Wing define it: its operations have an order in
 * which each lies between its invocation and its response.
 *
 * If all writes of a register write different values, the check is exact and takes O(n log n). It uses the
 * zones of P. Gibbons and E. Korach ("Testing shared memories", SIAM J. Comput. 26(4), 1997, section 4). A
 * write and the reads of its value are a cluster. Its zone reaches from the first response of the cluster to
 * the last invocation. In a forward zone the register has the value all the time; in a backward zone, at one
 * point of it. A history is linearizable if and only if three conditions hold. No read responds before the
 * invocation of its write, no two forward zones overlap, and no forward zone contains a backward one.
 *
 * Linearizability is local, so each register is checked separately. Reads of several registers are also
 * compared with one another. Their vectors of versions must grow one from another, and show all of a
 * transaction or nothing of it. They must show every write whose response came before the invocation of a
 * write that they show.
 */
import type { History, Read, Value, Write } from './history.ts';

/** A write, and the reads of its value. */
interface Cluster {
  readonly write: Write;
  readonly reads: Read[];
}

/** From the first response to the last invocation of a cluster. */
interface Zone {
  readonly cluster: Cluster;
  readonly first: number;
  readonly last: number;
}

const ms = (time: number): string => (Number.isFinite(time) ? `${time.toFixed(2)} ms` : 'never');
const span = ({ invoked, answered }: Pick<Read, 'invoked' | 'answered'>): string =>
  `invoked at ${ms(invoked)}, response at ${ms(answered)}`;

const describeWrite = ({ slot, token, by, ...when }: Write): string =>
  `${token} in slot ${slot} by ${by}, ${span(when)}`;

/** Returns all problems of a history, one sentence each. */
export function problemsOf(history: History): string[] {
  const problems: string[] = [];
  const clusters = clustersOf(history, problems);
  for (const ofSlot of clusters.values()) checkZones([...ofSlot.values()], problems);
  checkMoments(history, problems);
  return problems;
}

function clustersOf(
  { before, writes, reads }: History,
  problems: string[],
): ReadonlyMap<number, ReadonlyMap<number, Cluster>> {
  const clusters = new Map<number, Map<number, Cluster>>();
  const add = (write: Write): void => {
    const ofSlot = clusters.get(write.slot) ?? new Map<number, Cluster>();
    ofSlot.set(write.token, { write, reads: [] });
    clusters.set(write.slot, ofSlot);
  };
  for (const [slot, { token, seq }] of before)
    add({ slot, token, seq, by: 'the beginning', invoked: -1, answered: -1, outcome: 'done' });
  for (const write of writes) add(write);
  for (const read of reads)
    for (const [slot, { token, seq }] of read.values) {
      const cluster = clusters.get(slot)?.get(token);
      if (cluster === undefined)
        problems.push(
          `${read.by}, ${span(read)}, has ${token} in slot ${slot}, which is older than every possible value`,
        );
      else if (cluster.write.outcome === 'aborted')
        problems.push(`${read.by} returns a write that was rolled back: ${describeWrite(cluster.write)}`);
      else if (read.answered < cluster.write.invoked)
        problems.push(`${read.by} returns a write that had not begun: ${describeWrite(cluster.write)}`);
      else {
        cluster.reads.push(read);
        cluster.write.seq ??= seq;
        if (cluster.write.seq !== seq)
          problems.push(`${read.by} mixes two writes: seq ${seq} of ${describeWrite(cluster.write)}`);
      }
    }
  return clusters;
}

function zoneOf(cluster: Cluster): Zone {
  const { write, reads } = cluster;
  let [first, last] = [write.outcome === 'done' ? write.answered : Infinity, write.invoked];
  for (const { invoked, answered } of reads) {
    first = Math.min(first, answered);
    last = Math.max(last, invoked);
  }
  return { cluster, first, last };
}

function checkZones(clusters: readonly Cluster[], problems: string[]): void {
  const seen = clusters.filter(({ write, reads }) => write.outcome === 'done' || reads.length > 0);
  const zones = seen.map(zoneOf);
  const forward = zones.filter(({ first, last }) => first < last).sort((a, b) => a.first - b.first);
  let widest: Zone | null = null;
  for (const zone of forward) {
    if (widest !== null && zone.first < widest.last) problems.push(overlap(widest, zone));
    if (widest === null || zone.last > widest.last) widest = zone;
  }
  const starts = forward.map(({ first }) => first);
  for (const zone of zones) {
    if (zone.first < zone.last) continue;
    const around = forward[lastBelow(starts, zone.last)];
    if (around !== undefined && zone.first < around.last) problems.push(overlap(around, zone));
  }
}

/** Returns the index of the last of the sorted numbers that is below a limit; -1 without one. */
function lastBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Infinity) < limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Describes two values that alternate: the read that returned the older one too late. */
function overlap(one: Zone, other: Zone): string {
  const [older, newer] =
    (one.cluster.write.seq ?? 0) <= (other.cluster.write.seq ?? 0) ? [one, other] : [other, one];
  const late = older.cluster.reads.reduce<Read | null>(
    (latest, read) => (latest === null || read.invoked > latest.invoked ? read : latest),
    null,
  );
  const proof = newer.cluster.reads.find(({ answered }) => answered === newer.first);
  const known = proof === undefined ? 'was written' : `had been read by ${proof.by}`;
  const newest = `${describeWrite(newer.cluster.write)}, ${known} by ${ms(newer.first)}`;
  if (late === null) return `${describeWrite(older.cluster.write)}, cannot coexist with ${newest}`;
  const lateness = `${(late.invoked - newer.first).toFixed(2)} ms before`;
  return `${late.by}, ${span(late)}, has ${describeWrite(older.cluster.write)}; ${newest}, ${lateness}`;
}

/** Reads of all slots, as vectors of versions, in an order in which they grow. */
interface Moment {
  readonly read: Read;
  readonly versions: readonly number[];
  readonly sum: number;
}

function momentsOf({ before, reads }: History): Moment[] {
  const slots = [...before.keys()].sort((a, b) => a - b);
  return reads
    .filter(({ values }) => values.size === slots.length)
    .map((read) => {
      const versions = slots.map((slot) => (read.values.get(slot) as Value).seq);
      return { read, versions, sum: versions.reduce((sum, one) => sum + one, 0) };
    })
    .sort((a, b) => a.sum - b.sum);
}

function checkMoments(history: History, problems: string[]): void {
  const moments = momentsOf(history);
  const places = new Map([...history.before.keys()].sort((a, b) => a - b).map((slot, i) => [slot, i]));
  for (let i = 1; i < moments.length; i += 1) {
    const [a, b] = [moments[i - 1] as Moment, moments[i] as Moment];
    if (a.versions.some((version, at) => version > (b.versions[at] ?? 0)))
      problems.push(
        `${a.read.by}, ${span(a.read)}, and ${b.read.by}, ${span(b.read)}, have no common order: ${a.versions.join()} and ${b.versions.join()}`,
      );
  }
  /** Returns the first moment that shows a write. The moments are in order, or a problem reports it. */
  const shownAt = ({ slot, seq }: Write): number => {
    const place = places.get(slot) ?? -1;
    let [low, high] = [0, moments.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((moments[middle]?.versions[place] ?? Infinity) < (seq ?? Infinity)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  for (const writes of history.together) {
    const known = writes.filter(({ outcome, seq }) => outcome === 'done' && seq !== null);
    if (new Set(known.map(shownAt)).size > 1)
      problems.push(`a read shows half of a transaction: ${known.map(describeWrite).join(' and ')}`);
  }
  checkCauses(history.writes, shownAt, problems);
}

/** A read that shows a write shows all writes that had their response before its invocation. */
function checkCauses(writes: readonly Write[], shownAt: (write: Write) => number, problems: string[]): void {
  const known = writes.filter(({ outcome, seq }) => outcome === 'done' && seq !== null);
  const byAnswer = known.toSorted((a, b) => a.answered - b.answered);
  let [next, latest, cause] = [0, -1, null as Write | null];
  for (const write of known.toSorted((a, b) => a.invoked - b.invoked)) {
    for (; (byAnswer[next]?.answered ?? Infinity) < write.invoked; next += 1) {
      const at = shownAt(byAnswer[next] as Write);
      if (at > latest) [latest, cause] = [at, byAnswer[next] as Write];
    }
    if (cause !== null && latest > shownAt(write))
      problems.push(
        `a read shows ${describeWrite(write)} without ${describeWrite(cause)}, which completed before it`,
      );
  }
}
