import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** How long a request that is still being sent may take once the application stops, in milliseconds. */
const PATIENCE = 1000;

interface IncomingRequest {
  readonly complete: boolean;
  readonly socket: Socket;
}

interface Socket {
  destroy(): void;
  once(event: 'close', listener: () => void): unknown;
}

interface Server {
  on(event: 'request', listener: (request: IncomingRequest) => void): unknown;
}

/**
 * A body that never comes to its end keeps a stopping server alive. Requests that were sent whole are
 * answered first; the others have had their time.
 */
@Injectable()
export class HalfSentRequests implements OnModuleInit, BeforeApplicationShutdown {
  /** The latest request of each open connection. */
  private readonly latest = new Map<Socket, IncomingRequest>();

  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    // Applications without a server (command lines, tests of services) have none to look at.
    const server = this.host.httpAdapter?.getHttpServer() as Server | undefined;
    if (typeof server?.on !== 'function') return;
    server.on('request', (request) => {
      const { socket } = request;
      if (!this.latest.has(socket)) socket.once('close', () => this.latest.delete(socket));
      this.latest.set(socket, request);
    });
  }

  beforeApplicationShutdown(): void {
    setTimeout(() => {
      for (const { complete, socket } of this.latest.values()) if (!complete) socket.destroy();
    }, PATIENCE).unref();
  }
}
