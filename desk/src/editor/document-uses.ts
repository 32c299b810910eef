/** Documents that link a document, or have files in their texts. */
import { ApiError } from '../api/errors.ts';
import { request } from '../api/http.ts';
import type { Parameters } from '../api/query.ts';
import { eachOnce, type Json, type Link, linkOf } from '../form/values.ts';
import { settings } from '../settings.ts';
import { hasDrafts, type Model, type Type } from '../model/model.ts';
import { conditionsOf, populateOfUses, type Wanted } from './use-search.ts';

/** Versions of one type in one state that are read. */
const MAX_VERSIONS = 100;
/** Requests that run at a time: there are at most four per type, and per language of a single type. */
const PARALLEL = 6;

export interface Uses {
  readonly links: readonly Link[];
  /** Whether there may be more than those that were read. */
  readonly hasMore: boolean;
  /** Types whose links filters cannot find: only the versions changed last were searched. */
  readonly partly: readonly Type[];
}

interface Found {
  readonly type: Type;
  readonly versions: readonly Json[];
  readonly isAll: boolean;
  /** Whether the versions were only read, so that the links in them decide. */
  readonly isScan: boolean;
}

/** Reads the documents that link a document and that the editor may see, in all languages and states. */
export async function usesOf(wanted: Wanted, model: Model): Promise<Uses> {
  const searches = model.types.flatMap((type) => searchesIn(type, wanted, model));
  const found: Found[] = [];
  for (let at = 0; at < searches.length; at += PARALLEL)
    found.push(...(await Promise.all(searches.slice(at, at + PARALLEL).map((search) => search()))));
  const links = found.flatMap(({ type, versions, isScan }) =>
    versions
      .filter((version) => !isScan || mentions(version, type, wanted))
      .map((version) => ({ ...linkOf(version, type.name, model), locale: version['locale'] })),
  );
  return {
    links: eachOnce(links),
    hasMore: found.some(({ isAll, isScan }) => !isAll && !isScan),
    partly: [...new Set(found.filter(({ isAll, isScan }) => !isAll && isScan).map(({ type }) => type))],
  };
}

/** Whether what was populated of a version contains the document. */
function mentions(version: Json, { title }: Type, { texts }: Wanted): boolean {
  const { documentId: _own, [title]: _title, ...populated } = version;
  const json = JSON.stringify(populated);
  return texts.some((text) => json.includes(text));
}

function searchesIn(type: Type, wanted: Wanted, model: Model): readonly (() => Promise<Found>)[] {
  if (type.route === null) return [];
  const within = { model, depth: 0 };
  const conditions = conditionsOf(wanted, type, within);
  const populate = populateOfUses(wanted, type, within);
  const searches: readonly Parameters[] = [
    ...(conditions.length === 0 ? [] : [{ filters: { $or: conditions } }]),
    ...(populate === null ? [] : [{ populate }]),
  ];
  return viewsOf(type, model).flatMap((view) =>
    searches.map((search) => () => readVersions(type, { ...search, ...view })),
  );
}

/** States and languages of a type that are searched, each by a request. */
function viewsOf(type: Type, { locales }: Model): readonly Parameters[] {
  const states = hasDrafts(type) ? [{ status: 'draft' }, { status: 'published' }] : [{}];
  if (!type.localized) return states;
  // The route of a single type returns one language at a time.
  const languages = type.kind === 'singleType' ? locales : ['*'];
  return states.flatMap((state) => languages.map((locale) => ({ ...state, locale })));
}

interface Answer {
  readonly data: Json | readonly Json[] | null;
  readonly meta: { readonly pagination?: { readonly pageSize: number } };
}

/** Page of the versions that were changed last. */
const LATEST = { sort: 'updatedAt:desc', pagination: { pageSize: MAX_VERSIONS, withCount: false } };

async function readVersions(type: Type, search: Parameters): Promise<Found> {
  const query = {
    ...search,
    fields: [type.title, ...(type.localized ? ['locale'] : [])],
    ...(type.kind === 'singleType' ? {} : LATEST),
  };
  const isScan = 'populate' in search;
  try {
    const { body } = await request<Answer>(`${settings.api}/${type.route ?? ''}`, { query });
    const versions = [body.data ?? []].flat() as readonly Json[];
    const size = body.meta.pagination?.pageSize ?? Number.POSITIVE_INFINITY;
    return { type, versions, isAll: versions.length < size, isScan };
  } catch (error) {
    // A single type without the link, or a type that this editor may not search, as a whole or in this way.
    if (error instanceof ApiError && [400, 403, 404].includes(error.status))
      return { type, versions: [], isAll: error.status !== 400, isScan };
    throw error;
  }
}
