/**
 * What a write does to the database, as values: rows, links, and the drafts that an older model left out.
 */
import type { OwnCondition } from '../access/decide.js';
import type { Attribute, ContentType, LinkedAttribute } from '../schema/model.js';

/** New values by attribute; a relation held in a column carries the target's document id or null. */
export type ColumnValues = ReadonlyMap<Attribute, unknown>;

/** A version that is created or updated, published, and shared with other locales. */
export interface RowsStep {
  readonly kind: 'rows';
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string;
  readonly values: ColumnValues;
  /** The version to update; null to insert one. */
  readonly row: number | null;
  /** Its published version; null where there is none yet. */
  readonly live: number | null;
  /** Whether that one is what its draft is, so that it takes what is given and nothing else. */
  readonly unmodified: boolean;
  /** Whether the document has versions in other locales. */
  readonly hasOthers: boolean;
  /** A version in another locale from which a new one takes over what locales share (D19). */
  readonly base: number | null;
  /**
   * Whether the published version is written too. In types without drafts the one row is the published one.
   */
  readonly publish: boolean;
  /** The links that go with the rows. */
  readonly links: LinksStep;
}

/** The published versions of a locale, or of all where it is null, become what their drafts are. */
export interface PublishStep {
  readonly kind: 'publish';
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | null;
  readonly links: LinksStep;
}

/** New targets of one relation. */
export interface LinkChange {
  readonly attribute: LinkedAttribute;
  readonly targets: readonly string[];
  /** The states of the owning side whose links they are, and the locale where locales have their own. */
  readonly states: readonly boolean[];
  readonly locale: string;
  /** Inverse sides: documents whose links stay as they are. */
  readonly untouched: readonly string[];
}

/** Links that become the same in one state as they are in the other (D22). */
export interface LinkTransfer {
  readonly attribute: LinkedAttribute;
  /** Whether they come to be published; drafts take back what is published otherwise. */
  readonly published: boolean;
  /** The locale whose links are meant, where locales have their own; null where all are. */
  readonly locale: string | null;
  /** The locale whose links are not, because a body has given them; null where there is none. */
  readonly except: string | null;
  /** Inverse sides: the owners whose links may change; own ones, or all. */
  readonly owners: 'all' | OwnCondition;
}

/** All links of one document that a write changes. */
export interface LinksStep {
  readonly type: ContentType;
  readonly documentId: string;
  /** The locale of the version that is written; null where all are. */
  readonly locale: string | null;
  /** Whether the document has versions in other locales, which show what they share. */
  readonly hasOthers: boolean;
  /** Whether the document has no links yet. */
  readonly isNew: boolean;
  /** Whether all rows of it that are written are there already. */
  readonly isThere: boolean;
  readonly changes: readonly LinkChange[];
  readonly transfers: readonly LinkTransfer[];
}

/** Drafts that are missing are made from what is published (D29); null means a single type's document. */
interface DraftsStep {
  readonly kind: 'drafts';
  readonly type: ContentType;
  readonly documentIds: readonly string[] | null;
}

/** The published version of a locale goes; of every one where it is null. */
export interface UnpublishStep {
  readonly kind: 'unpublish';
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly locale: string | null;
}

/** The draft of a locale takes back what is published; those of all where it is null. */
export interface DiscardStep {
  readonly kind: 'discard';
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | null;
  readonly links: LinksStep;
}

/** The versions of a locale go, or all; with the last one the links that named the document. */
export interface DeleteStep {
  readonly kind: 'delete';
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly locale: string | null;
}

/** The times at which a document would have been published or unpublished go, of one locale or of all. */
export interface UnscheduleStep {
  readonly kind: 'unschedule';
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly locale: string | null;
}

export type WriteStep =
  RowsStep | PublishStep | DraftsStep | UnpublishStep | DiscardStep | DeleteStep | UnscheduleStep;
