/** Random requests to the operations of an OpenAPI document: described values, and wrong ones in their place. */
import type {
  ContentDocument,
  JsonSchema,
  Operation,
  Parameter,
} from '../../src/content/openapi/document.ts';
import { Dice } from '../evolution/pairs/dice.ts';

export interface RandomRequest {
  readonly method: string;
  readonly path: string;
  /** Template of the path. */
  readonly template: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
}

interface Described {
  readonly method: string;
  readonly template: string;
  readonly operation: Operation;
}

type Json = Record<string, unknown>;

const TEXTS: readonly string[] = [
  ...[
    '',
    ' ',
    'a',
    'x'.repeat(300),
    '\u0000',
    '\ud800',
    '\ufeff',
    '🙂',
    '%',
    "'",
    '"',
    '*',
    '__proto__',
    'constructor',
  ],
  ...[
    '2026-13-45',
    '2099-01-01T00:00:00.000Z',
    '275760-09-13T00:00:00.000Z',
    '1e400',
    '9'.repeat(40),
    '-1',
    '1',
    'null',
  ],
  ...[
    'page',
    'file',
    'user',
    'api::page.page',
    'plugin::users-permissions.user',
    'de',
    'public',
    'evt_1',
    'a@b.co',
  ],
  ...['https://example.com/a', 'http://localhost:9/'],
];
const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);
const WRONG: readonly unknown[] = [
  ...[null, -1, 0, 1, 1.5, 2 ** 31, 2 ** 53, 1e300, true, false, [], {}, [null], nested(30), nested(900)],
  ...[
    { id: null },
    { documentId: 'x' },
    { set: [1] },
    ['a', 1, null],
    Array.from({ length: 2000 }, () => 'x'),
  ],
];
const FORM_FIELDS = ['files', 'files', 'fileInfo', 'ref', 'refId', 'field', 'path'];
const CONDITIONS = ['*', '"x"', 'W/"x"', 'x', ','];
const KEYS = ['a', '"b"', 'x'.repeat(300)];
/** Values that later requests must know. */
const NAMED: Readonly<Record<string, (dice: Dice) => unknown>> = {
  password: () => 'Secret-123456',
  email: (dice) => `reader${dice.below(5)}@example.com`,
  identifier: (dice) => `reader${dice.below(5)}@example.com`,
  url: (dice) => `https://example.com/${dice.below(9)}`,
};
const NUMBERS = [0, 1, 2, 10, 100];
const IDS: readonly string[] = ['id', 'documentId', 'token'];
/** Ids of one part of the API that are remembered. */
const MAX_IDS = 40;
/** Levels of a described value. */
const MAX_DEPTH = 6;
const MAX_PATH = 6000;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const partOf = (path: string): string => path.split('/', 3).join('/');

/** Chooses among the operations of a document, with ids of earlier responses. */
export class RandomRequests {
  private readonly operations: readonly Described[];
  private readonly ids = new Map<string, string[]>();

  constructor(
    private readonly document: ContentDocument,
    private readonly dice: Dice,
  ) {
    this.operations = Object.entries(document.paths).flatMap(([template, of]) =>
      Object.entries(of).map(([method, operation]) => ({ method, template, operation })),
    );
  }

