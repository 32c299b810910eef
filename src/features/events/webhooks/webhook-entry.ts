import { Inject, Injectable, Optional } from '@nestjs/common';
import pLimit from 'p-limit';
import { type Caller, SYSTEM } from '../../../content/access/caller.js';
import { ContentAccess } from '../../../content/access/content-access.js';
import { type Decision, decide, decideRead } from '../../../content/access/decide.js';
import { modelIn, storedModel } from '../../../content/compile/compile-load.js';
import { ModelWatch } from '../../../content/documents/model-watch.js';
import { Documents } from '../../../content/documents/documents.service.js';
import { type Grants, Permissions } from '../../../content/access/permissions.js';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../../content/model/model.js';
import { typeUid } from '../../../content/model/naming.js';
import { Database } from '../../../content/store/database.js';
import type { RawQuery } from '../../../content/query/read-raw.js';
import { ContentError, wrongValue } from '../../../kernel/errors.js';
import { isObject } from '../../../kernel/json.js';
import { print, sql } from '../../../kernel/sql.js';
import { LiveTags } from '../live/live-tags.js';
import { actionsOf, type LoggedEvent } from '../logged-event.js';
import { localeOf } from '../one-document.js';
import { queryOf, type WebhookEndpoint } from './endpoint.js';

/**
 * Bodies that are built at the same time, for all endpoints. With 20 endpoints and 45 writes per second, a
 * write takes 12 to 23 ms (median) with this limit, and 95 to 200 ms without.
 */
const BUILT_AT_ONCE = 4;
/** Size in bytes from which on a body contains only the ids of its document. */
const MAX_BODY = 256 * 1024;

const NO_VERSION = { documentId: '', locale: null };
const READ = { kind: 'list', by: null, format: 'flat', action: 'find' } as const;
/** Selection that shows whether a document is sent, however large it is. */
const IDS_ONLY = { fields: ['documentId'], populate: [] };
/** In place of an entry that exceeds the limit of responses. */
const TOO_LARGE = {};
const READS = ['find', 'findOne', 'readDrafts'] as const;

/** Entry of a document that no longer exists, of a deletion, and of a thin body. */
const idsOf = ({ documentId, locale }: LoggedEvent): object => ({ documentId, locale });

const isTooLarge = (error: unknown): boolean =>
  error instanceof ContentError && error.details['limit'] === 'responseBytes';

