/**
 * Two databases that are equal for one tenant. They differ in all content of another tenant: texts, links,
 * row ids, states and number of documents.
 */
import { type ContentService, getContentToken } from 'nestjs-content-api';
import { HistoryModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { tablesOf } from '../faults/picture.ts';
import { Client, createTables, type Reply, type RunningApp, startApp, withSql } from '../fuzz/apps.ts';
import type { RunSql } from '../fuzz/content.ts';
import { buildSchema } from '../fuzz/internals.ts';
import { Restorable } from '../fuzz/restorable.ts';
import { copyDatabase, createDatabase } from '../support/database.ts';
import { components, contentTypes, memberOf, optionsOf, OWNED, uid, type Way } from './model.ts';
import { type Asked, type Known, SHIFT } from './requests.ts';

const schema = buildSchema(contentTypes, components);
const FILES = 4;
const TENANTS = ['alpha', 'beta'] as const;
const OTHER_TEXT = 'gamma';
/** Documents of each type and tenant. */
const DOCUMENTS = 6;
/** Articles that link to the other tenant as well. Only the last one differs from its published version. */
const CROSSING = [1, 4];

type Closing = (() => Promise<unknown>)[];
type Ids = Record<string, string[]>;

const serviceOf =
  ({ app }: RunningApp) =>
  (type: string): ContentService =>
    app.get<ContentService>(getContentToken(type), { strict: false });

const makeFiles = async (sql: RunSql): Promise<string[]> =>
  (
    await sql(
      `insert into content_files (document_id, created_at, updated_at, published_at, published, locale, name, hash, mime, size, url, provider)
       select 'file' || lpad(n::text, 20, '0'), now(), now(), now(), true, 'en', 'file ' || n, 'hash' || n, 'image/png', n, '/uploads/' || n, 'local'
       from generate_series(1, ${FILES}) n returning document_id`,
    )
  ).map((row) => String(row['document_id']));

/** Releases with articles of the tenant, of both tenants, and of the other one. */
async function makeReleases(sql: RunSql, { own, other }: Known): Promise<void> {
  const [theirs = [], others = []] = [own['article'], other['article']];
  const releases = [theirs.slice(0, 3), [...theirs.slice(1, 3), ...others.slice(0, 3)], others.slice(1)];
  for (const [n, documents] of releases.entries()) {
    await sql(
      `insert into content_release (id, name, attempts, created_at, created_by, updated_at)
       values ($1::int, 'release ' || $1, 0, '2026-01-01', 'user', '2026-01-01')`,
      [n + 1],
    );
    for (const [i, documentId] of documents.entries())
      await sql(
        `insert into content_release_entry (id, release_id, type, document_id, locale, action)
         values ($1, $2, 'article', $3, $4, $5)`,
        [10 * n + i + 1, n + 1, documentId, i % 2 === 0 ? '*' : 'en', i === 1 ? 'unpublish' : 'publish'],
      );
  }
}

/** Data of an article: links to its own tenant, and of some to the other tenant. */
function articleData(
  n: number,
  { name, ids, foreign }: { readonly name: string; readonly ids: Ids; readonly foreign: Ids },
): Record<string, unknown> {
  const articles = ids['article'] ?? [];
  const tags = ids['tag'] ?? [];
  const crossing = CROSSING.includes(n) ? (foreign['article']?.slice(0, 2) ?? []) : [];
  const subjects = [
    { __type: uid('tag'), documentId: tags[n % DOCUMENTS] },
    ...articles.slice(0, 1).map((documentId) => ({ __type: uid('article'), documentId })),
    ...crossing.map((documentId) => ({ __type: uid('article'), documentId })),
    { __type: uid('topic'), documentId: ids['topic']?.[0] },
  ];
  return {
    title: n === 3 ? name : `${name} article ${n}`,
    stage: 'ready',
    rank: n,
    organisation: ids['organisation']?.[0],
    next: articles[n - 1] ?? null,
    similar: [...articles.slice(0, 2), ...crossing],
    tags: [tags[n % DOCUMENTS], ...(CROSSING.includes(n) ? (foreign['tag']?.slice(0, 1) ?? []) : [])],
    topics: ids['topic'],
    subjects,
    subject: subjects[n % subjects.length],
    part: { text: `${name} part`, article: articles[0], articles: [...articles.slice(0, 2), ...crossing] },
    zone: [{ __component: 'tenant.part', text: `${name} zone`, about: subjects[0], articles: crossing }],
  };
}

/** Writes the documents of a tenant; some link to the other tenant as well. */
async function fillTenant(
  service: (type: string) => ContentService,
  name: string,
  {
    shared,
    foreign,
    files,
  }: { readonly shared: Ids; readonly foreign: Ids; readonly files: readonly string[] },
): Promise<Ids> {
  const ids: Ids = { topic: shared['topic'] ?? [], article: [], tag: [] };
  const make = async (type: string, data: object): Promise<string> =>
    (await service(type).create(data)).documentId;
  ids['organisation'] = [await make('organisation', { name: `${name} organisation` })];
  const organisation = ids['organisation'][0];
  for (let n = 0; n < DOCUMENTS; n += 1)
    ids['tag']?.push(await make('tag', { name: `${name} tag ${n}`, organisation }));
  for (let n = 0; n < DOCUMENTS; n += 1) {
    const data = { ...articleData(n, { name, ids, foreign }), cover: files[n % FILES] };
    const { documentId } = await service('article').create(data, n === 5 ? { status: 'draft' } : {});
    ids['article']?.push(documentId);
    if (n % 2 === 0)
      await service('article').update(documentId, { title: `${name} draft ${n}` }, { status: 'draft' });
    if (n % 3 === 0)
      await service('article').update(
        documentId,
        { title: `${name} français ${n}`, stage: 'ready' },
        { locale: 'fr' },
      );
  }
  const gone = await make('tag', { name: `${name} gone`, organisation });
  await service('tag').delete(gone);
  ids['tag']?.push(gone);
  return ids;
}

/** Sends a request of a member of the first tenant, and returns its data. Throws for a refusal. */
const asMember =
  ({ url }: RunningApp, { own }: Known) =>
  async (method: string, path: string, data?: unknown): Promise<Record<string, unknown>> => {
    const headers = {
      ...memberOf('member', own['organisation']?.[0] ?? ''),
      'content-type': 'application/json',
    };
    const response = await fetch(`${url}/api/${path}`, {
      method,
      headers,
      ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return (JSON.parse(text) as { data: Record<string, unknown> }).data;
  };

/**
 * Makes articles that have changed their tenant, in both directions: two that exist, and two that were deleted
 * since. Adds two releases of the member that are released: with an article that is of the other tenant now,
 * and without.
 */
async function moveSome(running: RunningApp, known: Known): Promise<void> {
  const service = serviceOf(running)('article');
  const send = asMember(running, known);
  const sides = [known.own, known.other];
  const released: string[] = [];
  for (const [n, side] of sides.entries())
    for (const ends of [false, true]) {
      const [from, to] = [sides[1 - n] ?? {}, side];
      const name = (ids: Ids | Known['own']): string => TENANTS[ids === known.own ? 0 : 1];
      const valuesOf = (ids: Known['own'], version: number): Record<string, unknown> => ({
        title: `${name(ids)} moved ${n}${ends ? 'b' : 'a'} ${version}`,
        rank: 10 * n + version,
        stage: 'ready',
        organisation: ids['organisation']?.[0],
        tags: [ids['tag']?.[0], ids['tag']?.[1]],
        next: ids['article']?.[1],
        part: { text: `${name(ids)} part ${version}`, article: ids['article']?.[2] },
      });
      const { documentId } = await service.create(valuesOf(from, 1), { status: 'draft' });
      if (from === known.own && !ends) {
        for (const entries of [[documentId, known.own['article']?.[0]], [known.own['article']?.[2]]]) {
          const { id } = await send('POST', 'releases', { name: `released ${released.length}` });
          await send(
            'POST',
            `releases/${String(id)}/entries`,
            entries.map((one) => ({ type: 'article', documentId: one, locale: 'en' })),
          );
          await send('POST', `releases/${String(id)}/actions/publish`);
          released.push(String(id));
        }
      }
      await service.update(documentId, valuesOf(from, 2));
      await service.update(documentId, valuesOf(to, 3));
      await service.update(documentId, valuesOf(to, 4), { status: 'draft' });
      if (ends) await service.delete(documentId);
      (side['article'] as string[]).push(documentId);
    }
  if (released.length !== 2) throw new Error('the releases are missing');
}

/** Gives the released releases ids that requests name. */
async function nameReleases(sql: RunSql): Promise<void> {
  await sql(`with r as (select id, 3 + row_number() over (order by id) as n from content_release where id > 3),
      e as (update content_release_entry e set release_id = r.n from r where e.release_id = r.id)
    update content_release t set id = r.n from r where t.id = r.id`);
}

const versionsIn = async (sql: RunSql): Promise<Known['versions']> =>
  Object.fromEntries(
    (
      await sql('select document_id, array_agg(id::text order by id) as ids from content_version group by 1')
    ).map((row) => [String(row['document_id']), row['ids'] as string[]]),
  );

/** Deletes an article, the published versions of a second one, and a language of a third one. */
async function withoutSome(sql: RunSql, [first, second, third]: readonly string[]): Promise<void> {
  const articles = `"${schema.types.get('article')?.table ?? ''}"`;
  await sql(`delete from ${articles} where document_id = $1`, [first]);
  await sql(`delete from ${articles} where document_id = $1 and published`, [second]);
  await sql(`delete from ${articles} where document_id = $1 and locale = 'fr'`, [third]);
  for (const [table, columns] of await tablesOf(sql)) {
    if (!columns.includes('owner_document_id')) continue;
    await sql(`delete from "${table}" where owner_document_id = $1`, [first]);
    await sql(`delete from "${table}" where owner_document_id = $1 and published`, [second]);
    await sql(`delete from "${table}" where owner_document_id = $1 and locale = 'fr'`, [third]);
  }
}

/** Removes the links of a draft to the other tenant. */
async function withoutLinks(sql: RunSql, draft: string, theirs: readonly string[]): Promise<void> {
  for (const [table, columns] of await tablesOf(sql))
    if (columns.includes('target_document_id'))
      await sql(
        `delete from "${table}" where owner_document_id = $1 and target_document_id = any($2) and not published`,
        [draft, theirs],
      );
  const articles = `"${schema.types.get('article')?.table ?? ''}"`;
  await sql(`update ${articles} set revision = revision + 1 where document_id = $1 and not published`, [
    draft,
  ]);
}

/** Changes everything of the other tenant: texts, row ids, states, links and the number of documents. */
async function rewrite(sql: RunSql, { own, other }: Known): Promise<void> {
  const theirs = OWNED.flatMap((type) => [...(other[type] ?? [])]);
  const [organisationId] = other['organisation'] ?? [];
  await sql('begin');
  for (const name of [...OWNED, 'organisation']) {
    const table = `"${schema.types.get(name)?.table ?? ''}"`;
    const rows = `document_id = any($1)`;
    const ids = [[...theirs, organisationId]];
    for (const attribute of schema.types.get(name)?.attributes.values() ?? []) {
      if (attribute.kind === 'scalar' && ['string', 'uid'].includes(attribute.def.type) && !attribute.system)
        await sql(
          `update ${table} set "${attribute.column}" = replace("${attribute.column}", 'beta', '${OTHER_TEXT}') where ${rows}`,
          ids,
        );
      if (attribute.kind === 'component' || attribute.kind === 'zone')
        await sql(
          `update ${table} set "${attribute.column}" = replace("${attribute.column}"::text, 'beta', '${OTHER_TEXT}')::jsonb where ${rows}`,
          ids,
        );
    }
    await sql(`update ${table} set id = id + ${SHIFT}, revision = revision + 1 where ${rows}`, ids);
  }
  await withoutSome(sql, other['article'] ?? []);
  // The article that was of the tenant when a release published it.
  await withoutSome(sql, other['article']?.slice(DOCUMENTS, DOCUMENTS + 1) ?? []);
  await withoutLinks(sql, own['article']?.[CROSSING[0] ?? 0] ?? '', theirs);
  // The last version of a deleted article shows whose it was, so articles that were of the tenant keep theirs.
  await sql(
    `delete from content_version v where document_id = any($1) and mod(id::int, 2) = 0 and not exists (
      select 1 from content_version f where f.document_id = v.document_id and f.content -> 'organisation' ->> 0 = $2)`,
    [theirs, own['organisation']?.[0]],
  );
  // Articles that have changed their tenant: what the other tenant had is different, and partly missing.
  const former = `document_id = any($1) and content -> 'organisation' ->> 0 = $2`;
  const moved = [own['article'], organisationId];
  await sql(`delete from content_version where ${former} and mod(id::int, 3) = 0`, moved);
  await sql(
    `update content_version set content = replace(content::text, 'beta', '${OTHER_TEXT}')::jsonb where ${former}`,
    moved,
  );
  await sql('commit');
  if ((own['article'] ?? []).length === 0) throw new Error('the tenant has no articles');
}

export interface Prepared {
  readonly way: Way;
  readonly alpha: string;
  readonly omega: string;
  readonly known: Known;
}

const start = (url: string, way: Way): Promise<RunningApp> =>
  startApp(
    {
      ...optionsOf(way),
      library: true,
      imports: [HistoryModule.forRoot({ sittingMinutes: 0 }), ReleasesModule.forRoot()],
    },
    url,
  );

/** Fills one database, and makes the other world from its copy. */
export async function prepareWorlds(way: Way, closing: Closing, serverUrl?: string): Promise<Prepared> {
  const first = await createDatabase(serverUrl);
  closing.unshift(() => first.drop());
  const running = await start(first.url, way);
  let known: Known;
  try {
    await createTables(running.app);
    const files = await withSql(first.url, makeFiles);
    const service = serviceOf(running);
    const topics: string[] = [];
    for (const n of [0, 1]) topics.push((await service('topic').create({ name: `topic ${n}` })).documentId);
    const shared = { topic: topics };
    const other = await fillTenant(service, TENANTS[1], { shared, foreign: {}, files });
    const own = await fillTenant(service, TENANTS[0], { shared, foreign: other, files });
    await service('topic').update(topics[0] ?? '', { lead: other['article']?.[3] });
    const made: Known = { own, other, shared, files, versions: {} };
    await moveSome(running, made);
    known = await withSql(first.url, async (sql) => {
      await nameReleases(sql);
      await makeReleases(sql, made);
      return { ...made, versions: await versionsIn(sql) };
    });
  } finally {
    await running.close();
  }
  const copy = await copyDatabase(first.url);
  closing.unshift(() => copy.drop());
  await withSql(copy.url, (sql) => rewrite(sql, known));
  return { way, alpha: first.url, omega: copy.url, known };
}

/** One world, which remembers the ids of documents that the run has created. */
export class World {
  readonly created: string[] = [];
  private readonly client: Client;
  private readonly database: Restorable;
  private readonly theirs: readonly string[];

  private constructor(client: Client, database: Restorable, theirs: readonly string[]) {
    this.client = client;
    this.database = database;
    this.theirs = theirs;
  }

  static async start(url: string, { way, known: { other } }: Prepared, closing: Closing): Promise<World> {
    const running = await start(url, way);
    const client = new Client(running.url, { described: true });
    const database = await Restorable.open(url, closing);
    closing.unshift(async () => {
      client.close();
      await running.close();
    });
    const theirs = [...OWNED, 'organisation'].flatMap((type) => [...(other[type] ?? [])]);
    return new World(client, database, theirs);
  }

  restore(): Promise<void> {
    this.created.length = 0;
    return this.database.restore();
  }

  private resolve(text: string): string {
    return text.replace(/<created (\d+)>/g, (_, n: string) => this.created[Number(n)] ?? 'none');
  }

  async ask(
    { method, path, body, tagOf, key }: Asked,
    headers: Readonly<Record<string, string>>,
  ): Promise<Reply> {
    const tag = tagOf === undefined ? null : await this.client.get(this.target(tagOf), headers);
    const sent = {
      ...headers,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(tag === null ? {} : { 'if-match': String(tag.headers['etag'] ?? '"none"') }),
    };
    const text = body === undefined ? undefined : this.resolve(JSON.stringify(body));
    const reply = await this.client.get(this.target(path), sent, method, text);
    if (method === 'POST' && reply.status === 201 && !path.startsWith('releases'))
      this.created.push(idOf(reply.body));
    return reply;
  }

  private target(path: string): string {
    return `/api/${this.resolve(path).replace(/[ <>]/g, encodeURIComponent)}`;
  }

  /** Rows of the other tenant, and links to it, without rows that belong to all tenants or to the caller. */
  async theirRows(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const [table, columns] of this.database.tables) {
      const [id] = ['document_id', 'owner_document_id'].filter((name) => columns.includes(name));
      if (id === undefined || table.startsWith('content_event')) continue;
      const rows = await this.database.sql(
        `select t::text as row from public."${table}" t where ${id} = any($1)`,
        [this.theirs],
      );
      for (const { row } of rows) found.add(`${table} ${String(row)}`);
    }
    return found;
  }

  /** Pairs of linked documents whose target belongs to the other tenant. */
  async linksToThem(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const [table, columns] of this.database.tables) {
      if (!columns.includes('target_document_id')) continue;
      const rows = await this.database.sql(
        `select owner_document_id as owner, target_document_id as target from public."${table}" where target_document_id = any($1)`,
        [this.theirs],
      );
      for (const { owner, target } of rows) found.add(`${table} ${String(owner)} ${String(target)}`);
    }
    return found;
  }
}

function idOf(body: string): string {
  const { data } = JSON.parse(body) as { data?: { documentId?: string } | null };
  return data?.documentId ?? 'none';
}
