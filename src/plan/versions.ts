/** The versions of a document, and their parts in a write. */
import type { ContentType } from '../schema/model.js';

/** A version of a document as the lock found it. */
export interface VersionRow {
  readonly id: number;
  readonly documentId: string;
  readonly locale: string;
  readonly published: boolean;
  /** As text: it is a number of 64 bits. */
  readonly revision: string;
  /** The revision of the part that its writer can read; the revision itself if that is all of it. */
  readonly covered: string;
  /** What its row is told from all others and from its former self by. */
  readonly stamp: string;
  /** Whether it is the caller's own. */
  readonly own: boolean;
}

/** The rows that a write starts from. */
export interface Versions {
  /** The draft in the write's locale, or the one row of a type without drafts. */
  readonly own: VersionRow | undefined;
  /** Its published counterpart. */
  readonly published: VersionRow | undefined;
  /** Where a new locale takes over shared values from. */
  readonly base: VersionRow | undefined;
  readonly all: readonly VersionRow[];
  /** The document, also where only versions are left that the type has no more; null for a new one. */
  readonly documentId: string | null;
}

/**
 * The versions that a type has, without those that an older model has left: without drafts, published ones;
 * without locales, those of the default locale, which its writes are about (D29).
 */
const currentVersions = (rows: readonly VersionRow[], type: ContentType, locale: string): VersionRow[] =>
  rows.filter((row) => (type.draftAndPublish || row.published) && (type.localized || row.locale === locale));

/** The versions of a document by their part in a write. */
export function versionsOf(rows: readonly VersionRow[], type: ContentType, locale: string): Versions {
  const all = currentVersions(rows, type, locale);
  const isOwn = ({ published }: VersionRow): boolean => published === !type.draftAndPublish;
  const here = (row: VersionRow): boolean => row.locale === locale;
  return {
    all,
    own: all.find((row) => isOwn(row) && here(row)),
    published: all.find((row) => row.published && here(row)),
    base: all.find(isOwn),
    documentId: rows[0]?.documentId ?? null,
  };
}

/** Whether some published version of a document has no draft. */
export const lacksDraft = (rows: readonly VersionRow[]): boolean =>
  rows.some(
    ({ published, locale }) =>
      published && !rows.some((other) => !other.published && other.locale === locale),
  );

/** The revision of rows that were not written by this library: nobody knows what it stands for. */
export const UNKNOWN_REVISION = '0';

/** Whether the published version is what its draft is, so that publishing has nothing to bring over. */
export const isUnmodified = ({ own, published }: Versions): boolean =>
  own !== undefined &&
  own !== published &&
  own.revision !== UNKNOWN_REVISION &&
  own.revision === published?.revision;
