/**
 * Pairs of databases for callers with write grants: they differ only in data that the caller may not read.
 * Hidden values have the same length and the same faults in both worlds, so that a write has the same
 * outcome in both.
 */
import type { Action, AuthStrategy, Caller, ContentService, Grant, Grants } from 'nestjs-content-api';
import {
  ContentError,
  defineCollectionType,
  defineComponent,
  defineSingleType,
  getContentToken,
  Permissions,
} from 'nestjs-content-api';
import { type CodeEndpoint, EventsModule } from 'nestjs-content-api/events';
import { AuditModule, HistoryModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { copyDatabase, createDatabase } from '../support/database.ts';
import { Client, createTables, type RunningApp, startApp, withSql } from './apps.ts';
import type { RunSql } from './content.ts';
import { type Attribute, buildSchema, type ContentType, isAuthor } from './internals.ts';
import { Deliveries } from './leak-deliveries.ts';
import { isHidden } from './leak-worlds.ts';
import { SEES_ALL, type StreamedWorld } from './leak-streams.ts';
import { Restorable } from './restorable.ts';

const LONG = 30;

const block = defineComponent({
  uid: 'write.block',
  attributes: {
    text: { type: 'string' },
    secret: { type: 'string', private: true, minLength: LONG },
    image: { type: 'media' },
  },
});

/** Authors of papers, which are not accounts. */
const user = defineCollectionType({
  singularApiId: 'user',
  pluralApiId: 'users',
  routes: false,
  attributes: { username: { type: 'string' }, email: { type: 'email' } },
});

const person = defineCollectionType({
  singularApiId: 'person',
  pluralApiId: 'people',
  attributes: {
    name: { type: 'string' },
    diary: { type: 'text', private: true },
    avatar: { type: 'media' },
    passport: { type: 'media', private: true },
    notes: { type: 'relation', relation: 'oneToMany', target: 'note', mappedBy: 'owner' },
    papers: { type: 'relation', relation: 'oneToMany', target: 'paper', mappedBy: 'author' },
  },
});

const topic = defineCollectionType({
  singularApiId: 'topic',
  pluralApiId: 'topics',
  history: true,
  attributes: {
    name: { type: 'string' },
    papers: { type: 'relation', relation: 'manyToMany', target: 'paper', mappedBy: 'topics' },
    vaults: { type: 'relation', relation: 'manyToMany', target: 'vault', mappedBy: 'topics' },
  },
});

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  draftAndPublish: true,
  actions: true,
  history: true,
  owner: 'owner',
  stages: { idea: { to: ['ready'] }, ready: { to: ['idea'], publish: true } },
  attributes: {
    text: { type: 'string' },
    secret: { type: 'string', private: true },
    owner: { type: 'relation', relation: 'manyToOne', target: 'person', inversedBy: 'notes' },
    topic: { type: 'relation', relation: 'manyToOne', target: 'topic' },
  },
});

const paper = defineCollectionType({
  singularApiId: 'paper',
  pluralApiId: 'papers',
  draftAndPublish: true,
  actions: true,
  localized: true,
  history: true,
  authors: true,
  attributes: {
    title: { type: 'string', localized: true },
    body: { type: 'text', localized: true, minLength: LONG },
    rank: { type: 'integer', max: 1000 },
    code: { type: 'string', unique: true },
    privateNote: { type: 'string', private: true, minLength: LONG },
    privateCode: { type: 'string', private: true, unique: true },
    cover: { type: 'media' },
    scans: { type: 'media', multiple: true },
    hiddenScan: { type: 'media', private: true },
    block: { type: 'component', component: 'write.block' },
    zone: { type: 'dynamiczone', components: ['write.block'] },
    author: { type: 'relation', relation: 'manyToOne', target: 'person', inversedBy: 'papers' },
    topics: { type: 'relation', relation: 'manyToMany', target: 'topic', inversedBy: 'papers' },
  },
});

/** Readable only by the system. */
const vault = defineCollectionType({
  singularApiId: 'vault',
  pluralApiId: 'vaults',
  attributes: {
    name: { type: 'string' },
    topics: { type: 'relation', relation: 'manyToMany', target: 'topic', inversedBy: 'vaults' },
  },
});

