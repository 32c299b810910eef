import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** How often is looked whether anything is answered still once the application stops, in milliseconds. */
const LOOK = 250;
/** How many looks connections have after the server takes no others. */
const PATIENCE = 4;

interface IncomingRequest {
  /** Whether all of it has arrived. */
  readonly complete: boolean;
}

interface Response {
  once(event: 'close', listener: () => void): unknown;
}

interface Server {
  readonly listening: boolean;
  on(event: 'request', listener: (request: IncomingRequest, response: Response) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  /** Servers of HTTP/2 have no such thing. */
  closeAllConnections?(): void;
}

/**
 * A connection that says nothing, as browsers open them in advance, or never comes to the end of its request,
 * keeps a stopping server alive for a minute. Requests that were sent whole are answered first; the others
 * have a second.
 */
@Injectable()
export class LastConnections implements OnModuleInit, BeforeApplicationShutdown {
  private readonly open = new Set<IncomingRequest>();
  private server: Server | null = null;

  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    // Applications without a server (command lines, tests of services) have none to look at.
    const server = this.host.httpAdapter?.getHttpServer() as Server | undefined;
    if (typeof server?.on !== 'function') return;
    this.server = server;
    server.on('request', (request, response) => {
      this.open.add(request);
      response.once('close', () => this.open.delete(request));
    });
  }

  beforeApplicationShutdown(): void {
    const { server } = this;
    if (server?.listening !== true) return;
    let looks = 0;
    const timer = setInterval(() => {
      // Until then, hooks of the host's may take their time while requests are answered as ever.
      if (!server.listening) looks += 1;
      if (looks >= PATIENCE && !this.isAnswering) server.closeAllConnections?.();
    }, LOOK).unref();
    server.once('close', () => clearInterval(timer));
  }

  private get isAnswering(): boolean {
    return [...this.open].some(({ complete }) => complete);
  }
}
