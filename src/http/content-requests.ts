import { Inject, Injectable } from '@nestjs/common';
import { Answer } from '../documents/answer.js';
import { Documents } from '../documents/documents.service.js';
import { hangupOf } from './connection.js';
import { askedOf, type HttpRequest } from './request-state.js';
import { UnsentAnswers } from './unsent-answers.js';

/** Does what content requests ask for: the one path of all handlers. */
@Injectable()
export class ContentRequests {
  constructor(
    @Inject(Documents) private readonly documents: Documents,
    @Inject(UnsentAnswers) private readonly unsent: UnsentAnswers,
  ) {}

  /** Does what was planned for a request, on behalf of its caller, and answers it. */
  async perform(request: object, body?: unknown): Promise<Answer> {
    const { action, deed, plan, caller } = askedOf(request);
    const hangup = hangupOf(request);
    if (deed !== null) return this.documents[deed](plan, { caller, hangup });
    if (action === 'create' || action === 'update')
      return this.documents[action](plan, body, { caller, hangup });
    if (action === 'delete') {
      await this.documents.delete(plan, { caller, hangup });
      return Answer.NOTHING;
    }
    const answer = await this.documents.read(plan, hangup);
    this.unsent.admit(request as HttpRequest, answer.data);
    return answer;
  }
}
