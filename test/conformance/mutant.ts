/** Proxy between the runner and the library that changes responses, to prove that the runner notices. */
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Changes of requests and responses. */
export interface Mutation {
  readonly request?: (headers: Record<string, string>) => Record<string, string>;
  readonly reply?: (reply: Reply, method: string) => Reply;
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function forward(
  port: number,
  { url = '/', method = 'GET' }: IncomingMessage,
  { headers, text }: { headers: Record<string, string>; text: string },
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, path: url, method, headers }, (answer) => {
      void textOf(answer).then((body) => {
        const status = answer.statusCode ?? 0;
        resolve({ status, headers: answer.headers as Record<string, string>, text: body });
      }, reject);
    });
    sent.on('error', reject);
    sent.end(text === '' ? undefined : text);
  });
}

/** Printed by hand, because Node's server would drop the body of a HEAD and correct a length. */
const print = ({ status, headers, text }: Reply): string =>
  [
    `HTTP/1.1 ${status} Mutated`,
    ...Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`),
    '',
    text,
  ].join('\r\n');

export class Mutant {
  mutation: Mutation = {};
  private readonly server: Server;

  constructor(target: number) {
    this.server = createServer((request, response) => {
      const answer = async (): Promise<void> => {
        const headers = this.mutation.request?.(request.headers as Record<string, string>);
        const sent = {
          headers: headers ?? (request.headers as Record<string, string>),
          text: await textOf(request),
        };
        const reply = await forward(target, request, sent);
        const changed = this.mutation.reply?.(reply, request.method ?? 'GET') ?? reply;
        response.socket?.end(print(changed));
      };
      answer().catch((error: unknown) => response.destroy(error as Error));
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}
