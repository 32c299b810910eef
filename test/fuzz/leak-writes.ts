/** Sends the same writes to two worlds: neither the responses nor later reads may differ. */
import type { Grants } from 'nestjs-content-api';
import type { Client, Reply } from './apps.ts';
import type { Attribute, ContentType } from './internals.ts';
import { maskedTag } from './leak-check.ts';
import { PairedStreams, type StreamRequest } from './leak-streams.ts';
import { randomFrom } from '../support/random.ts';
import { stringify } from 'qs';
import {
  hiddenDocuments,
  type PreparedWriter,
  seesByPublishing,
  SHIFT,
  type UnseenWrite,
  WritableWorld,
  WRITERS,
  writeSchema,
} from './leak-write-worlds.ts';
import { OtherLocales } from './other-locales.ts';
import { NEW_ROWS } from './restorable.ts';

/** Request of a writer. */
export interface WriteQuestion {
  readonly method: string;
  readonly type: ContentType;
  readonly path: string;
  readonly body?: { readonly data: unknown };
  readonly condition?: Condition;
}

/** Precondition of a write: a fixed value, or the ETag of a read in each world. */
interface Condition {
  readonly header: 'if-match' | 'if-none-match';
  readonly tag: string | { readonly of: string };
}

const TYPES = [...writeSchema.types.values()].filter((type) => !type.internal);
const TEXTS = [
  'fresh',
  'fresh text that is long enough to be published',
  'alpha-0',
  'alpha-private-0',
  'omega-private-0',
  'alpha-private-other',
  '',
];
const QUERIES = [
  ...['', '', 'status=draft', 'populate=*', 'status=draft&populate=*', 'locale=fr'],
  ...['withState=true', 'withState=true&status=draft'],
];
/** Parameters about the authors of papers. */
const AUTHORED = [
  'populate[createdBy]=true',
  'populate[updatedBy][fields]=username',
  'filters[createdBy][email][$startsWith]=alpha',
  'filters[updatedBy][username][$contains]=alpha',
  'filters[createdBy][id][$gt]=1',
  'sort=createdBy.email',
  'sort=updatedBy.username:desc',
  'populate[createdBy][filters][email][$contains]=omega',
];
const PAGES = ['', '?pagination[pageSize]=2', '?status=draft', '?status=published', '?locale=fr'];
const DEEP = ['populate[topics][populate]=*', 'populate[papers]=true&fields=id', 'populate[notes]=true'];
/** Stage of the notes that a grant with a condition covers. */
const SHOWN_STAGE = 'idea';
/** Stands for the id of the last created release in paths. */
const RELEASE = '<release>';
/** Types with drafts, whose documents releases publish. */
const RELEASED = TYPES.filter(({ draftAndPublish }) => draftAndPublish);
/** Approximate maximum of row ids, which start at 1. */
const ROWS = 24;

/** Generates the writes of a caller. */
class Writing {
  readonly next: () => number;
  private readonly ids: PreparedWriter['ids'];
  private readonly versions: PreparedWriter['versions'];
  private readonly grants: Grants;
  private steps: WriteQuestion[] = [];

