import { Inject } from '@nestjs/common';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { type Caller, SYSTEM } from '../access/caller.js';
import { decide } from '../access/decide.js';
import type { Action } from '../access/permissions.js';
import { ContentError, forbidden } from '../errors.js';
import type { ReadPlan } from '../plan/plan.js';
import { byDocumentId, type ReadRequest } from '../plan/plan-read.js';
import { parseTags } from '../query/parse-tags.js';
import type { RawQuery } from '../query/read-raw.js';
import type { ContentType } from '../schema/model.js';
import type { DocumentFields } from '../typing/document-of.js';
import type {
  AnswerFor,
  ChangeFor,
  CountQueryFor,
  FieldsFor,
  ListQueryFor,
  NewFor,
  OneQueryFor,
  PopulateFor,
  Status,
  Subject,
  VersionQueryFor,
  WriteQueryFor,
} from '../typing/face.js';
import type { ContentId } from '../typing/registry.js';
import type { PaginationMeta } from './answer.js';
import { type Documents, draftUnlessSaid } from './documents.service.js';
import type { ContentSchedule } from './schedules.js';
import type { WriteOptions } from './write-options.js';

/**
 * The query parameters of the REST API as an object: `{ filters: { name: { $eq: 'x' } }, populate: ['region']
 * }`.
 */
export type ContentQuery = RawQuery;

/** On whose behalf a method acts, and in which transaction of the host's. */
export interface ServiceOptions {
  /** Default: the host itself, to whom everything is allowed. */
  readonly as?: Caller;
  /** The entity manager of a transaction begun with `em.transactional`; the write joins it. */
  readonly em?: SqlEntityManager;
  /**
   * Of a write: the ETag, or ETags, of the version that it starts from, or `'*'` for any; throws
   * PreconditionFailedError, and writes nothing, where another one is there.
   */
  readonly ifMatch?: string | readonly string[];
}

/** One document as it was read, and what `ifMatch` wants to know of it. */
export interface ReadVersion<T> {
  readonly data: T;
  readonly etag: string;
}

/** What is asked, and on whose behalf. */
interface Asked {
  readonly query: object;
  readonly as: Caller;
}

/**
 * The documents of one content type, under the same rules as over HTTP.
 * Inject it with `@InjectContent('article') articles: ContentService<Article>`.
 *
 * `find` answers `{ data, meta }`, every other method the document itself. A single type takes `null` for the
 * `documentId`. `query` reads the answer: `fields`, `populate`, `status`, `locale` …, as in a query string.
 * What HTTP would answer with an error is thrown as a {@link ContentError} with the same name, status and
 * details: ValidationError for data or a query without meaning, ForbiddenError for a caller in `as` without
 * the right, NotFoundError for what is not there, ConflictError for a version that others keep writing.
 *
 * @publicApi
 */
export class ContentService<T extends Subject = DocumentFields> {
  constructor(
    private readonly documents: Documents,
    private readonly type: ContentType,
  ) {}

  private plan(action: Action, { query, as }: Asked, what: Pick<ReadRequest, 'kind' | 'by'>): ReadPlan {
    if (decide(as, this.type, action) === 'none') throw forbidden();
    return this.documents.plan(this.type, query as ContentQuery, {
      ...what,
      action,
      caller: as,
      format: 'flat',
    });
  }

  private planWrite(action: Action, asked: Asked, documentId: string | null): ReadPlan {
    return this.plan(action, asked, { kind: 'one', by: byDocumentId(documentId) });
  }

  /** A page of documents with its `meta`; 25 unless `pagination` says otherwise (protocol 1.1, 7.13). */
  async find<const F extends FieldsFor<T> = '*', const P extends PopulateFor<T> = never>(
    query: ListQueryFor<T, F, P> = {},
    { as = SYSTEM }: ServiceOptions = {},
  ): Promise<{ data: AnswerFor<T, F, P>[]; meta: { pagination?: PaginationMeta } }> {
    const { data, meta } = await this.documents.read(
      this.plan('find', { query, as }, { kind: 'list', by: null }),
    );
    return { data: JSON.parse(data) as AnswerFor<T, F, P>[], meta };
  }

