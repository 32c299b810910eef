import { Inject } from '@nestjs/common';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { type Caller, scopeOf, SYSTEM, userOf } from '../access/caller.js';
import type { Action } from '../access/permissions.js';
import { ContentError, forbidden } from '../errors.js';
import type { ReadPlan } from '../plan/plan.js';
import type { ReadRequest } from '../plan/plan-read.js';
import type { RawQuery } from '../query/read-raw.js';
import type { DocumentFields } from '../schema/document-of.js';
import type { ContentType } from '../schema/model.js';
import type { PaginationMeta } from './answer.js';
import type { Documents } from './documents.service.js';
import type { WriteOptions } from './write-options.js';

/**
 * The query parameters of the REST API as an object: `{ filters: { name: { $eq: 'x' } }, populate: ['region']
 * }`.
 */
export type ContentQuery = RawQuery;

/** On whose behalf, and in which transaction of the host's. */
export interface ServiceOptions {
  /** Default: the host itself, to whom everything is allowed. */
  readonly as?: Caller;
  /** The entity manager of a transaction begun with `em.transactional`; the write joins it. */
  readonly em?: SqlEntityManager;
}

/**
 * The documents of one content type, under the same rules as over HTTP.
 * Inject it with `@InjectContent('article') articles: ContentService<Article>`.
 *
 * @publicApi
 */
export class ContentService<T extends object = DocumentFields> {
  constructor(
    private readonly documents: Documents,
    private readonly type: ContentType,
  ) {}

  private plan(
    action: Action,
    query: ContentQuery,
    as: Caller,
    what: Pick<ReadRequest, 'kind' | 'documentId'>,
  ): ReadPlan {
    if (scopeOf(as, this.type, action) === 'none') throw forbidden();
    return this.documents.plan(this.type, query, {
      ...what,
      action,
      permissions: as.permissions,
      user: userOf(as),
      format: 'flat',
    });
  }

  private planWrite(action: Action, query: ContentQuery, as: Caller, documentId: string | null): ReadPlan {
    return this.plan(action, query, as, { kind: 'one', documentId });
  }

  /** A page of documents. Throws a ContentError for a query that makes no sense. */
  async find(
    query: ContentQuery = {},
    { as = SYSTEM }: ServiceOptions = {},
  ): Promise<{ data: T[]; meta: { pagination?: PaginationMeta } }> {
    const { data, meta } = await this.documents.read(
      this.plan('find', query, as, { kind: 'list', documentId: null }),
    );
    return { data: JSON.parse(data) as T[], meta };
  }

  /** One document, or null. A single type takes no id. */
  async findOne(
    documentId: string | null,
    query: ContentQuery = {},
    { as = SYSTEM }: ServiceOptions = {},
  ): Promise<T | null> {
    try {
      const { data } = await this.documents.read(
        this.plan(this.type.kind === 'singleType' ? 'find' : 'findOne', query, as, {
          kind: 'one',
          documentId,
        }),
      );
      return JSON.parse(data) as T;
    } catch (error) {
      if (error instanceof ContentError && error.name === 'NotFoundError') return null;
      throw error;
    }
  }

  /** How many documents match. */
  async count(query: ContentQuery = {}, options: ServiceOptions = {}): Promise<number> {
    const page = {
      ...query,
      populate: undefined,
      fields: ['documentId'],
      sort: undefined,
      pagination: { limit: 1, withCount: true },
    };
    return (await this.find(page, options)).meta.pagination?.total ?? 0;
  }

  /**
   * Creates a document; published at once unless `status: 'draft'`. Throws a ContentError for data that
   * cannot be stored.
   */
  async create(data: object, query: ContentQuery = {}, { as = SYSTEM, em }: ServiceOptions = {}): Promise<T> {
    const answer = await this.documents.create(
      this.planWrite('create', query, as, null),
      { data },
      writing(as, em),
    );
    return JSON.parse(answer.data) as T;
  }

  /** Updates a document partially; a single type takes no id and is created when absent. */
  async update(
    documentId: string | null,
    data: object,
    query: ContentQuery = {},
    { as = SYSTEM, em }: ServiceOptions = {},
  ): Promise<T> {
    const answer = await this.documents.update(
      this.planWrite('update', query, as, documentId),
      { data },
      writing(as, em),
    );
    return JSON.parse(answer.data) as T;
  }

  /** Deletes the versions of one locale, or of all with `locale: '*'`. What is not there is no error. */
  async delete(
    documentId: string | null,
    query: ContentQuery = {},
    { as = SYSTEM, em }: ServiceOptions = {},
  ): Promise<void> {
    await this.documents.delete(this.planWrite('delete', query, as, documentId), writing(as, em));
  }

  /** Publishes the draft as it is. Throws a ContentError when it is not complete. */
  async publish(
    documentId: string | null,
    query: ContentQuery = {},
    { as = SYSTEM, em }: ServiceOptions = {},
  ): Promise<T> {
    const plan = this.planWrite('publish', { ...query, status: 'published' }, as, documentId);
    const answer = await this.documents.update(plan, { data: {} }, writing(as, em));
    return JSON.parse(answer.data) as T;
  }

  /** Takes the published version away; answers the draft. */
  async unpublish(
    documentId: string,
    query: ContentQuery = {},
    { as = SYSTEM, em }: ServiceOptions = {},
  ): Promise<T> {
    const answer = await this.documents.unpublish(
      this.planWrite('publish', { ...query, status: 'draft' }, as, documentId),
      writing(as, em),
    );
    return JSON.parse(answer.data) as T;
  }

  /** Puts the draft back to what is published; answers it. */
  async discardDraft(
    documentId: string,
    query: ContentQuery = {},
    { as = SYSTEM, em }: ServiceOptions = {},
  ): Promise<T> {
    const answer = await this.documents.discardDraft(
      this.planWrite('publish', { ...query, status: 'draft' }, as, documentId),
      writing(as, em),
    );
    return JSON.parse(answer.data) as T;
  }
}

const writing = (caller: Caller, em: SqlEntityManager | undefined): WriteOptions =>
  em === undefined ? { caller } : { caller, em };

/** Injection token of a content type's service, by `singularApiId`. */
export const getContentToken = (singularApiId: string): string => `ContentService:${singularApiId}`;

/**
 * Injects a content type's {@link ContentService}.
 *
 * @publicApi
 */
export const InjectContent = (singularApiId: string): ParameterDecorator & PropertyDecorator =>
  Inject(getContentToken(singularApiId));
