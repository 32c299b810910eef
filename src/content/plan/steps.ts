/** Steps of a write, as values. */
import type { OwnCondition } from '../access/decide.js';
import type { Attribute, ContentType, LinkedAttribute } from '../model/model.js';
import type { VersionRow } from './versions.js';

/** New values by attribute. A relation with a column has the target's document id or null. */
export type ColumnValues = ReadonlyMap<Attribute, unknown>;

export interface RowsStep {
  readonly kind: 'rows';
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string;
  readonly values: ColumnValues;
  readonly row: number | null;
  readonly live: number | null;
  /** Whether the published version equals the draft, so that both get the same update. */
  readonly unmodified: boolean;
  readonly hasOthers: boolean;
  /** Version in another locale with the shared values of a new one (D19). */
  readonly base: number | null;
  /** Creation time of a created version; null for the time of the transaction. */
  readonly createdAt: string | null;
  /** Whether the published version is written. In types without drafts the only row is published. */
  readonly publish: boolean;
  readonly links: LinksStep;
}

/** Copies drafts to their published versions, in one locale or in all (null). */
export interface PublishStep {
  readonly kind: 'publish';
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | null;
  readonly links: LinksStep;
}

export interface LinkChange {
  readonly attribute: LinkedAttribute;
  readonly targets: readonly string[];
  /** States of the owning side, and the locale if links are localized. */
  readonly states: readonly boolean[];
  readonly locale: string;
  readonly untouched: readonly string[];
}

/** Links that are copied from one state to the other (D22). */
export interface LinkTransfer {
  readonly attribute: LinkedAttribute;
  readonly published: boolean;
  /** Locale of localized links, or several; null for all. */
  readonly locale: string | readonly string[] | null;
  readonly except: string | null;
  /** Owners whose links on the inverse side may change. */
  readonly owners: 'all' | OwnCondition;
}

export interface LinksStep {
  readonly type: ContentType;
  readonly documentId: string;
  /** Whether the document has versions in locales that are not written, which contain shared links. */
  readonly hasOthers: boolean;
  readonly isNew: boolean;
  readonly isThere: boolean;
  /** Document id of the user who writes; null for callers that are not users. */
  readonly by: string | null;
  readonly changes: readonly LinkChange[];
  readonly transfers: readonly LinkTransfer[];
}

/** Creates missing drafts from published versions (D29). Null means the document of a single type. */
interface DraftsStep {
  readonly kind: 'drafts';
  readonly type: ContentType;
  readonly documentIds: readonly string[] | null;
}

/** Deletes the published version of a locale, or of all (null). */
export interface UnpublishStep {
  readonly kind: 'unpublish';
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly locale: string | null;
}

/** Resets the draft of a locale to its published version, or those of all (null). */
export interface DiscardStep {
  readonly kind: 'discard';
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | null;
  readonly links: LinksStep;
}

/** Deletes the versions of a locale, or all (null). The last deletion also deletes links to the document. */
export interface DeleteStep {
  readonly kind: 'delete';
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly locale: string | null;
  readonly by: string | null;
}

/** Deletes the schedule of a document, in one locale or in all (null). */
export interface UnscheduleStep {
  readonly kind: 'unschedule';
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly locale: string | null;
}

/** Moves drafts of other locales to the initial stage, if the shared content that they have has changed. */
export interface StageStep {
  readonly kind: 'stage';
  readonly type: ContentType;
  readonly initial: string;
  /** Stages in which a change ends the approval. */
  readonly approved: readonly string[];
  /** Drafts before the write. */
  readonly drafts: readonly Pick<VersionRow, 'id' | 'revision'>[];
  readonly by: string | null;
}

export type WriteStep =
  RowsStep | PublishStep | DraftsStep | UnpublishStep | DiscardStep | DeleteStep | UnscheduleStep | StageStep;
