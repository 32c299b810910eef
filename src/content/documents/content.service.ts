import { SYSTEM } from '../access/caller.js';
import { decide } from '../access/decide.js';
import type { Action } from '../access/actions.js';
import { ContentError, forbidden } from '../../kernel/errors.js';
import { checkedAs, isListOf, isNullOr } from '../../kernel/json.js';
import type { ReadPlan } from '../plan/plan.js';
import { byDocumentId, type ReadRequest } from '../plan/plan-read.js';
import { withDraftByDefault } from '../query/read-raw.js';
import type { ContentType } from '../model/model.js';
import type { DocumentFields } from '../../types/document-of.js';
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
} from '../../types/face.js';
import type { Answer, PaginationMeta } from './answer.js';
import { isDocument } from './document-id.js';
import type { Documents } from './documents.service.js';
import type { ContentSchedule } from './schedules.js';
import {
  type ServiceRequest,
  type BulkItemFor,
  type ReadVersion,
  type ServiceOptions,
  refuseOptions,
  writing,
} from './service-options.js';

/** Returns the document of a response, whose type the query has determined. */
const documentOf = <T extends Subject, F extends FieldsFor<T>, P extends PopulateFor<T>>({
  data,
}: Answer): AnswerFor<T, F, P> => JSON.parse(data) as AnswerFor<T, F, P>;

/**
 * Documents of one content type, under the same rules as over HTTP. Inject it with
 * `@InjectContent('article') articles: ContentService<Article>`.
 *
 * `find` returns `{ data, meta }`, every other method the document itself. A single type takes `null` as
 * `documentId`. `query` selects the response with `fields`, `populate`, `status`, `locale` …, as in a query
 * string.
 *
 * Errors of the REST API are thrown as a {@link ContentError} with the same name, status and details:
 * - ValidationError: invalid data or query
 * - ForbiddenError: the caller in `as` has no permission
 * - NotFoundError: no such document
 * - ConflictError: concurrent transactions keep changing the version
 *
 * @publicApi
 */
export class ContentService<T extends Subject = DocumentFields> {
  constructor(
    private readonly documents: Documents,
    private readonly type: ContentType,
  ) {}

  private plan(
    action: Action,
    { query, as }: ServiceRequest,
    what: Pick<ReadRequest, 'kind' | 'by'>,
  ): ReadPlan {
    refuseOptions(query);
    if (decide(as, this.type, action) === 'none') throw forbidden();
    return this.documents.plan(
      this.type,
      { ...query },
      {
        ...what,
        action,
        caller: as,
        format: 'flat',
      },
    );
  }

  private planWrite(action: Action, request: ServiceRequest, documentId: string | null): ReadPlan {
    return this.plan(action, request, { kind: 'one', by: byDocumentId(documentId) });
  }

  /**
   * Returns a page of documents with its `meta`; 25 documents unless `pagination` sets another size (protocol
   * 1.1, 7.13).
   */
  async find<const F extends FieldsFor<T> = '*', const P extends PopulateFor<T> = never>(
    query: ListQueryFor<T, F, P> = {},
    { as = SYSTEM, em }: ServiceOptions = {},
  ): Promise<{ data: AnswerFor<T, F, P>[]; meta: { pagination?: PaginationMeta } }> {
    const plan = this.plan('find', { query, as }, { kind: 'list', by: null });
    const by = { caller: as, action: 'find', requestId: null } as const;
    const { data, meta } = await this.documents.read(plan, { by, em });
    return { data: JSON.parse(data) as AnswerFor<T, F, P>[], meta };
  }

  /** Returns one document, or null if it has no version in the requested status and locale. */
  async findOne<const F extends FieldsFor<T> = '*', const P extends PopulateFor<T> = never>(
    documentId: string | null,
    query: OneQueryFor<T, F, P> = {},
    options: ServiceOptions = {},
  ): Promise<AnswerFor<T, F, P> | null> {
    return (await this.findVersion<F, P>(documentId, query, options))?.data ?? null;
  }

  /** Returns one document with its ETag, for a later write with `ifMatch`; null as for `findOne`. */
  async findVersion<const F extends FieldsFor<T> = '*', const P extends PopulateFor<T> = never>(
    documentId: string | null,
    query: OneQueryFor<T, F, P> = {},
    { as = SYSTEM, em }: ServiceOptions = {},
  ): Promise<ReadVersion<AnswerFor<T, F, P>> | null> {
    const action = this.type.kind === 'singleType' ? 'find' : 'findOne';
    try {
      const plan = this.plan(action, { query, as }, { kind: 'one', by: byDocumentId(documentId) });
      const by = { caller: as, action, requestId: null } as const;
      const answer = await this.documents.read(plan, { by, em });
      return { data: documentOf<T, F, P>(answer), etag: answer.head?.headers['ETag'] ?? '' };
    } catch (error) {
      if (error instanceof ContentError && error.name === 'NotFoundError') return null;
      throw error;
    }
  }

  /** Returns the number of documents that match `filters`, `_q`, `status` and `locale`. */
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