  constructor({ writer, ids, versions }: PreparedWriter, seed: number) {
    this.versions = versions;
    this.next = randomFrom(seed);
    this.ids = ids;
    this.grants = WRITERS[writer] ?? {};
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)] as T;
  }

  /** Reference to a document of a type, by document id or by the id of an existing or missing row. */
  private reference(type: string): unknown {
    const row = 1 + Math.floor(this.next() * ROWS);
    return this.pick([
      this.pick(this.ids[type] ?? ['none']),
      row,
      row,
      row + SHIFT,
      'nodocumentofthatname0000',
    ]);
  }

  /** Reference to a file, by row id or by the document id of a file that documents show. */
  private file(): unknown {
    const row = 1 + Math.floor(this.next() * (this.ids['file']?.length ?? 0));
    const known = this.pick((this.ids['file'] ?? []).slice(0, (this.ids['file']?.length ?? 0) / 2));
    return this.pick<unknown>([
      known,
      row,
      row,
      String(row),
      { id: row },
      row + SHIFT,
      'nofileofthatname000000000',
    ]);
  }

  private files(many: boolean): unknown {
    const [one, other] = [this.file(), this.file()];
    return this.pick<unknown>([
      many ? [one, other] : one,
      [one],
      { connect: [one] },
      { set: [one] },
      { disconnect: [one] },
      { connect: [{ id: one, position: { before: other } }] },
      null,
    ]);
  }

  private links(type: string): unknown {
    const [one, other] = [this.reference(type), this.reference(type)];
    return this.pick<unknown>([
      { connect: [one] },
      { connect: [one, other] },
      { disconnect: [one] },
      { set: [one] },
      [one],
      [],
      one,
      { connect: [{ id: one, position: { before: other } }] },
      null,
    ]);
  }

  private part(): Record<string, unknown> {
    const id = 1 + Math.floor(this.next() * ROWS);
    return this.pick<Record<string, unknown>>([
      { text: this.pick(TEXTS) },
      { id, text: 'fresh part' },
      { id },
      { secret: this.pick(TEXTS) },
      { image: this.file() },
      { id, image: this.file() },
      {},
    ]);
  }

  private value(attribute: Attribute): unknown {
    switch (attribute.kind) {
      case 'morph':
        return null;
      case 'relation':
        return attribute.media ? this.files(attribute.many) : this.links(attribute.target.singularApiId);
      case 'component':
        return this.pick([this.part(), null]);
      case 'zone':
        return this.pick([[{ __component: 'write.block', ...this.part() }], []]);
      case 'scalar':
        if (attribute.name === 'stage') return this.pick(['idea', 'ready', 'ready', 'other']);
        return attribute.def.type === 'integer' ? this.pick([7, 5000, 'x', null]) : this.pick(TEXTS);
    }
  }

  private data(type: ContentType): Record<string, unknown> {
    const attributes = [...type.attributes.values()].filter(
      (attribute) => attribute.kind !== 'scalar' || !attribute.system || this.next() < 0.1,
    );
    const count = this.pick([0, 1, 1, 1, 2, 3]);
    return Object.fromEntries(
      Array.from({ length: count }, () => {
        const attribute = this.pick(attributes);
        return [attribute.name, this.value(attribute)];
      }),
    );
  }

  /** Selects a type; types with grants occur more often. */
  private type(): ContentType {
    const granted = TYPES.filter(({ singularApiId }) => singularApiId in this.grants);
    return this.next() < 0.9 ? this.pick(granted) : this.pick(TYPES);
  }

  private query(type: ContentType): string {
    const asked = this.next() < 0.8 ? this.pick(QUERIES) : this.pick(DEEP);
    const draft = seesByPublishing(this.grants, type) && !asked.includes('status=draft');
    return `?${draft ? 'status=draft&' : ''}${asked}`;
  }

  /** Path of a stored version that both worlds have, or of another document. */
  private version(): { readonly type: ContentType; readonly path: string; readonly id: string } {
    const granted = this.versions.filter(({ type }) => type in this.grants);
    const {
      id,
      type: name,
      documentId,
    } = this.pick(this.next() < 0.9 && granted.length > 0 ? granted : this.versions);
    const type = writeSchema.types.get(name) as ContentType;
    const one = this.next() < 0.9 ? documentId : this.pick(this.ids[name] ?? ['none']);
    return { type, id, path: type.kind === 'singleType' ? type.route : `${type.route}/${one}` };
  }

  /** Restores a version, or a deleted document. */
  private restoring(): WriteQuestion {
    const { type, path, id } = this.version();
    const action = this.next() < 0.6 ? `versions/${id}/actions/restore` : 'actions/restore';
    return { method: 'POST', type, path: `${path}/${action}` };
  }

  /** Filters on visible and hidden values. */
  private filters(type: ContentType): object {
    const word = this.pick(['alpha', 'omega', '0', 'fresh']);
    // The ids of new documents are random, so texts in them differ between the worlds.
    const named = [...type.attributes.values()].filter(({ name }) => name !== 'documentId');
    const { name } = this.pick(named);
    return this.pick<object>([
      { [name]: { $notNull: true } },
      { [name]: { $contains: word } },
      { $not: { [name]: { $startsWith: word } } },
      { [name]: { id: { $gt: ROWS / 2 } } },
      { author: { diary: { $contains: word } } },
      { owner: { name: { $contains: word } }, topic: { $null: false } },
      { topics: { vaults: { name: { $contains: word } } } },
      { createdBy: { email: { $startsWith: word } } },
      { documentId: { $in: this.ids[type.singularApiId] ?? [] } },
    ]);
  }

  private locale(): { readonly locale?: string } {
    return this.next() < 0.3 ? { locale: this.pick(['en', 'fr']) } : {};
  }

  private bulkAction(type: ContentType): string {
    const states = seesByPublishing(this.grants, type) ? [] : ['publish', 'unpublish', 'discard'];
    return this.pick(['update', 'update', 'delete', ...states]);
  }

  /** Values for an item of a bulk write, without the hidden unique value. */
  private bulkData(type: ContentType, action: string): { readonly data?: object } {
    if (action !== 'update' && action !== 'create') return {};
    const { privateCode: _, ...data } = this.data(type);
    return { data };
  }

  /** Bulk write of a list of items, or of what filters select, which may only count. */
  private bulk(): WriteQuestion {
    const type = this.type();
    const status = seesByPublishing(this.grants, type) ? { status: 'draft' } : {};
    const item = (): object => {
      const action = this.next() < 0.2 ? 'create' : this.bulkAction(type);
      const one =
        action === 'create' ? {} : { documentId: this.pick(this.ids[type.singularApiId] ?? ['none']) };
      const state = action === 'create' || action === 'update' ? status : {};
      return { action, ...one, ...this.locale(), ...state, ...this.bulkData(type, action) };
    };
    const selecting = (): object => {
      const action = this.bulkAction(type);
      const state = action === 'update' ? status : {};
      const dryRun = this.next() < 0.5;
      const filters = this.filters(type);
      return { action, filters, dryRun, ...this.locale(), ...state, ...this.bulkData(type, action) };
    };
    const data = this.next() < 0.5 ? selecting() : Array.from({ length: this.pick([1, 2, 3]) }, item);
    const body = { data, ...(this.next() < 0.4 ? { atomic: false } : {}) };
    return { method: 'POST', type, path: `${type.route}/bulk`, body };
  }

  /** Streams of the events of types with grants, one of each, and of another type. */
  streams(caller: string): StreamRequest[] {
    const streamed = TYPES.filter(({ routes }) => routes.includes('find'));
    const granted = streamed.filter(({ singularApiId }) => singularApiId in this.grants);
    return [...granted, this.pick(streamed)].map((type) => {
      const filters = this.next() < 0.5 ? { filters: this.filters(type) } : {};
      const status = this.next() < 0.5 && type.draftAndPublish ? { status: 'draft' } : {};
      const locale = type.localized && this.next() < 0.6 ? { locale: this.pick(['en', 'fr', '*']) } : {};
      const query = stringify({ ...filters, ...status, ...locale });
      return { caller, type: type.singularApiId, route: type.route, query };
    });
  }

  /**
   * Write of the application itself, which makes nothing visible that was hidden: it moves no note to the stage of a
   * condition. It changes no link: hidden links differ between the worlds, and the `updatedAt` of documents shows that
   * one of theirs has changed.
   */
  unseen(): UnseenWrite {
    const type = this.pick(TYPES.filter(({ kind }) => kind === 'collectionType'));
    const { singularApiId, draftAndPublish, localized, attributes } = type;
    const data = this.bulkData(type, 'update').data ?? {};
    return {
      type: singularApiId,
      documentId: this.pick(this.ids[singularApiId] ?? ['none']),
      action: this.pick(draftAndPublish ? ['update', 'update', 'unpublish', 'delete'] : ['update']),
      data: Object.fromEntries(
        Object.entries(data).filter(
          ([name, value]) => attributes.get(name)?.kind !== 'relation' && value !== SHOWN_STAGE,
        ),
      ),
      locale: localized && this.next() < 0.3 ? 'fr' : undefined,
    };
  }

  /** Reads of versions, trash and audit log. */
  private past(): WriteQuestion {
    const { type, path, id } = this.version();
    const other = this.pick(this.versions.filter(({ documentId }) => path.endsWith(documentId)));
    const asked = this.pick([
      `${path}/versions${this.pick(PAGES)}`,
      `${path}/versions/${id}`,
      `${path}/versions/${id}/changes`,
      `${path}/versions/${id}/changes?with=${other?.id ?? id}`,
      `${type.route}/trash${this.pick(PAGES)}`,
      // The log names all documents (26.1), also those of one world that the application itself writes.
      'audit?filters[by][kind]=token&pagination[pageSize]=5',
      `audit?filters[by][kind]=token&filters[documentId]=${path.split('/')[1] ?? 'none'}`,
    ]);
    return { method: 'GET', type, path: asked };
  }

  /** Entries of a release: mostly documents that the caller may publish. */
  private entries(): unknown[] {
    return Array.from({ length: this.pick([1, 1, 2, 3]) }, () => {
      const granted = RELEASED.filter(({ singularApiId }) => singularApiId in this.grants);
      const type = this.pick(granted.length > 0 ? granted : RELEASED);
      return {
        type: type.singularApiId,
        documentId: this.pick(this.ids[type.singularApiId] ?? ['none']),
        ...(type.localized ? { locale: this.pick(['en', 'en', 'fr', '*']) } : {}),
        ...(this.next() < 0.2 ? { action: 'unpublish' } : {}),
      };
    });
  }

  /** Requests that publish a release and undo it, with edits in between. */
  private releasing(): WriteQuestion {
    const type = this.pick(RELEASED);
    const one = `releases/${RELEASE}`;
    const post = (path: string, data: unknown): WriteQuestion => ({
      method: 'POST',
      type,
      path,
      ...(data === undefined ? {} : { body: { data } }),
    });
    if (this.steps.length === 0)
      this.steps = [
        post('releases', { name: 'fuzz' }),
        post(`${one}/entries`, this.entries()),
        ...(this.next() < 0.5 ? [post(`${one}/actions/publish`, { dryRun: true })] : []),
        post(`${one}/actions/publish`, undefined),
        ...(this.next() < 0.5 ? [post(`${one}/actions/undo`, { dryRun: true })] : []),
        post(`${one}/actions/undo`, undefined),
        { method: 'DELETE', type, path: one },
      ];
    return this.steps.shift() as WriteQuestion;
  }

  /** Begins again, on databases as they were at the start. */
  reset(): void {
    this.steps = [];
  }

  write(): WriteQuestion {
    if ('releases' in this.grants && this.next() < 0.6) return this.releasing();
    if (this.next() < 0.1) return this.restoring();
    if (this.next() < 0.15) return this.bulk();
    const type = this.type();
    const method = this.pick(['PUT', 'PUT', 'PUT', 'PUT', 'POST', 'POST', 'DELETE']);
    const one = `${type.route}/${this.pick(this.ids[type.singularApiId] ?? ['none'])}`;
    const base = type.kind === 'singleType' || method === 'POST' ? type.route : one;
    const path = `${base}${this.query(type)}`;
    const condition = this.next() < 0.3 ? { condition: this.condition(type, base) } : {};
    return method === 'DELETE'
      ? { method, type, path, ...condition }
      : { method, type, path, body: { data: this.data(type) }, ...condition };
  }

  /**
   * Generates a precondition. A caller who may publish drafts without reading them must not overwrite them
   * unknowingly. The ETag of the published version therefore shows whether a draft differs.
   */
  private condition(type: ContentType, path: string): Condition {
    const states = seesByPublishing(this.grants, type) ? ['?status=draft'] : ['', '', '?status=draft'];
    return {
      header: this.pick(['if-match', 'if-match', 'if-none-match']),
      tag: this.pick<Condition['tag']>([
        { of: `${path}${this.pick(states)}` },
        { of: `${path}${this.pick(states)}` },
        '*',
        '"1.1.1-x"',
      ]),
    };
  }

  /** Reads that could show the effect of a write. */
  reads({ type }: WriteQuestion): WriteQuestion[] {
    const other = this.type();
    const reads = [type, other].map((of) => ({
      method: 'GET',
      type: of,
      path: `${this.next() < 0.5 || of.kind === 'singleType' ? of.route : `${of.route}/${this.pick(this.ids[of.singularApiId] ?? ['none'])}`}?${this.pick(['populate=*', 'status=draft&populate=*', ...(of.attributes.has('createdBy') ? AUTHORED : [])])}`,
    }));
    const releases =
      'releases' in this.grants
        ? [{ method: 'GET', type, path: this.pick(['releases', `releases/${RELEASE}`]) }]
        : [];
    return [...reads, ...releases, ...(this.next() < 0.5 ? [this.past()] : [])];
  }
}

