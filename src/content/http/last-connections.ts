import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { type AbstractHttpAdapter, HttpAdapterHost } from '@nestjs/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { LinkedList, type Link } from '../../kernel/linked-list.js';

/** Milliseconds between two checks of a stopping server. */
const INTERVAL = 50;
/** Milliseconds in which a client may use an idle connection again, and finish a request that it began. */
const PATIENCE = 1000;
/** Milliseconds in which bodies that still arrive may end. Process managers allow 30 seconds in all. */
const MAX_ARRIVAL = 20_000;

interface IncomingRequest {
  readonly complete: boolean;
  readonly socket: { readonly bytesRead: number };
}

interface Response {
  shouldKeepAlive: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Request without a whole response. */
interface Exchange extends Link {
  readonly request: IncomingRequest;
  readonly response: Response;
}

interface Server {
  readonly listening: boolean;
  prependListener(
    event: 'request',
    listener: (request: IncomingRequest, response: Response) => void,
  ): unknown;
  once(event: 'close', listener: () => void): unknown;
  getConnections(callback: (error: Error | null, count: number) => void): unknown;
  /** Servers of HTTP/2 have no such thing. */
  closeAllConnections?(): void;
}

const isServer = (server: Partial<Server> | undefined): server is Server =>
  typeof server?.prependListener === 'function';

const hasConnections = (server: Server): Promise<boolean> =>
  new Promise((resolve) => server.getConnections((_error, count) => resolve(count > 0)));

/**
 * Connections of a stopping server. Every response closes its connection, so that a busy connection ends with
 * the request under way. When the server closes, Node resets idle connections, which loses a request in
 * transit. After a signal, the server therefore closes a second later. Connections without a whole request
 * (browsers open some in advance) are closed if no body arrives for another second.
 */
@Injectable()
export class LastConnections implements OnModuleInit, OnModuleDestroy, BeforeApplicationShutdown {
  /** A Map would keep closed ones until a full collection: 15 % of what minor collections keep of a POST. */
  private readonly open = new LinkedList<Exchange>();
  private server: Server | null = null;
  private stopping = false;

  constructor(
    @Inject(HttpAdapterHost)
    private readonly host: HttpAdapterHost<AbstractHttpAdapter<Partial<Server> | undefined>>,
  ) {}

  get isStopping(): boolean {
    return this.stopping;
  }

  onModuleInit(): void {
    // Applications without a server (command lines, tests of services) have no connections.
    const server = this.host.httpAdapter?.getHttpServer();
    if (!isServer(server)) return;
    this.server = server;
    // Before the framework, which sends some responses at once.
    server.prependListener('request', (request, response) => {
      const exchange: Exchange = { request, response, previous: null, next: null };
      this.open.add(exchange);
      response.once('close', () => this.open.delete(exchange));
      if (this.stopping) response.shouldKeepAlive = false;
    });
  }

  /** Runs first in a shutdown, before Nest waits for any `beforeApplicationShutdown`. */
  onModuleDestroy(): void {
    this.stopping = true;
    for (const { response } of this.open) response.shouldKeepAlive = false;
  }

  async beforeApplicationShutdown(signal?: string): Promise<void> {
    const { server } = this;
    if (server?.listening !== true) return;
    this.closeUnused(server);
    // Without a signal the host closes the application itself: it knows whether clients are left.
    if (signal === undefined) return;
    const end = performance.now() + PATIENCE;
    while (performance.now() < end && (await hasConnections(server))) await sleep(INTERVAL);
  }

  /** Closes all connections once the server is closed and no whole request is under way. */
  private closeUnused(server: Server): void {
    let [checks, arrived] = [0, 0];
    const end = performance.now() + MAX_ARRIVAL;
    const timer = setInterval(() => {
      const before = arrived;
      arrived = this.arrivedBytes;
      // Shutdown hooks of the host delay the end of listening, and requests are served until then.
      if (!server.listening) checks += 1;
      if (arrived > before && performance.now() < end) checks = 0;
      if (checks >= PATIENCE / INTERVAL && !this.isAnswering) server.closeAllConnections?.();
    }, INTERVAL).unref();
    server.once('close', () => clearInterval(timer));
  }

  /** Bytes of the requests whose bodies are not complete. */
  private get arrivedBytes(): number {
    return [...this.open].reduce(
      (sum, { request: { complete, socket } }) => sum + (complete ? 0 : socket.bytesRead),
      0,
    );
  }

  private get isAnswering(): boolean {
    return [...this.open].some(({ request }) => request.complete);
  }
}