const board = defineSingleType({
  singularApiId: 'board',
  history: true,
  attributes: {
    title: { type: 'string' },
    hidden: { type: 'string', private: true, minLength: LONG },
    papers: { type: 'relation', relation: 'manyToMany', target: 'paper' },
  },
});

const contentTypes = [user, person, topic, note, paper, vault, board];
const components = [block];
export const writeSchema = buildSchema(contentTypes, components);

const READ = ['find', 'findOne'] as const;
const WRITE = ['create', 'update', 'delete'] as const;
const own = (...actions: readonly Action[]): Grant => ({ actions, own: true });
const some = (actions: readonly Action[], ...fields: readonly string[]): Grant => ({ actions, fields });

/** Callers with narrow grants; `member` and `hermit` are the first person. */
export const WRITERS: Readonly<Record<string, Grants>> = {
  titler: { paper: [some(['update'], 'title')] },
  editor: {
    paper: [...READ, ...WRITE],
    topic: [...READ, ...WRITE],
    person: [...READ, ...WRITE],
    board: ['find', 'update'],
    user: [some(['find'], 'username')],
  },
  librarian: {
    paper: [...READ, 'update', 'readDrafts'],
    person: [...READ, 'update'],
    file: ['find'],
    user: ['find'],
    audit: ['open'],
  },
  /** May read drafts as well, so that only private attributes are hidden. */
  publisher: { paper: [...READ, ...WRITE, 'readDrafts'], topic: READ, person: READ },
  tagger: { topic: [...READ, 'create', 'update'], paper: [some(READ, 'title', 'topics')] },
  /** May read and update some attributes, and therefore old versions of them. */
  narrow: {
    paper: [some([...READ, 'create', 'update'], 'title', 'rank', 'topics', 'createdBy'), 'readDrafts'],
    topic: [some([...READ, 'update'], 'name')],
    board: [some(['find', 'update'], 'title')],
  },
  maker: { paper: [some(['create'], 'title', 'code', 'block', 'topics')], topic: ['find'] },
  member: {
    person: [...READ, 'update'],
    topic: READ,
    note: [...READ, 'create', own('update', 'delete', 'readDrafts')],
  },
  hermit: {
    person: [...READ, 'update'],
    topic: [...READ, 'update'],
    note: [own(...READ, 'update', 'delete', 'readDrafts'), 'create'],
  },
  /** Publishes and undoes releases, and sees no links to topics. */
  releaser: {
    releases: ['open'],
    paper: [...READ, 'update', 'readDrafts', 'publish'],
    person: READ,
    note: [...READ, 'update', 'readDrafts', 'publish', { actions: ['move'], stages: ['ready'] }],
  },
  /** Has conditions on values of documents, stages among them. */
  desk: {
    releases: ['open'],
    paper: [{ actions: [...READ, 'create', 'update', 'readDrafts', 'publish'], where: { rank: { $lt: 4 } } }],
    note: [{ actions: [...READ, 'readDrafts', 'update', 'move', 'publish'], where: { stage: 'idea' } }],
    topic: READ,
    person: READ,
  },
};

/** Conditions of grants as SQL. */
const CONDITIONS: Readonly<Record<string, string>> = {
  '{"rank":{"$lt":4}}': '"rank" < 4',
  '{"stage":"idea"}': `"stage" = 'idea'`,
};

const OWNERS = ['member', 'hermit'];

const EVERYTHING: Grants = Object.fromEntries(
  contentTypes.map(({ singularApiId }) => [singularApiId, ['find', 'readDrafts']]),
);

class Writers implements AuthStrategy {
  readonly name = 'writers';
  private readonly user: () => string;

  constructor(user: () => string) {
    this.user = user;
  }

  authenticate({ bearer }: { readonly bearer: string | null }): Caller | null {
    const granted = bearer === SEES_ALL ? EVERYTHING : WRITERS[bearer ?? ''];
    if (bearer === null || granted === undefined) return null;
    const isUser = OWNERS.includes(bearer);
    const id = isUser ? this.user() : bearer;
    return { kind: isUser ? 'user' : 'token', id, permissions: Permissions.of(granted) };
  }
}

