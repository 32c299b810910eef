/**
 * Environment of the clients: a database, instances of the library in their own processes, and switches
 * between them.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { CacheMetrics } from '../../src/features/monitoring/snapshot.ts';
import type { Answered, Command } from './instance.ts';

const INSTANCE = fileURLToPath(new URL('./instance.ts', import.meta.url));
const FROM_SOURCE = fileURLToPath(new URL('../support/from-source.mjs', import.meta.url));
const underJest = process.env.JEST_WORKER_ID !== undefined;

export interface HttpAnswer {
  readonly status: number;
  readonly etag: string | null;
  /** `Content-Position`; null where the response has none. */
  readonly position: string | null;
  readonly body: string;
}

/** Options of a request. */
interface Sent {
  readonly known?: string | null;
  readonly position?: string | null;
  readonly body?: unknown;
}

/** An instance of the library, in a process of its own. */
export class Instance {
  readonly name: string;
  private readonly child: ChildProcess;
  private readonly url: URL;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });
  private readonly waiting = new Map<number, PromiseWithResolvers<unknown>>();
  private lastId = 0;

  private constructor(name: string, child: ChildProcess, url: URL) {
    this.name = name;
    this.child = child;
    this.url = url;
    child.on('message', ({ id, value, error }: Answered) => {
      const waiting = this.waiting.get(id);
      this.waiting.delete(id);
      if (error === null) waiting?.resolve(value);
      else waiting?.reject(new Error(error));
    });
  }

  static async start(
    name: string,
    of: {
      readonly databaseUrl: string;
      readonly adapter: string;
      readonly by: string;
      readonly replicas?: readonly string[];
    },
  ): Promise<Instance> {
    const loader = underJest ? ['--import', FROM_SOURCE] : [];
    const child = fork(INSTANCE, [of.databaseUrl, of.adapter, of.by, ...(of.replicas ?? [])], {
      execArgv: ['--no-warnings', ...loader],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [{ url }] = (await once(child, 'message')) as [{ url: string }];
    return new Instance(name, child, new URL(url));
  }

  /** Sends a command to the process, and returns its result. */
  ask(command: Command): Promise<unknown> {
    const waiting = Promise.withResolvers<unknown>();
    this.lastId += 1;
    this.waiting.set(this.lastId, waiting);
    this.child.send({ id: this.lastId, command });
    return waiting.promise;
  }

  metrics(): Promise<CacheMetrics> {
    return this.ask({ do: 'metrics' }) as Promise<CacheMetrics>;
  }

  http(method: string, path: string, { known, position, body }: Sent = {}): Promise<HttpAnswer> {
    const headers = {
      ...(known ? { 'if-none-match': known } : {}),
      ...(position ? { 'content-position': position } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const { hostname, port } = this.url;
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, method, path, headers, agent: this.agent }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            etag: response.headers.etag ?? null,
            position: (response.headers['content-position'] as string | undefined) ?? null,
            body: text,
          }),
        );
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  async close(): Promise<void> {
    this.agent.destroy();
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }
}

/** Proxy between clients and a server, so that another server can replace it under the same address. */
export class Switch {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private target: number;

  constructor(target: number) {
    this.target = target;
    this.server = createServer((client) => this.join(client));
  }

  /** The port that clients connect to. */
  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as { readonly port: number }).port;
  }

  /** Directs new connections to another server; open ones stay. */
  turn(target: number): void {
    this.target = target;
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.server.close();
  }

  private join(client: Socket): void {
    const server = connect({ port: this.target, host: '127.0.0.1', noDelay: true });
    client.setNoDelay(true);
    const pairs = [
      [client, server],
      [server, client],
    ] as const;
    for (const [one, other] of pairs) {
      this.sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
  }
}
