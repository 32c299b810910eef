import { Inject, Injectable } from '@nestjs/common';
import { LinkedList, type Link } from '../../kernel/linked-list.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { unavailable } from '../../kernel/errors.js';
import { type HttpRequest, rawOf, stateOf } from './request-state.js';

/** Minimum size in characters; smaller responses fit into socket buffers. */
const LARGE = 64 * 1024;

interface UnsentAnswer extends Link {
  readonly response: NodeResponse;
  readonly size: number;
  readonly since: number;
}

interface NodeResponse {
  readonly closed?: boolean;
  once(event: 'close', listener: () => void): unknown;
  destroy(): void;
}

/**
 * Limit for large responses in transit, so that slow clients cannot exhaust the memory. At the limit, the
 * responses that take longest lose their connection. If none is older than the statement timeout, the new
 * response becomes a 503.
 */
@Injectable()
export class UnsentAnswers {
  private readonly unsent = new LinkedList<UnsentAnswer>();
  private size = 0;

  constructor(@Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings) {}

  /** Registers a response. Throws ServiceUnavailableError at the limit. */
  admit(request: HttpRequest, text: string): void {
    if (text.length < LARGE) return;
    const response = responseOf(request);
    // A closed response never emits "close" again.
    if (response === null || response.closed === true) return;
    const { unsentBytes } = this.settings.load;
    this.makeRoom(unsentBytes - text.length);
    if (this.size + text.length > unsentBytes) {
      throw unavailable(
        `Too many large responses are being sent (limit "load.unsentBytes": ${unsentBytes})`,
        {
          limit: 'load.unsentBytes',
          allowed: unsentBytes,
        },
      );
    }
    const item: UnsentAnswer = {
      response,
      size: text.length,
      since: performance.now(),
      previous: null,
      next: null,
    };
    this.unsent.add(item);
    this.size += item.size;
    response.once('close', () => this.drop(item));
  }

  private makeRoom(allowed: number): void {
    const patience = performance.now() - this.settings.limits.statementTimeout;
    for (const item of this.unsent) {
      if (this.size <= allowed || item.since > patience) return;
      this.drop(item);
      item.response.destroy();
    }
  }

  private drop(item: UnsentAnswer): void {
    if (item.previous !== null) this.size -= item.size;
    this.unsent.delete(item);
  }
}

const isResponse = (raw: Partial<NodeResponse>): raw is NodeResponse => typeof raw.once === 'function';

function responseOf(request: HttpRequest): NodeResponse | null {
  const { response } = stateOf(request);
  const raw: Partial<NodeResponse> = response === undefined ? {} : rawOf(response);
  return isResponse(raw) ? raw : null;
}
