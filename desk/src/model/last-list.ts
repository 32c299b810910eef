/** Address of each list, and the document that was opened from it, for the way back from a document. */

const left = new Map<string, string>();

/** Keeps the parameters of the list of a type until the page is closed. */
export const keepList = (type: string, query: string): void => void left.set(type, query);

const opened = new Map<string, string>();

/** Keeps the document that was opened last, whose row has the focus when the list is shown again. */
export const keepOpened = (type: string, documentId: string): void => void opened.set(type, documentId);

/** Returns the document that was opened last, once. */
export function takeOpened(type: string): string | null {
  const documentId = opened.get(type) ?? null;
  opened.delete(type);
  return documentId;
}

/** Returns the address of the list, with its search, filters and page, in the language of the document. */
export function listAddress(type: string, locale: string | null): string {
  const query = new URLSearchParams(left.get(type) ?? '');
  if (query.get('locale') !== locale) {
    // The pages of another language are other ones.
    query.delete('page');
    query.delete('locale');
    if (locale !== null) query.set('locale', locale);
  }
  return `/content/${type}${query.size === 0 ? '' : `?${query.toString()}`}`;
}
