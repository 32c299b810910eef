/**
 * What cannot be compared: endpoints that the library does not have yet, and answers that cases outside these
 * files shaped.
 */
import { at } from './cases.ts';
import type { Case } from './cases.ts';
import { changedDocuments } from './compare.ts';
import type { Answer } from './request.ts';

/** Endpoints that are not built yet. A rule counts only while the library answers 404 there. */
const UNBUILT: readonly { readonly path: RegExp; readonly reason: string }[] = [
  { path: /^\/api\/upload([/?]|$)/, reason: 'not built yet: upload' },
  { path: /^\/uploads\//, reason: 'not built yet: upload' },
];

/**
 * Fastify's router refuses some paths before any hook or filter of the application runs; only options of its
 * constructor, which the host calls, change that.
 */
const FROM_ROUTER = /^FST_ERR_(BAD_URL|MAX_PARAM_LENGTH)$/;

/** Why a differing case cannot be compared, if it cannot. */
export function notComparable({ path }: Case, { status, body }: Answer): string | undefined {
  if (FROM_ROUTER.test(String(at(body, 'code')))) return 'answered by the router of Fastify';
  return status === 404 ? UNBUILT.find((rule) => rule.path.test(path))?.reason : undefined;
}

/** Seeded documents in the recorded answer that have been written to, although none of the cases here did it. */
export function changedElsewhere(recorded: Case, earlier: readonly Case[]): ReadonlySet<string> {
  const writes = [...earlier, recorded].filter(({ method }) => method !== 'GET');
  return new Set(
    changedDocuments(recorded.response).filter((id) => !writes.some((write) => writesTo(write, id))),
  );
}

const writesTo = ({ path, response }: Case, id: string): boolean =>
  path.includes(id) || at(response, 'data.documentId') === id;
