/** Sends the same queries to a Strapi server and to this one, and lists the differences by rule. */
import { messageOf } from '../../kernel/errors.js';
import type { ContentType, Schema } from '../../content/model/model.js';
import { isObject } from '../../kernel/json.js';
import { compareAnswers, type DecidedDifference } from './compare-answers.js';
import { FormerNames } from './former-names.js';
import { compareQueries, type Query, type Sample } from './compare-queries.js';

/** A server does not respond; the message is for the user. */
export class CompareError extends Error {}

export interface ComparedServer {
  /** URL with the prefix of the API: `https://example.org/api`. */
  readonly api: string;
  /** API token with full access; null for public requests. */
  readonly token: string | null;
}

export interface ComparedQuery {
  readonly path: string;
  readonly differences: readonly DecidedDifference[];
}

export interface ServerComparison {
  readonly queries: number;
  /** Queries whose responses differ. */
  readonly differing: readonly ComparedQuery[];
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function ask({ api, token }: ComparedServer, path: string): Promise<Answer> {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  try {
    const response = await fetch(`${api}/${path}`, { headers, signal: AbortSignal.timeout(30_000) });
    const text = await response.text();
    try {
      return { status: response.status, body: JSON.parse(text) as unknown };
    } catch {
      return { status: response.status, body: text.slice(0, 1000) };
    }
  } catch (error) {
    throw new CompareError(`${api} does not respond: ${messageOf(error)}`);
  }
}

/** Number of documents of a type that provide values for filters. */
const SAMPLES = 25;

async function samplesOf(server: ComparedServer, schema: Schema): Promise<Map<string, readonly Sample[]>> {
  const found = new Map<string, readonly Sample[]>();
  for (const { singularApiId, route, kind, routes } of schema.types.values()) {
    if (routes.length === 0) continue;
    const page = kind === 'singleType' ? '' : `&pagination[pageSize]=${SAMPLES}`;
    const { body } = await ask(server, `${route}?populate=*${page}`);
    const data = isObject(body) ? body['data'] : null;
    found.set(singularApiId, [data ?? []].flat().filter(isObject));
  }
  return found;
}

/** Whether a response wraps attributes in an object of their own, as Strapi 4 does. */
function isOfStrapi4(body: unknown): boolean {
  const [first] = isObject(body) ? [body['data'] ?? []].flat() : [];
  return isObject(first) && isObject(first['attributes']) && first['documentId'] === undefined;
}

/** Names of attributes that show the polymorphic links of other documents. */
const inverseNames = ({ types }: Schema): ReadonlySet<string> =>
  new Set(
    [...types.values()].flatMap(({ attributes }) =>
      [...attributes.values()].flatMap((one) => ('def' in one && 'morphBy' in one.def ? [one.name] : [])),
    ),
  );

export interface ComparedServers {
  readonly former: ComparedServer;
  readonly now: ComparedServer;
  readonly schema: Schema;
  readonly locales: readonly string[];
  /** Names that the former server has instead, as the report of a move has them. */
  readonly names: unknown;
}

/** Returns a response of the former server with the names of this one. */
function renamed(answer: Answer, type: ContentType | undefined, names: FormerNames): Answer {
  const { body } = answer;
  if (type === undefined || !isObject(body)) return answer;
  return { ...answer, body: { ...body, data: names.renamed(body['data'], type) } };
}

/**
 * Returns the differences of at most `count` queries. Throws a CompareError if a server does not respond, or
 * responds as Strapi 4, whose requests and responses have another format.
 */
export async function compareServers(
  { former, now, schema, locales, names: record }: ComparedServers,
  count: number,
  progress: (done: number, total: number) => void,
): Promise<ServerComparison> {
  const names = new FormerNames(schema, record);
  const settings = { count, locales, names };
  const queries: readonly Query[] = compareQueries(schema, await samplesOf(now, schema), settings);
  const inverse = inverseNames(schema);
  const differing: ComparedQuery[] = [];
  for (const [index, { type, path, formerPath, filtersLinks }] of queries.entries()) {
    const [given, after] = await Promise.all([ask(former, formerPath), ask(now, path)]);
    const before = renamed(given, schema.types.get(type), names);
    if (isOfStrapi4(before.body))
      throw new CompareError(
        `${former.api} responds in the format of Strapi 4: only responses of Strapi 5 can be compared`,
      );
    const differences = compareAnswers(before, after, { filtersLinks, inverse });
    if (differences.length > 0) differing.push({ path, differences });
    progress(index + 1, queries.length);
  }
  return { queries: queries.length, differing };
}
