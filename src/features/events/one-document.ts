/** Parameters of a list that shows whether a document matches filters. */
import type { ContentType } from '../../content/model/model.js';
import type { LoggedEvent } from './logged-event.js';

/** Returns the locale of the written version; null for all locales, and in types without. */
export const localeOf = ({ locale }: LoggedEvent, { localized }: ContentType): string | null =>
  localized ? locale : null;

export interface WrittenVersion {
  readonly documentId: string;
  readonly locale: string | null;
}

/**
 * Returns filters that only the written version can match. That of a fallback locale does not match in place
 * of one that is hidden or deleted.
 */
export const onlyVersion = ({ documentId, locale }: WrittenVersion, filters: unknown): object => ({
  $and: [
    { documentId: { $eq: documentId } },
    ...(locale === null ? [] : [{ locale: { $eq: locale } }]),
    ...(filters === undefined ? [] : [filters]),
  ],
});

export const ONE_DOCUMENT = Object.freeze({ page: 1, pageSize: 1, withCount: false });
