/**
 * What a write does to the database, as values: rows, links, and the drafts that an older model left out. The
 * holders of links are described, never listed: what they are is known before their rows exist.
 */
import type { Attribute, ContentType, LinkTable, RelationAttribute } from '../schema/model.js';

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
  /** Whether the rows are there already, or all of them new: then links are written along with them. */
  readonly together: boolean;
}

/** Rows of the written document whose links are meant; `null` leaves open which. */
export interface HolderRows {
  readonly published: boolean | null;
  readonly locale: string | null;
}

/** New targets of one relation. */
export interface LinkChange {
  readonly attribute: RelationAttribute;
  readonly targets: readonly string[];
  /** The rows whose links they are, or those that the same statement inserts. */
  readonly rows: HolderRows | 'inserted';
  /** Inverse sides: documents whose links stay as they are. */
  readonly untouched: readonly string[];
}

/** Links copied as they are from one row to others: on publish, and into a new locale. */
export interface LinkCopy {
  readonly links: LinkTable;
  readonly from: number;
  readonly to: HolderRows;
}

/** A one-to-one target that a version comes to hold by being copied: its former holder loses it. */
export interface CopiedTarget {
  readonly attribute: RelationAttribute;
  /** The row that the target is copied from. */
  readonly from: number;
  /** The state that it is copied to. */
  readonly published: boolean;
}

/** All links of one document that a write changes. */
export interface LinksStep {
  readonly kind: 'links';
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string;
  /** Inverse sides: only the drafts of the targets, or both states. */
  readonly draftsOnly: boolean;
  readonly changes: readonly LinkChange[];
  readonly copies: readonly LinkCopy[];
  readonly reassigned: readonly CopiedTarget[];
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

/** The draft of a locale takes back what is published. */
export interface DiscardStep {
  readonly kind: 'discard';
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string;
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
  RowsStep | LinksStep | DraftsStep | UnpublishStep | DiscardStep | DeleteStep | UnscheduleStep;
