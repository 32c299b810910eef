import type { ContentType } from '../model/model.js';

/** Version of a document, read under the lock. */
export interface VersionRow {
  readonly id: number;
  readonly documentId: string;
  readonly locale: string;
  readonly published: boolean;
  /** 64-bit integer as text. */
  readonly revision: string;
  /** Revision of the part that the writer can read, if a precondition compares it; otherwise `revision`. */
  readonly covered: string;
  /** Row version stamp; changes with every write of the row. */
  readonly stamp: string;
  /** Whether the feature that stores versions has stored this state of the row; false without one. */
  readonly kept: boolean;
  /** Whether the caller may write the version: it owns it, or the version meets the grant's condition. */
  readonly own: boolean;
  /** Whether the caller may write the version by a write that changes the published version. */
  readonly live: boolean;
  /** Whether the caller may read the version. */
  readonly shown: boolean;
}

export interface Versions {
  /** Draft in the write's locale, or the only row of a type without drafts. */
  readonly own: VersionRow | undefined;
  /** Published version in the same locale. */
  readonly published: VersionRow | undefined;
  /** Version from which a new locale copies shared values. */
  readonly base: VersionRow | undefined;
  readonly all: readonly VersionRow[];
  /** Null for a new document. Set even if only versions of an older model exist. */
  readonly documentId: string | null;
}

/**
 * Excludes versions of an older model (D29): drafts of a type without drafts, and locales other than the
 * default of a type without locales.
 */
const currentVersions = (rows: readonly VersionRow[], type: ContentType, locale: string): VersionRow[] =>
  rows.filter((row) => (type.draftAndPublish || row.published) && (type.localized || row.locale === locale));

export function versionsOf(rows: readonly VersionRow[], type: ContentType, locale: string): Versions {
  const all = currentVersions(rows, type, locale);
  const isOwn = ({ published }: VersionRow): boolean => published === !type.draftAndPublish;
  const isOfLocale = (row: VersionRow): boolean => row.locale === locale;
  return {
    all,
    own: all.find((row) => isOwn(row) && isOfLocale(row)),
    published: all.find((row) => row.published && isOfLocale(row)),
    base: all.find(isOwn),
    documentId: rows[0]?.documentId ?? null,
  };
}

interface WrittenLocales {
  readonly locale: string;
  readonly everyLocale: boolean;
}

/**
 * Returns whether a version is in a locale that a write leaves: another one, or an unpublished one if all
 * locales are discarded.
 */
export const isInOtherLocale =
  (all: readonly VersionRow[], { locale, everyLocale }: WrittenLocales) =>
  (row: VersionRow): boolean =>
    everyLocale
      ? !all.some((other) => other.published && other.locale === row.locale)
      : row.locale !== locale;

/** Whether some published version of a document has no draft. */
export const lacksDraft = (rows: readonly VersionRow[]): boolean =>
  rows.some(
    ({ published, locale }) =>
      published && !rows.some((other) => !other.published && other.locale === locale),
  );

/** Revision of rows that were not written by this library; equal to no other. */
export const UNKNOWN_REVISION = '0';

/** Whether the published version equals the draft, so that publishing has nothing to copy. */
export const isUnmodified = ({ own, published }: Versions): boolean =>
  own !== undefined &&
  own !== published &&
  own.revision !== UNKNOWN_REVISION &&
  own.revision === published?.revision;
