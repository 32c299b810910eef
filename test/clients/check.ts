/** A client and its checks. */
import type { Blog } from './server.ts';

/** Title and function of a check. */
export type Check = readonly [what: string, run: () => Promise<void>];

export interface Client {
  /** Package whose version is in the table. */
  readonly name: string;
  readonly checks: (blog: Blog) => Promise<readonly Check[]>;
}
