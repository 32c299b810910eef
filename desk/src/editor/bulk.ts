/** Writes of many documents by one request, each with the version that the editor has seen. */
import { ApiError, type ErrorBody } from '../api/errors.ts';
import { request } from '../api/http.ts';
import type { Parameters } from '../api/query.ts';
import { settings } from '../settings.ts';
import { emptyLinks } from '../form/empty-links.ts';
import { type Json, readValues, textOfValue } from '../form/values.ts';
import {
  isNarrowed,
  isSelectable,
  type ListState,
  showsPublished,
  versionQuery,
} from '../model/list-query.ts';
import { hasDrafts, mayOpen, type Model, type Type } from '../model/model.ts';
import { populateOf } from '../model/populate.ts';

export type BulkVerb = 'publish' | 'unpublish' | 'delete';

export const VERBS: readonly BulkVerb[] = ['publish', 'unpublish', 'delete'];

/** Document of a list, as the editor has seen it. */
export interface Seen {
  readonly documentId: string;
  readonly title: string;
  readonly updatedAt: string;
}

/** Document with the tag of its current version. */
export interface Tagged extends Seen {
  /** Null for a deleted document, or for a type whose documents can only be listed. */
  readonly etag: string | null;
  /**
   * Write of another editor since the list was read; null for none. `absent`: the list shows another language
   * instead of the one that would be written.
   */
  readonly since: 'changed' | 'deleted' | 'absent' | null;
  /** Labels of required links that are empty. */
  readonly gaps: readonly string[];
}

interface Failure {
  readonly documentId: string;
  readonly title: string;
  /** Null if another editor was faster. */
  readonly error: ApiError | null;
}

export interface Report {
  readonly verb: BulkVerb;
  readonly done: number;
  /** Titles of the documents that were written; empty if the server has chosen them. */
  readonly titles: readonly string[];
  readonly failures: readonly Failure[];
}

interface Answer {
  readonly meta: {
    readonly matched?: number;
    readonly done?: number;
    readonly errors?: readonly {
      readonly index: number;
      readonly documentId: string | null;
      readonly error: ErrorBody & { readonly status: number };
    }[];
  };
}

/** Place of the documents: a deletion covers all languages. */
interface Place {
  readonly type: Type;
  readonly locale: string;
}

interface Reading extends Place {
  readonly verb: BulkVerb;
  readonly model: Model;
  /** Whether required links that are empty are sought. */
  readonly findsGaps: boolean;
}

interface Present extends Pick<Tagged, 'etag' | 'gaps'> {
  /** Null if the document does not exist any more. */
  readonly found: Json | null;
}

const TAGS_AT_ONCE = 6;

const localeOf = (verb: BulkVerb, { type, locale }: Place): object =>
  type.localized ? { locale: verb === 'delete' ? '*' : locale } : {};

const send = async ({ route }: Type, body: object): Promise<Answer> =>
  (await request<Answer>(`${settings.api}/${route}/bulk`, { method: 'POST', body })).body;

/** Reads the version that the list shows. Without `findOne`, a list returns it, which has no tag of it. */
async function presentOf(documentId: string, { type, locale, model, findsGaps }: Reading): Promise<Present> {
  const fields = ['updatedAt', ...(type.localized ? ['locale'] : [])];
  const query = { fields, ...versionQuery({ type, model }, locale) };
  const path = `${settings.api}/${type.route}`;
  if (mayOpen(type)) {
    const populate = findsGaps ? populateOf(model, type) : {};
    const options = { query: { ...query, populate } };
    const { body, etag } = await request<{ data: Json }>(`${path}/${documentId}`, options);
    const gaps = findsGaps
      ? emptyLinks(type, readValues(body.data, type, { model, former: null }), model)
      : [];
    return { etag, found: body.data, gaps };
  }
  const one = { filters: { documentId }, pagination: { pageSize: 1 } };
  const { body } = await request<{ data: readonly Json[] }>(path, { query: { ...query, ...one } });
  return { etag: null, found: body.data[0] ?? null, gaps: [] };
}

function sinceOf(found: Json | null, seen: Seen, { type, locale, verb }: Reading): Tagged['since'] {
  if (found === null) return 'deleted';
  // A deletion covers all languages.
  if (type.localized && verb !== 'delete' && found['locale'] !== locale) return 'absent';
  return seen.updatedAt !== '' && textOfValue(found['updatedAt']) !== seen.updatedAt ? 'changed' : null;
}

