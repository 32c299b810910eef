import type { ContentType } from '../model/model.js';
import type { RawQuery } from '../query/read-raw.js';

/** Returns the query parameters that name versions: those that the type has. */
export const versionQuery = (
  { localized, draftAndPublish }: ContentType,
  { locale, published }: { readonly locale: string; readonly published: boolean },
): RawQuery => ({
  ...(localized ? { locale } : {}),
  ...(draftAndPublish ? { status: published ? 'published' : 'draft' } : {}),
});