  /** One document, or null where it has no version in the asked status and locale. */
  async findOne<const F extends FieldsFor<T> = '*', const P extends PopulateFor<T> = never>(
    documentId: string | null,
    query: OneQueryFor<T, F, P> = {},
    options: ServiceOptions = {},
  ): Promise<AnswerFor<T, F, P> | null> {
    return (await this.findVersion<F, P>(documentId, query, options))?.data ?? null;
  }

  /** One document with its ETag, for a later write with `ifMatch`; null as for `findOne`. */
  async findVersion<const F extends FieldsFor<T> = '*', const P extends PopulateFor<T> = never>(
    documentId: string | null,
    query: OneQueryFor<T, F, P> = {},
    { as = SYSTEM }: ServiceOptions = {},
  ): Promise<ReadVersion<AnswerFor<T, F, P>> | null> {
    const action = this.type.kind === 'singleType' ? 'find' : 'findOne';
    const what = { kind: 'one', by: byDocumentId(documentId) } as const;
    try {
      const { data, head } = await this.documents.read(this.plan(action, { query, as }, what));
      return { data: JSON.parse(data) as AnswerFor<T, F, P>, etag: head?.headers['ETag'] ?? '' };
    } catch (error) {
      if (error instanceof ContentError && error.name === 'NotFoundError') return null;
      throw error;
    }
  }

  /** How many documents `filters`, `_q`, `status` and `locale` leave. */
  async count(query: CountQueryFor<T> = {}, options: ServiceOptions = {}): Promise<number> {
    const page = {
      ...query,
      populate: undefined,
      fields: ['documentId'],
      sort: undefined,
      pagination: { limit: 1, withCount: true },
    };
    return (await this.find(page, options)).meta.pagination?.total ?? 0;
  }

  /** Creates a document from its attributes; published at once unless `status: 'draft'` (protocol 8.4). */
  async create<
    const F extends FieldsFor<T> = '*',
    const P extends PopulateFor<T> = never,
    const S extends Status = 'published',
  >(
    data: NewFor<T, S>,
    query: WriteQueryFor<T, F, P, S> = {},
    { as = SYSTEM, ...options }: ServiceOptions = {},
  ): Promise<AnswerFor<T, F, P>> {
    const answer = await this.documents.create(
      this.planWrite('create', { query, as }, null),
      { data },
      writing(as, options),
    );
    return JSON.parse(answer.data) as AnswerFor<T, F, P>;
  }

  /**
   * Changes what `data` names and leaves the rest; publishes unless `status: 'draft'` (protocol D4, 8.5). A
   * single type is created when absent (10.2), a version in the `locale` of the query as well (9.6).
   */
  // What its siblings take, and the data: a value of two of them would be none of its own.
  // eslint-disable-next-line no-restricted-syntax
  async update<
    const F extends FieldsFor<T> = '*',
    const P extends PopulateFor<T> = never,
    const S extends Status = 'published',
  >(
    documentId: string | null,
    data: ChangeFor<T, S>,
    query: WriteQueryFor<T, F, P, S> = {},
    { as = SYSTEM, ...options }: ServiceOptions = {},
  ): Promise<AnswerFor<T, F, P>> {
    const answer = await this.documents.update(
      this.planWrite('update', { query, as }, documentId),
      { data },
      writing(as, options),
    );
    return JSON.parse(answer.data) as AnswerFor<T, F, P>;
  }

  /**
   * Deletes the draft and the published version of one locale, or of all with `locale: '*'`. What is not
   * there is no error (protocol 8.7, 9.8).
   */
  async delete(
    documentId: string | null,
    query: VersionQueryFor<T> = {},
    { as = SYSTEM, ...options }: ServiceOptions = {},
  ): Promise<void> {
    await this.documents.delete(this.planWrite('delete', { query, as }, documentId), writing(as, options));
  }