type Ids = Readonly<Record<string, readonly string[]>>;

/**
 * Indexes of papers that were never published. The drafts of the last two papers equal their published
 * versions.
 */
const DRAFTS = [4, 5];

/** Number of files that documents show, and of files that only private attributes and drafts contain. */
const FILES = 4;
/** Files that drafts of papers contain, by their numbers from 1. */
const DRAFT_FILES = [FILES + 2, FILES + 3];

async function fillFiles(sql: RunSql): Promise<string[]> {
  const made = await sql(
    `insert into content_files (document_id, created_at, updated_at, published_at, published, locale, name, hash, mime, size, url, provider)
     select 'file' || lpad(n::text, 20, '0'), now(), now(), now(), true, 'en', 'alpha file ' || n, 'hash' || n, 'image/png', n, '/uploads/' || n, 'local'
     from generate_series(1, $1::int) n returning document_id`,
    [2 * FILES],
  );
  return made.map((row) => String(row['document_id']));
}

/** Returns document ids by type. A hidden text contains `alpha` in one world and `omega` in the other. */
async function fill(
  service: (type: string) => ContentService,
  files: readonly string[],
): Promise<Record<string, string[]>> {
  const ids: Record<string, string[]> = { file: [...files] };
  const shown = (n: number): string | undefined => files[n % FILES];
  const closed = (n: number): string | undefined => files[FILES + (n % FILES)];
  const draft = { status: 'draft' } as const;
  const make = async (type: string, data: object, query?: { readonly status: 'draft' }): Promise<void> => {
    const { documentId } = (await service(type).create(data, query)) as { documentId: string };
    (ids[type] ??= []).push(documentId);
  };
  const long = (n: number): string => `alpha text ${n} ${'and more '.repeat(4)}`;
  for (const n of [0, 1, 2])
    await make('person', {
      name: `alpha person ${n}`,
      diary: `alpha diary ${n}`,
      avatar: shown(n),
      passport: closed(n),
    });
  for (const n of [0, 1, 2])
    await make('user', { username: `alpha user ${n}`, email: `alpha-${n}@example.com` });
  for (const n of [0, 1, 2]) await make('topic', { name: `alpha topic ${n}` });
  for (const n of [0, 1]) await make('vault', { name: `alpha vault ${n}`, topics: ids['topic'] });
  for (const n of [0, 1, 2, 3, 4, 5]) {
    const data = {
      text: `alpha note ${n}`,
      secret: `alpha secret ${n}`,
      owner: ids['person']?.[n % 3],
      topic: ids['topic']?.[n % 3],
    };
    await make('note', data, draft);
    const id = ids['note']?.[n] ?? '';
    if (n % 3 < 2) await service('note').update(id, { stage: 'ready' }, draft);
    if (n < 2) await service('note').update(id, {});
  }
  for (const n of [0, 1, 2, 3, 4, 5, 6, 7]) {
    const parts = { text: `alpha part ${n}`, secret: long(n), image: shown(n) };
    const data = {
      title: `alpha title ${n}`,
      body: long(n),
      rank: n,
      code: `alpha-${n}`,
      privateNote: long(n),
      privateCode: `alpha-private-${n}`,
      cover: shown(n),
      scans: [shown(n), shown(n + 1)],
      hiddenScan: closed(n),
      block: parts,
      zone: [{ __component: 'write.block', ...parts }],
      author: ids['person']?.[n % 3],
      topics: ids['topic']?.slice(0, 1 + (n % 2)),
    };
    await make('paper', data, DRAFTS.includes(n) ? draft : undefined);
  }
  await service('board').update(null, {
    title: 'alpha desk',
    hidden: long(9),
    papers: ids['paper']?.slice(0, 2),
  });
  await spoilDrafts(service('paper'), ids);
  return ids;
}

