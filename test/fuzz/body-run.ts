/** Sends arbitrary writes to an application, and reports faults in the responses and in the stored rows. */
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { MikroORM } from '@mikro-orm/core';
import fc from 'fast-check';
import { CONTENT_ORM, ContentModule, type ContentTypeDefinition } from 'nestjs-content-api';
import pg from 'pg';
import type {
  AttributeDefinition,
  AttributeDefinitions,
  MediaDefinition,
  MorphSideDefinition,
  RelationDefinition,
} from '../../src/content/model/definitions.ts';
import { Client, type Reply } from '../concurrency/app.ts';
import { checksum, restore, save, type Tables, tablesOf } from '../faults/picture.ts';
import { DescriptionOracle } from '../openapi/oracle.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { timeLimit } from './budget.ts';
import {
  bodies,
  type BodyRequest,
  type InstanceRef,
  type Links,
  pathOf,
  print,
  type Ref,
  validBody,
} from './body-arbitraries.ts';
import { components, contentTypes, openTypes, options, routeOf, types } from './body-model.ts';
import { keepIdleConnections } from '../support/idle-connections.ts';

/** Upper bound of a write on a busy machine, in milliseconds. */
const SLOW = 8000;
const DOCUMENTS = 3;
/** Number of writes after which the content is reset, so that it stays small. */
const FRESH = 150;

type Row = Record<string, any>;
type Known = Map<string, Row[]>;

const AT_TYPE_START = /^[a-z][a-z0-9]{23}$/;

export class BodyFuzz {
  private readonly app: INestApplication;
  private readonly client: Client;
  private readonly sqlClient: pg.Client;
  private readonly database: TestDatabase;
  private readonly adapter: string;
  private tables: Tables = new Map();
  private known: Known = new Map();
  private start: Known = new Map();
  private sum = '';
  private startSum = '';
  private sinceFresh = 0;
  /** Requests since the last reset. */
  readonly trail: string[] = [];
  readonly statuses: Record<number, number> = {};
  compared = 0;
  /** Compares each response with the API description. */
  readonly described = new DescriptionOracle((path) => this.client.get(path));

  private constructor(
    app: INestApplication,
    url: string,
    parts: { readonly sqlClient: pg.Client; readonly database: TestDatabase; readonly adapter: string },
  ) {
    this.app = app;
    this.client = new Client(url, 1);
    this.sqlClient = parts.sqlClient;
    this.database = parts.database;
    this.adapter = parts.adapter;
  }

