/**
 * Modules of the library, for tests below HTTP: the sources under jest, and the built package in plain Node,
 * which cannot run decorators.
 */
const underJest = process.env.JEST_WORKER_ID !== undefined;

/** Loads a module by its path below `src`, without the extension. */
export const loadRoom = <T>(path: string): Promise<T> =>
  import(underJest ? `../../src/${path}.ts` : `../../dist/${path}.js`) as Promise<T>;
