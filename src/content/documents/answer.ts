import type { ReadPlan } from '../plan/plan.js';
import type { Tags } from '../query/parse-tags.js';
import type { Pagination } from '../query/query.js';

/** `meta.pagination` of a list (protocol 7.14, 7.15, 7.18). */
export interface PaginationMeta {
  readonly page?: number;
  readonly pageSize?: number;
  readonly pageCount?: number;
  readonly start?: number;
  readonly limit?: number;
  readonly total?: number;
}

export interface AnswerMeta {
  readonly pagination?: PaginationMeta;
  readonly [member: string]: unknown;
}

export interface AnswerHead {
  readonly status: number | null;
  /** Values by header name, such as `Location`, `ETag` and `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
}

const PLAIN: AnswerHead = { status: null, headers: {} };

const BODILESS: readonly (number | null)[] = [204, 304];

export function paginationMeta(page: Pagination, total: number | null): PaginationMeta {
  if (page.kind === 'offset')
    return { start: page.start, limit: page.limit, ...(total === null ? {} : { total }) };
  const counted = total === null ? {} : { pageCount: Math.ceil(total / page.limit), total };
  return { page: page.page, pageSize: page.limit, ...counted };
}

/**
 * Response of a content route: `data` as the JSON text from PostgreSQL, `meta`, status and headers. It is
 * immutable: each `with…` method returns a new one.
 *
 * @publicApi
 */
export class Answer {
  /** Response to a delete (protocol 1.5). */
  static readonly NOTHING = new Answer('null').withStatus(204);

  /** Serialized once, because a cached response is sent often. */
  private text: string | null = null;

  /** `data` is JSON text. A null `head` means the defaults of the route. */
  constructor(
    readonly data: string,
    readonly meta: AnswerMeta = {},
    readonly head: AnswerHead | null = null,
  ) {}

  static of(plan: ReadPlan, data: string, total: number | null): Answer {
    return new Answer(data, plan.page === null ? {} : { pagination: paginationMeta(plan.page, total) });
  }

  /**
   * Adds members to `meta` and replaces those of the same name. Removes the `ETag`, which covered the former
   * text.
   */
  withMeta(more: object): Answer {
    return new Answer(this.data, { ...this.meta, ...more }, this.headWithoutTag());
  }

  /** Returns a 304 without a body if the client has this version, according to `If-None-Match`. */
  unlessKnown(known: Tags | null): Answer {
    const { status = null, headers } = this.head ?? PLAIN;
    const { ETag: tag } = headers;
    if (known === null || tag === undefined || (status !== null && status !== 200)) return this;
    return known === '*' || known.includes(tag.slice(1, -1)) ? this.withStatus(304) : this;
  }

  withStatus(status: number): Answer {
    return new Answer(this.data, this.meta, { ...(this.head ?? PLAIN), status });
  }

  /** Replaces `data`. Removes the `ETag`, which covered the former text. */
  withData(data: string): Answer {
    return new Answer(data, this.meta, this.headWithoutTag());
  }

  private headWithoutTag(): AnswerHead | null {
    const { ETag: _former, ...headers } = this.head?.headers ?? {};
    return this.head === null ? null : { ...this.head, headers };
  }

  /** Adds headers and replaces those of the same spelling. */
  withHeaders(more: AnswerHead['headers']): Answer {
    const head = this.head ?? PLAIN;
    return new Answer(this.data, this.meta, { ...head, headers: { ...head.headers, ...more } });
  }

  /** Returns the body as JSON text without parsing `data`, or undefined for a status without a body. */
  envelope(): string | undefined {
    if (this.head !== null && BODILESS.includes(this.head.status)) return undefined;
    return (this.text ??= `{"data":${this.data},"meta":${JSON.stringify(this.meta)}}`);
  }
}