  static async open(adapter: 'express' | 'fastify', seed: number): Promise<BodyFuzz> {
    const database = await createDatabase();
    const module = ContentModule.forRoot({
      ...options,
      database: { clientUrl: database.url, pool: { min: 0, max: 3 } },
    });
    const app =
      adapter === 'fastify'
        ? await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
            logger: ['fatal'],
            abortOnError: false,
          })
        : await NestFactory.create(module, { logger: ['fatal'], abortOnError: false });
    await app.init();
    await app.get<MikroORM>(CONTENT_ORM, { strict: false }).schema.create();
    await app.listen(0, '127.0.0.1');
    keepIdleConnections(app);
    const sqlClient = new pg.Client({ connectionString: database.url });
    await sqlClient.connect();
    const fuzz = new BodyFuzz(app, await app.getUrl(), { sqlClient, database, adapter });
    await fuzz.prepare(seed);
    return fuzz;
  }

  private sql = async (text: string, values: unknown[] = []): Promise<Row[]> =>
    (await this.sqlClient.query<Row>(text, values)).rows;

  /** Creates a few documents of every type from the same arbitraries. */
  private async prepare(seed: number): Promise<void> {
    this.tables = await tablesOf(this.sql);
    await this
      .sql(`insert into content_files (document_id, created_at, updated_at, published_at, published, locale, name, hash, mime, size, url, provider, ext, width)
      select 'file' || lpad(n::text, 20, '0'), now(), now(), now(), true, 'en', 'file ' || n, 'hash' || n, 'image/png', n, '/uploads/' || n, 'local', '.png', n from generate_series(1, 4) n`);
    this.known.set(
      'file',
      await this.sql('select id, document_id as "documentId" from content_files order by id'),
    );
    for (const type of contentTypes) this.known.set(type.singularApiId, []);
    for (const type of openTypes) {
      const single = type.kind === 'singleType';
      let missing = single ? 1 : DOCUMENTS;
      for (const body of fc.sample(validBody(type), { seed, numRuns: 40 })) {
        if (missing === 0) break;
        const text = `{"data":${print(body, this.resolve)}}`;
        const path = `/api/${routeOf(type)}${type.localized === true && missing === 1 && !single ? '?locale=fr' : ''}`;
        const reply = await this.client.send(single ? 'PUT' : 'POST', path, text);
        if (reply.status < 300) {
          missing -= 1;
          await this.look(type.singularApiId);
        }
      }
      if (missing > 0) throw new Error(`The seed could make no documents of ${type.singularApiId}`);
    }
    await save(this.sql, this.tables);
    this.start = new Map(this.known);
    this.startSum = this.sum = await checksum(this.sql, this.tables);
  }

  /** Reads the ids of the documents of a type. */
  private async look(type: string): Promise<void> {
    const table = await this.tableOf(type);
    this.known.set(
      type,
      await this.sql(
        `select document_id as "documentId", max(id) as id from "${table}" group by 1 order by 2`,
      ),
    );
  }

  private readonly tableNames = new Map<string, string>();

  private async tableOf(type: string): Promise<string> {
    if (this.tableNames.size === 0) {
      const orm = this.app.get<MikroORM>(CONTENT_ORM, { strict: false });
      const tables = new Set([...orm.getMetadata().getAll().values()].map((meta) => meta.tableName));
      for (const { singularApiId, pluralApiId, kind } of contentTypes) {
        const route = (kind === 'collectionType' ? pluralApiId : singularApiId).replace(/-/g, '_');
        if (!tables.has(route)) throw new Error(`no table for ${singularApiId}`);
        this.tableNames.set(singularApiId, route);
      }
    }
    return this.tableNames.get(type) as string;
  }

  private resolve = (item: Ref | InstanceRef): string => {
    if ('instanceOf' in item) return String(1 + item.n * 7);
    const rows = this.known.get(item.ref) ?? [];
    const row = rows[item.n % Math.max(rows.length, 1)];
    if (row === undefined) return '"abcdefghijklmnopqrstuvwx"';
    return item.as === 'documentId'
      ? JSON.stringify(row['documentId'])
      : item.as === 'id'
        ? String(row['id'])
        : `"${row['id']}"`;
  };

  /** Replaces references in an expected value by current document ids. */
  private resolved(expected: unknown): unknown {
    if (Array.isArray(expected)) return expected.map((item) => this.resolved(item));
    if (typeof expected !== 'object' || expected === null) return expected;
    if (!('$links' in expected))
      return Object.fromEntries(
        Object.entries(expected).map(([name, value]) => [name, this.resolved(value)]),
      );
    const { $links: links } = expected as Links;
    return { $links: [...new Set(links.map((item) => JSON.parse(this.resolve(item)) as string))] };
  }

  /** Resets the content. */
  async fresh(): Promise<string[]> {
    const problems = this.sinceFresh === 0 ? [] : await this.worldProblems();
    await restore(this.sql, this.tables);
    this.known = new Map(this.start);
    this.sum = this.startSum;
    this.sinceFresh = 0;
    this.trail.length = 0;
    return problems;
  }

  /** Sends a write; returns the faults of its response and of the stored rows. */
  async check(request: BodyRequest): Promise<string[]> {
    if (this.sinceFresh >= FRESH) {
      const problems = await this.fresh();
      if (problems.length > 0) return problems;
    }
    this.sinceFresh += 1;
    const path = `/api/${pathOf(request, this.resolve)}`;
    const body =
      request.text ??
      (request.method === 'DELETE' && request.query.length % 2 === 0
        ? undefined
        : `{"data":${print(request.data, this.resolve)}}`);
    const expected = this.resolved(request.expected) as Row;
    this.trail.push(`${request.method} ${path} ${request.contentType} ${shorten(body ?? '')}`);
    const from = performance.now();
    const reply = await this.client
      .send(request.method, path, body, request.contentType)
      .catch((error: unknown): Reply => ({ status: 0, text: String(error), body: null }));
    const took = performance.now() - from;
    this.statuses[reply.status] = (this.statuses[reply.status] ?? 0) + 1;
    const problems = [...replyProblems(reply), ...pollution()];
    const asked = { method: request.method, path, headers: {}, status: reply.status };
    const undescribed = await this.described.problem({
      ...asked,
      body: reply.body ?? (reply.text || undefined),
    });
    if (undescribed !== null) problems.push(undescribed);
    if (took > SLOW) problems.push(`took ${took.toFixed(0)} ms`);
    const sum = await checksum(this.sql, this.tables);
    if (reply.status >= 400 && sum !== this.sum)
      problems.push(`answered ${reply.status}, but rows have changed`);
    this.sum = sum;
    if (problems.length === 0 && reply.status < 300)
      problems.push(...(await this.readBack({ ...request, expected }, reply)));
    // A DELETE may affect documents of other types.
    if (problems.length === 0 && reply.status === 204) problems.push(...(await this.worldProblems()));
    return problems.map((problem) => `${this.adapter}: ${problem}`);
  }

  /** Compares the response to a GET with the request body and with the response to the write. */
  private async readBack(
    { type, method, query, expected, target }: BodyRequest,
    reply: Reply,
  ): Promise<string[]> {
    const definition = types.get(type);
    if (definition === undefined) return [];
    await this.look(type);
    const { documentId } = (reply.body?.data ?? {}) as { documentId?: string };
    if (method === 'DELETE') return reply.text === '' ? [] : ['a DELETE answered with a body'];
    if (documentId === undefined || !AT_TYPE_START.test(documentId))
      return [`answered without a document: ${shorten(reply.text)}`];
    const path =
      definition.kind === 'singleType' ? routeOf(definition) : `${routeOf(definition)}/${documentId}`;
    const same = await this.client.get(`/api/${path}${query === '' ? '' : `?${query}`}`);
    const problems: string[] = [];
    // Filters do not restrict the written document (protocol 1.17).
    if (
      !query.includes('filters') &&
      (same.status !== 200 || JSON.stringify(same.body?.data) !== JSON.stringify(reply.body.data))
    )
      problems.push(
        `a GET with the same query shows something else than the write answered: ${same.status}\n    ${shorten(reply.text)}\n    ${shorten(same.text)}`,
      );
    const parts = query
      .split('&')
      .filter((part) => /^(status=(draft|published)|locale=(en|fr|de))$/.test(part));
    const full = await this.client.get(`/api/${path}?${['populate=*', ...parts].join('&')}`);
    if (full.status !== 200)
      return [...problems, `the written document cannot be read: ${full.status} ${shorten(full.text)}`];
    this.compared += Object.keys(expected).length;
    if (target === null || typeof target !== 'string')
      problems.push(
        ...differences(withoutSelf(expected, definition), full.body.data, definition.attributes, ''),
      );
    return problems;
  }

  /** Checks conditions that must be true after every write. */
  private async worldProblems(): Promise<string[]> {
    const problems: string[] = [];
    for (const definition of contentTypes) {
      const table = await this.tableOf(definition.singularApiId);
      const count = async (sql: string): Promise<number> =>
        Number((await this.sql(`select count(*)::int as n from "${table}" t where ${sql}`))[0]?.['n']);
      if (
        definition.draftAndPublish === true &&
        (await count(
          `published and not exists (select 1 from "${table}" d where d.document_id = t.document_id and d.locale = t.locale and not d.published)`,
        )) > 0
      )
        problems.push(`${table}: published without a draft`);
      if (definition.draftAndPublish !== true && (await count('not published')) > 0)
        problems.push(`${table}: drafts in a type without them`);
      if (
        definition.kind === 'singleType' &&
        Number((await this.sql(`select count(distinct document_id)::int as n from "${table}"`))[0]?.['n']) > 1
      )
        problems.push(`${table}: several documents of a single type`);
      for (const [name, def] of Object.entries(definition.attributes))
        problems.push(...(await this.linkProblems(table, name, def)));
    }
    return problems;
  }

  private async linkProblems(table: string, name: string, def: AttributeDefinition): Promise<string[]> {
    if (def.type !== 'media' && (def.type !== 'relation' || !('target' in def))) return [];
    const target = def.type === 'media' ? 'content_files' : await this.tableOf(def.target);
    const snake = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
    const exists = (column: string): string =>
      `not exists (select 1 from "${target}" x where x.document_id = ${column})`;
    const links = `${table}_${snake}_links`;
    const dangling = this.tables.has(links)
      ? `select count(*)::int as n from "${links}" l where ${exists('l.target_document_id')}`
      : this.tables.get(table)?.includes(`${snake}_document_id`) === true
        ? `select count(*)::int as n from "${table}" t where t.${snake}_document_id is not null and ${exists(`t.${snake}_document_id`)}`
        : null;
    if (dangling === null) return [];
    return Number((await this.sql(dangling))[0]?.['n']) === 0
      ? []
      : [`${table}.${name} links to documents that do not exist`];
  }

  async close(): Promise<void> {
    this.client.close();
    await this.sqlClient.end();
    await this.app.close();
    await this.database.drop();
  }
}

