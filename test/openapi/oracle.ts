/**
 * Holds every answer against the description that its caller gets: the operation is described, its status is
 * among those that are, and the body is what the schema says, without a member more. What a caller's own
 * description does not have, that caller must not get.
 */
import { createHash } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** A request and its answer. */
export interface Exchange {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
  /** The parsed body; undefined where there is none. */
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

/** Objects that have no other members than those that are described, unless they say so themselves. */
export function strictly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strictly);
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, nested]) => [key, strictly(nested)]));
  const isOpen =
    value['type'] === 'object' && isObject(value['properties']) && !('additionalProperties' in value);
  return isOpen ? { ...inner, additionalProperties: false } : inner;
}

/** A path as one that can be compared: no query, no slash at the end. */
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

/** Whether a path has the literal parts of a template as they are, in their letter case and without escapes. */
function isSpeltAs(template: string, path: string): boolean {
  const segments = (path.split('?', 1)[0] ?? '').split('/');
  return template.split('/').every((part, i) => isTemplate(part) || part === segments[i]);
}

/** Before anybody asks who the caller is, or at once after it. */
const BEFORE_RIGHTS: readonly number[] = [401, 403, 404, 405, 413, 414];

/** One caller's description, ready to judge. */
class Description {
  // Each check is made for few answers: what would make it faster takes longer than it saves.
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

  /** The path that a request has, by its template; literal ones first. */
  templateOf(path: string): string | null {
    const segments = segmentsOf(path);
    if (segments === null) return null;
    const found = Object.keys(this.document.paths).filter((template) => matches(template, segments));
    return found.find((template) => !template.includes('{')) ?? found[0] ?? null;
  }

  /** What is wrong with a body, by the schema of an answer; null where nothing is. */
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

/** Those that somebody holds: to make one takes long, and many applications say the same of themselves. */
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

/** Judges answers of one application, whoever asked. */
export class DescriptionOracle {
  private readonly descriptions = new Map<string, Promise<Description | null>>();
  private readonly ask: Ask;
  private readonly credentials: readonly string[];
  /** How many answers there were, by what they were held against. */
  readonly counts = { described: 0, refused: 0, unknown: 0, bodies: 0 };

  constructor(ask: Ask, credentials: readonly string[] = ['authorization', 'x-roles']) {
    this.ask = ask;
    this.credentials = credentials;
  }

  /** What the application says of itself to who sends these headers; null to a credential that is none. */
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

  /** Forgets what was described, because what callers may do has changed. */
  forget(): void {
    this.descriptions.clear();
  }

  /** What of an answer is not as described; null where all is. */
  async problem(exchange: Exchange): Promise<string | null> {
    const description = await this.descriptionFor(exchange.headers);
    const { method, path } = exchange;
    // Bytes of files are served beside the API.
    if (method === 'OPTIONS' || !path.toLowerCase().startsWith('/api')) return null;
    const template = description?.templateOf(path) ?? null;
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = template === null ? undefined : description?.document.paths[template]?.[verb];
    // Frameworks differ in what they take for the same path.
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

/** A body as it was sent, parsed where it is JSON. */
export function bodyOf(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