const MASKED_HEADERS = ['x-request-id', 'date', 'etag', 'content-length'];

/** Masks values that differ between runs: ids and times of rows created since the start. */
class Mask {
  private readonly known: ReadonlySet<string>;
  private readonly start = new Date().toISOString();

  private readonly others: OtherLocales;

  constructor(ids: PreparedWriter['ids'], others: OtherLocales) {
    this.others = others;
    this.known = new Set(Object.values(ids).flat());
  }

  text(body: string): string {
    return body
      .replace(/"[a-z][a-z0-9]{23}"/g, (id) => (this.known.has(id.slice(1, -1)) ? id : '"<new>"'))
      .replace(/\\"\d+\.\d+\.\d+-w\\"/g, '<tag>')
      .replace(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g, (time, at: string) => (at < this.start ? time : '"<now>"'))
      .replace(/"requestId":"[^"]*"/g, '"requestId":"<own>"')
      .replace(/"(id|from|to|entry|failedEntry)":"(\d+)"/g, (id, name: string, n: string) =>
        Number(n) >= NEW_ROWS && Number(n) < SHIFT ? `"${name}":"<new>"` : id,
      )
      .replace(/"id":(\d+)/g, (id, n: string) =>
        Number(n) >= NEW_ROWS && Number(n) < SHIFT ? '"id":"<new>"' : id,
      );
  }

