/**
 * One change of a model, there and back: stored values stay the same, hidden values stay hidden, nothing
 * fails.
 */
import { createHash } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/core';
import {
  type Action,
  CONTENT_ORM,
  ContentModule,
  type ContentMigration,
  type ContentModuleOptions,
  contentMigration,
  migrateContent,
} from 'nestjs-content-api';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Host, startHost } from '../http/helpers.ts';

export type Model = Pick<
  ContentModuleOptions,
  'contentTypes' | 'components' | 'locales' | 'defaultLocale' | 'removed'
>;

/** Returns the `data` of a GET with all permissions. */
export type Get = (path: string) => Promise<any>;
export interface Api {
  readonly get: Get;
  /** Returns the document. */
  send(method: 'POST' | 'PUT', path: string, data: object): Promise<any>;
}

export interface Change {
  readonly name: string;
  readonly before: Model;
  readonly after: Model;
  readonly data: (api: Api) => Promise<void>;
  /** Values that must be equal: read under the first model, and under the second. */
  readonly was: (get: Get) => Promise<unknown>;
  readonly is: (get: Get) => Promise<unknown>;
  /** Reason why the change is refused, and the second model with an option that allows it. */
  readonly refused?: { readonly because: RegExp; readonly model?: Model; readonly isReversible?: boolean };
  /** The way back leads to the same values, except where there were none. */
  readonly isFilled?: boolean;
  /** There is no way back, although nothing is refused. */
  readonly isFinal?: boolean;
}

export interface Outcome {
  readonly name: string;
  readonly requests: number;
  /** Responses of the old application during the change and right after it, by status. */
  readonly stale: Readonly<Record<number, number>>;
  readonly values: string;
  readonly back: boolean;
}

export const SECRETS = /SECRET|argon2|DRAFT/;
export const ADMIN = { 'x-admin': 'yes' };

class Admin {
  readonly name = 'admin';
  authenticate({ headers }: { headers: Record<string, unknown> }) {
    return headers['x-admin'] === undefined ? null : { kind: 'user' as const, id: 'admin', roles: ['admin'] };
  }
}

/** An application with a public reader and a caller with all permissions; `more` is public too. */
export const start = (
  database: TestDatabase,
  { removed: _, ...model }: Model,
  more: readonly Action[] = [],
): Promise<Host> =>
  startHost(
    () => ({
      imports: [
        ContentModule.forRoot({
          ...model,
          auth: { strategies: [new Admin()] },
          access: { public: { '*': ['find', 'findOne', ...more] }, roles: { admin: { '*': '*' } } },
          database: { clientUrl: database.url },
        }),
      ],
    }),
    { database },
  );

export const ormOf = ({ app }: Host): MikroORM => app.get<MikroORM>(CONTENT_ORM, { strict: false });

/** Returns every route of a model, in every state and locale. */
export function routesOf({ contentTypes, locales = ['en'] }: Model): string[] {
  return contentTypes
    .filter(({ routes }) => routes !== false)
    .flatMap(({ kind, singularApiId, pluralApiId }) =>
      locales.flatMap((locale) =>
        ['draft', 'published'].map(
          (status) =>
            `/api/${kind === 'singleType' ? singularApiId : (pluralApiId ?? '')}?populate=*&status=${status}&locale=${locale}`,
        ),
      ),
    );
}

class Run {
  requests = 0;
  private readonly change: Change;

  constructor(change: Change) {
    this.change = change;
  }

  private async fetch(
    host: Host,
    path: string,
    init: RequestInit = {},
  ): Promise<{ status: number; text: string }> {
    this.requests += 1;
    const answer = await fetch(`${host.url}${path}`, init);
    return { status: answer.status, text: await answer.text() };
  }

  apiOf(host: Host): Api {
    const checked = async (path: string, init: RequestInit): Promise<any> => {
      const { status, text } = await this.fetch(host, path, init);
      if (status === 404 && init.method === undefined) return null;
      if (status >= 400)
        throw new Error(`${this.change.name}: ${init.method ?? 'GET'} ${path} → ${status} ${text}`);
      return text === '' ? null : JSON.parse(text).data;
    };
    return {
      get: (path) => checked(path, { headers: ADMIN }),
      send: (method, path, data) =>
        checked(path, {
          method,
          body: JSON.stringify({ data }),
          headers: { ...ADMIN, 'content-type': 'application/json' },
        }),
    };
  }

