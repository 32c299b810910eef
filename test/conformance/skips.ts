/**
 * What cannot be compared: endpoints that the library does not have yet, and records that other cases shaped.
 */
import { at } from './cases.ts';
import type { Case } from './cases.ts';
import type { Answer } from './request.ts';

/** Endpoints that are not built yet. A rule counts only while the library answers 404 there. */
export const UNBUILT: readonly { readonly path: RegExp; readonly reason: string }[] = [
  { path: /^\/api\/upload([/?]|$)/, reason: 'not built yet: upload' },
];

/** Why a differing case is not compared after all, if it is not. */
export function skipReason(recorded: Case, ours: Answer, earlier: readonly Case[]): string | undefined {
  const unbuilt = UNBUILT.find(({ path }) => path.test(recorded.path));
  if (unbuilt !== undefined && ours.status === 404) return unbuilt.reason;
  const document = changedElsewhere(recorded, earlier);
  return document === undefined
    ? undefined
    : `shows ${document} as a case that is not in these files left it`;
}

/** The recording gave the seed's documents times of this day; any other time was made by a recorded write. */
const SEEDED = '2025-01-';

/**
 * A seeded document in the recorded answer that has been written to, although none of the cases here did it.
 */
function changedElsewhere(recorded: Case, earlier: readonly Case[]): string | undefined {
  const writes = [...earlier, recorded].filter(({ method }) => method !== 'GET');
  return changedDocuments(recorded.response).find((id) => !writes.some((write) => writesTo(write, id)));
}

const writesTo = ({ path, response }: Case, id: string): boolean =>
  path.includes(id) || at(response, 'data.documentId') === id;

function changedDocuments(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { documentId, createdAt, updatedAt } = value as Record<string, unknown>;
  const changed = typeof documentId === 'string' && starts(createdAt, true) && starts(updatedAt, false);
  return [...(changed ? [documentId] : []), ...Object.values(value).flatMap(changedDocuments)];
}

const starts = (time: unknown, seeded: boolean): boolean =>
  typeof time === 'string' && time.startsWith(SEEDED) === seeded;
