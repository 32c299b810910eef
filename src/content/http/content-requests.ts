import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../store/database.js';
import { Answer } from '../documents/answer.js';
import { Documents } from '../documents/documents.service.js';
import type { ContentSchedule } from '../documents/schedules.js';
import { RequestKeys } from '../documents/request-keys.js';
import type { WriteOptions } from '../documents/write-options.js';
import type { ReadPlan } from '../plan/plan.js';
import { MARK_HEADER, parseMark } from '../query/mark.js';
import { parseRequestKey, REQUEST_KEY_HEADER } from '../query/request-key.js';
import { hangupOf } from './connection.js';
import { type Asked, askedOf, type Deed, type HttpRequest, isRead, stateOf, urlOf } from './request-state.js';
import { UnsentAnswers } from './unsent-answers.js';

interface DeedRequest {
  readonly plan: ReadPlan;
  readonly body: unknown;
  readonly options: WriteOptions;
}

const shown = (schedule: ContentSchedule): Answer => new Answer(JSON.stringify(schedule));

/** Executes content requests; all handlers call it. */
@Injectable()
export class ContentRequests {
  private readonly keys: RequestKeys;

  constructor(
    @Inject(Documents) private readonly documents: Documents,
    @Inject(UnsentAnswers) private readonly unsent: UnsentAnswers,
    @Inject(Database) database: Database,
  ) {
    this.keys = new RequestKeys(database);
  }

  private readonly deeds: Readonly<Record<Deed, (request: DeedRequest) => Promise<Answer>>> = {
    publish: ({ plan, options }) => this.documents.publish(plan, options),
    unpublish: ({ plan, options }) => this.documents.unpublish(plan, options),
    discardDraft: ({ plan, options }) => this.documents.discardDraft(plan, options),
    findSchedule: ({ plan, options }) => this.documents.schedules.read(plan, options).then(shown),
    schedule: ({ plan, body, options }) => this.documents.schedules.write(plan, body, options).then(shown),
    unschedule: ({ plan, options }) =>
      this.documents.schedules.clear(plan, options).then(() => Answer.NOTHING),
  };

  /** Runs the planned request of its caller and returns the response. */
  perform(request: object, body?: unknown): Promise<Answer> {
    const asked = askedOf(request);
    const reads = asked.deed === null && (asked.action === 'find' || asked.action === 'findOne');
    return reads ? this.read(request as HttpRequest, asked) : this.write(request as HttpRequest, asked, body);
  }

  private async write(request: HttpRequest, asked: Asked, body: unknown): Promise<Answer> {
    const { plan, caller, precondition } = asked;
    const hangup = hangupOf(request);
    const deed = { plan, body, options: { caller, hangup, precondition } };
    const key = isRead(request) ? null : parseRequestKey(request.headers[REQUEST_KEY_HEADER.toLowerCase()]);
    if (key === null) return this.run(asked, deed);
    const content = [request.method, urlOf(request), body];
    return this.keys.once({ key, caller, plan, content, hangup }, (em) =>
      this.run(asked, { ...deed, options: { ...deed.options, em } }),
    );
  }

  private async run({ action, deed }: Asked, request: DeedRequest): Promise<Answer> {
    if (deed !== null) return this.deeds[deed](request);
    const { plan, body, options } = request;
    if (action === 'create') return this.documents.create(plan, body, { ...options, precondition: null });
    if (action === 'update') return this.documents.update(plan, body, options);
    await this.documents.delete(plan, options);
    return Answer.NOTHING;
  }

  private async read(request: HttpRequest, { plan, caller }: Asked): Promise<Answer> {
    const { headers } = request;
    const since = parseMark(headers[MARK_HEADER.toLowerCase()]);
    const answer = await this.documents.read(plan, { hangup: hangupOf(request), since });
    if (caller.kind === 'public' && headers.authorization === undefined)
      stateOf(request).sharedMaxAge = this.documents.reads.sharedMaxAge(plan);
    this.unsent.admit(request, answer.data);
    return answer;
  }
}