const shorten = (text: string): string =>
  text.length > 1200 ? `${text.slice(0, 1200)}… (${text.length} characters)` : text;

const ALLOWED = [200, 201, 204, 400, 403, 404, 405, 413, 414, 415];

function replyProblems({ status, text, body }: Reply): string[] {
  if (!ALLOWED.includes(status)) return [`answered ${status} ${shorten(text)}`];
  // Fastify refuses long paths before routing.
  if (status < 400 || status === 414) return [];
  const { data, error } = (body ?? {}) as { data?: unknown; error?: Row };
  const shape =
    data === null &&
    error?.['status'] === status &&
    typeof error['name'] === 'string' &&
    typeof error['message'] === 'string' &&
    error['message'] !== '';
  if (!shape) return [`the answer is not in the error shape: ${status} ${shorten(text)}`];
  return /\b(select .* from|insert into|update \S+ set|constraint|violates|syntax error at|pg_|node_modules|at \w+ \()/.test(
    String(error['message']),
  )
    ? [`the message shows internals: ${error['message']}`]
    : [];
}

/** Checks that no body changed the global prototypes of the process (protocol 15.7). */
function pollution(): string[] {
  const found = [...Object.keys(Object.prototype), ...('polluted' in {} ? ['polluted'] : [])];
  for (const name of found) delete (Object.prototype as Row)[name];
  return found.length === 0 ? [] : [`Object.prototype has got ${found.join()}`];
}

/** Prints JSON with sorted keys, because jsonb does not retain their order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`)
    .sort()
    .join()}}`;
}

/** Returns the differences between a response and the request body. */
function differences(expected: Row, actual: Row, defs: AttributeDefinitions, at: string): string[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    const def = defs[name];
    const shown: unknown = actual[name];
    const where = `${at}${name}`;
    if (name === '__component') return shown === value ? [] : [`${where} is ${String(shown)}`];
    if (def === undefined || value === undefined) return [];
    if (def.type === 'media' || (def.type === 'relation' && 'target' in def))
      return linkDifferences(def, (value as { $links: string[] }).$links, shown, where);
    if (def.type !== 'component' && def.type !== 'dynamiczone' && def.type !== 'relation') {
      // The library may generate a value that replaces null.
      if (def.type === 'uid' && def.generate === true && value === null) return [];
      return canonical(shown) === canonical(value)
        ? []
        : [
            `${where} was sent as ${shorten(canonical(value))} and reads ${shorten(canonical(shown) ?? 'nothing')}`,
          ];
    }
    if (def.type === 'relation') return [];
    // Only one level is populated.
    if (shown === undefined) return [];
    const sent = Array.isArray(value) ? (value as Row[]) : value === null ? [] : [value as Row];
    const found = Array.isArray(shown) ? (shown as Row[]) : shown === null ? [] : [shown as Row];
    if (sent.length !== found.length)
      return [`${where} was sent with ${sent.length} instances and has ${found.length}`];
    return sent.flatMap((item, i) => {
      const uid = def.type === 'component' ? def.component : String(item['__component']);
      return differences(item, found[i] ?? {}, components.get(uid)?.attributes ?? {}, `${where}[${i}].`);
    });
  });
}

