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

/** `meta` of an answer: of a list its page, and whatever else somebody added. */
export interface AnswerMeta {
  readonly pagination?: PaginationMeta;
  readonly [member: string]: unknown;
}

/** What stands before the body, where it is not just the route's own. */
export interface AnswerHead {
  /** Null: what the route answers anyway, 201 to a POST and 200 otherwise. */
  readonly status: number | null;
  /** By name, as it is sent: `Location`, `ETag`, `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
}

const PLAIN: AnswerHead = { status: null, headers: {} };

/** HTTP gives these no body. */
const BODILESS: readonly (number | null)[] = [204, 304];

function paginationMeta(page: Pagination, total: number | null): PaginationMeta {
  if (page.kind === 'offset')
    return { start: page.start, limit: page.limit, ...(total === null ? {} : { total }) };
  const counted = total === null ? {} : { pageCount: Math.ceil(total / page.limit), total };
  return { page: page.page, pageSize: page.limit, ...counted };
}

/**
 * What a content route answers: the JSON text of `data` as PostgreSQL wrote it, `meta`, and the status and
 * headers before them. It is never changed: each `with…` makes another one.
 *
 * @publicApi
 */
export class Answer {
  /** The answer to a delete (protocol 1.5). */
  static readonly NOTHING = new Answer('null').withStatus(204);

  /** Made once, because an answer that is kept is sent often. */
  private text: string | null = null;

  /** `data` is JSON text; `head` null is the route's own. */
  constructor(
    readonly data: string,
    readonly meta: AnswerMeta = {},
    readonly head: AnswerHead | null = null,
  ) {}

  static of(plan: ReadPlan, data: string, total: number | null): Answer {
    return new Answer(data, plan.page === null ? {} : { pagination: paginationMeta(plan.page, total) });
  }

  /**
   * With more members of `meta`, in the place of those of the same name. It is another answer then, which has
   * no `ETag` unless it is given one.
   */
  withMeta(more: object): Answer {
    const { ETag: _former, ...headers } = this.head?.headers ?? {};
    const head = this.head === null ? null : { ...this.head, headers };
    return new Answer(this.data, { ...this.meta, ...more }, head);
  }

  /** What is left of it where a client has it already: no body, under the same tag. */
  unlessKnown(known: Tags | null): Answer {
    const { status = null, headers } = this.head ?? PLAIN;
    const { ETag: tag } = headers;
    if (known === null || tag === undefined || (status !== null && status !== 200)) return this;
    return known === '*' || known.includes(tag.slice(1, -1)) ? this.withStatus(304) : this;
  }

  /** With another status; 204 and 304 have no body. */
  withStatus(status: number): Answer {
    return new Answer(this.data, this.meta, { ...(this.head ?? PLAIN), status });
  }

  /** With another JSON text of `data` under the same head. */
  withData(data: string): Answer {
    return new Answer(data, this.meta, this.head);
  }

  /** With more headers, in the place of those of the same spelling. */
  withHeaders(more: AnswerHead['headers']): Answer {
    const head = this.head ?? PLAIN;
    return new Answer(this.data, this.meta, { ...head, headers: { ...head.headers, ...more } });
  }

  /** The whole body as text, in which `data` goes through untouched; undefined where the status has none. */
  envelope(): string | undefined {
    if (this.head !== null && BODILESS.includes(this.head.status)) return undefined;
    return (this.text ??= `{"data":${this.data},"meta":${JSON.stringify(this.meta)}}`);
  }
}
