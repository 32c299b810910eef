import { Inject, Injectable } from '@nestjs/common';
import { Answer } from '../documents/answer.js';
import { Documents } from '../documents/documents.service.js';
import type { ContentSchedule } from '../documents/schedules.js';
import type { WriteOptions } from '../documents/write-options.js';
import type { ReadPlan } from '../plan/plan.js';
import { MARK_HEADER, parseMark } from '../query/mark.js';
import { hangupOf } from './connection.js';
import { type Asked, askedOf, type Deed, type HttpRequest, stateOf } from './request-state.js';
import { UnsentAnswers } from './unsent-answers.js';

/** What a deed is done with. */
interface DeedRequest {
  readonly plan: ReadPlan;
  readonly body: unknown;
  readonly options: WriteOptions;
}

const shown = (schedule: ContentSchedule): Answer => new Answer(JSON.stringify(schedule));

/** Does what content requests ask for: the one path of all handlers. */
@Injectable()
export class ContentRequests {
  constructor(
    @Inject(Documents) private readonly documents: Documents,
    @Inject(UnsentAnswers) private readonly unsent: UnsentAnswers,
  ) {}

  private readonly deeds: Readonly<Record<Deed, (request: DeedRequest) => Promise<Answer>>> = {
    publish: ({ plan, options }) => this.documents.publish(plan, options),
    unpublish: ({ plan, options }) => this.documents.unpublish(plan, options),
    discardDraft: ({ plan, options }) => this.documents.discardDraft(plan, options),
    findSchedule: ({ plan, options }) => this.documents.schedules.read(plan, options).then(shown),
    schedule: ({ plan, body, options }) => this.documents.schedules.write(plan, body, options).then(shown),
    unschedule: ({ plan, options }) =>
      this.documents.schedules.clear(plan, options).then(() => Answer.NOTHING),
  };

  /** Does what was planned for a request, on behalf of its caller, and answers it. */
  perform(request: object, body?: unknown): Promise<Answer> {
    const asked = askedOf(request);
    const reads = asked.deed === null && (asked.action === 'find' || asked.action === 'findOne');
    return reads ? this.read(request as HttpRequest, asked) : this.write(request, asked, body);
  }

  private async write(request: object, asked: Asked, body: unknown): Promise<Answer> {
    const { action, deed, plan, caller, precondition } = asked;
    const hangup = hangupOf(request);
    const options = { caller, hangup, precondition };
    if (deed !== null) return this.deeds[deed]({ plan, body, options });
    if (action === 'create') return this.documents.create(plan, body, { caller, hangup });
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