  next(): RandomRequest {
    const { dice } = this;
    const { method, template, operation } = dice.pick(this.operations);
    const known = this.ids.get(partOf(template)) ?? [];
    const path = template.replace(/\{[^}]+\}/g, () =>
      encodeURIComponent(
        (dice.chance(85) && known.length > 0 ? dice.pick(known) : this.text()).toWellFormed(),
      ),
    );
    const query = this.queryOf(operation);
    const body = this.bodyOf(operation);
    return {
      method: method.toUpperCase(),
      path: `${path}${query === '' ? '' : `?${query}`}`.slice(0, MAX_PATH),
      template,
      headers: {
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
        ...(dice.chance(5) ? { 'if-match': dice.pick(CONDITIONS) } : {}),
        ...(method !== 'get' && dice.chance(5) ? { 'idempotency-key': dice.pick(KEYS) } : {}),
      },
      body,
    };
  }

  /** Remembers the ids in a response. */
  learn(template: string, body: unknown): void {
    if (Array.isArray(body)) for (const one of body) this.learn(template, one);
    if (!isObject(body)) return;
    const ids = this.ids.get(partOf(template)) ?? [];
    for (const [key, value] of Object.entries(body))
      if (IDS.includes(key) && (typeof value === 'string' || typeof value === 'number')) ids.push(`${value}`);
      else this.learn(template, value);
    this.ids.set(partOf(template), ids.slice(-MAX_IDS));
  }

  private text(): string {
    return this.dice.pick([...TEXTS, ...[...this.ids.values()].flat()]);
  }

  private queryOf({ parameters = [] }: Operation): string {
    const chosen = parameters
      .map((one) => this.resolved({ ...one }) as unknown as Parameter)
      .filter((one) => one.in === 'query' && (one.required === true || this.dice.chance(25)));
    const pair = (key: string, value: unknown): string =>
      `${encodeURIComponent(key)}=${encodeURIComponent(String(value).slice(0, 300).toWellFormed())}`;
    return chosen
      .flatMap(({ name, schema }) => {
        const value = this.dice.chance(70) ? this.valueOf(schema) : this.text();
        if (typeof value !== 'object' || value === null) return [pair(name, value)];
        const members = Object.entries(value).slice(0, 20);
        return members.map(([key, of]) => pair(`${name}[${key.toWellFormed()}]`, of));
      })
      .join('&');
  }

  private bodyOf({ requestBody }: Operation): RandomRequest['body'] {
    if (requestBody === undefined) return undefined;
    const { 'application/json': json, 'multipart/form-data': form } = requestBody.content;
    if (form !== undefined) return this.form();
    const value = this.valueOf(json?.schema ?? {});
    return JSON.stringify(this.dice.chance(55) ? this.spoilt(value) : value);
  }

  private form(): FormData {
    const form = new FormData();
    for (const name of this.dice.some(FORM_FIELDS, 3)) {
      const type = this.dice.pick(['text/plain', 'image/png', '']);
      if (name === 'files')
        form.append(name, new Blob(['hello'], { type }), `${this.text().toWellFormed()}.txt`);
      else form.append(name, this.dice.chance(50) ? this.text().toWellFormed() : '{"name":"b.txt"}');
    }
    return form;
  }

  private resolved(schema: JsonSchema): JsonSchema {
    const { $ref } = schema;
    if (typeof $ref !== 'string') return schema;
    const found = $ref
      .split('/')
      .slice(1)
      .reduce<unknown>(
        (value, key) => (isObject(value) ? value[decodeURIComponent(key)] : undefined),
        this.document,
      );
    return this.resolved(found as JsonSchema);
  }

  /** Returns a value that a schema describes, apart from its limits. */
  private valueOf(unresolved: JsonSchema, depth = 0): unknown {
    const { dice } = this;
    const schema = this.resolved(unresolved);
    if ('const' in schema) return schema['const'];
    if (Array.isArray(schema['enum'])) return dice.pick<unknown>(schema['enum']);
    const either = schema['oneOf'] ?? schema['anyOf'];
    if (depth > MAX_DEPTH) return null;
    if (Array.isArray(either)) return this.valueOf(dice.pick<JsonSchema>(either), depth + 1);
    const { type } = schema;
    const make = this.makers[String(Array.isArray(type) ? dice.pick<unknown>(type) : type)];
    return make === undefined ? this.text() : make(schema, depth);
  }

  private readonly makers: Readonly<Record<string, (schema: JsonSchema, depth: number) => unknown>> = {
    object: (schema, depth) => this.objectOf(schema, depth),
    array: ({ items }, depth) =>
      Array.from({ length: this.dice.below(3) }, () => this.valueOf((items ?? {}) as JsonSchema, depth + 1)),
    integer: () => this.dice.pick(NUMBERS),
    number: () => this.dice.pick(NUMBERS),
    boolean: () => this.dice.chance(50),
    null: () => null,
  };

  private objectOf({ properties = {}, required = [] }: JsonSchema, depth: number): Json {
    const members = Object.entries(properties as Readonly<Record<string, JsonSchema>>);
    return Object.fromEntries(
      members
        .filter(([name]) => (required as readonly string[]).includes(name) || this.dice.chance(50))
        .map(([name, schema]) => [
          name,
          this.dice.chance(90) ? (NAMED[name]?.(this.dice) ?? this.valueOf(schema, depth + 1)) : this.text(),
        ]),
    );
  }

  /** Returns a value with one wrong part: another value, another name, or nothing. */
  private spoilt(value: unknown): unknown {
    const { dice } = this;
    const wrong = dice.chance(50) ? dice.pick(WRONG) : this.text();
    const entries = isObject(value) ? Object.entries(value) : [];
    if (entries.length === 0 || dice.chance(20)) return wrong;
    const at = dice.below(entries.length);
    const change = dice.pick<(entry: readonly [string, unknown]) => readonly [string, unknown][]>([
      () => [],
      ([, of]) => [[this.text(), of]],
      ([name, of]) => [[name, this.spoilt(of)]],
      ([name, of]) => [[name, this.spoilt(of)]],
    ]);
    return Object.fromEntries(entries.flatMap((entry, i) => (i === at ? change(entry) : [entry])));
  }
}
