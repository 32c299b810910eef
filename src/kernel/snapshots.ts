/**
 * Snapshots of PostgreSQL, `xmin:xmax:running,…`. They include committed transactions below xmax, except
 * running ones.
 */
interface Snapshot {
  readonly xmin: bigint;
  readonly xmax: bigint;
  readonly running: readonly string[];
}

function parse(text: string): Snapshot {
  const [xmin = '0', xmax = '0', running = ''] = text.split(':');
  return { xmin: BigInt(xmin), xmax: BigInt(xmax), running: running === '' ? [] : running.split(',') };
}

/** Whether a snapshot includes a committed transaction. */
export function sees(snapshot: string, transaction: string): boolean {
  const { xmin, xmax, running } = parse(snapshot);
  const id = BigInt(transaction);
  return id < xmin || (id < xmax && !running.includes(transaction));
}

/** Whether a snapshot includes every transaction that another one includes. */
export function covers(outer: string, inner: string): boolean {
  const [a, b] = [parse(outer), parse(inner)];
  return a.xmax >= b.xmax && a.running.every((id) => BigInt(id) >= b.xmax || b.running.includes(id));
}
