import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { refusal } from '../../../content/access/auth-strategy.js';
import type { Caller } from '../../../content/access/caller.js';
import { decide, decideRead, isPersonal } from '../../../content/access/decide.js';
import { Documents } from '../../../content/documents/documents.service.js';
import { Hooks } from '../../../content/documents/hooks.js';
import type { ContentType } from '../../../content/model/model.js';
import type { LocalePick, ReadPlan } from '../../../content/plan/plan.js';
import type { RawQuery } from '../../../content/query/read-raw.js';
import { refuseOtherKeys } from '../../../kernel/errors.js';
import type { LoggedEvent } from '../logged-event.js';
import { localeOf, ONE_DOCUMENT, onlyVersion } from '../one-document.js';

/** Documents that are read at the same time, for all streams together. */
const MOST_READS = 8;
/** Time that equal streams share the result of a read, in milliseconds. */
const SHARED_TIME = 1000;
const MAX_SHARED = 10_000;

const PARAMETERS = ['filters', 'status', 'locale'];

/** Documents of a type that a stream is about. */
export interface WatchedQuery {
  readonly type: ContentType;
  readonly query: RawQuery;
  /** Query as text, equal for streams that share results. */
  readonly text: string;
  readonly published: boolean;
  /** Null for every locale. */
  readonly locales: readonly string[] | null;
}

/** Whether the events of a type are streamed: its list has a route, and its writes are logged. */
export const isStreamed = ({ events, internal, routes }: ContentType): boolean =>
  events && !internal && routes.includes('find');

const isRemoval = ({ action }: LoggedEvent, { published }: WatchedQuery): boolean =>
  action === 'delete' || (action === 'unpublish' && published);

function localesOf(pick: LocalePick): readonly string[] | null {
  if (pick.kind === 'any') return null;
  return pick.kind === 'one' ? [pick.code] : pick.codes;
}

/** Whether an event can concern the watched documents. */
export const concerns = (event: LoggedEvent, { type, published, locales }: WatchedQuery): boolean =>
  event.type === type.singularApiId &&
  (!published || event.published) &&
  (locales === null || event.locale === null || locales.includes(event.locale));

/** Decides which events a caller may see: those of documents that it finds now (protocol 21.19). */
@Injectable()
export class VisibleEvents {
  private readonly decisions = new LRUCache<string, Promise<boolean>>({ max: MAX_SHARED, ttl: SHARED_TIME });
  private readonly reading = pLimit(MOST_READS);

  constructor(
    @Inject(Documents) private readonly documents: Documents,
    @Inject(Hooks) private readonly hooks: Hooks,
  ) {}

  /** Calls the hooks of reads, which can refuse the stream. */
  async admit({ type: { singularApiId: type } }: WatchedQuery, caller: Caller): Promise<void> {
    await this.hooks.runReadHooks({ type, documentId: null, action: 'find', caller, requestId: null });
  }

  /**
   * Checks a query. Throws like a list with these filters, 403 without `find`, and 400 for other
   * parameters. */
  watch(
    type: ContentType,
    { query, text }: Pick<WatchedQuery, 'query' | 'text'>,
    caller: Caller,
  ): WatchedQuery {
    if (decide(caller, type, 'find') === 'none') throw refusal(caller);
    refuseOtherKeys(query, PARAMETERS, 'query');
    const { published, locale } = this.plan({ type, query }, caller).version;
    return { type, query, text, published, locales: type.localized ? localesOf(locale) : null };
  }

  /**
   * Whether the caller may see an event. A removal has no document to read: it is shown to callers who may
   * find all documents.
   */
  async isVisible(event: LoggedEvent, watched: WatchedQuery, caller: Caller): Promise<boolean> {
    const { type, published, text } = watched;
    await this.admit(watched, caller);
    const reading = decideRead(caller, type, { action: 'find', published });
    if (isRemoval(event, watched)) return reading === 'all';
    const person = isPersonal(caller, type, 'find') ? caller.id : '';
    const key = JSON.stringify([event.id, type.singularApiId, text, caller.permissions.id, person]);
    // The condition of a grant can depend on everything about the caller.
    if (caller.permissions.hasWhere) return this.reading(() => this.finds(event, watched, caller));
    const cached = this.decisions.get(key);
    if (cached !== undefined) return cached;
    const found = this.reading(() => this.finds(event, watched, caller));
    this.decisions.set(key, found);
    found.catch(() => this.decisions.delete(key));
    return found;
  }

  private async finds(event: LoggedEvent, watched: WatchedQuery, caller: Caller): Promise<boolean> {
    const { type, query } = watched;
    const { documentId } = event;
    const locale = localeOf(event, type);
    const plan = this.plan(
      {
        type,
        query: {
          ...query,
          filters: onlyVersion({ documentId, locale }, query['filters']),
          ...(locale === null ? {} : { locale }),
        },
      },
      caller,
    );
    const { data } = await this.documents.read(plan);
    const found: unknown = JSON.parse(data);
    return Array.isArray(found) && found.length > 0;
  }

  private plan({ type, query }: Pick<WatchedQuery, 'type' | 'query'>, caller: Caller): ReadPlan {
    const request = { kind: 'list', by: null, caller, format: 'flat', action: 'find' } as const;
    return this.documents.plan(type, { ...query, fields: ['documentId'], pagination: ONE_DOCUMENT }, request);
  }
}
