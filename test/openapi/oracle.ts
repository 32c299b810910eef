/**
 * Checks every response against the OpenAPI document of its caller. The operation and its status must be
 * described, and the body must match the schema without additional members. A caller must not get anything
 * that is missing in its document.
 */
import { createHash } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** A request and its response. */
export interface Exchange {
  readonly method: string;
  /** Includes the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  /** Parsed body; undefined if there is none. */
  readonly body: unknown;
}

export type Ask = (
  path: string,
  headers: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly body: unknown }>;

type Json = Record<string, unknown>;
type Operations = Readonly<Record<string, { readonly responses: Readonly<Record<string, Json>> }>>;
type Document = Json & { readonly paths: Readonly<Record<string, Operations>> };

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a schema whose objects reject undescribed members, unless the schema allows them. */
export function strictly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strictly);
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, nested]) => [key, strictly(nested)]));
  const isOpen =
    value['type'] === 'object' && isObject(value['properties']) && !('additionalProperties' in value);
  return isOpen ? { ...inner, additionalProperties: false } : inner;
}

/** Returns the segments of a path without the query and a trailing slash. */
function segmentsOf(path: string): string[] | null {
  try {
    const plain = (path.split('?', 1)[0] ?? '').replace(/\/$/, '');
    return plain.split('/').map((segment) => decodeURIComponent(segment));
  } catch {
    return null;
  }
}

const isTemplate = (segment: string): boolean => segment.startsWith('{');

function matches(template: string, segments: readonly string[]): boolean {
  const parts = template.split('/');
  return (
    parts.length === segments.length &&
    parts.every((part, i) => {
      const given = segments[i] ?? '';
      return isTemplate(part) ? given !== '' : part.toLowerCase() === given.toLowerCase();
    })
  );
}

/** Returns true if a path has the literal parts of a template in the same letter case and without escapes. */
function isSpeltAs(template: string, path: string): boolean {
  const segments = (path.split('?', 1)[0] ?? '').split('/');
  return template.split('/').every((part, i) => isTemplate(part) || part === segments[i]);
}

/** Statuses of requests that are rejected before or at authentication. */
const BEFORE_RIGHTS: readonly number[] = [401, 403, 404, 405, 413, 414];

/** Compiled document of one caller. */
class Description {
  // Ajv options: each check runs for few responses, so that code optimization does not pay off.
  private readonly ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    validateFormats: true,
    code: { optimize: false },
  });
  private readonly checks = new Map<string, ValidateFunction>();
  readonly document: Document;

  constructor(document: Document) {
    this.document = document;
    formats.default(this.ajv);
    this.ajv.addSchema({ ...(strictly(document) as object), $id: 'document' });
  }

  /** Returns the path template of a request; literal segments take precedence. */
  templateOf(path: string): string | null {
    const segments = segmentsOf(path);
    if (segments === null) return null;
    const found = Object.keys(this.document.paths).filter((template) => matches(template, segments));
    return found.find((template) => !template.includes('{')) ?? found[0] ?? null;
  }

  /** Returns the schema violation of a body, or null. */
  problem(at: string, body: unknown): string | null {
    const known = this.checks.get(at);
    const check = known ?? this.ajv.compile({ $ref: `document#${at}` });
    if (known === undefined) this.checks.set(at, check);
    if (check(body)) return null;
    const [first] = check.errors ?? [];
    const said = this.ajv.errorsText(check.errors, { dataVar: 'answer' });
    return `${said} ${JSON.stringify(first?.params)}`.slice(0, 500);
  }
}

/** Compiled documents that are in use. Compiling is slow, and many applications have equal documents. */
const descriptions = new Map<string, WeakRef<Description>>();

function descriptionOf(document: Document): Description {
  const key = createHash('sha256').update(JSON.stringify(document)).digest('base64');
  const known = descriptions.get(key)?.deref();
  if (known !== undefined) return known;
  const made = new Description(document);
  descriptions.set(key, new WeakRef(made));
  return made;
}

const pointer = (...keys: readonly string[]): string =>
  keys.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

const FORMAT = 'strapi-response-format';

