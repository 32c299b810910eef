/** Preconditions of a write on the stored versions (RFC 9110 13.1). */
import { preconditionFailed } from '../../kernel/errors.js';
import type { Tags } from '../query/parse-tags.js';
import type { ContentType } from '../model/model.js';
import type { VersionRow } from './versions.js';

export interface Precondition {
  readonly match: Tags | null;
  /** Tags of `If-None-Match`, where `*` requires that no version exists; null without the header. */
  readonly noneMatch: Tags | null;
}

interface WrittenVersions {
  readonly type: ContentType;
  readonly locale: string;
  readonly everyLocale: boolean;
}

/** A tag begins with the stamp of a version; the rest depends on the response that it was sent with. */
const stampIn = (tag: string): string => tag.split('-', 1)[0] ?? '';

/**
 * Returns the stamps that identify a written version. The stamp of a published version also identifies its
 * draft while both are the same to the caller.
 */
function stampsOf(row: VersionRow, all: readonly VersionRow[]): string[] {
  const same = all.filter((other) => other.locale === row.locale && other.covered === row.covered);
  return same.map(({ stamp }) => stamp);
}

/** Versions that a write changes: in each locale the draft, or the published version without one. */
function versionsToWrite(
  { type, locale, everyLocale }: WrittenVersions,
  all: readonly VersionRow[],
): VersionRow[] {
  const here = everyLocale ? all : all.filter((row) => row.locale === locale);
  return here.filter(
    (row) => isDraft(row, type) || !here.some((other) => isDraft(other, type) && other.locale === row.locale),
  );
}

const isDraft = ({ published }: VersionRow, type: ContentType): boolean =>
  published === !type.draftAndPublish;

/** Throws PreconditionFailedError for an absent document if `If-Match` requires one. */
export function refuseAbsent(precondition: Precondition | null): void {
  if (precondition !== null && precondition.match !== null) throw preconditionFailed();
}

/** Throws PreconditionFailedError if the stored versions do not meet the preconditions. */
export function checkPrecondition(
  { match, noneMatch }: Precondition,
  target: WrittenVersions,
  all: readonly VersionRow[],
): void {
  const rows = versionsToWrite(target, all);
  const hasTag = (row: VersionRow, tags: Tags): boolean =>
    tags === '*' || tags.some((tag) => stampsOf(row, all).includes(stampIn(tag)));
  const matches = match === null || (rows.length > 0 && rows.every((row) => hasTag(row, match)));
  const collides = noneMatch !== null && rows.some((row) => hasTag(row, noneMatch));
  if (!matches || collides) throw preconditionFailed();
}