  /** Returns what must be equal in both worlds. */
  comparable({ status, headers, body }: Reply, { method, path }: WriteQuestion): string {
    const text = this.text(this.others.mask(body, path));
    const shown = Object.entries(headers)
      .filter(([name]) => !MASKED_HEADERS.includes(name))
      .sort(([a], [b]) => (a < b ? -1 : 1));
    // The ETag of a read depends on the visible values, so it is compared only if nothing was masked.
    const tag = method === 'GET' && text === body ? maskedTag(String(headers['etag'])) : '';
    return JSON.stringify([status, shown, tag, text]);
  }
}

interface Problem {
  readonly path?: readonly unknown[];
  readonly message?: string;
}

interface Details extends Problem {
  readonly key?: string;
  readonly errors?: readonly Problem[];
}

const TAKEN = 'This attribute must be unique';

/** Returns the messages of a 400, without those of unique values of the body; null for other responses. */
function otherProblems({ status, body }: Reply, { body: sent }: WriteQuestion): readonly string[] | null {
  if (status !== 400 || sent === undefined) return null;
  const { error } = JSON.parse(body) as { error: { message: string; details?: Details } };
  const { key, errors = key === undefined ? [] : [{ path: [key], message: error.message }] } =
    error.details ?? {};
  const data = Object(sent.data) as object;
  const others = errors.filter(
    ({ path = [], message }) => message !== TAKEN || !Object.hasOwn(data, String(path[0])),
  );
  return errors.length === 0 ? [error.message] : others.map(({ message = '' }) => message);
}

