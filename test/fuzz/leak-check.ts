/** Asks the same of two worlds and compares every byte of the answers. */
import type { Reply } from './apps.ts';
import type { Pair, World } from './leak-worlds.ts';
import { problemOf } from './oracle.ts';

export interface Question {
  readonly path: string;
  readonly query: string;
  readonly v4: boolean;
}

const OWN_TIME = ['date', 'etag'];

const comparable = ({ status, headers, body }: Reply): string =>
  JSON.stringify([
    status,
    Object.entries(headers)
      .filter(([name]) => !OWN_TIME.includes(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
    body,
  ]);

const ask = ({ client, headers }: World, { path, query, v4 }: Question): Promise<Reply> =>
  client.get(`/api/${path}?${query}`, { ...headers, ...(v4 ? { 'strapi-response-format': 'v4' } : {}) });

/** The first answer, and the two after it, which may be kept ones. Each of them has to be the same. */
async function askThrice(world: World, question: Question): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  while (replies.length < 3) replies.push(await ask(world, question));
  return replies;
}

export interface Outcome {
  readonly status: number;
  readonly differs: boolean;
  readonly problem: string | null;
}

/** Which rows an answer has, in which order and how many, without their values. */
function selection(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(selection);
  if (typeof value !== 'object' || value === null) return undefined;
  const kept = Object.entries(value).flatMap(([key, nested]): [string, unknown][] => {
    if (key === 'documentId' || key === 'count' || key === 'total') return [[key, nested]];
    return typeof nested === 'object' ? [[key, selection(nested)]] : [];
  });
  return Object.fromEntries(kept);
}

function difference(a: Reply, b: Reply): string {
  if (a.status !== b.status)
    return `status ${a.status} and ${b.status}: ${a.body.slice(0, 200)} and ${b.body.slice(0, 200)}`;
  let at = 0;
  while (a.body[at] === b.body[at] && at < a.body.length) at += 1;
  return `bodies differ at ${at}: …${a.body.slice(Math.max(0, at - 80), at + 80)}… and …${b.body.slice(Math.max(0, at - 80), at + 80)}…`;
}

/** The caller's two worlds, whose answers are made and then kept ones; a difference is a leak. */
export async function askPair({ alpha, omega }: Pair, question: Question): Promise<Outcome> {
  const both = await Promise.all([askThrice(alpha, question), askThrice(omega, question)]);
  const [[a, ...more], [b]] = both as unknown as [[Reply, ...Reply[]], [Reply]];
  const other = [...more, ...both[1]].find((one) => comparable(one) !== comparable(a));
  const problem = other === undefined ? (problemOf(a) ?? problemOf(b)) : difference(a, other);
  return { status: a.status, differs: other !== undefined, problem };
}

const SHOWS_VALUES = /^(fields|populate (fields|true|star|dotted|list|filters$|sort$))/;

/**
 * The same with nothing hidden; without differences the questions would prove nothing. A filter, a sort, a
 * search or a count must tell the worlds apart by the rows alone, because their values are in every open
 * answer.
 */
export async function askOpen({ open }: Pair, question: Question, technique: string): Promise<boolean> {
  const [a, b] = await Promise.all([ask(open.alpha, question), ask(open.omega, question)]);
  if (a.status !== 200 || b.status !== 200) return a.status !== b.status;
  if (SHOWS_VALUES.test(technique)) return a.body !== b.body;
  return JSON.stringify(selection(JSON.parse(a.body))) !== JSON.stringify(selection(JSON.parse(b.body)));
}

/** Runs `work` over `items`, a few at a time, in order of arrival. */
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