/** Drops relations of a type to itself. A body may contain both sides, and they may contradict each other. */
const withoutSelf = (expected: Row, { singularApiId, attributes }: ContentTypeDefinition): Row =>
  Object.fromEntries(
    Object.entries(expected).filter(
      ([name]) => (attributes[name] as { readonly target?: string } | undefined)?.target !== singularApiId,
    ),
  );

/** Compares links whose targets have no drafts and no locales, and are of another type. */
function linkDifferences(
  def: RelationDefinition | MorphSideDefinition | MediaDefinition,
  links: readonly string[],
  shown: unknown,
  where: string,
): string[] {
  const target = def.type === 'media' ? undefined : types.get(def.target);
  if (shown === undefined || target?.draftAndPublish === true || target?.localized === true) return [];
  const many = def.type === 'media' ? def.multiple === true : def.relation.endsWith('Many');
  const wanted = many ? links : links.slice(-1);
  const found = (Array.isArray(shown) ? (shown as Row[]) : shown === null ? [] : [shown as Row]).map((row) =>
    String(row['documentId']),
  );
  return wanted.join() === found.join()
    ? []
    : [`${where} was sent as ${wanted.join()} and shows ${found.join() || 'nothing'}`];
}

export interface FuzzFailure {
  readonly problems: readonly string[];
  readonly shown: string;
}

