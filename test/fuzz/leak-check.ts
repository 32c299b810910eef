/** Sends the same requests to two worlds and compares every byte of the responses. */
import type { Reply } from './apps.ts';
import type { Pair, World } from './leak-worlds.ts';
import { problemOf } from './oracle.ts';

export interface Question {
  readonly path: string;
  readonly query: string;
  readonly v4: boolean;
}

/** Masks the transaction number in an ETag, because it differs between databases. */
export const maskedTag = (tag: string): string => tag.replace(/^"(\d+)\.\d+\.(\d+)-/, '"$1.xid.$2-');

/**
 * Serializes the parts of a response that must be equal in both worlds: status, body and headers. Date and id
 * of the request differ.
 */
export const comparable = ({ status, headers, body }: Reply): string =>
  JSON.stringify([
    status,
    Object.entries(headers)
      .filter(([name]) => name !== 'date' && name !== 'x-request-id')
      .map(([name, value]) => [name, name === 'etag' ? maskedTag(String(value)) : value])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    body,
  ]);

const ask = (
  { client, headers }: World,
  { path, query, v4 }: Question,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> =>
  client.get(`/api/${path}?${query}`, {
    ...headers,
    ...more,
    ...(v4 ? { 'strapi-response-format': 'v4' } : {}),
  });

/**
 * Responses of one world: two to the same request, the second possibly cached, and one to `If-None-Match`.
 */
interface Asked {
  readonly plain: readonly [Reply, Reply];
  /** Response to a request with the ETag of the first one; null without an ETag. */
  readonly known: Reply | null;
}

async function askAll(world: World, question: Question): Promise<Asked> {
  const plain = [await ask(world, question), await ask(world, question)] as const;
  const { etag } = plain[0].headers;
  // Express adds weak ETags to errors.
  const isTagged = typeof etag === 'string' && etag.startsWith('"');
  const known = isTagged ? await ask(world, question, { 'if-none-match': etag }) : null;
  return { plain, known };
}

export interface Outcome {
  readonly status: number;
  readonly differs: boolean;
  /** Whether the response had an ETag, which was then sent as `If-None-Match`. */
  readonly tagged: boolean;
  readonly problem: string | null;
}

/** Returns the rows of a response, their order and their number, without values. */
function selection(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(selection);
  if (typeof value !== 'object' || value === null) return undefined;
  const kept = Object.entries(value).flatMap(([key, nested]): [string, unknown][] => {
    if (key === 'documentId' || key === 'count' || key === 'total') return [[key, nested]];
    return typeof nested === 'object' ? [[key, selection(nested)]] : [];
  });
  return Object.fromEntries(kept);
}

export function difference(a: Reply, b: Reply): string {
  if (a.status !== b.status)
    return `status ${a.status} and ${b.status}: ${a.body.slice(0, 200)} and ${b.body.slice(0, 200)}`;
  if (a.body === b.body)
    return `headers differ: ${JSON.stringify(a.headers)} and ${JSON.stringify(b.headers)}`;
  let at = 0;
  while (a.body[at] === b.body[at] && at < a.body.length) at += 1;
  return `bodies differ at ${at}: …${a.body.slice(Math.max(0, at - 80), at + 80)}… and …${b.body.slice(Math.max(0, at - 80), at + 80)}…`;
}

/**
 * Sends a request to both worlds of a caller. Any difference is a leak, also between ETags and between
 * conditional responses.
 */
export async function askPair({ alpha, omega }: Pair, question: Question): Promise<Outcome> {
  const [a, b] = await Promise.all([askAll(alpha, question), askAll(omega, question)]);
  const [first] = a.plain;
  const plain = [...a.plain, ...b.plain];
  const other = plain.find((one) => comparable(one) !== comparable(first));
  const unknown = [a.known, b.known].find((one) => one !== null && one.status !== 304);
  const differs = other !== undefined || knownDiffers(a, b);
  const problem =
    (other === undefined ? null : difference(first, other)) ??
    (differs ? 'the responses to If-None-Match differ' : null) ??
    (unknown ? `${unknown.status} instead of 304 for the tag of an unchanged response` : null) ??
    (isBare(question, first) ? null : (problemOf(first) ?? problemOf(b.plain[0])));
  return { status: first.status, differs, tagged: a.known !== null, problem };
}

/** The media library lists files without an envelope. */
const isBare = ({ path }: Question, { status }: Reply): boolean =>
  status === 200 && path.startsWith('upload/') && path !== 'upload/files/page';

const knownDiffers = ({ known: a }: Asked, { known: b }: Asked): boolean =>
  (a === null ? null : comparable(a)) !== (b === null ? null : comparable(b));

const SHOWS_VALUES = /^(fields|populate (fields|true|star|dotted|list|filters$|sort$))/;

/**
 * Sends the same request with nothing hidden, to show that it can detect a difference. Filters, sorts,
 * searches and counts must differ in their rows, because every open response contains the values.
 */
export async function askOpen({ open }: Pair, question: Question, technique: string): Promise<boolean> {
  const [a, b] = await Promise.all([ask(open.alpha, question), ask(open.omega, question)]);
  if (a.status !== 200 || b.status !== 200) return a.status !== b.status;
  if (SHOWS_VALUES.test(technique)) return a.body !== b.body;
  return JSON.stringify(selection(JSON.parse(a.body))) !== JSON.stringify(selection(JSON.parse(b.body)));
}

/** Runs `work` over `items` with limited concurrency, in order of arrival. */
export async function each<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let step = iterator.next(); step.done !== true; step = iterator.next()) await work(step.value);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
