/** What a description is made of, and what is known while it is made. */
import type { Caller } from '../access/caller.js';
import type { Schema } from '../schema/model.js';
import type { ContentSettings } from '../settings.js';
import type { Components } from './components.js';
import type { Paths } from './document.js';

/** Which answers are described. */
export interface Described {
  /** The format that they are asked for in (protocol 17.1). */
  readonly format: 'flat' | 'v4';
  /** Whether `count` of a populate is among what may be asked: counted attributes are objects then. */
  readonly counts: boolean;
}

/** Whose description of what is made. */
export interface Describing extends Described {
  readonly caller: Caller;
  readonly schema: Schema;
  readonly settings: ContentSettings;
  /** The path before all content routes, `/api`. */
  readonly base: string;
  /** Whether reads may be answered by servers that follow the one which is written to. */
  readonly replicas: boolean;
  /** Names of the headers that say who asks, `Authorization` among them. */
  readonly credentials: readonly string[];
  readonly components: Components;
}

/**
 * Adds the paths of routes that no content type has: of accounts, of files, of the host. It is asked for each
 * caller, and answers with what that caller may do alone.
 */
export type Describe = (describing: Describing) => Paths;
