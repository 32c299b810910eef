/** Snapshot of PostgreSQL, `xmin:xmax:running,…`. Includes transactions below xmax, except running ones. */
interface Snapshot {
  readonly xmax: bigint;
  readonly running: readonly bigint[];
}

function parse(text: string): Snapshot {
  const [, xmax = '0', running = ''] = text.split(':');
  return { xmax: BigInt(xmax), running: running === '' ? [] : running.split(',').map(BigInt) };
}

/** Whether a snapshot includes every transaction that another one includes. */
export function covers(outer: string, inner: string): boolean {
  const [a, b] = [parse(outer), parse(inner)];
  return a.xmax >= b.xmax && a.running.every((id) => id >= b.xmax || b.running.includes(id));
}
