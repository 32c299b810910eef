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
  JSON.stringify([status, Object.entries(headers).filter(([name]) => !OWN_TIME.includes(name)).sort(([a], [b]) => (a < b ? -1 : 1)), body]);

const ask = ({ client, headers }: World, { path, query, v4 }: Question): Promise<Reply> =>
  client.get(`/api/${path}?${query}`, { ...headers, ...(v4 ? { 'strapi-response-format': 'v4' } : {}) });

export interface Outcome {
  readonly status: number;
  readonly differs: boolean;
  readonly problem: string | null;
}

async function compare(alpha: World, omega: World, question: Question): Promise<Outcome> {
  const [a, b] = await Promise.all([ask(alpha, question), ask(omega, question)]);
  const differs = comparable(a) !== comparable(b);
  return { status: a.status, differs, problem: differs ? difference(a, b) : (problemOf(a) ?? problemOf(b)) };
}

function difference(a: Reply, b: Reply): string {
  if (a.status !== b.status) return `status ${a.status} and ${b.status}: ${a.body.slice(0, 200)} and ${b.body.slice(0, 200)}`;
  let at = 0;
  while (a.body[at] === b.body[at] && at < a.body.length) at += 1;
  return `bodies differ at ${at}: …${a.body.slice(Math.max(0, at - 80), at + 80)}… and …${b.body.slice(Math.max(0, at - 80), at + 80)}…`;
}

/** The caller's two worlds; a difference is a leak. */
export const askPair = ({ alpha, omega }: Pair, question: Question): Promise<Outcome> => compare(alpha, omega, question);

/** The same with nothing hidden; without differences the questions would prove nothing. */
export const askOpen = ({ open }: Pair, question: Question): Promise<Outcome> => compare(open.alpha, open.omega, question);

/** Runs `work` over `items`, a few at a time, in order of arrival. */
export async function each<T>(items: Iterable<T>, concurrency: number, work: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let step = iterator.next(); step.done !== true; step = iterator.next()) await work(step.value);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
