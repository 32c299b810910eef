/**
 * Whether a history could have happened one operation after another, each between its invocation and its answer
 * (linearizable, as M. Herlihy and J. Wing define it).
 *
 * Of a register whose writes all write different values this is decided exactly, in O(n log n), by the zones of
 * P. Gibbons and E. Korach ("Testing shared memories", SIAM J. Comput. 26(4), 1997, section 4): a write and the
 * reads of its value are a cluster; its zone reaches from the first answer among them to the last invocation.
 * Where that is forward in time, the register must have held the value all along; where it is backward, at one
 * moment in it. A history is linearizable just if no read was answered before its write was invoked, no two
 * forward zones overlap, and no backward zone lies inside a forward one.
 *
 * Registers can be looked at one by one, because linearizability is local. Reads of several registers at one
 * moment are no operations of one register, so they are held against each other as well: their vectors of
 * versions must grow one from another, show all of a transaction or nothing of it, and show whatever had been
 * answered before something that they show was asked for.
 */
import type { History, Read, Value, Write } from './history.ts';

/** A write, and the reads of its value. */
interface Cluster {
  readonly write: Write;
  readonly reads: Read[];
}

/** From the first answer to the last invocation of a cluster. */
interface Zone {
  readonly cluster: Cluster;
  readonly first: number;
  readonly last: number;
}

const ms = (time: number): string => (Number.isFinite(time) ? `${time.toFixed(2)} ms` : 'never');
const span = ({ invoked, answered }: Pick<Read, 'invoked' | 'answered'>): string =>
  `asked at ${ms(invoked)}, answered at ${ms(answered)}`;

const describeWrite = ({ slot, token, by, ...when }: Write): string =>
  `${token} in slot ${slot} by ${by}, ${span(when)}`;

/** All problems of a history, each in a sentence; none where it is linearizable. */
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
          `${read.by}, ${span(read)}, has ${token} in slot ${slot}, which is older than all that could be there`,
        );
      else if (cluster.write.outcome === 'aborted')
        problems.push(`${read.by} has what was rolled back: ${describeWrite(cluster.write)}`);
      else if (read.answered < cluster.write.invoked)
        problems.push(`${read.by} has what was not asked for yet: ${describeWrite(cluster.write)}`);
      else {
        cluster.reads.push(read);
        cluster.write.seq ??= seq;
        if (cluster.write.seq !== seq)
          problems.push(`${read.by} has a mixture: seq ${seq} of ${describeWrite(cluster.write)}`);
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

/** The index of the last of sorted numbers that is below another; -1 where none is. */
function lastBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Infinity) < limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Two values that were there in turns: which read came too late with the older one. */
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
  if (late === null) return `${describeWrite(older.cluster.write)}, cannot have been there besides ${newest}`;
  const lateness = `${(late.invoked - newer.first).toFixed(2)} ms before`;
  return `${late.by}, ${span(late)}, has ${describeWrite(older.cluster.write)}; ${newest}, ${lateness}`;
}

/** Reads of all slots, as vectors of versions; in an order in which each has all of the one before. */
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
        `${a.read.by}, ${span(a.read)}, and ${b.read.by}, ${span(b.read)}, are not of moments one after the other: ${a.versions.join()} and ${b.versions.join()}`,
      );
  }
  /** The first moment that shows a write; they are in order, or that has been said. */
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
      problems.push(`half of a transaction was seen: ${known.map(describeWrite).join(' and ')}`);
  }
  checkCauses(history.writes, shownAt, problems);
}

/** Whoever sees a write sees all that was answered before it was asked for. */
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
      problems.push(`somebody saw ${describeWrite(write)}, and not ${describeWrite(cause)}, before it`);
  }
}
