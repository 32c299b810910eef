/** What cannot be compared: documents that cases outside these files have left otherwise. */
import { at } from './cases.ts';
import type { Case } from './cases.ts';
import { changedDocuments } from './compare.ts';

/** Documents that requests made and others of the recording changed, which no file here has. */
const LEFT_BY_OTHERS: ReadonlyMap<number, readonly string[]> = new Map([
  // Between its upload and its replacement the file was described: `alternativeText` is "alt2".
  [1804, ['iwzkmfs8qh8a2ysavoesw17g']],
]);

/** Documents in the recorded answer that have been written to, although none of the cases here did it. */
export function changedElsewhere(recorded: Case, earlier: readonly Case[]): ReadonlySet<string> {
  const writes = [...earlier, recorded].filter(({ method }) => method !== 'GET');
  const changed = changedDocuments(recorded.response).filter(
    (id) => !writes.some((write) => writesTo(write, id)),
  );
  return new Set([...changed, ...(LEFT_BY_OTHERS.get(recorded.n) ?? [])]);
}

const writesTo = ({ path, response }: Case, id: string): boolean =>
  path.includes(id) || at(response, 'data.documentId') === id;
