/** Loads any collection: finds existing documents and creates the missing ones. */
import type { ContentService, DocumentFields } from 'nestjs-content-api';
import { type Run, runStep } from './run.js';

/** Document ids by the unique attribute that names a document. */
export type Ids = ReadonlyMap<string, string>;

export interface Wanted<R> {
  readonly name: string;
  /** Attribute that names a document; unique in the database. */
  readonly key: string;
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string;
  readonly dataOf: (row: R) => object;
  /** Version whose presence means that a document exists. */
  readonly query?: { readonly status?: 'draft'; readonly locale?: string };
  /** Options of the create. Default: the document is published at once. */
  readonly made?: { readonly status: 'draft' };
}

const PAGE_SIZE = 100;

/** Returns the document ids of a whole collection, page by page. */
export async function documentIds<T extends DocumentFields>(
  service: ContentService<T>,
  key: string,
  query: object = {},
): Promise<Ids> {
  const ids = new Map<string, string>();
  for (let page = 1; ; page += 1) {
    const { data } = await service.find({
      ...query,
      fields: [key],
      sort: 'id',
      pagination: { page, pageSize: PAGE_SIZE, withCount: false },
    });
    for (const document of data) ids.set(String(document[key as keyof T]), document.documentId);
    if (data.length < PAGE_SIZE) return ids;
  }
}

/** Creates the missing rows. Returns all document ids. */
export async function createMissing<T extends DocumentFields, R>(
  service: ContentService<T>,
  wanted: Wanted<R>,
  run: Run,
): Promise<Ids> {
  const { name, key, rows, keyOf, dataOf, query, made } = wanted;
  const ids = new Map(await documentIds(service, key, query));
  const missing = rows.filter((row) => !ids.has(keyOf(row)));
  const work = async (row: R): Promise<void> => {
    const created = await service.create(dataOf(row), made);
    ids.set(keyOf(row), created.documentId);
  };
  await runStep({ name, items: missing, total: rows.length, work }, run);
  return ids;
}

/** Returns the document ids of codes, in their order, without unknown codes. */
export const idsOf = (codes: readonly string[], ids: Ids): string[] =>
  codes.flatMap((code) => ids.get(code) ?? []);