/** Makes drafts invalid for publication: too short, or with a unique value of a published document. */
async function spoilDrafts(
  papers: ContentService,
  { paper: ids = [], file: files = [] }: Ids,
): Promise<void> {
  const short = { text: 'alpha part', secret: 'alpha short' };
  const faults: readonly object[] = [
    { privateCode: 'alpha-private-other', cover: files[FILES + 1], scans: [files[FILES + 2]] },
    { privateNote: 'alpha short' },
    { zone: [{ __component: 'write.block', ...short }], block: short },
    { body: 'alpha short', title: 'alpha draft' },
    { privateCode: 'alpha-private-0' },
  ];
  for (const [n, fault] of faults.entries()) await papers.update(ids[n] ?? '', fault, { status: 'draft' });
}

const isGiven = (grant: Grant, action: Action): boolean =>
  typeof grant === 'string' ? grant === action : grant.actions.includes(action);

const granting = (grants: Grants, type: string, actions: readonly Action[]): Exclude<Grant, string>[] =>
  ([...(grants[type] ?? [])] as Grant[])
    .filter((grant) => actions.some((action) => isGiven(grant, action)))
    .map((grant) => (typeof grant === 'string' ? { actions: [grant] } : grant));

const mayRead = (grants: Grants, type: string, attribute: Attribute): boolean =>
  !isHidden(attribute) &&
  granting(grants, type, READ).some(({ fields }) => fields?.includes(attribute.name) !== false);

/** Returns whether a caller may change every document of a type, and therefore detect whether one exists. */
const mayWriteAny = (grants: Grants, type: string): boolean =>
  granting(grants, type, ['update', 'delete']).some((grant) => grant.own !== true && !('where' in grant));

/**
 * Returns whether publishing exposes the draft to a caller. The preconditions of a caller who may publish
 * any document but not read drafts are restricted to drafts.
 */
export const seesByPublishing = (grants: Grants, { singularApiId, draftAndPublish }: ContentType): boolean =>
  draftAndPublish &&
  mayWriteAny(grants, singularApiId) &&
  granting(grants, singularApiId, READ).length > 0 &&
  granting(grants, singularApiId, ['readDrafts']).length === 0;

/** SQL condition on rows that a grant does not cover; `false` if it covers all. */
function outside(grant: Exclude<Grant, string>, user: string): string {
  if (grant.own === true) return `owner_document_id is distinct from '${user}'`;
  if (!('where' in grant)) return 'false';
  const condition = CONDITIONS[JSON.stringify(grant.where)];
  if (condition === undefined) throw new Error('a condition has no SQL');
  return `not coalesce(${condition}, false)`;
}

/** SQL condition on rows that the caller may not read; `false` without such rows. */
function hiddenRows(grants: Grants, { singularApiId, draftAndPublish }: ContentType, user: string): string {
  const reads = granting(grants, singularApiId, READ);
  const drafts = granting(grants, singularApiId, ['readDrafts']);
  const none = (given: readonly Exclude<Grant, string>[]): string =>
    given.length === 0 ? 'true' : given.map((grant) => `(${outside(grant, user)})`).join(' and ');
  if (reads.length === 0) return 'true';
  const isAll = [...reads, ...(draftAndPublish ? drafts : [])].every(
    (grant) => outside(grant, user) === 'false',
  );
  if (isAll && !(draftAndPublish && drafts.length === 0)) return 'false';
  return `(${none(reads)})${draftAndPublish ? ` or (not published and ${none(drafts)})` : ''}`;
}

/** Offset of the ids of hidden rows. */
export const SHIFT = 100_000;

const omega = (column: string): string => `replace("${column}"::text, 'alpha', 'omega')`;

/** Replaces a value, with different values in drafts and published versions. */
const apart = (column: string): string =>
  `replace("${column}"::text, 'alpha', case when published then 'omega' else 'OMEGA' end)`;

/** Unique values must remain equal where they were equal. */
const isUnique = (attribute: Attribute): boolean =>
  attribute.kind === 'scalar' && 'unique' in attribute.def && attribute.def.unique === true;

/** Whether a caller may read the users to whom an author of a type leads. */
const readsAuthors = (grants: Grants, type: string, attribute: Attribute): boolean =>
  mayRead(grants, type, attribute) && granting(grants, 'user', ['find']).length > 0;

