/** Moves a row of a list: writes the numbers that its order attribute needs. */
import { request } from '../api/http.ts';
import { readRows } from '../api/read-rows.ts';
import type { Json } from '../form/values.ts';
import { INTEGERS, type Limits, type Numbered, renumbered } from '../model/list-order.ts';
import { type ListState, versionQuery } from '../model/list-query.ts';
import { hasDrafts, type Model, type Type } from '../model/model.ts';
import { settings } from '../settings.ts';

interface Source {
  readonly type: Type;
  readonly model: Model;
  readonly state: ListState;
}

interface Row extends Numbered {
  /** Language of the version that the list shows, which may be another than that of the list. */
  readonly locale: string | undefined;
}

function rowOf(document: Json, { type }: Source): Row {
  const { [type.order ?? '']: number, locale } = document;
  return {
    documentId: String(document['documentId']),
    number: typeof number === 'number' ? number : null,
    locale: typeof locale === 'string' ? locale : undefined,
  };
}

/** Reads the existing documents from `start` up to, but not including, `end`. */
async function read(source: Source, start: number, end: number): Promise<readonly Row[]> {
  const { type, model, state } = source;
  const query = {
    fields: [type.order, ...(type.localized ? ['locale'] : [])],
    ...versionQuery({ type, model }, state.locale),
    sort: state.sort,
  };
  const documents = await readRows<Json>(`${settings.api}/${type.route}`, query, { start, end });
  return documents.map((document) => rowOf(document, source));
}

/** Rows of the page in their new order, and the place of the row that was moved. */
export interface Move {
  readonly documentIds: readonly string[];
  readonly at: number;
}

function limitsOf({ type }: Source): Limits {
  const attribute = type.attributes.find(({ name }) => name === type.order);
  return {
    min: Math.max(INTEGERS.min, Number(attribute?.min ?? INTEGERS.min)),
    max: Math.min(INTEGERS.max, Number(attribute?.max ?? INTEGERS.max)),
  };
}

/** Returns the numbers to write. Reads the rows beside the page, and the whole list if they need room. */
async function numbersOf(source: Source, { documentIds, at }: Move): Promise<readonly Row[]> {
  const { page, pageSize } = source.state;
  const limits = limitsOf(source);
  const start = (page - 1) * pageSize;
  const near = await read(source, Math.max(0, start - 1), start + documentIds.length + 1);
  const isOnPage = ({ documentId }: Row): boolean => documentIds.includes(documentId);
  const inOrder = (rows: readonly Row[]): readonly Row[] =>
    documentIds.flatMap((id) => rows.find(({ documentId }) => documentId === id) ?? []);
  const numberOf = (row: Row | undefined): number | null =>
    row === undefined || isOnPage(row) ? null : row.number;
  const neighbours = { low: numberOf(near[0]), high: numberOf(near.at(-1)) };
  const found =
    start === 0 || neighbours.low !== null ? renumbered(inOrder(near), at, { ...neighbours, limits }) : null;
  if (found !== null) return found;
  const all = await read(source, 0, Infinity);
  const others = all.filter((row) => !isOnPage(row));
  const whole = [...others.slice(0, start), ...inOrder(all), ...others.slice(start)];
  return renumbered(whole, start + at, { low: null, high: null, limits }) ?? [];
}

/** Moves a row. Throws an ApiError or an OfflineError; the numbers that were written until then stay. */
export async function moveRow(source: Source, move: Move): Promise<void> {
  const { type } = source;
  for (const { documentId, number, locale } of await numbersOf(source, move))
    await request(`${settings.api}/${type.route}/${documentId}`, {
      method: 'PUT',
      query: { ...(hasDrafts(type) ? { status: 'draft' } : {}), locale, fields: ['documentId'] },
      body: { data: { [type.order ?? '']: number } },
    });
}
