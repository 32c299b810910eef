/** Writes of many documents of a type by one request (protocol section 24). */
import { decide } from '../access/decide.js';
import { type ContentError, forbidden, overLimit, validationError } from '../../kernel/errors.js';
import { type ContentSettings, finiteLimit } from '../../kernel/settings.js';
import { HANDLERS, isServed, leavesDraft } from '../model/routes.js';
import { byDocumentId, type ReadRequest } from '../plan/plan-read.js';
import { checkSize } from '../plan/read-body.js';
import {
  BULK_ACTIONS,
  type Bulk,
  type BulkItem,
  type BulkSelection,
  type InvalidItem,
  parseBulk,
} from '../query/parse-bulk.js';
import { type RawQuery, readRaw } from '../query/read-raw.js';
import type { ContentType } from '../model/model.js';
import { scalarOf } from '../model/scalar-of.js';
import type { ReadPlan } from '../plan/plan.js';
import { Answer } from './answer.js';
import { documentsIn } from './document-id.js';
import { BulkResults, faultOf, listOf } from './bulk-results.js';
import { passwordLimit, type PasswordLimit } from './passwords.js';
import type { ReadFor } from './reads.js';
import { type AskedWrite, planInTurn, NO_VALUES } from './write-list.js';
import type { WriteOptions } from './write-options.js';

export interface BulkRequest extends Pick<ReadRequest, 'type' | 'format'> {
  /** Query string: `fields` and `populate` of the documents in the response. */
  readonly text: string;
  readonly body: unknown;
  /** Whether each action needs its route, as over HTTP. The services of an application need none. */
  readonly byRoute: boolean;
}

/** Methods of `Documents` that bulk writes use. */
interface SingleWrites {
  planText(text: string, request: ReadRequest): ReadPlan;
  plan(type: ContentType, raw: RawQuery, request: Omit<ReadRequest, 'type'>): ReadPlan;
  read(plan: ReadPlan, waiting: ReadFor): Promise<Answer>;
  writeAll(asked: readonly AskedWrite[], options: WriteOptions): Promise<readonly Answer[]>;
}

interface Work extends Omit<BulkRequest, 'text' | 'body'> {
  readonly options: WriteOptions;
  /** Query string of the response of each item, without its locale and status. */
  readonly shown: string;
}

/** Work whose transactions share the limit of passwords. */
interface LimitedWork extends Work {
  readonly options: WriteOptions & { readonly passwords: PasswordLimit };
}

const RESPONSE_PARAMETERS = ['fields', 'populate'];
const IDS_ONLY = 'fields[0]=documentId';
/** Most items of a request that asks for more than the ids of the documents. */
const MOST_POPULATED = 100;
/** Items to try in one transaction before each gets its own. */
const CHUNK = 100;

export class BulkWrites {
  constructor(
    private readonly documents: SingleWrites,
    private readonly settings: ContentSettings,
  ) {}

  /**
   * Runs the items in order: all or none in one transaction, or each in its own with `atomic: false`. `data`
   * of the response has the document of each item, null for a deleted or failed one. Throws the errors of the
   * single writes with the `index` of the item.
   */
  async write({ type, format, text, body, byRoute }: BulkRequest, options: WriteOptions): Promise<Answer> {
    const { limits } = this.settings;
    checkSize(body, limits.bodyNodes);
    const { atomic, asked } = parseBulk(body, limits.bulkItems);
    if (!atomic && options.em !== undefined)
      throw validationError('Invalid atomic: an Idempotency-Key needs one transaction', {
        key: 'atomic',
        path: 'atomic',
        source: 'body',
      });
    const work: Work = { type, format, byRoute, options, shown: responseQuery(text, asked, this.settings) };
    const items = 'action' in asked ? await this.itemsOf(asked, work) : asked;
    if (typeof items === 'number') return new Answer('[]', { matched: items });
    return atomic ? this.writeTogether(items, work) : this.writeEach(items, work);
  }

  private async writeTogether(items: readonly (BulkItem | InvalidItem)[], work: Work): Promise<Answer> {
    const writes = await planInTurn(items, (item) => Promise.resolve(this.planItem(item, work)));
    const answers = await this.documents.writeAll(writes, work.options);
    return new Answer(listOf(answers), { done: answers.length });
  }

  private async writeEach(items: readonly (BulkItem | InvalidItem)[], work: Work): Promise<Answer> {
    const results = new BulkResults(items);
    const passwords = passwordLimit(this.settings.limits.passwords);
    const limited = { ...work, options: { ...work.options, passwords } };
    for (let start = 0; start < items.length; start += CHUNK)
      if (!(await this.writeChunk(items.slice(start, start + CHUNK), limited, results))) break;
    return results.answer();
  }

  /**
   * Writes a chunk in one transaction, which is faster, and item by item if one fails. Returns false if no
   * other item can be written.
   */
  private async writeChunk(
    chunk: readonly (BulkItem | InvalidItem)[],
    work: LimitedWork,
    results: BulkResults,
  ): Promise<boolean> {
    const { passwords } = work.options;
    const { left } = passwords;
    const write = (items: typeof chunk): Promise<readonly Answer[]> =>
      this.documents.writeAll(
        items.map((item) => this.planItem(item, work)),
        work.options,
      );
    for (const part of [chunk, ...chunk.map((item) => [item])])
      try {
        results.add(...(await write(part)));
        if (part === chunk) return true;
      } catch (error) {
        if (results.mustStop(error, part.length)) {
          results.stop(error, part.length);
          return false;
        }
        if (part === chunk) passwords.left = left;
        else results.add(faultOf(error, work.options.requestId ?? null));
      }
    return true;
  }

