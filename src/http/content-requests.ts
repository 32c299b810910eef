import { Inject, Injectable } from '@nestjs/common';
import { Answer } from '../documents/answer.js';
import { Documents } from '../documents/documents.service.js';
import type { ContentSchedule } from '../documents/schedules.js';
import type { WriteOptions } from '../documents/write-options.js';
import type { ReadPlan } from '../plan/plan.js';
import type { Tags } from '../query/parse-tags.js';
import { hangupOf } from './connection.js';
import { askedOf, type Deed, type HttpRequest, stateOf } from './request-state.js';
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

  /**
   * Does what was planned for a request, on behalf of its caller, and answers it. Of a read that answers one
   * of the `known` tags there may be no body.
   */
  async perform(request: object, body?: unknown, known: Tags | null = null): Promise<Answer> {
    const { action, deed, plan, caller, precondition } = askedOf(request);
    const hangup = hangupOf(request);
    const options = { caller, hangup, precondition };
    if (deed !== null) return this.deeds[deed]({ plan, body, options });
    if (action === 'create') return this.documents.create(plan, body, { caller, hangup });
    if (action === 'update') return this.documents.update(plan, body, options);
    if (action === 'delete') {
      await this.documents.delete(plan, options);
      return Answer.NOTHING;
    }
    const answer = await this.documents.read(plan, { hangup, known });
    const { headers } = request as HttpRequest;
    if (caller.kind === 'public' && headers.authorization === undefined)
      stateOf(request).sharedMaxAge = this.documents.reads.sharedMaxAge(plan);
    this.unsent.admit(request as HttpRequest, answer.data);
    return answer;
  }
}
