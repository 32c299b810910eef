import { request } from './http.ts';
import type { Parameters } from './query.ts';

/** Most rows of one request. The server may return fewer: an application sets its own limit. */
export const MAX_ROWS = 100;

/** Splits ids into parts that one request can have. */
export const partsOf = (ids: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / MAX_ROWS) }, (_, at) =>
    ids.slice(at * MAX_ROWS, (at + 1) * MAX_ROWS),
  );

/**
 * Reads the existing rows of a list without a total, up to a number. It ends with an empty response. `begin`
 * are rows that have been read, `at` is the number of rows before a response.
 */
export async function readUpTo<T>(
  size: number,
  read: (at: number) => Promise<readonly T[]>,
  begin: readonly T[] = [],
): Promise<readonly T[]> {
  const rows = [...begin];
  while (rows.length < size) {
    const part = await read(rows.length);
    if (part.length === 0) break;
    rows.push(...part);
  }
  return rows;
}

interface Range {
  readonly start?: number;
  /** Place after the last row; infinite for all rows. */
  readonly end: number;
}

interface Page<T> {
  readonly data: readonly T[];
  readonly meta: { readonly pagination: { readonly limit: number } };
}

/** Reads the existing rows of a list in a range. */
export async function readRows<T>(path: string, query: Parameters, range: Range): Promise<readonly T[]> {
  const { start = 0, end } = range;
  const rows: T[] = [];
  while (start + rows.length < end) {
    const at = start + rows.length;
    const pagination = { start: at, limit: Math.min(MAX_ROWS, end - at), withCount: false };
    const { body } = await request<Page<T>>(path, { query: { ...query, pagination } });
    rows.push(...body.data);
    if (body.data.length < body.meta.pagination.limit) break;
  }
  return rows;
}