  /** Creates a document, and publishes it unless `status: 'draft'` (protocol 8.4). */
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
    return documentOf<T, F, P>(answer);
  }

  /**
   * Changes the attributes in `data` only; publishes unless `status: 'draft'` (protocol D4, 8.5). Creates an
   * absent single type (10.2), and an absent version in the `locale` of the query (9.6).
   */
  // The signature matches the other methods; an object of two parameters would have no name.
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
    return documentOf<T, F, P>(answer);
  }

  /**
   * Deletes the draft and the published version of one locale, or of all with `locale: '*'`. An absent
   * document is not an error (protocol 8.7, 9.8).
   */
  async delete(
    documentId: string | null,
    query: VersionQueryFor<T> = {},
    { as = SYSTEM, ...options }: ServiceOptions = {},
  ): Promise<void> {
    await this.documents.delete(this.planWrite('delete', { query, as }, documentId), writing(as, options));
  }

  /**
   * Publishes the draft and returns the published version. `locale: '*'` publishes every locale of the
   * document, all or none. Throws NotFoundError if the locale has no version, and a ValidationError that
   * lists what the draft lacks (protocol 8.12, 8.24).
   */
  async publish<const F extends FieldsFor<T> = '*', const P extends PopulateFor<T> = never>(
    documentId: string | null,
    query: WriteQueryFor<T, F, P> = {},
    { as = SYSTEM, ...options }: ServiceOptions = {},
  ): Promise<AnswerFor<T, F, P>> {
    const plan = this.planWrite('publish', { query, as }, documentId);
    const answer = await this.documents.publish(plan, writing(as, options));
    return documentOf<T, F, P>(answer);
  }

  /**
   * Deletes the published version of one locale, or of all with `locale: '*'`, and returns the draft. Does
   * nothing if no version is published.
   */
  async unpublish<const F extends FieldsFor<T> = '*', const P extends PopulateFor<T> = never>(
    documentId: string | null,
    query: WriteQueryFor<T, F, P> = {},
    { as = SYSTEM, ...options }: ServiceOptions = {},
  ): Promise<AnswerFor<T, F, P>> {
    const plan = this.planWrite('publish', { query: withDraftByDefault(query), as }, documentId);
    const answer = await this.documents.unpublish(plan, writing(as, options));
    return documentOf<T, F, P>(answer);
  }

  /**
   * Resets the draft to the published version, with `locale: '*'` in every published locale, and returns it.
   * Throws NotFoundError if nothing is published, so that no unpublished draft is lost.
   */
  async discardDraft<const F extends FieldsFor<T> = '*', const P extends PopulateFor<T> = never>(
    documentId: string | null,
    query: WriteQueryFor<T, F, P> = {},
    { as = SYSTEM, ...options }: ServiceOptions = {},
  ): Promise<AnswerFor<T, F, P>> {
    const plan = this.planWrite('publish', { query: withDraftByDefault(query), as }, documentId);
    const answer = await this.documents.discardDraft(plan, writing(as, options));
    return documentOf<T, F, P>(answer);
  }

  /**
   * Schedules the publishing and unpublishing of one locale, and returns its schedule. An omitted time stays,
   * null clears it. Throws ValidationError for an invalid UTC time, NotFoundError if the locale has no
   * version, and an Error if scheduling is off.
   */
  // The signature matches the other methods.
  // eslint-disable-next-line no-restricted-syntax
  async schedule(
    documentId: string | null,
    times: { readonly publishAt?: string | Date | null; readonly unpublishAt?: string | Date | null },
    query: VersionQueryFor<T> = {},
    { as = SYSTEM, em }: Pick<ServiceOptions, 'as' | 'em'> = {},
  ): Promise<ContentSchedule> {
    const plan = this.planWrite('publish', { query, as }, documentId);
    return this.documents.schedules.write(plan, { data: times }, writing(as, { em }));
  }

  /**
   * Writes several documents in one transaction, all or none, and returns the id of each; null for a deleted
   * one. Throws the error of the single write, with the `index` of the item in its details.
   */
  async bulk(
    items: readonly BulkItemFor<T>[],
    { as = SYSTEM, em }: Pick<ServiceOptions, 'as' | 'em'> = {},
  ): Promise<readonly (Pick<DocumentFields, 'documentId'> | null)[]> {
    const body = { data: items };
    const request = { type: this.type, format: 'flat', text: '', body, byRoute: false } as const;
    const { data } = await this.documents.bulk.write(request, writing(as, { em }));
    return checkedAs(JSON.parse(data), isListOf(isNullOr(isDocument)), 'The results of a bulk');
  }

  /** Returns the schedule of one locale of a document. Throws NotFoundError as `schedule` does. */
  async findSchedule(
    documentId: string | null,
    query: VersionQueryFor<T> = {},
    { as = SYSTEM, em }: Pick<ServiceOptions, 'as' | 'em'> = {},
  ): Promise<ContentSchedule> {
    const plan = this.planWrite('publish', { query, as }, documentId);
    return this.documents.schedules.read(plan, writing(as, { em }));
  }

  /** Clears both times of one locale of a document. Throws NotFoundError as `schedule` does. */
  async unschedule(
    documentId: string | null,
    query: VersionQueryFor<T> = {},
    { as = SYSTEM, em }: Pick<ServiceOptions, 'as' | 'em'> = {},
  ): Promise<void> {
    const plan = this.planWrite('publish', { query, as }, documentId);
    await this.documents.schedules.clear(plan, writing(as, { em }));
  }
}