/** Gives hidden authors to all versions, or other ones. */
function otherAuthors(type: ContentType, attribute: Attribute, grants: Grants): string[] {
  if (!isAuthor(attribute) || readsAuthors(grants, type.singularApiId, attribute)) return [];
  const column = type.storage.columnOf.get(attribute.name)?.name ?? '';
  return [`update "${type.table}" set "${column}" = (select max(document_id) from users)`];
}

/** Replaces the links of a hidden media attribute, or of all media in hidden rows, by other files. */
function otherFiles(type: ContentType, attribute: Attribute, where: string): string[] {
  if (attribute.kind !== 'relation' || !attribute.media) return [];
  const file = (column: string): string =>
    `'file' || lpad((${FILES + 1} + (substr(${column}, 5)::int + 1) % ${FILES})::text, 20, '0')`;
  if (attribute.join.kind === 'column') {
    const { column } = attribute.join;
    return [`update "${type.table}" set "${column}" = ${file(`"${column}"`)} where ${where}`];
  }
  if (attribute.join.kind !== 'link') return [];
  const { table, perLocale } = attribute.join.links;
  const owner = `l.owner_document_id = t.document_id and l.published = t.published${perLocale ? ' and l.locale = t.locale' : ''}`;
  return [
    `delete from "${table}" l using "${type.table}" t where ${owner} and (${where.replaceAll('published', 't.published')})`,
  ];
}

/** Deletes the links of drafts to documents of a type that the caller may not read. */
function fewerLinks(type: ContentType, attribute: Attribute, grants: Grants): string[] {
  if (attribute.kind !== 'relation' || attribute.media || attribute.join.kind === 'locales') return [];
  if (!type.draftAndPublish || isAuthor(attribute)) return [];
  if (granting(grants, attribute.target.singularApiId, READ).length > 0) return [];
  if (attribute.join.kind === 'column')
    return [`update "${type.table}" set "${attribute.join.column}" = null where not published`];
  if (attribute.join.kind !== 'link' || attribute.join.side === 'inverse') return [];
  return [`delete from "${attribute.join.links.table}" where not published`];
}

/** SQL assignments that change an attribute in hidden rows, or in all rows if it is hidden. */
function changes(type: ContentType, grants: Grants, hidden: string): string[] {
  return [...type.attributes.values()].flatMap((attribute) => {
    const isRead = mayRead(grants, type.singularApiId, attribute);
    const where = isRead ? hidden : 'true';
    if (attribute.kind === 'relation')
      return [
        ...otherFiles(type, attribute, where),
        ...otherAuthors(type, attribute, grants),
        ...fewerLinks(type, attribute, grants),
      ];
    if (attribute.kind === 'morph' || (attribute.kind === 'scalar' && attribute.system)) return [];
    const { column } = attribute;
    if (attribute.kind !== 'scalar')
      return [
        `update "${type.table}" set "${column}" = ${omega(column)}::jsonb where ${where}`,
        `update "${type.table}" set "${column}" = replace("${column}"::text, '"secret": "alpha', case when published then '"secret": "omega' else '"secret": "OMEGA' end)::jsonb`,
      ];
    const text = isRead || isUnique(attribute) ? omega(column) : apart(column);
    const value = attribute.def.type === 'integer' ? `"${column}" + 500` : text;
    return [`update "${type.table}" set "${column}" = ${value} where ${where}`];
  });
}

/** SQL that changes the stored versions that the caller may not read, and hidden attributes in the others. */
function versionChanges(type: ContentType, grants: Grants, user: string): string[] {
  const { singularApiId: name } = type;
  const hidden = hiddenRows(grants, type, user)
    .replaceAll('owner_document_id', "content->'owner'->>0")
    .replaceAll('"rank"', `(content->>'rank')::int4`)
    .replaceAll('"stage"', `content->>'stage'`);
  const ofType = `type = '${name}' and content is not null`;
  const members = [...type.attributes.values()].flatMap((attribute) => {
    const leads =
      attribute.kind !== 'relation' ||
      attribute.media ||
      granting(grants, attribute.target.singularApiId, ['find']).length > 0;
    if (mayRead(grants, name, attribute) && leads) return [];
    const value =
      attribute.kind === 'relation'
        ? `'[]'::jsonb`
        : `replace((content->'${attribute.name}')::text, 'alpha', 'omega')::jsonb`;
    return [
      `update content_version set content = jsonb_set(content, '{${attribute.name}}', ${value})
       where ${ofType} and content ? '${attribute.name}'`,
    ];
  });
  return [
    `update content_version set content = replace(content::text, 'alpha', 'omega')::jsonb
     where ${ofType} and (${hidden})`,
    `delete from content_version where ${ofType} and (${hidden}) and id % 2 = 0`,
    ...members,
  ];
}