/**
 * Returns whether two responses differ only because unique values of the body already exist (14.18). A unique
 * attribute must not expose more.
 */
function isTaken(answers: readonly [Reply, Reply], question: WriteQuestion): boolean {
  if (!answers.some(({ body }) => body.includes(`"${TAKEN}"`))) return false;
  // Each item of a bulk write may have its own errors.
  if (question.path.endsWith('/bulk')) return true;
  const [a, b] = answers.map((answer) => otherProblems(answer, question)) as [
    readonly string[] | null,
    readonly string[] | null,
  ];
  if (a?.length === 0 || b?.length === 0) return true;
  return a !== null && JSON.stringify(a) === JSON.stringify(b);
}

export interface WriteTally {
  writes: number;
  reads: number;
  accepted: number;
  /** Writes with a precondition, and those that a precondition refused. */
  conditional: number;
  refused: number;
  /** Differences that an existing unique value explains. */
  taken: number;
  /** Responses with versions, deleted documents or entries of the audit log. */
  past: number;
  /** Successful bulk writes. */
  bulks: number;
  /** Writes of the application itself in both worlds, and to hidden documents in one world. */
  unseen: number;
  hidden: number;
  /** Messages of streams, and deliveries of webhooks. */
  streamed: number;
  delivered: number;
}

