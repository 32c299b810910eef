import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** HTTP server of a test on a free port of this machine. It responds when it has the whole body. */
export abstract class LocalServer {
  /** Address after the start. */
  url = '';
  private readonly server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => this.respond(Buffer.concat(parts).toString(), request, response));
  });

  protected abstract respond(text: string, request: IncomingMessage, response: ServerResponse): void;

  async start(): Promise<void> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    this.url = `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