async function tagOf(seen: Seen, reading: Reading): Promise<Tagged> {
  try {
    const { etag, gaps, found } = await presentOf(seen.documentId, reading);
    const since = sinceOf(found, seen, reading);
    return { ...seen, etag, gaps: since === 'absent' ? [] : gaps, since };
  } catch (error) {
    // Without its tag, a document would be written over a change of another editor.
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return { ...seen, etag: null, gaps: [], since: 'deleted' };
  }
}

/** Reads the current version of each document, a few at a time. Throws an ApiError or an OfflineError. */
export async function tagAll(documents: readonly Seen[], reading: Reading): Promise<readonly Tagged[]> {
  const tagged: Tagged[] = [];
  for (let at = 0; at < documents.length; at += TAGS_AT_ONCE)
    tagged.push(
      ...(await Promise.all(documents.slice(at, at + TAGS_AT_ONCE).map((one) => tagOf(one, reading)))),
    );
  return tagged;
}

/** Documents with a version that an action writes. */
export const existing = (tagged: readonly Tagged[]): readonly Tagged[] =>
  tagged.filter(({ since }) => since !== 'absent');

/** Writes documents. One that fails, or that another editor has changed since, does not stop the others. */
export async function writeMany(verb: BulkVerb, tagged: readonly Tagged[], place: Place): Promise<Report> {
  const documents = existing(tagged);
  // A tag names the version of one language, and a deletion may cover more.
  const hasTags = verb !== 'delete' || !place.type.localized;
  const data = documents.map(({ documentId, etag }) => ({
    action: verb,
    documentId,
    ...localeOf(verb, place),
    ...(hasTags && etag !== null ? { ifMatch: etag } : {}),
  }));
  const { meta } = await send(place.type, { atomic: false, data });
  const failures = failuresIn(meta, documents);
  const failed = new Set(failures.map(({ documentId }) => documentId));
  const titles = documents.filter(({ documentId }) => !failed.has(documentId)).map(({ title }) => title);
  return { verb, done: meta.done ?? 0, titles, failures };
}

/** Parameters of a list that select its documents. */
export interface Selection extends Place {
  readonly filters: Parameters;
}

const selectionOf = (verb: BulkVerb, { filters, ...place }: Selection): object => ({
  action: verb,
  ...filters,
  ...localeOf(verb, place),
});

/** Whether the editor may act on several documents at once. */
export const mayActOnMany = ({ verbs }: Type): boolean =>
  'bulk' in verbs && VERBS.some((verb) => verb in verbs);

/**
 * Whether an action can have all documents that match. The server selects published versions for `unpublish`,
 * else drafts, which must be those of the list. Documents of a deletion may be in other languages.
 */
export function mayMatch(verb: BulkVerb, type: Type, state: ListState): boolean {
  if (!(verb in type.verbs) || !isSelectable(state, type)) return false;
  const listsDrafts = hasDrafts(type) && !showsPublished(state, type);
  if (verb === 'unpublish') return !listsDrafts || !isNarrowed(state);
  return (listsDrafts || !type.draftAndPublish) && (verb !== 'delete' || !type.localized);
}

/** Returns the number of documents that an action on all that match would write. Throws an ApiError. */
export async function countMatching(verb: BulkVerb, selection: Selection): Promise<number> {
  const data = { ...selectionOf(verb, selection), dryRun: true };
  return (await send(selection.type, { data })).meta.matched ?? 0;
}

/** Writes all documents that match, unless they are more than `limit`. Throws an ApiError. */
export async function writeMatching(verb: BulkVerb, selection: Selection, limit: number): Promise<Report> {
  const data = { ...selectionOf(verb, selection), limit };
  const { meta } = await send(selection.type, { atomic: false, data });
  return { verb, done: meta.done ?? 0, titles: [], failures: failuresIn(meta, []) };
}

const failuresIn = ({ errors = [] }: Answer['meta'], documents: readonly Seen[]): readonly Failure[] =>
  errors.map(({ index, documentId, error: { status, ...error } }) => ({
    documentId: documentId ?? '',
    title: documents[index]?.title ?? documentId ?? '',
    error: status === 412 ? null : new ApiError(status, error),
  }));

/** Whether the documents that match are more than one request may write. */
export const isTooMany = (error: unknown): boolean =>
  error instanceof ApiError && error.problems.some(({ path }) => path.at(-1) === 'limit');
