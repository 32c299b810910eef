/** Documents that link a document. */
import { ApiError } from '../api/errors.ts';
import { request } from '../api/http.ts';
import type { Parameters } from '../api/query.ts';
import { eachOnce, type Json, type Link, linkOf } from '../form/values.ts';
import { settings } from '../settings.ts';
import {
  componentsOf,
  hasDrafts,
  isMorph,
  isReadable,
  type Model,
  type Part,
  type Type,
} from '../model/model.ts';

/** Levels of components inside components that are searched. */
const MAX_DEPTH = 5;
/** Versions of one type in one state that are read. */
const MAX_VERSIONS = 100;

/**
 * Paths of the relations that lead from a part to a type, also through components. Zones and relations to
 * several types are left out, because filters cannot enter them. So are the inverse sides of the type's own
 * relations.
 */
function relationsTo(name: string, { attributes }: Part, within: Within): readonly (readonly string[])[] {
  const { model, depth } = within;
  return attributes.filter(isReadable).flatMap((attribute) => {
    if (attribute.type === 'relation') {
      const isUse = !isMorph(attribute) && attribute.isInverse !== true;
      return isUse && attribute.targets?.includes(name) === true ? [[attribute.name]] : [];
    }
    const [uid = ''] = attribute.type === 'component' ? componentsOf(attribute) : [];
    const component = model.component(uid);
    if (component === null || depth >= MAX_DEPTH) return [];
    return relationsTo(name, component, { model, depth: depth + 1 }).map((path) => [attribute.name, ...path]);
  });
}

interface Within {
  readonly model: Model;
  readonly depth: number;
}

const filterAt = (path: readonly string[], documentId: string): Parameters =>
  path.reduceRight<Parameters>((inner, key) => ({ [key]: inner }), { documentId: { $eq: documentId } });

export interface Uses {
  readonly links: readonly Link[];
  /** Whether there may be more than those that were read. */
  readonly hasMore: boolean;
}

/** Reads the documents that link a document and that the editor may see, in all languages and states. */
export async function usesOfDocument({ name }: Type, documentId: string, model: Model): Promise<Uses> {
  const lists = await Promise.all(
    model.types.flatMap((type) => {
      const paths = type.route === null ? [] : relationsTo(name, type, { model, depth: 0 });
      if (paths.length === 0) return [];
      const states = hasDrafts(type) ? ['draft', 'published'] : [undefined];
      return states.map((status) => readUses(type, { status, paths, documentId }));
    }),
  );
  const links = lists.flatMap(({ type, found }) => found.map((one) => linkOf(one, type.name, model)));
  return { links: eachOnce(links), hasMore: lists.some(({ found }) => found.length === MAX_VERSIONS) };
}

interface Searched {
  readonly status: string | undefined;
  readonly paths: readonly (readonly string[])[];
  readonly documentId: string;
}

async function readUses(type: Type, { status, paths, documentId }: Searched) {
  const query = {
    filters: { $or: paths.map((path) => filterAt(path, documentId)) },
    fields: [type.title],
    ...(status === undefined ? {} : { status }),
    ...(type.localized ? { locale: '*' } : {}),
    ...(type.kind === 'singleType' ? {} : { pagination: { pageSize: MAX_VERSIONS, withCount: false } }),
  };
  try {
    const address = `${settings.api}/${type.route ?? ''}`;
    const { body } = await request<{ data: Json | readonly Json[] | null }>(address, { query });
    return { type, found: [body.data ?? []].flat() as readonly Json[] };
  } catch (error) {
    // A single type without the link, or a type that this editor may not search.
    if (error instanceof ApiError && [400, 403, 404].includes(error.status)) return { type, found: [] };
    throw error;
  }
}
