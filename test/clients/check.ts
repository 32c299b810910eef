/** A client, and what it is asked to do. */
import type { Blog } from './server.ts';

/** What was asked, and what it was asked with. */
export type Check = readonly [what: string, run: () => Promise<void>];

export interface Client {
  /** The package, whose version the table names. */
  readonly name: string;
  readonly checks: (blog: Blog) => Promise<readonly Check[]>;
}