  /** Plans an item, with the rights and errors of the route that does the same to one document. */
  private planItem(
    item: BulkItem | InvalidItem,
    { type, format, byRoute, options, shown }: Work,
  ): AskedWrite {
    if ('error' in item) throw item.error;
    const handler = BULK_ACTIONS[item.action];
    if (byRoute && !isServed(handler, type))
      throw validationError(`${type.pluralApiId} has no route for "${item.action}"`, {
        key: 'action',
        path: 'action',
        source: 'body',
      });
    const { caller } = options;
    const { action } = HANDLERS[handler];
    if (decide(caller, type, action) === 'none') throw forbidden();
    const versionOptions = {
      locale: item.locale,
      status: item.status ?? (leavesDraft(handler) ? 'draft' : null),
    };
    const text = Object.entries(versionOptions).flatMap(([name, value]) =>
      value === null ? [] : [`${name}=${encodeURIComponent(value.toWellFormed())}`],
    );
    const answerPlan = this.documents.planText([shown, ...text].join('&'), {
      type,
      kind: 'one',
      by: byDocumentId(item.documentId),
      caller,
      format,
      action,
    });
    const precondition = item.match === null ? null : { match: item.match, noneMatch: null };
    const body = item.data === null ? undefined : { data: item.data };
    return { verb: handler, answerPlan, body: handler === 'publish' ? NO_VALUES : body, precondition };
  }

  /** Returns an item for each document that matches, or their number for a dry run. */
  private async itemsOf(selection: BulkSelection, work: Work): Promise<readonly BulkItem[] | number> {
    const { filters, search, limit, dryRun, ...item } = selection;
    const { type, options } = work;
    if (decide(options.caller, type, 'find') === 'none') throw forbidden();
    const ids = new Set<string>();
    const pageSize = finiteLimit(this.settings.maxLimit);
    // In all locales, a document may be in the list several times.
    const isOnce = !type.localized || item.locale !== '*';
    // Each page continues after the last row of the former one: concurrent deletions move the others.
    let last: number | undefined;
    for (let isWhole = true; isWhole;) {
      const isFirst = last === undefined;
      const query = {
        filters,
        ...(search === undefined ? {} : { _q: search }),
        ...(item.locale === null ? {} : { locale: item.locale }),
        ...(type.draftAndPublish && item.action !== 'unpublish' ? { status: 'draft' } : {}),
        fields: ['documentId'],
        sort: 'id',
        pagination: { start: '0', limit: String(pageSize), withCount: String(isFirst) },
      };
      const request = { kind: 'list', by: null, format: 'flat', action: 'find' } as const;
      const planned = this.documents.plan(type, query, { ...request, caller: options.caller });
      const plan = withIdAfter(this.inOwnLocale(planned, item.locale ?? undefined), last);
      const { data, meta } = await this.documents.read(plan, {
        disconnect: options.disconnect ?? null,
        em: options.em,
        by: { caller: options.caller, action: 'find', requestId: options.requestId ?? null },
      });
      const total = meta.pagination?.total ?? 0;
      if (isFirst && isOnce && dryRun) return total;
      if (isFirst && isOnce && total > limit) throw tooMany(total, limit);
      const found = documentsIn(data);
      for (const { documentId } of found) ids.add(documentId);
      if (ids.size > limit) throw tooMany(null, limit);
      last = found.at(-1)?.id;
      isWhole = found.length === pageSize;
    }
    if (dryRun) return ids.size;
    return [...ids].map((documentId) => ({ ...item, documentId, match: null }));
  }

  /** A version of a fallback locale does not match: the action would not change it (protocol 9.21). */
  private inOwnLocale(plan: ReadPlan, locale = this.settings.defaultLocale): ReadPlan {
    const { type } = plan;
    if (!type.localized || locale === '*') return plan;
    return narrowed(plan, 'locale', { op: '$eq', operands: [locale] });
  }
}

const withIdAfter = (plan: ReadPlan, id: number | undefined): ReadPlan =>
  id === undefined ? plan : narrowed(plan, 'id', { op: '$gt', operands: [id] });

/** Adds a comparison of a system attribute to the conditions of a plan. */
function narrowed(
  plan: ReadPlan,
  name: 'id' | 'locale',
  compared: { readonly op: '$eq' | '$gt'; readonly operands: readonly unknown[] },
): ReadPlan {
  const { type, where } = plan;
  const one = { kind: 'compare', attribute: scalarOf(type, name), negated: false, ...compared } as const;
  return { ...plan, where: { kind: 'all', parts: [...(where === null ? [] : [where]), one] }, shared: null };
}

/** `matched` is null if the documents were not all counted. */
const tooMany = (matched: number | null, limit: number): ContentError =>
  validationError(`The filters match ${matched ?? 'too many'} documents, more than "limit": ${limit}`, {
    key: 'limit',
    path: 'data.limit',
    source: 'body',
    ...(matched === null ? {} : { matched }),
  });

/**
 * Returns the query string of the responses. Throws a 400 for parameters other than `fields` and `populate`.
 */
function responseQuery(text: string, asked: Bulk['asked'], { limits }: ContentSettings): string {
  const raw = readRaw(text, limits);
  const other = Object.keys(raw).find((name) => !RESPONSE_PARAMETERS.includes(name));
  if (other !== undefined)
    throw validationError(`Invalid parameter ${other}. Expected ${RESPONSE_PARAMETERS.join(' or ')}`, {
      key: other,
      path: null,
      source: 'query',
      param: other,
    });
  if (Object.keys(raw).length === 0) return IDS_ONLY;
  const most = 'action' in asked ? asked.limit : asked.length;
  if (most > MOST_POPULATED)
    throw overLimit('bulkItems', MOST_POPULATED, 'Too many items for a request with fields or populate');
  return text;
}
