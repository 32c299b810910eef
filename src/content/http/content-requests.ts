import { Inject, Injectable } from '@nestjs/common';
import { ContentError } from '../../kernel/errors.js';
import { decide } from '../access/decide.js';
import { Database } from '../store/database.js';
import { Answer } from '../documents/answer.js';
import { DocumentHistory } from '../documents/document-history.js';
import { Documents } from '../documents/documents.service.js';
import type { ReadAction } from '../documents/hooks.js';
import type { ContentSchedule } from '../documents/schedules.js';
import { ReadHeaders } from '../documents/read-headers.js';
import { RequestKeys } from '../documents/request-keys.js';
import type { WriteOptions } from '../documents/write-options.js';
import type { ReadPlan } from '../plan/plan.js';
import { byDocumentId } from '../plan/plan-read.js';
import { MARK_HEADER, parseMark } from '../query/mark.js';
import { parseTags } from '../query/parse-tags.js';
import { CONTENT_SCHEMA, type Schema } from '../model/model.js';
import type { Handler, HistoryHandler } from '../model/routes.js';
import { parseRequestKey, REQUEST_KEY_HEADER } from '../query/request-key.js';
import { disconnectOf } from './connection.js';
import {
  type PlannedRequest,
  plannedRequestOf,
  type HttpRequest,
  isRead,
  queryOf,
  requestIdOf,
  stateOf,
  urlOf,
} from './request-state.js';
import { UnsentAnswers } from './unsent-answers.js';

interface WriteRequest {
  readonly plan: ReadPlan;
  readonly body: unknown;
  readonly options: WriteOptions;
  readonly text: string;
  /** Id of a stored version in the path. */
  readonly version: string | null;
}

type Perform = (request: WriteRequest) => Promise<Answer>;

/** Writes whose response can contain drafts, and documents after other actions than that of their route. */
const SHOW_MORE: readonly Handler[] = ['bulk', 'restoreVersion', 'restore'];

const scheduleAnswer = (schedule: ContentSchedule): Answer => new Answer(JSON.stringify(schedule));

@Injectable()
export class ContentRequests {
  private readonly keys: RequestKeys;

  constructor(
    @Inject(Documents) private readonly documents: Documents,
    @Inject(DocumentHistory) private readonly history: DocumentHistory,
    @Inject(UnsentAnswers) private readonly unsent: UnsentAnswers,
    @Inject(ReadHeaders) private readonly headers: ReadHeaders,
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(Database) database: Database,
  ) {
    this.keys = new RequestKeys(database);
  }

  private readonly writes: Readonly<Record<Exclude<Handler, 'find' | 'findOne'>, Perform>> = {
    create: ({ plan, body, options }) =>
      this.documents.create(plan, body, { ...options, precondition: null }),
    update: ({ plan, body, options }) => this.documents.update(plan, body, options),
    delete: ({ plan, options }) => this.documents.delete(plan, options).then(() => Answer.NOTHING),
    publish: ({ plan, options }) => this.documents.publish(plan, options),
    unpublish: ({ plan, options }) => this.documents.unpublish(plan, options),
    discardDraft: ({ plan, options }) => this.documents.discardDraft(plan, options),
    findSchedule: ({ plan, options }) => this.documents.schedules.read(plan, options).then(scheduleAnswer),
    schedule: ({ plan, body, options }) =>
      this.documents.schedules.write(plan, body, options).then(scheduleAnswer),
    unschedule: ({ plan, options }) =>
      this.documents.schedules.clear(plan, options).then(() => Answer.NOTHING),
    findTrash: this.ofHistory('findTrash'),
    findVersions: this.ofHistory('findVersions'),
    findVersion: this.ofHistory('findVersion'),
    compareVersion: this.ofHistory('compareVersion'),
    restoreVersion: this.ofHistory('restoreVersion'),
    restore: this.ofHistory('restore'),
    bulk: ({ plan: { type, format }, body, options, text }) =>
      this.documents.bulk.write(
        { type, format, text, body, byRoute: true },
        { ...options, precondition: null },
      ),
  };

  private ofHistory(handler: HistoryHandler): Perform {
    return ({ plan, options, text, version }) =>
      this.history.perform(handler, { plan, options, text, version });
  }

  perform(request: HttpRequest, body?: unknown): Promise<Answer> {
    const planned = plannedRequestOf(request);
    const { handler } = planned;
    return handler === 'find' || handler === 'findOne'
      ? this.read(request, planned, handler)
      : this.write(request, planned, { perform: this.writes[handler], body });
  }

  private async write(
    request: HttpRequest,
    planned: PlannedRequest,
    { perform, body }: { readonly perform: Perform; readonly body: unknown },
  ): Promise<Answer> {
    const { plan, caller, precondition } = planned;
    const disconnect = disconnectOf(request);
    const options = { caller, disconnect, precondition, requestId: requestIdOf(request) };
    const key = isRead(request) ? null : parseRequestKey(request.headers[REQUEST_KEY_HEADER.toLowerCase()]);
    const rest = { text: queryOf(request), version: request.params?.['version'] ?? null };
    if (key === null) return perform({ plan, body, options, ...rest });
    const content = [request.method, urlOf(request), body];
    const { schema } = this;
    const otherPlans = SHOW_MORE.includes(planned.handler) ? this.plansOf(planned, rest.text) : [];
    return this.keys.once({ key, schema, caller, plan, otherPlans, content, disconnect }, (em) =>
      perform({ plan, body, options: { ...options, em }, ...rest }),
    );
  }

  /** Returns the plans of documents after each action that the caller may do, and in each state. */
  private plansOf({ plan, caller }: PlannedRequest, text: string): readonly ReadPlan[] {
    const { type, format, documentId } = plan;
    const states = type.draftAndPublish ? [{ status: 'draft' }, { status: 'published' }] : [{}];
    const actions = (['create', 'update', 'publish'] as const).filter(
      (action) => decide(caller, type, action) !== 'none',
    );
    return actions.flatMap((action) => {
      const request = { type, kind: 'one', by: byDocumentId(documentId), caller, format, action } as const;
      return states.flatMap((state) => {
        try {
          return [this.documents.planText(text, request, (query) => ({ ...query, ...state }))];
        } catch (error) {
          // The query names what this action does not show, so no such write succeeds.
          if (error instanceof ContentError) return [];
          throw error;
        }
      });
    });
  }

  private async read(
    request: HttpRequest,
    { plan, caller }: PlannedRequest,
    action: ReadAction,
  ): Promise<Answer> {
    const { headers } = request;
    const since = parseMark(headers[MARK_HEADER.toLowerCase()]);
    const answer = await this.documents.read(plan, {
      disconnect: disconnectOf(request),
      since,
      by: { caller, action, requestId: requestIdOf(request) },
    });
    if (caller.kind === 'public' && headers.authorization === undefined)
      stateOf(request).sharedMaxAge = this.documents.reads.sharedMaxAge(plan);
    const subject = this.headers.isEmpty ? null : this.documents.reads.publishedSubject(plan);
    if (subject !== null) stateOf(request).headers = await this.headers.of(subject);
    const known = parseTags(headers['if-none-match']);
    const isSent = request.method !== 'HEAD' && answer.unlessKnown(known).head?.status !== 304;
    if (isSent) this.unsent.admit(request, answer.data);
    return answer;
  }
}
