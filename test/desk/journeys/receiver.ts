import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Receiver of webhooks; `status` is its response. */
export class Receiver {
  status = 200;
  received = 0;
  url = '';
  private readonly server: Server = createServer((request, response) => {
    request.resume().on('end', () => {
      this.received += 1;
      response.writeHead(this.status).end();
    });
  });

  async start(): Promise<void> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    this.url = `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
