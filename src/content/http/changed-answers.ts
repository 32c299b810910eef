import { Inject, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { rawOf } from './request-state.js';

interface NodeResponse {
  once(event: 'finish', listener: () => void): unknown;
}

/** Number of responses that are compared, since interceptors of an application usually apply to all. */
const MOST_COMPARED = 20;

/** Warns once if code of the application has changed the text of a content response. */
@Injectable()
export class ChangedAnswers {
  private readonly logger = new Logger('ContentApi');
  private left = MOST_COMPARED;

  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  /** Compares the length of a response, once it is sent, with that of its text. */
  compare(response: object, text: string): void {
    if (this.left <= 0) return;
    this.left -= 1;
    const node: Partial<NodeResponse> = rawOf(response);
    node.once?.('finish', () => {
      const length: unknown = this.header(response, 'Content-Length');
      const isEncoded = this.header(response, 'Content-Encoding') !== undefined;
      if (length === undefined || isEncoded || Number(length) === Buffer.byteLength(text)) return;
      if (this.left >= 0) this.warn();
      this.left = -1;
    });
  }

  private header(response: object, name: string): unknown {
    return this.host.httpAdapter.getHeader(response, name);
  }

  private warn(): void {
    this.logger.warn(
      'An interceptor of the application changes content responses, which are JSON text. To leave them as they ' +
        'are, return next.handle() if isContentRoute(context)',
    );
  }
}
