import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { type Caller, SYSTEM } from '../../../content/access/caller.js';
import { ContentAccess } from '../../../content/access/content-access.js';
import { ContentError, messageOf, notFound, wrongValue } from '../../../kernel/errors.js';
import { compileEnable, compileListAttempts, compileNext, compileRemove } from '../compile-readers.js';
import { compileReplay, compileReplaySince } from '../compile-replays.js';
import { OWN_TRANSACTION } from '../../../content/store/database.js';
import { EventLog } from '../event-log.js';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events.options.js';
import { PREFIX } from '../logged-event.js';
import type { EventReader, Outcome } from '../reader.js';
import { type ReaderState, ReaderStates } from '../reader-states.js';
import { ReaderWorker } from '../reader-worker.js';
import { type ActiveEndpoint, checkEndpoint, type WebhookEndpoint } from './endpoint.js';
import { PublicAddresses } from './public-addresses.js';
import { newSecret } from './signatures.js';
import { StoredWebhooks, type StoredEndpoint } from './stored-webhooks.js';
import { needRole, WebhookEntries } from './webhook-entry.js';
import { type WebhookBase, webhookReader, sendTo } from './webhook-reader.js';

/** Webhook with its state. Secrets and header values are not shown. */
export interface Webhook extends Omit<WebhookEndpoint, 'headers'>, ReaderState {
  /** Document id of a stored webhook, name of one in code. */
  readonly id: string;
  /** Whether it is in code, so that it cannot be changed at run time. */
  readonly inCode: boolean;
  readonly enabled: boolean;
  /** Names of the further headers. */
  readonly headers: readonly string[];
}

/** Attempt to deliver an event. */
export interface WebhookAttempt {
  readonly event: string;
  readonly at: string;
  /** Status of the response; null without one. */
  readonly status: number | null;
  readonly milliseconds: number;
  readonly failure: string | null;
}

/** Events to send again: those that were given up, one of them (`event`), or all since a time (`since`). */
export interface Replay {
  readonly event?: string;
  /** ISO 8601. */
  readonly since?: string;
}

/** Values that the model and the role must fit. */
const SELECTIONS = ['types', 'filters', 'fields', 'populate', 'role'] as const;
/** In a body, null stands for the default. */
const withoutNulls = <T extends object>(input: T): T =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)) as T;
const readerOf = (id: string): string => `webhook ${id}`;
const ATTEMPTS = 200;
const EVENT_ID = /^evt_(\d{1,18})$/;

/** Returns a time as ISO 8601. PostgreSQL has no years of six digits, and the log has no earlier events. */
const storable = (time: string): string =>
  new Date(Math.min(Math.max(Date.parse(time), 0), Date.UTC(9999, 0))).toISOString();

interface KnownWebhook extends ActiveEndpoint {
  readonly id: string;
  readonly inCode: boolean;
  readonly enabled: boolean;
}

/**
 * Manages webhooks: those of the options, and those that are stored. Inject it to build your own interface.
 *
 * @publicApi
 */
@Injectable()
export class Webhooks implements OnModuleInit {
  private readonly logger = new Logger('ContentEvents');
  private readonly base: WebhookBase;

