/** Cases that cannot be compared: their documents were changed by cases outside these files. */
import { at } from './cases.ts';
import type { Case } from './cases.ts';
import { changedDocuments } from './compare.ts';

/**
 * Documents that requests created and other requests of the recording changed, which no file here contains.
 */
const LEFT_BY_OTHERS: ReadonlyMap<number, readonly string[]> = new Map([
  // Between its upload and its replacement the file was described: `alternativeText` is "alt2".
  [1804, ['iwzkmfs8qh8a2ysavoesw17g']],
]);

/** Returns documents in the recorded response that were changed, although none of the cases here did it. */
export function changedElsewhere(recorded: Case, earlier: readonly Case[]): ReadonlySet<string> {
  const writes = [...earlier, recorded].filter(({ method }) => method !== 'GET');
  const changed = changedDocuments(recorded.response).filter(
    (id) => !writes.some((write) => writesTo(write, id)),
  );
  return new Set([...changed, ...(LEFT_BY_OTHERS.get(recorded.n) ?? [])]);
}

const writesTo = ({ path, response }: Case, id: string): boolean =>
  path.includes(id) || at(response, 'data.documentId') === id;
