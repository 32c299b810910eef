import type { Precondition } from '../plan/precondition.js';
import { parseTags } from '../query/parse-tags.js';
import type { HttpRequest } from './request-state.js';

/** Returns the preconditions of a request; null without the headers. */
export function preconditionOf({ headers }: HttpRequest): Precondition | null {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match === undefined && noneMatch === undefined) return null;
  return { match: parseTags(match), noneMatch: parseTags(noneMatch) };
}