  constructor(
    @Inject(EventLog) private readonly log: EventLog,
    @Inject(ReaderWorker) private readonly worker: ReaderWorker,
    @Inject(StoredWebhooks) private readonly stored: StoredWebhooks,
    @Inject(ReaderStates) private readonly states: ReaderStates,
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(WebhookEntries) entries: WebhookEntries,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {
    const { allow, signingKey, timeout } = options;
    this.base = { entries, addresses: new PublicAddresses(allow), key: signingKey, timeout };
  }

  onModuleInit(): void {
    this.worker.add(() => this.readers());
  }

  /** Returns all webhooks with their state, sorted by name. */
  async list(): Promise<readonly Webhook[]> {
    const webhooks = await this.webhooks(true);
    const names = webhooks.map(({ reader }) => reader);
    const states = new Map((await this.states.all(names)).map((state) => [state.name, state]));
    return webhooks.map((endpoint) => publicWebhook(endpoint, states.get(endpoint.reader)));
  }

  /** Returns a webhook. Throws NotFoundError for an unknown id. */
  async one(id: string): Promise<Webhook> {
    const found = (await this.list()).find((webhook) => webhook.id === id);
    if (found === undefined) throw notFound();
    return found;
  }

  /**
   * Stores a webhook and returns it with its secret, which is shown only here. It gets the events from now
   * on. Throws ValidationError for invalid values, and for attributes that its types do not have. Throws
   * ForbiddenError for a caller with fewer permissions than the webhook's role.
   */
  async create(input: WebhookEndpoint, as: Caller = SYSTEM): Promise<Webhook & { readonly secret: string }> {
    checkEndpoint({ ...input });
    await needRole(this.access, input.role);
    await this.needCovered(as, input.role ?? null);
    await this.base.entries.check(withoutNulls(input));
    const secret = newSecret();
    const given = withoutNulls(input);
    const id = await this.stored.create(input, secret);
    // The webhook is stored. A worker registers it later if that fails now.
    await this.register().catch(() => this.worker.round());
    const known = { ...given, id, inCode: false, enabled: true, reader: readerOf(id), secrets: [] };
    return { ...publicWebhook(known), secret };
  }

  /**
   * Changes a stored webhook; an omitted value stays. Throws as {@link create}, and NotFoundError. Another
   * server needs `headers`, too: those of the former one may be secret.
   */
  async update(
    id: string,
    changes: Partial<WebhookEndpoint> & { readonly enabled?: boolean },
    as: Caller = SYSTEM,
  ): Promise<Webhook> {
    const { enabled, ...rest } = changes;
    if (enabled !== undefined && typeof enabled !== 'boolean')
      throw wrongValue('enabled', 'enabled must be a boolean');
    const webhooks = await this.storedOne(id);
    checkEndpoint({ name: webhooks.name, url: webhooks.url, ...rest });
    this.needHeaders(webhooks, rest);
    const role = rest.role === undefined ? webhooks.role : rest.role;
    await needRole(this.access, role);
    await this.needCovered(as, webhooks.role ?? null);
    await this.needCovered(as, role ?? null);
    if (SELECTIONS.some((key) => rest[key] !== undefined))
      await this.base.entries.check(withoutNulls({ ...webhooks, ...rest }));
    await this.stored.update(id, { ...rest, ...(enabled === undefined ? {} : { enabled }) });
    this.worker.round();
    return this.one(id);
  }

  /** Deletes a stored webhook with its undelivered events. Throws NotFoundError for an unknown id. */
  async remove(id: string): Promise<void> {
    const { reader } = await this.storedOne(id);
    await this.stored.remove(id);
    const forget = this.log.database.transaction(async (runner) => {
      for (const statement of compileRemove(this.log.file, reader)) await runner.run(statement);
    }, OWN_TRANSACTION);
    // The webhook is deleted. Without it, nothing reads these rows.
    await forget.catch((error: unknown) => this.logger.warn(`Rows of ${reader} remain: ${messageOf(error)}`));
    this.worker.round();
  }

  /** Gives a stored webhook a new secret. Requests are signed with the former one, too, for 24 hours. */
  async rotate(id: string, as: Caller = SYSTEM): Promise<Webhook & { readonly secret: string }> {
    const webhooks = await this.storedOne(id);
    await needRole(this.access, webhooks.role);
    await this.needCovered(as, webhooks.role ?? null);
    const shown = await this.one(id);
    const secret = newSecret();
    await this.stored.rotate(id, secret);
    return { ...shown, secret };
  }

  /** Lets a disabled webhook continue where it stopped. */
  async enable(id: string): Promise<Webhook> {
    const { reader } = await this.webhook(id);
    await this.log.database.run(compileEnable(this.log.file, reader));
    this.worker.round();
    return this.one(id);
  }

  /** Sends a test event, and returns the result of this one attempt. */
  async test(id: string): Promise<Outcome> {
    const endpoint = await this.webhook(id);
    const now = new Date();
    const body = JSON.stringify({ event: 'trigger-test', createdAt: now.toISOString() });
    const event = { id: `evt_test_${now.getTime()}`, name: 'trigger-test', body };
    return sendTo(endpoint, event, this.base);
  }

  /** Returns the latest attempts, newest first. */
  async attempts(id: string): Promise<readonly WebhookAttempt[]> {
    const { reader } = await this.webhook(id);
    const rows = await this.log.database.run(compileListAttempts(this.log.file, reader, ATTEMPTS));
    return rows.map((row) => ({
      event: String(row['event']),
      at: String(row['at']),
      status: row['status'] === null ? null : Number(row['status']),
      milliseconds: Number(row['milliseconds']),
      failure: typeof row['failure'] === 'string' ? row['failure'] : null,
    }));
  }

  /**
   * Sends events again, and returns their number. Throws ValidationError for an invalid time or event id, and
   * for both of them.
   */
  async replay(id: string, { event, since }: Replay = {}): Promise<number> {
    const webhook = await this.webhook(id);
    const { database, file } = this.log;
    const [, row = null] = event === undefined ? [] : (EVENT_ID.exec(event) ?? []);
    if (event !== undefined && row === null)
      throw wrongValue('event', `event must be an id such as "${PREFIX}1"`);
    if (since !== undefined && Number.isNaN(Date.parse(since)))
      throw wrongValue('since', 'since must be an ISO 8601 date-time');
    if (event !== undefined && since !== undefined)
      throw wrongValue('since', 'since and event exclude each other');
    const replay =
      since === undefined
        ? compileReplay(file, webhook, row)
        : compileReplaySince(file, webhook, storable(since));
    const replayed = await database.transaction(async (runner) => {
      const events = await runner.run(replay);
      // Together, because events that wait and never become due would block the endpoint.
      await runner.run(compileNext(file, webhook.reader));
      return events.length;
    }, OWN_TRANSACTION);
    this.worker.round();
    return replayed;
  }

  private async readers(): Promise<readonly EventReader[]> {
    const webhooks = await this.webhooks(false);
    return webhooks.filter(({ enabled }) => enabled).map((endpoint) => webhookReader(endpoint, this.base));
  }

  private async register(): Promise<void> {
    await this.worker.register(await this.readers());
    this.worker.round();
  }

  private async webhooks(fresh: boolean): Promise<readonly KnownWebhook[]> {
    const inCode = this.options.endpoints.map(({ secret, ...endpoint }) => ({
      ...endpoint,
      id: endpoint.name,
      inCode: true,
      enabled: true,
      reader: readerOf(endpoint.name),
      secrets: [secret].flat(),
    }));
    const stored = (await this.stored.all(fresh)).map((endpoint) => ({
      ...endpoint,
      inCode: false,
      reader: readerOf(endpoint.id),
    }));
    return [...inCode, ...stored].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  private async webhook(id: string): Promise<KnownWebhook> {
    const found = (await this.webhooks(true)).find((endpoint) => endpoint.id === id);
    if (found === undefined) throw notFound();
    return found;
  }

  private async storedOne(id: string): Promise<KnownWebhook & StoredEndpoint> {
    const found = await this.webhook(id);
    if (found.inCode)
      throw new ContentError('ForbiddenError', 'This webhook is defined in code and cannot be changed here');
    return found;
  }

  /** Refuses to send the headers of one server to another one (protocol 21.23). */
  private needHeaders({ url, headers = {} }: KnownWebhook, changes: Partial<WebhookEndpoint>): void {
    const isElsewhere = changes.url !== undefined && new URL(changes.url).origin !== new URL(url).origin;
    if (isElsewhere && changes.headers === undefined && Object.keys(headers).length > 0)
      throw wrongValue('headers', 'headers must be given again for another server, or null for none');
  }

  /** Refuses a caller who would get to see more by a webhook than it may read. */
  private async needCovered({ permissions }: Caller, role: string | null): Promise<void> {
    const read = role === null ? this.base.entries.allReads() : await this.access.permissionsOf([role]);
    if (!permissions.covers(read))
      throw new ContentError('ForbiddenError', 'The webhook would have permissions that you do not have');
  }
}

/** State of a webhook that is about to be registered. */
const NEW = { disabled: null, failingSince: null, lag: 0, pending: 0, failed: 0 };

function publicWebhook(
  { reader: _, secrets: __, headers = {}, ...endpoint }: KnownWebhook,
  state: object = NEW,
): Webhook {
  return { ...NEW, ...state, ...endpoint, headers: Object.keys(headers) };
}