  /** Returns all public responses; fails if one shows hidden content, or is missing. */
  async readPublic(host: Host, model: Model): Promise<string[]> {
    const seen: string[] = [];
    for (const path of routesOf(model)) {
      const all = await this.fetch(host, path, { headers: ADMIN });
      if (![200, 404].includes(all.status))
        throw new Error(`${this.change.name}: ${path} → ${all.status} ${all.text}`);
      seen.push(all.text);
      const open = await this.fetch(host, path.replace('&status=draft', ''));
      if (open.status >= 500) throw new Error(`${this.change.name}: ${path} → ${open.status} ${open.text}`);
      if (SECRETS.test(open.text)) throw new Error(`${this.change.name}: ${path} shows ${open.text}`);
    }
    return seen;
  }

  /** Returns the documents whose drafts differ from their published versions. */
  async modified(host: Host, model: Model): Promise<string> {
    const found: unknown[] = [];
    for (const { draftAndPublish, kind, pluralApiId } of model.contentTypes) {
      if (draftAndPublish !== true || kind === 'singleType') continue;
      for (const locale of model.locales ?? ['en'])
        found.push(
          ...(
            (await this.apiOf(host).get(
              `/api/${pluralApiId}?status=draft&publicationFilter=modified&locale=${locale}&sort=id`,
            )) as any[]
          ).map(({ documentId }) => documentId),
        );
    }
    return JSON.stringify([...new Set(found)].sort());
  }

  /** Sends requests to an application during `work`, and once after it. */
  async meanwhile<T>(
    host: Host,
    model: Model,
    work: () => Promise<T>,
  ): Promise<{ result: T; stale: Record<number, number> }> {
    const statuses: Record<number, number> = {};
    let isDone = false;
    const ask = async (): Promise<void> => {
      for (let last = false; ; last = isDone) {
        for (const path of routesOf(model)) {
          const { status } = await this.fetch(host, path, { headers: ADMIN });
          statuses[status] = (statuses[status] ?? 0) + 1;
        }
        if (last) return;
      }
    };
    const asking = ask();
    try {
      return { result: await work(), stale: statuses };
    } finally {
      isDone = true;
      await asking;
    }
  }
}

/** Returns requests of a caller with all permissions. */
export const apiOf = (change: Change, host: Host): Api => new Run(change).apiOf(host);

const same = (what: string, was: unknown, is: unknown): void => {
  const [a, b] = [JSON.stringify(was), JSON.stringify(is)];
  if (a !== b) throw new Error(`${what}\n  was ${a}\n  is  ${b}`);
};

export const statementsLeft = async (host: Host): Promise<string> =>
  (await (ormOf(host) as any).schema.getUpdateSchemaSQL({ dropTables: false }))
    .replace(/^\s*set names.*;/m, '')
    .trim();

export async function applyStatements(host: Host, statements: readonly string[]): Promise<void> {
  const connection = ormOf(host).em.getConnection() as any;
  await connection.transactional(async (context: unknown) => {
    for (const statement of statements) await connection.execute(statement, [], 'run', context);
  });
}

async function refusedFirst(run: Run, host: Host, change: Change): Promise<Model> {
  const { refused, name, before, after } = change;
  const migration = await contentMigration({ orm: ormOf(host), model: after });
  const refusals = migration.refusals.map(({ text }) => text).join('\n');
  if (refused === undefined) {
    if (refusals !== '') throw new Error(`${name} is refused: ${refusals}`);
    return after;
  }
  if (!refused.because.test(refusals))
    throw new Error(`${name} is refused with another message: ${refusals}`);
  const untouched = await run.readPublic(host, before);
  const message = await applyStatements(host, migration.up).then(
    () => 'nothing',
    (error: Error) => error.message,
  );
  if (!refused.because.test(message)) throw new Error(`${name}: the statements fail: ${message}`);
  same(`${name}: a refused change changes nothing`, untouched, await run.readPublic(host, before));
  return refused.model ?? before;
}