/** Builds the bodies of webhooks when they are sent (protocol 21.1, 21.6). */
@Injectable()
export class WebhookEntries {
  private readonly limit = pLimit(BUILT_AT_ONCE);
  /**
   * Bodies whose building has not started, by event and content. Equal endpoints share them: three receive
   * 1.4 times as many deliveries per second.
   */
  private readonly waiting = new Map<string, Promise<string | null>>();

  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(Documents) private readonly documents: Documents,
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(Database) private readonly database: Database,
    @Inject(ModelWatch) private readonly model: ModelWatch,
    @Optional() @Inject(LiveTags) private readonly tags: LiveTags | null,
  ) {}

  /**
   * Throws a ValidationError if an endpoint names an unknown type or role, or attributes of one of its types
   * that its role cannot read. Each delivery of such documents would fail.
   */
  async check(endpoint: WebhookEndpoint): Promise<void> {
    const { types: names, events } = endpoint;
    const { ofEntries, ofFiles } = actionsOf(events);
    for (const name of names ?? [])
      if (this.typeOf(name) === null) throw wrongValue('types', `Type "${name}" does not exist`);
    const caller = await this.callerOf(endpoint);
    const sent = [...this.schema.types.values()].filter(
      (type) => type.events && (type.internal ? ofFiles : ofEntries).length > 0,
    );
    for (const type of sent)
      if (names?.includes(type.singularApiId) ?? true) this.checkFor(type, endpoint, caller);
  }

  private checkFor(type: ContentType, endpoint: WebhookEndpoint, caller: Caller): void {
    if (decide(caller, type, 'find') === 'none') return;
    const query = queryOf(endpoint, { status: 'published', localized: false }, NO_VERSION);
    try {
      this.documents.plan(type, query, { ...READ, caller });
    } catch (error) {
      if (!(error instanceof ContentError) || error.status !== 400) throw error;
      const { param = 'filters' } = error.details;
      throw wrongValue(String(param), `${error.message} (type ${type.singularApiId})`);
    }
  }

  /**
   * Returns the body of an event as JSON. Returns null if its document does not match the endpoint's filters
   * or is hidden from its role. Throws if the endpoint names what the model or the role does not have.
   */
  bodyOf(endpoint: WebhookEndpoint, event: LoggedEvent): Promise<string | null> {
    const key = JSON.stringify([
      event.id,
      endpoint.role,
      endpoint.filters,
      endpoint.fields,
      endpoint.populate,
    ]);
    const known = this.waiting.get(key);
    if (known !== undefined) return known;
    const body = this.limit(() => {
      this.waiting.delete(key);
      return this.buildBody(endpoint, event);
    });
    this.waiting.set(key, body);
    return body;
  }

  private async buildBody(endpoint: WebhookEndpoint, event: LoggedEvent): Promise<string | null> {
    const type = this.typeOf(event.type);
    const caller = await this.callerOf(endpoint);
    if (type === null) return this.ofUnknownType();
    const entry = await this.entryOf(endpoint, event, { type, caller }).catch(async (error: unknown) => {
      if (!isTooLarge(error)) throw error;
      const found = await this.entryOf({ ...endpoint, ...IDS_ONLY }, event, { type, caller });
      return found === null ? null : TOO_LARGE;
    });
    if (entry === null) return null;
    const tags = (await this.tags?.staleBy([event])) ?? [];
    const more = tags.length === 0 ? {} : { tags };
    const body = entry === TOO_LARGE ? null : JSON.stringify({ ...this.body(event, type, entry), ...more });
    if (body !== null && Buffer.byteLength(body) <= MAX_BODY) return body;
    return JSON.stringify({ ...this.body(event, type, idsOf(event)), ...more, thin: true });
  }

  /** Returns the content of a body; null if nothing is sent. */
  private async entryOf(
    endpoint: WebhookEndpoint,
    event: LoggedEvent,
    { type, caller }: { readonly type: ContentType; readonly caller: Caller },
  ): Promise<object | null> {
    const { action } = event;
    const isDraft = type.draftAndPublish && action !== 'publish';
    const finds = (published: boolean): Decision => decideRead(caller, type, { action: 'find', published });
    const readable = finds(!isDraft);
    // The end of a published version concerns roles that read no drafts, too.
    const isEnd = event.published && (action === 'delete' || action === 'unpublish') && finds(true) === 'all';
    // A deleted document cannot be compared with a condition.
    if (action === 'delete') return readable === 'all' || isEnd ? idsOf(event) : null;
    const version = { status: isDraft ? 'draft' : 'published', localized: type.localized };
    const written = { documentId: event.documentId, locale: localeOf(event, type) };
    const query = queryOf(endpoint, version, written);
    const found = readable === 'none' ? null : await this.read(type, query, caller);
    // Without filters and a role, a document that is not found was deleted or unpublished since the event.
    const isGone = endpoint.filters === undefined && endpoint.role === undefined;
    return found ?? (isGone || (isEnd && readable !== 'all') ? idsOf(event) : null);
  }

  /** Returns permissions for all that an entry without a role can contain: documents of all tenants, too. */
  allReads(): Permissions {
    const tenantTypes = [...this.schema.types.values()].filter(({ tenant }) => tenant !== null);
    const across = tenantTypes.map(({ singularApiId }): [string, Grants[string]] => [
      singularApiId,
      [{ actions: READS, tenant: 'all' }],
    ]);
    return this.access.within(Permissions.of({ '*': READS, ...Object.fromEntries(across) }));
  }

  /**
   * Returns null for an event of a removed type. Throws a 503 if the type may belong to a later release: one
   * of its processes then sends the event.
   */
  private async ofUnknownType(): Promise<null> {
    const [row] = await this.database.run(print(sql`select ${storedModel(this.schema.file)}`));
    this.model.check(modelIn(row));
    return null;
  }

  private typeOf(name: string): ContentType | null {
    const { file, types } = this.schema;
    return name === file.singularApiId ? file : (types.get(name) ?? null);
  }

  private body({ name, at }: LoggedEvent, type: ContentType, entry: object): object {
    if (type.internal) return { event: name, createdAt: at, media: entry };
    return { event: name, createdAt: at, model: type.singularApiId, uid: typeUid(type), entry };
  }

  private async callerOf({ role }: WebhookEndpoint): Promise<Caller> {
    if (role === undefined) return SYSTEM;
    await needRole(this.access, role);
    return this.access.callerOf({ kind: 'token', id: 'webhook', roles: [role] });
  }

  private async read(type: ContentType, query: RawQuery, caller: Caller): Promise<object | null> {
    const answer = await this.documents.read(this.documents.plan(type, query, { ...READ, caller }));
    const found: unknown = JSON.parse(answer.data);
    const entry: unknown = Array.isArray(found) ? found[0] : null;
    return isObject(entry) ? entry : null;
  }
}

/** Refuses a role that does not exist: it may later be created, with more permissions than the caller. */
export async function needRole(access: ContentAccess, role: string | null = null): Promise<void> {
  if (role !== null && !(await access.hasRole(role)))
    throw wrongValue('role', `Role "${role}" does not exist`);
}
