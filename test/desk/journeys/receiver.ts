import type { IncomingMessage, ServerResponse } from 'node:http';
import { LocalServer } from '../../support/local-server.ts';

/** Receiver of webhooks; `status` is its response. */
export class Receiver extends LocalServer {
  status = 200;
  received = 0;

  protected respond(_text: string, _request: IncomingMessage, response: ServerResponse): void {
    this.received += 1;
    response.writeHead(this.status).end();
  }
}
