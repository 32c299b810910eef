/** Under which condition a document is written: which versions are there (RFC 9110 13.1). */
import { preconditionFailed } from '../errors.js';
import type { Tags } from '../query/parse-tags.js';
import type { ContentType } from '../schema/model.js';
import type { VersionRow } from './versions.js';

/** What a request wants of the versions that it writes; null where it does not say. */
export interface Precondition {
  /** They are the named ones. */
  readonly match: Tags | null;
  /** They are none of the named ones; with `*` there are none. */
  readonly noneMatch: Tags | null;
}

/** Which versions are written. */
interface Written {
  readonly type: ContentType;
  readonly locale: string;
  readonly everyLocale: boolean;
}

/** A tag begins with the stamp of a version; what comes behind it is of the answer that it was sent with. */
const stampIn = (tag: string): string => tag.split('-', 1)[0] ?? '';

/**
 * The stamps that stand for a version which is written, a draft or the one row of a type without drafts. What
 * is published stands for its draft as long as both are the same to the caller.
 */
function stampsOf(row: VersionRow, all: readonly VersionRow[]): string[] {
  const same = all.filter((other) => other.locale === row.locale && other.covered === row.covered);
  return same.map(({ stamp }) => stamp);
}

/** The versions that a write changes: of each locale the draft, or what is there in its place. */
function written({ type, locale, everyLocale }: Written, all: readonly VersionRow[]): VersionRow[] {
  const here = everyLocale ? all : all.filter((row) => row.locale === locale);
  return here.filter(
    (row) => isDraft(row, type) || !here.some((other) => isDraft(other, type) && other.locale === row.locale),
  );
}

const isDraft = ({ published }: VersionRow, type: ContentType): boolean =>
  published === !type.draftAndPublish;

/** Throws PreconditionFailedError where the versions of a document are not as a write wants them to be. */
export function checkPrecondition(
  { match, noneMatch }: Precondition,
  target: Written,
  all: readonly VersionRow[],
): void {
  const rows = written(target, all);
  const isNamed = (row: VersionRow, tags: Tags): boolean =>
    tags === '*' || tags.some((tag) => stampsOf(row, all).includes(stampIn(tag)));
  const matches = match === null || (rows.length > 0 && rows.every((row) => isNamed(row, match)));
  const collides = noneMatch !== null && rows.some((row) => isNamed(row, noneMatch));
  if (!matches || collides) throw preconditionFailed();
}
