import { Inject, Injectable } from '@nestjs/common';
import { LinkedList, type Link } from '../database/linked-list.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../settings.js';
import { unavailable } from '../errors.js';
import { type HttpRequest, stateOf } from './request-state.js';

/** Smaller answers fit into the buffers of the system. */
const LARGE = 64 * 1024;

/** An answer that its client has not taken whole. */
interface Unsent extends Link {
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
 * Large answers on their way, all together: clients that ask for much and read slowly must not fill the
 * memory. Where there is no room, those who have had the longest time lose their connection; where nobody had
 * long, the new answer is a 503.
 */
@Injectable()
export class UnsentAnswers {
  private readonly unsent = new LinkedList<Unsent>();
  private size = 0;

  constructor(@Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings) {}

  /** Takes note of an answer's text. Throws ServiceUnavailableError where it would be too much. */
  admit(request: HttpRequest, text: string): void {
    if (text.length < LARGE) return;
    const response = responseOf(request);
    // Who has gone takes nothing, and will not say so again.
    if (response === null || response.closed === true) return;
    const { unsentBytes } = this.settings.load;
    this.makeRoom(unsentBytes - text.length);
    if (this.size + text.length > unsentBytes) {
      throw unavailable(`Too many answers are being sent (limit "load.unsentBytes": ${unsentBytes})`, {
        limit: 'load.unsentBytes',
        allowed: unsentBytes,
      });
    }
    const item: Unsent = {
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

  private drop(item: Unsent): void {
    if (item.previous !== null) this.size -= item.size;
    this.unsent.delete(item);
  }
}

/** Node's own response, whatever the framework has put around it. */
function responseOf(request: HttpRequest): NodeResponse | null {
  const { response } = stateOf(request);
  const raw = (response as { readonly raw?: unknown } | undefined)?.raw ?? response;
  return typeof (raw as NodeResponse | undefined)?.once === 'function' ? (raw as NodeResponse) : null;
}
