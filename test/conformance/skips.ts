/** What cannot be compared: answers that are not the library's, or that cases outside these files shaped. */
import { at } from './cases.ts';
import type { Case } from './cases.ts';
import { changedDocuments } from './compare.ts';
import type { Answer } from './request.ts';

/**
 * Fastify's router refuses some paths before any hook or filter of the application runs; only options of its
 * constructor, which the host calls, change that.
 */
const FROM_ROUTER = /^FST_ERR_(BAD_URL|MAX_PARAM_LENGTH)$/;

/** Why a differing case cannot be compared, if it cannot. */
export const notComparable = ({ body }: Answer): string | undefined =>
  FROM_ROUTER.test(String(at(body, 'code'))) ? 'answered by the router of Fastify' : undefined;

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
