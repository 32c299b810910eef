/**
 * What will be written: about which document, under which locks, on whose behalf, and who is told. Frozen;
 * what there is to do follows from it once the database has said what is there (`steps.ts`).
 */
import type { Caller } from '../access/caller.js';
import type { Action } from '../access/permissions.js';
import type { ContentType } from '../schema/model.js';
import type { Body } from './body.js';
import type { Lock } from './locks.js';
import type { Precondition } from './precondition.js';

/** What happens to a document. Publishing comes after the create or update that publishes (protocol 21.4). */
export const WRITE_EVENTS = ['create', 'update', 'delete', 'publish', 'unpublish', 'discardDraft'] as const;
export type WriteEvent = (typeof WRITE_EVENTS)[number];

/** What a write does. To publish a draft is to update it by nothing, where it is there. */
export type Verb = 'create' | 'update' | 'delete' | 'publish' | 'unpublish' | 'discardDraft';

/** What a write is about; how it is answered is a plan of its own. */
export interface WriteTarget {
  readonly type: ContentType;
  /** Null for a new document, and for a single type's, whichever it is. */
  readonly documentId: string | null;
  readonly locale: string;
  /**
   * Whose links are meant where a relation has its own in each locale: the request's locale, also where the
   * document itself has none (D25).
   */
  readonly linkLocale: string;
  /** Whether the locale does not matter: all versions are meant. */
  readonly everyLocale: boolean;
  /** Whether the published version is written; always true in types without drafts. */
  readonly publish: boolean;
}

/** A body that has been checked, with the hashes of its passwords. */
export interface CheckedBody extends Body {
  readonly hashes: ReadonlyMap<string, string>;
}

export interface WritePlan {
  readonly verb: Verb;
  readonly target: WriteTarget;
  readonly caller: Caller;
  /** The right that the caller needs on this very document. */
  readonly right: Action;
  /** Held before anything is looked at. */
  readonly locks: readonly Lock[];
  /** What must be so of the versions that are there, under the locks. */
  readonly precondition: Precondition | null;
  /** What hooks are told. */
  readonly events: readonly WriteEvent[];
  /** Null where a write has none. */
  readonly body: CheckedBody | null;
}
