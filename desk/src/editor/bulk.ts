/** Writes of many documents by one request, each with the version that the editor has seen. */
import { ApiError, type ErrorBody } from '../api/errors.ts';
import { request } from '../api/http.ts';
import type { Parameters } from '../api/query.ts';
import { settings } from '../settings.ts';
import { emptyLinks } from '../form/empty-links.ts';
import { type Json, readValues, textOfValue } from '../form/values.ts';
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
  /** Null if it could not be read. */
  readonly etag: string | null;
  /** Write of another editor since the list was read; null for none. */
  readonly since: 'changed' | 'deleted' | null;
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
  /** Model, to find required links that are empty; null to read none. */
  readonly model: Model | null;
}

interface Present extends Pick<Tagged, 'etag' | 'gaps'> {
  /** Null if the document does not exist any more. */
  readonly updatedAt: string | null;
}

const TAGS_AT_ONCE = 6;

const localeOf = (verb: BulkVerb, { type, locale }: Place): object =>
  type.localized ? { locale: verb === 'delete' ? '*' : locale } : {};

const send = async ({ route }: Type, body: object): Promise<Answer> =>
  (await request<Answer>(`${settings.api}/${route}/bulk`, { method: 'POST', body })).body;

/** Reads the current version. Without `findOne`, a list shows it, and has no tag of one document. */
async function presentOf(documentId: string, { type, locale, model }: Reading): Promise<Present> {
  const query = {
    fields: ['updatedAt'],
    ...(hasDrafts(type) ? { status: 'draft' } : {}),
    ...(type.localized ? { locale, fallbackLocale: 'false' } : {}),
  };
  const path = `${settings.api}/${type.route}`;
  if (mayOpen(type)) {
    const populate = model === null ? {} : populateOf(model, type);
    const options = { query: { ...query, populate } };
    const { body, etag } = await request<{ data: Json }>(`${path}/${documentId}`, options);
    const gaps =
      model === null ? [] : emptyLinks(type, readValues(body.data, type, { model, former: null }), model);
    return { etag, updatedAt: textOfValue(body.data['updatedAt']), gaps };
  }
  const one = { filters: { documentId }, pagination: { pageSize: 1 } };
  const { body } = await request<{ data: readonly Json[] }>(path, { query: { ...query, ...one } });
  const [found] = body.data;
  return { etag: null, updatedAt: found === undefined ? null : textOfValue(found['updatedAt']), gaps: [] };
}

async function tagOf(seen: Seen, reading: Reading): Promise<Tagged> {
  try {
    const { etag, updatedAt, gaps } = await presentOf(seen.documentId, reading);
    const isChanged = seen.updatedAt !== '' && updatedAt !== seen.updatedAt;
    if (updatedAt === null) return { ...seen, etag, gaps, since: 'deleted' };
    return { ...seen, etag, gaps, since: isChanged ? 'changed' : null };
  } catch (error) {
    if (error instanceof ApiError)
      return { ...seen, etag: null, gaps: [], since: error.status === 404 ? 'deleted' : null };
    throw error;
  }
}

/** Reads the current version of each document, a few at a time. Throws an OfflineError. */
export async function tagAll(documents: readonly Seen[], reading: Reading): Promise<readonly Tagged[]> {
  const tagged: Tagged[] = [];
  for (let at = 0; at < documents.length; at += TAGS_AT_ONCE)
    tagged.push(
      ...(await Promise.all(documents.slice(at, at + TAGS_AT_ONCE).map((one) => tagOf(one, reading)))),
    );
  return tagged;
}

/** Writes documents. One that fails, or that another editor has changed since, does not stop the others. */
export async function writeMany(verb: BulkVerb, documents: readonly Tagged[], place: Place): Promise<Report> {
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

/** Whether an action can have all documents that match: those of a deletion may be in other languages. */
export const mayMatch = (verb: BulkVerb, { localized }: Type): boolean => verb !== 'delete' || !localized;

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