/** Applies a change to its own database. Throws an Error with the reason. */
export async function runChange(change: Change): Promise<Outcome> {
  const { name, before } = change;
  const run = new Run(change);
  const database = await createDatabase();
  const hosts: Host[] = [];
  const open = async (model: Model): Promise<Host> => {
    const host = await start(database, model);
    hosts.push(host);
    return host;
  };
  try {
    const old = await open(before);
    await migrateContent({ orm: ormOf(old), model: before });
    same(`${name}: tables are MikroORM's`, '', await statementsLeft(old));
    await change.data(run.apiOf(old));
    const was = await change.was(run.apiOf(old).get);
    const seen = await run.readPublic(old, before);
    const modified = await run.modified(old, before);

    const after = await refusedFirst(run, old, change);
    if (after === before) return { name, requests: run.requests, stale: {}, values: hash(was), back: false };
    const { result, stale } = await run.meanwhile(old, before, () =>
      migrateContent({ orm: ormOf(old), model: after }),
    );
    const next = await open(after);
    const check = async (): Promise<string[]> => {
      same(`${name}: nothing is left to migrate`, '', await statementsLeft(next));
      same(
        `${name}: values`,
        hash(was),
        hash(await change.is(run.apiOf(next).get)) === hash(was)
          ? hash(was)
          : { was, is: await change.is(run.apiOf(next).get) },
      );
      return run.readPublic(next, after);
    };
    const first = await check();
    if (before.contentTypes.some(({ draftAndPublish }) => draftAndPublish))
      if (
        after.contentTypes.every(
          ({ singularApiId, draftAndPublish }) =>
            draftAndPublish ===
            before.contentTypes.find((one) => one.singularApiId === singularApiId)?.draftAndPublish,
        )
      )
        same(`${name}: modified documents`, modified, await run.modified(next, after));
    const back = await wayBack(run, { change, result, old, next, seen, first, after, was });
    await writable(run, next, after);
    return { name, requests: run.requests, stale, values: hash(was), back };
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  } finally {
    for (const host of hosts) await host.close();
    await database.drop();
  }
}

interface Way {
  readonly change: Change;
  readonly result: ContentMigration;
  readonly old: Host;
  readonly next: Host;
  readonly seen: readonly string[];
  readonly first: readonly string[];
  readonly after: Model;
  readonly was: unknown;
}

/** Versions that are created again have new row ids. */
const withoutIds = (texts: readonly string[]): string[] =>
  texts.map((text) => text.replace(/"id":\d+/g, '"id":0'));

/** Whether a change has a way back. */
export const isReversible = ({ refused, isFinal }: Change): boolean =>
  refused === undefined ? isFinal !== true : refused.isReversible === true;

/** Goes back and there again, and compares all content with that before each step. */
async function wayBack(run: Run, way: Way): Promise<boolean> {
  const { change, result, old, next, seen, first, after, was } = way;
  const wanted = isReversible(change);
  if (wanted !== (result.down !== null)) throw new Error(`there is ${wanted ? 'no' : 'a'} way back`);
  if (result.down === null) return false;
  await applyStatements(old, result.down);
  same('back: nothing is left to migrate', '', await statementsLeft(old));
  const again = await run.readPublic(old, change.before);
  if (change.isFilled !== true) {
    same('back: everything', withoutIds(seen), withoutIds(again));
    same('back: values', was, await change.was(run.apiOf(old).get));
  }
  await migrateContent({ orm: ormOf(next), model: after });
  same('there again: everything', withoutIds(first), withoutIds(await run.readPublic(next, after)));
  return true;
}

/** Writes every document as it is. */
async function writable(run: Run, host: Host, model: Model): Promise<void> {
  const api = run.apiOf(host);
  for (const { kind, singularApiId, pluralApiId, draftAndPublish } of model.contentTypes) {
    if (kind === 'singleType') {
      if ((await api.get(`/api/${singularApiId}`)) !== null)
        await api.send('PUT', `/api/${singularApiId}`, {});
      continue;
    }
    const list = (await api.get(
      `/api/${pluralApiId}${draftAndPublish === true ? '?status=draft' : ''}`,
    )) as any[];
    for (const { documentId } of list.slice(0, 3))
      await api.send('PUT', `/api/${pluralApiId}/${documentId}`, {});
  }
}

const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);
