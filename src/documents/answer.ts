import type { ReadPlan } from '../plan/plan.js';
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

function paginationMeta(page: Pagination, total: number | null): PaginationMeta {
  if (page.kind === 'offset')
    return { start: page.start, limit: page.limit, ...(total === null ? {} : { total }) };
  const counted = total === null ? {} : { pageCount: Math.ceil(total / page.limit), total };
  return { page: page.page, pageSize: page.limit, ...counted };
}

/** What a read answers: the finished JSON text of `data`, and `meta`. */
export class Answer {
  constructor(
    readonly data: string,
    readonly meta: { readonly pagination?: PaginationMeta },
  ) {}

  static of(plan: ReadPlan, data: string, total: number | null): Answer {
    return new Answer(data, plan.page === null ? {} : { pagination: paginationMeta(plan.page, total) });
  }

  /** The whole body as text, with more members of `meta` where given; `data` goes through untouched. */
  envelope(meta: object = {}): string {
    return `{"data":${this.data},"meta":${JSON.stringify({ ...this.meta, ...meta })}}`;
  }
}