  /**
   * Publishes the draft as it is; answers the published version. `locale: '*'` publishes every locale that
   * the document has, all or none. NotFoundError where there is no version in the locale; a ValidationError
   * lists what the draft lacks (protocol 8.12, 8.24).
   */
  async publish<const F extends FieldsFor<T> = '*', const P extends PopulateFor<T> = never>(
    documentId: string | null,
    query: WriteQueryFor<T, F, P> = {},
    { as = SYSTEM, ...options }: ServiceOptions = {},
  ): Promise<AnswerFor<T, F, P>> {
    const plan = this.planWrite('publish', { query, as }, documentId);
    const answer = await this.documents.publish(plan, writing(as, options));
    return JSON.parse(answer.data) as AnswerFor<T, F, P>;
  }

  /**
   * Takes the published version of one locale away, or of all with `locale: '*'`; answers the draft. Where
   * none is published nothing changes.
   */
  async unpublish<const F extends FieldsFor<T> = '*', const P extends PopulateFor<T> = never>(
    documentId: string | null,
    query: WriteQueryFor<T, F, P> = {},
    { as = SYSTEM, ...options }: ServiceOptions = {},
  ): Promise<AnswerFor<T, F, P>> {
    const plan = this.planWrite('publish', { query: draftUnlessSaid(query), as }, documentId);
    const answer = await this.documents.unpublish(plan, writing(as, options));
    return JSON.parse(answer.data) as AnswerFor<T, F, P>;
  }

  /**
   * Puts the draft back to what is published, with `locale: '*'` in every locale that is; answers it. Throws
   * NotFoundError where nothing is published: a draft that never was is kept.
   */
  async discardDraft<const F extends FieldsFor<T> = '*', const P extends PopulateFor<T> = never>(
    documentId: string | null,
    query: WriteQueryFor<T, F, P> = {},
    { as = SYSTEM, ...options }: ServiceOptions = {},
  ): Promise<AnswerFor<T, F, P>> {
    const plan = this.planWrite('publish', { query: draftUnlessSaid(query), as }, documentId);
    const answer = await this.documents.discardDraft(plan, writing(as, options));
    return JSON.parse(answer.data) as AnswerFor<T, F, P>;
  }

  /**
   * Has one locale of a document published and unpublished when their time has come; answers all its times. A
   * time that is left out stays, null clears it. ValidationError for what is no time in UTC; NotFoundError
   * where there is no version in the locale; an Error where the application would never look for it.
   */
  // What its siblings take, and the times.
  // eslint-disable-next-line no-restricted-syntax
  async schedule(
    documentId: string | null,
    times: { readonly publishAt?: string | Date | null; readonly unpublishAt?: string | Date | null },
    query: VersionQueryFor<T> = {},
    { as = SYSTEM, ...options }: ServiceOptions = {},
  ): Promise<ContentSchedule> {
    const plan = this.planWrite('publish', { query, as }, documentId);
    return this.documents.schedules.write(plan, { data: times }, writing(as, options));
  }

  /** When one locale of a document is published and unpublished. NotFoundError as for `schedule`. */
  async findSchedule(
    documentId: string | null,
    query: VersionQueryFor<T> = {},
    { as = SYSTEM, ...options }: ServiceOptions = {},
  ): Promise<ContentSchedule> {
    const plan = this.planWrite('publish', { query, as }, documentId);
    return this.documents.schedules.read(plan, writing(as, options));
  }

  /** Takes both times of one locale of a document away. NotFoundError as for `schedule`. */
  async unschedule(
    documentId: string | null,
    query: VersionQueryFor<T> = {},
    { as = SYSTEM, ...options }: ServiceOptions = {},
  ): Promise<void> {
    const plan = this.planWrite('publish', { query, as }, documentId);
    await this.documents.schedules.clear(plan, writing(as, options));
  }
}

const writing = (caller: Caller, { em, ifMatch }: Pick<ServiceOptions, 'em' | 'ifMatch'>): WriteOptions => ({
  caller,
  ...(em === undefined ? {} : { em }),
  ...(ifMatch === undefined ? {} : { precondition: { match: parseTags(ifMatch), noneMatch: null } }),
});

/** Injection token of a content type's service, by `singularApiId`. */
export const getContentToken = (singularApiId: string): string => `ContentService:${singularApiId}`;

/**
 * Injects a content type's {@link ContentService}.
 *
 * @publicApi
 */
export const InjectContent = (singularApiId: ContentId): ParameterDecorator & PropertyDecorator =>
  Inject(getContentToken(singularApiId));