async function makeOmega(sql: RunSql, writer: string, user: string): Promise<void> {
  const grants = WRITERS[writer] ?? {};
  await sql('begin');
  for (const type of writeSchema.types.values()) {
    if (type.internal) continue;
    const hidden = hiddenRows(grants, type, user);
    for (const change of changes(type, grants, hidden)) await sql(change);
    if (type.history) for (const change of versionChanges(type, grants, user)) await sql(change);
    // The stored revision also covers hidden attributes.
    if ([...type.attributes.values()].some((one) => !mayRead(grants, type.singularApiId, one)))
      await sql(`update "${type.table}" set revision = revision + 1 where not published`);
    // The existence of a hidden document must not be visible, unless the caller may change every document.
    const seen = `select document_id from "${type.table}" where not (${hidden})`;
    if (type.kind === 'collectionType' && !mayWriteAny(grants, type.singularApiId))
      await sql(
        `delete from "${type.table}" where document_id = (select max(document_id) from "${type.table}" where document_id not in (${seen}))`,
      );
    await sql(`update "${type.table}" set id = id + ${SHIFT} where ${hidden}`);
  }
  // Files that only hidden attributes and hidden drafts contain have other names and row ids.
  if (granting(grants, 'file', READ).length === 0) {
    const shown = granting(grants, 'paper', ['readDrafts']).length > 0 ? DRAFT_FILES : [];
    await sql(
      `update content_files set id = id + ${SHIFT}, name = ${omega('name')}
       where substr(document_id, 5)::int > ${FILES} and not substr(document_id, 5)::int = any($1)`,
      [shown],
    );
  }
  await sql('commit');
}

/** Version that the worlds have in common at the start. */
interface KnownVersion {
  readonly id: string;
  readonly type: string;
  readonly documentId: string;
}

export interface PreparedWriter {
  readonly versions: readonly KnownVersion[];
  readonly writer: string;
  readonly alpha: string;
  readonly omega: string;
  readonly ids: Ids;
}

/**
 * Gives authors to papers, the same to the draft and the published version, because publishing copies them.
 * Returns all stored versions.
 */
async function addAuthors(sql: RunSql): Promise<readonly KnownVersion[]> {
  for (const column of ['created_by', 'updated_by'])
    await sql(`update papers set ${column}_document_id = (select document_id from users u
      order by (u.id + (select min(q.id) from papers q where q.document_id = papers.document_id)) % 3 limit 1)`);
  const rows = await sql('select id::text, type, document_id from content_version order by id');
  return rows.map(({ id, type, document_id: documentId }) => ({
    id: String(id),
    type: String(type),
    documentId: String(documentId),
  }));
}

type Closing = (() => Promise<unknown>)[];

const optionsFor = (
  user: () => string,
  endpoints: readonly CodeEndpoint[] = [],
): Parameters<typeof startApp>[0] => ({
  contentTypes,
  components,
  locales: ['en', 'fr'],
  auth: { strategies: [new Writers(user)] },
  access: { roles: WRITERS },
  imports: [
    EventsModule.forRoot({
      live: { secret: 'a secret of the leak oracle, long enough' },
      webhooks: { endpoints, allow: ['localhost'] },
    }),
    HistoryModule.forRoot(),
    AuditModule.forRoot(),
    ReleasesModule.forRoot(),
  ],
});

