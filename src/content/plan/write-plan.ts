/**
 * Plan of a write: document, locks, caller and events. Frozen. The steps follow from the loaded state
 * (`steps.ts`).
 */
import type { Caller } from '../access/caller.js';
import type { Action } from '../access/actions.js';
import type { ContentType } from '../model/model.js';
import type { Body } from './body.js';
import type { Lock } from '../../pool/locks.js';
import type { StatePlan } from './plan.js';
import type { Precondition } from './precondition.js';

/** Events of a write. `publish` follows the create or update that publishes (protocol 21.4). */
export const WRITE_EVENTS = ['create', 'update', 'delete', 'publish', 'unpublish', 'discardDraft'] as const;
export type WriteEvent = (typeof WRITE_EVENTS)[number];

/** Action of a write. Publishing an existing draft is an update with an empty body. */
export type Verb = 'create' | 'update' | 'delete' | 'publish' | 'unpublish' | 'discardDraft';

/** Document that is written. The response has its own plan. */
export interface WriteTarget {
  readonly type: ContentType;
  /** Null for a new document, and for the document of a single type. */
  readonly documentId: string | null;
  readonly locale: string;
  /** Locale of localized links: the request's locale, even if the document itself is not localized (D25). */
  readonly linkLocale: string;
  /** Whether all locales are written. */
  readonly everyLocale: boolean;
  /** Whether the published version is written; always true in types without drafts. */
  readonly publish: boolean;
}

export interface CheckedBody extends Body {
  readonly hashes: ReadonlyMap<string, string>;
}

/**
 * Origin of the values of a write; null for a body. `version` is a stored version, `deleted` one of a deleted
 * document, and `published` what was published before a release.
 */
export type Restores = 'version' | 'deleted' | 'published' | null;

export interface WritePlan {
  readonly verb: Verb;
  readonly target: WriteTarget;
  readonly caller: Caller;
  /** Id of the HTTP request that writes; null if code of the application does. */
  readonly requestId: string | null;
  readonly restores?: Restores;
  /** Action that must be granted on this document. */
  readonly right: Action;
  /** Acquired before any read. */
  readonly locks: readonly Lock[];
  /** Checked under the locks. */
  readonly precondition: Precondition | null;
  /** Versions whose tags the response shows; null for none. */
  readonly state: StatePlan | null;
  /** Events passed to hooks. */
  readonly events: readonly WriteEvent[];
  /** Null for a write without a body. */
  readonly body: CheckedBody | null;
}