const headerOf = (headers: Exchange['headers'], name: string): string | undefined =>
  Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];

/** Checks the responses of one application to all callers. */
export class DescriptionOracle {
  private readonly descriptions = new Map<string, Promise<Description | null>>();
  private readonly ask: Ask;
  private readonly credentials: readonly string[];
  /** Number of responses by kind of check. */
  readonly counts = { described: 0, refused: 0, unknown: 0, bodies: 0 };

  constructor(ask: Ask, credentials: readonly string[] = ['authorization', 'x-roles']) {
    this.ask = ask;
    this.credentials = credentials;
  }

  /** Returns the document for these headers; null for invalid credentials. */
  async documentFor(headers: Exchange['headers']): Promise<unknown> {
    return (await this.descriptionFor(headers))?.document ?? null;
  }

  private descriptionFor(headers: Exchange['headers']): Promise<Description | null> {
    const sent = Object.fromEntries(
      [...this.credentials, FORMAT].flatMap((name) => {
        const value = headerOf(headers, name);
        return value === undefined ? [] : [[name, value]];
      }),
    );
    const key = JSON.stringify(sent);
    const known = this.descriptions.get(key);
    if (known !== undefined) return known;
    const made = this.ask('/api/openapi.json', sent).then(({ status, body }) => {
      if (status === 200) return descriptionOf(body as Document);
      if (status === 401) return null;
      throw new Error(`/api/openapi.json: ${status} ${JSON.stringify(body)}`);
    });
    this.descriptions.set(key, made);
    return made;
  }

  /** Clears all documents after permissions changed. */
  forget(): void {
    this.descriptions.clear();
  }

  /** Returns the difference between a response and the document, or null. */
  async problem(exchange: Exchange): Promise<string | null> {
    const description = await this.descriptionFor(exchange.headers);
    const { method, path } = exchange;
    // Files are served outside the API.
    if (method === 'OPTIONS' || !path.toLowerCase().startsWith('/api')) return null;
    const template = description?.templateOf(path) ?? null;
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = template === null ? undefined : description?.document.paths[template]?.[verb];
    // Frameworks differ in the paths that they treat as equal.
    const isElsewhere = exchange.status === 404 && template !== null && !isSpeltAs(template, path);
    if (description === null || template === null || operation === undefined || isElsewhere)
      return this.undescribed(exchange);
    return this.described(exchange, description, pointer('paths', template, verb, 'responses'));
  }

  private undescribed({ method, path, status, body }: Exchange): string | null {
    this.counts[status === 401 || status === 403 ? 'refused' : 'unknown'] += 1;
    const name = isObject(body) && isObject(body['error']) ? body['error']['name'] : null;
    const isUnread =
      status === 400 && (name === 'SyntaxError' || name === 'BadRequestError' || method === 'HEAD');
    if (BEFORE_RIGHTS.includes(status) || isUnread) return null;
    return `${method} ${path.slice(0, 300)} is not described, and answers ${status}`;
  }

  private described(
    { method, path, status, body }: Exchange,
    description: Description,
    at: string,
  ): string | null {
    this.counts.described += 1;
    const asked = `${method} ${path.slice(0, 300)}`;
    const responses = resolve(description.document, at) as Readonly<Record<string, Json>>;
    const response = responses[String(status)];
    if (response === undefined) return `${asked}: status ${status} is not described`;
    const place = '$ref' in response ? String(response['$ref']).slice(1) : `${at}${pointer(String(status))}`;
    const content = (resolve(description.document, place) as Json)['content'];
    if (method === 'HEAD') return null;
    if (content === undefined)
      return body === undefined || body === '' ? null : `${asked}: a body with ${status}`;
    this.counts.bodies += 1;
    const wrong = description.problem(`${place}${pointer('content', 'application/json', 'schema')}`, body);
    return wrong === null ? null : `${asked}: ${status}: ${wrong}: ${JSON.stringify(body).slice(0, 300)}`;
  }
}

function resolve(document: unknown, at: string): unknown {
  return at
    .split('/')
    .slice(1)
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, key) => (value as Json)[key], document);
}

/** Returns the body, parsed if it is JSON. */
export function bodyOf(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
