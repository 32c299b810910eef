/**
 * The library's own rooms, for what looks below HTTP: the sources under jest, the built package in plain Node,
 * which cannot run decorators.
 */
const underJest = process.env.JEST_WORKER_ID !== undefined;

/** A room by its path below `src`, without its ending. */
export const loadRoom = <T>(room: string): Promise<T> =>
  import(underJest ? `../../src/${room}.ts` : `../../dist/${room}.js`) as Promise<T>;
