/** Requests on keep-alive connections, signed in or not. */
import { Agent, request } from 'node:http';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly data?: unknown;
  /** Whole body, if it is more than `data`. */
  readonly body?: unknown;
  /** The signed-in person. */
  readonly caller?: string | null;
  readonly ifMatch?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface Reply {
  readonly status: number;
  readonly body: any;
  readonly etag: string | undefined;
  /** Whether it is the stored response of an earlier request. */
  readonly isReplayed: boolean;
}

export class Client {
  private readonly agent: Agent;
  private readonly base: URL;
  requests = 0;

  constructor(url: string, sockets = 8) {
    this.base = new URL(url);
    this.agent = new Agent({ keepAlive: true, maxSockets: sockets });
  }

  send({ method, path, data, body, caller = null, ...more }: Request): Promise<Reply> {
    this.requests += 1;
    const sent = body ?? (data === undefined ? undefined : { data });
    const payload = sent === undefined ? undefined : JSON.stringify(sent);
    const headers = {
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
      ...(caller === null ? {} : { authorization: `Bearer ${caller}` }),
      ...(more.ifMatch === undefined ? {} : { 'if-match': more.ifMatch }),
      ...(more.idempotencyKey === undefined ? {} : { 'idempotency-key': more.idempotencyKey }),
    };
    const { hostname: host, port } = this.base;
    return new Promise((resolve, reject) => {
      const outgoing = request({ host, port, agent: this.agent, method, path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const { statusCode: status = 0, headers: received } = response;
          const isReplayed = received['idempotency-replayed'] === 'true';
          resolve({ status, body: text === '' ? null : JSON.parse(text), etag: received.etag, isReplayed });
        });
      });
      outgoing.setTimeout(60_000, () => outgoing.destroy(new Error(`no response to ${method} ${path}`)));
      outgoing.on('error', reject);
      outgoing.end(payload);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