/** Fills one database and copies it twice for every writer. */
export async function prepareWriters(
  writers: readonly string[],
  closing: Closing,
  serverUrl?: string,
): Promise<PreparedWriter[]> {
  const first = await createDatabase(serverUrl);
  closing.unshift(() => first.drop());
  const { app, close } = await startApp(
    optionsFor(() => ''),
    first.url,
  );
  let ids: Ids;
  let versions: readonly KnownVersion[];
  try {
    await createTables(app);
    ids = await withSql(first.url, async (sql) =>
      fill((type) => app.get<ContentService>(getContentToken(type), { strict: false }), await fillFiles(sql)),
    );
    versions = await withSql(first.url, (sql) => addAuthors(sql));
  } finally {
    await close();
  }
  const prepared: PreparedWriter[] = [];
  for (const writer of writers) {
    const copies = [await copyDatabase(first.url), await copyDatabase(first.url)] as const;
    for (const copy of copies) closing.unshift(() => copy.drop());
    await withSql(copies[1].url, (sql) => makeOmega(sql, writer, ids['person']?.[0] ?? ''));
    prepared.push({ writer, versions, alpha: copies[0].url, omega: copies[1].url, ids });
  }
  return prepared;
}

/** SQL query of the documents of a type whose drafts, or only versions, are all hidden from a writer. */
export function hiddenDocuments(writer: string, type: ContentType, ids: Ids): string {
  const hidden = hiddenRows(WRITERS[writer] ?? {}, type, ids['person']?.[0] ?? '');
  const written = type.draftAndPublish ? 'not published' : 'true';
  return `select document_id from "${type.table}" where ${written} group by 1 having bool_and(${hidden}) order by 1`;
}

/** Write without a caller. */
export interface UnseenWrite {
  readonly type: string;
  readonly documentId: string;
  readonly action: 'update' | 'unpublish' | 'delete';
  readonly data: object;
  readonly locale: string | undefined;
}

/** One world of a writer, which can be reset. */
export class WritableWorld implements StreamedWorld {
  readonly client: Client;
  readonly url: string;
  private readonly service: (type: string) => ContentService;
  /** Id of the release that the last request has created. */
  release = '0';
  /** Webhook of a role with the grants of the writer. */
  readonly deliveries: Deliveries;
  private readonly database: Restorable;

  private constructor(
    { app, url }: RunningApp,
    client: Client,
    [database, deliveries]: readonly [Restorable, Deliveries],
  ) {
    this.url = url;
    this.service = (type) => app.get<ContentService>(getContentToken(type), { strict: false });
    this.client = client;
    this.database = database;
    this.deliveries = deliveries;
  }

  static async start({ ids, writer }: PreparedWriter, url: string, closing: Closing): Promise<WritableWorld> {
    const deliveries = new Deliveries();
    await deliveries.start();
    closing.unshift(async () => deliveries.stop());
    const running = await startApp(
      optionsFor(() => ids['person']?.[0] ?? '', [deliveries.endpointOf(writer)]),
      url,
    );
    const client = new Client(running.url, { described: true });
    const database = await Restorable.open(url, closing);
    closing.unshift(async () => {
      client.close();
      await running.close();
    });
    return new WritableWorld(running, client, [database, deliveries]);
  }

  /** Writes without a caller. Returns whether that succeeds. */
  async write({ type, documentId, action, data, locale }: UnseenWrite): Promise<boolean> {
    const service = this.service(type);
    const isDrafted = writeSchema.types.get(type)?.draftAndPublish === true;
    const query = locale === undefined ? {} : { locale };
    const writes: Readonly<Record<UnseenWrite['action'], () => Promise<unknown>>> = {
      update: () => service.update(documentId, data, { ...query, ...(isDrafted ? { status: 'draft' } : {}) }),
      unpublish: () => service.unpublish(documentId, query),
      delete: () => service.delete(documentId, query),
    };
    return writes[action]().then(
      () => true,
      (error: unknown) => {
        if (error instanceof ContentError) return false;
        throw error;
      },
    );
  }

  get sql(): RunSql {
    return this.database.sql;
  }

  async restore(): Promise<void> {
    await this.deliveries.settle(this.sql);
    this.deliveries.clear();
    await this.database.restore();
  }
}