/** Number of writes, time limit and maximum number of failures. */
export interface BodyBudget {
  readonly runs: number;
  readonly seed: number;
  readonly seconds?: number;
  readonly most?: number;
}

/** Sends `runs` arbitrary writes; returns at most `most` shrunk failures. */
export async function fuzzBodies(
  fuzz: BodyFuzz,
  { runs, seed, seconds = Infinity, most = 5 }: BodyBudget,
): Promise<FuzzFailure[]> {
  const until = performance.now() + seconds * 1000;
  const failures: FuzzFailure[] = [];
  const seen = new Set<string>();
  let done = 0;
  for (let round = 0; done < runs && failures.length < most && performance.now() < until; round += 1) {
    let shrinking = false;
    let trail: string[] = [];
    let smallest = '';
    const property = fc.asyncProperty(bodies, async (request) => {
      // Each shrinking step starts from the same content.
      if (shrinking) await fuzz.fresh();
      else done += 1;
      const problems = (await fuzz.check(request)).filter((problem) => !seen.has(kindOf(problem)));
      if (problems.length === 0) return;
      if (!shrinking) trail = [...fuzz.trail];
      smallest = fuzz.trail.at(-1) ?? '';
      shrinking = true;
      throw new Error(problems.join('\n'));
    });
    const left = timeLimit((until - performance.now()) / 1000);
    const result = await fc.check(property, { seed: seed + round, numRuns: runs - done, ...left });
    if (!result.failed) continue;
    const problems = String((result.errorInstance as Error | null)?.message ?? '').split('\n');
    for (const problem of problems) seen.add(kindOf(problem));
    // A failure that depends on earlier writes does not shrink.
    const alone =
      smallest === trail.at(-1)
        ? `\n  after\n    ${trail
            .slice(-12, -1)
            .map((line) => line.slice(0, 300))
            .join('\n    ')}`
        : `\n  first seen as ${trail.at(-1) ?? ''}`;
    failures.push({ problems, shown: `${smallest}${alone}` });
    await fuzz.fresh();
  }
  return failures;
}

/** Groups problems that differ only in their values. */
const kindOf = (problem: string): string =>
  problem.replace(/"[^"]*"|[a-z0-9]{24}|\d{4,}|\[[^\]]*\]/g, '').slice(0, 60);