export interface WriteFailure {
  readonly question: WriteQuestion;
  readonly after: readonly WriteQuestion[];
  readonly answers: readonly [Reply, Reply];
}

const isPast = ({ path }: WriteQuestion): boolean => /\/(versions|trash)|^audit/.test(path);

/** Number of consecutive writes before both worlds are reset. */
const ROUND = 12;
/** Share of the steps with a write of the application itself. */
const UNSEEN = 0.2;
/** Share of the steps with a write to a hidden document in one of the worlds. */
const HIDDEN = 0.3;

/**
 * Masks the row id in the response to an update. The response contains it even for callers who may read
 * nothing of the row (D27). Ids of hidden rows differ between the worlds.
 */
const named = (answer: Reply, { method, path }: WriteQuestion): Reply => {
  if (path.endsWith('/bulk'))
    return {
      ...answer,
      body: answer.body.replace(/\{"id":\d+,"documentId"/g, '{"id":"its own","documentId"'),
    };
  return method === 'PUT' || path.endsWith('/actions/restore')
    ? { ...answer, body: answer.body.replace(/^\{"data":\{"id":\d+/, '{"data":{"id":"its own"') }
    : answer;
};

/** Entries of a release as writes that publish them: those of all locales publish each. */
function entriesIn(added: WriteQuestion | null): { type: ContentType; path: string }[] {
  const entries = (added?.body?.data ?? []) as { type: string; documentId: string; locale?: string }[];
  return entries.flatMap(({ type: name, documentId, locale = 'en' }) => {
    const type = writeSchema.types.get(name) as ContentType;
    const locales = locale === '*' ? ['en', 'fr'] : [locale];
    return locales.map((one) => ({ type, path: `${type.route}/${documentId}?locale=${one}` }));
  });
}

interface SentItem {
  readonly action: string;
  readonly documentId?: string;
  readonly locale?: string;
  readonly status?: string;
}

/** Items of a bulk write as writes that publish them. Filters may select each document. */
function itemsIn(
  { type, body }: WriteQuestion,
  ids: readonly string[],
): Pick<WriteQuestion, 'type' | 'path'>[] {
  const sent = body?.data as readonly SentItem[] | SentItem;
  const items = Array.isArray(sent)
    ? (sent as readonly SentItem[])
    : ids.map((documentId) => ({ ...(sent as SentItem), documentId }));
  return items
    .filter(({ action, status }) => ['update', 'publish'].includes(action) && status !== 'draft')
    .map(({ documentId = 'none', locale = 'en' }) => ({
      type,
      path: `${type.route}/${documentId}?locale=${locale}`,
    }));
}

const idIn = ({ body }: Reply): string => (JSON.parse(body) as { data: { id: string } }).data.id;

export class WritePair {
  readonly writer: string;
  readonly tally: WriteTally = {
    writes: 0,
    reads: 0,
    accepted: 0,
    conditional: 0,
    refused: 0,
    taken: 0,
    past: 0,
    bulks: 0,
    unseen: 0,
    hidden: 0,
    streamed: 0,
    delivered: 0,
  };
  private readonly worlds: readonly [WritableWorld, WritableWorld];
  private readonly writing: Writing;
  private readonly others = new OtherLocales();
  private readonly mask: Mask;
  private readonly ids: PreparedWriter['ids'];
  private trail: WriteQuestion[] = [];
  /** Last addition of entries to a release. */
  private entries: WriteQuestion | null = null;
  private streams: PairedStreams[] = [];

  private constructor(
    prepared: PreparedWriter,
    worlds: readonly [WritableWorld, WritableWorld],
    seed: number,
  ) {
    this.writer = prepared.writer;
    this.ids = prepared.ids;
    this.worlds = worlds;
    this.writing = new Writing(prepared, seed);
    this.mask = new Mask(prepared.ids, this.others);
  }

  static async start(
    prepared: PreparedWriter,
    closing: (() => Promise<unknown>)[],
    seed: number,
  ): Promise<WritePair> {
    const alpha = await WritableWorld.start(prepared, prepared.alpha, closing);
    const omega = await WritableWorld.start(prepared, prepared.omega, closing);
    return new WritePair(prepared, [alpha, omega], seed);
  }

  get clients(): readonly Client[] {
    return this.worlds.map(({ client }) => client);
  }

  private async ask(question: WriteQuestion): Promise<readonly [Reply, Reply]> {
    const [alpha, omega] = this.worlds;
    return Promise.all([this.askOne(alpha, question), this.askOne(omega, question)]);
  }

  private async askOne(world: WritableWorld, question: WriteQuestion): Promise<Reply> {
    const path = question.path.replace(RELEASE, world.release);
    const reply = await this.send(world, { ...question, path });
    if (path === 'releases' && reply.status === 201) world.release = idIn(reply);
    return reply;
  }

  private async send(
    { client }: WritableWorld,
    { method, path, body, condition }: WriteQuestion,
  ): Promise<Reply> {
    const headers = { authorization: `Bearer ${this.writer}` };
    const text = body === undefined ? undefined : JSON.stringify(body);
    if (condition === undefined) return client.get(`/api/${path}`, headers, method, text);
    const { header, tag } = condition;
    const read = typeof tag === 'string' ? null : await client.get(`/api/${tag.of}`, headers);
    const value =
      typeof tag === 'string' ? tag : read?.status === 200 ? String(read.headers['etag']) : '"none"';
    return client.get(`/api/${path}`, { ...headers, [header]: value }, method, text);
  }

  /** Notes a successful write, or the writes of a release. */
  private noteLocales(write: WriteQuestion): void {
    if (write.path.endsWith('/entries')) this.entries = write;
    if (write.path.endsWith('/bulk'))
      for (const one of itemsIn(write, this.ids[write.type.singularApiId] ?? []))
        this.others.note({ method: 'PUT', ...one });
    else if (!/\/actions\/(publish|undo)$/.test(write.path)) this.others.note(write);
    else for (const entry of entriesIn(this.entries)) this.others.note({ method: 'PUT', ...entry });
  }

  private async restore(): Promise<void> {
    for (const streams of this.streams.splice(0)) {
      this.tally.streamed += streams.count;
      streams.close();
    }
    this.tally.delivered += this.worlds[0].deliveries.count;
    this.trail = [];
    this.entries = null;
    this.others.clear();
    this.writing.reset();
    await Promise.all(this.worlds.map((world) => world.restore()));
  }

  /** Writes in both worlds without a caller. Returns false if that succeeds in one of them only. */
  private async writeUnseen(write: UnseenWrite): Promise<boolean> {
    const outcomes = await Promise.all(this.worlds.map((world) => world.write(write)));
    await this.settle();
    this.tally.unseen += 1;
    const { type, documentId, data } = write;
    this.trail.push({
      method: `SYSTEM ${write.action}`,
      type: writeSchema.types.get(type) as ContentType,
      path: `${type}/${documentId}?locale=${write.locale}`,
      body: { data },
    });
    return outcomes[0] === outcomes[1];
  }

  /** Writes to a hidden document of one world, which nothing in that world may show. */
  private async writeHidden(): Promise<void> {
    const [, omega] = this.worlds;
    const type = this.writing.pick(TYPES.filter(({ kind }) => kind === 'collectionType'));
    const hidden = await omega.sql(hiddenDocuments(this.writer, type, this.ids));
    if (hidden.length === 0) return;
    const documentId = String(this.writing.pick(hidden)['document_id']);
    const write = {
      type: type.singularApiId,
      documentId,
      action: 'update',
      data: {},
      locale: undefined,
    } as const;
    await omega.write(write);
    await this.settle();
    this.tally.hidden += 1;
    this.trail.push({
      method: 'SYSTEM update (hidden, in one world)',
      type,
      path: `${type.route}/${documentId}`,
    });
  }

  /** Opens the streams of a round. */
  private async listen(): Promise<void> {
    if (this.streams.length > 0) return;
    const requests = this.writing.streams(this.writer);
    this.streams = await Promise.all(requests.map((request) => PairedStreams.open(this.worlds, request)));
  }

  /** Waits until the webhooks have sent all events: each contains its document at the time of the delivery. */
  private async settle(): Promise<void> {
    await Promise.all(this.worlds.map((world) => world.deliveries.settle(world.sql)));
  }

  /** Returns a difference between the webhooks of both worlds, or null. */
  private async delivered(): Promise<WriteFailure | null> {
    await this.settle();
    const [alpha, omega] = this.worlds.map(({ deliveries }) =>
      deliveries.reply((text) => this.mask.text(this.others.mask(text, ''))),
    ) as [Reply, Reply];
    if (alpha.body === omega.body) return null;
    const type = writeSchema.types.get('paper') as ContentType;
    return {
      question: { method: 'GET', type, path: 'webhooks' },
      after: this.trail,
      answers: [alpha, omega],
    };
  }

  /** Returns a difference between the streams of both worlds, or null. */
  private async streamed(): Promise<WriteFailure | null> {
    for (const streams of this.streams) {
      const answers = await streams.difference((text) => this.mask.text(text));
      if (answers === null) continue;
      const { request } = streams;
      const type = writeSchema.types.get(request.type) as ContentType;
      const path = `live/${request.route}?${request.query}`;
      return { question: { method: 'GET', type, path }, after: this.trail, answers };
    }
    return null;
  }

  /** Sends a write and the reads after it; returns a difference or null. */
  async step(): Promise<WriteFailure | null> {
    if (this.trail.length >= ROUND) await this.restore();
    await this.listen();
    if (this.writing.next() < UNSEEN && !(await this.writeUnseen(this.writing.unseen()))) {
      await this.restore();
      return null;
    }
    if (this.writing.next() < HIDDEN) await this.writeHidden();
    const write = this.writing.write();
    const found = await this.compare(write);
    // Without streams, the worlds have been reset.
    if (found !== null || this.streams.length === 0) return found;
    this.trail.push(write);
    const difference = (await this.streamed()) ?? (await this.delivered());
    if (difference !== null) await this.restore();
    return difference;
  }

  private count(question: WriteQuestion, [{ status }]: readonly [Reply, Reply]): void {
    const isWrite = question.method !== 'GET';
    if (isWrite) this.tally.writes += 1;
    else this.tally.reads += 1;
    if (isWrite && status < 300) this.tally.accepted += 1;
    if (question.condition !== undefined) this.tally.conditional += 1;
    if (isPast(question) && status === 200) this.tally.past += 1;
    if (question.path.endsWith('/bulk') && status === 200) this.tally.bulks += 1;
    if (status === 412) this.tally.refused += 1;
  }

  /** Sends a write and the reads after it; returns a difference between the responses or null. */
  private async compare(write: WriteQuestion): Promise<WriteFailure | null> {
    for (const question of [write, ...this.writing.reads(write)]) {
      const answers = await this.ask(question);
      this.count(question, answers);
      if (question === write && answers.every(({ status }) => status < 300)) this.noteLocales(write);
      const [alpha, omega] = answers.map((answer) => this.mask.comparable(named(answer, question), question));
      if (alpha === omega) continue;
      const after = this.trail;
      await this.restore();
      if (question === write && isTaken(answers, question)) {
        this.tally.taken += 1;
        return null;
      }
      return { question, after: question === write ? after : [...after, write], answers };
    }
    return null;
  }
}
