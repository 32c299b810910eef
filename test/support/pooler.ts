/**
 * Minimal connection pooler. In transaction mode, each transaction runs on the server session that has been
 * idle longest. A client's prepared statements therefore soon meet another session.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { Client } from 'pg';

export interface PoolerOptions {
  readonly sessions?: number;
  mode?: 'transaction' | 'session';
  /** Refuses clients that send settings along with their start, as PgBouncer does by default. */
  readonly refusesSettings?: boolean;
}

const SSL_REQUEST = 80_877_103;
const CANCEL_REQUEST = 80_877_102;
const [QUERY, SYNC, TERMINATE, READY] = [...'QSXZ'].map((letter) => letter.charCodeAt(0));
const IDLE = 'I'.charCodeAt(0);
const HEADER = 5;

/** Server session and the client that uses it. */
interface Session {
  readonly stream: Socket;
  client: PooledClient | null;
  rest: Buffer;
}

/** Splits bytes into complete messages and the remaining bytes. */
function messagesOf(bytes: Buffer): { readonly messages: readonly Buffer[]; readonly rest: Buffer } {
  const messages: Buffer[] = [];
  let at = 0;
  while (bytes.length - at >= HEADER) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    if (end > bytes.length) break;
    messages.push(bytes.subarray(at, end));
    at = end;
  }
  return { messages, rest: bytes.subarray(at) };
}

const message = (type: string, ...parts: readonly (Buffer | string)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const head = Buffer.alloc(HEADER);
  head.write(type);
  head.writeInt32BE(body.length + HEADER - 1, 1);
  return Buffer.concat([head, body]);
};

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

class PooledClient {
  private isStarted = false;
  private rest: Buffer = Buffer.alloc(0);
  private waiting: Buffer[] = [];
  /** Number of requests that the server has not finished. */
  private open = 0;
  session: Session | null = null;
  isWaiting = false;

  constructor(
    private readonly socket: Socket,
    private readonly pooler: Pooler,
    private readonly id: number,
  ) {
    socket.on('data', (bytes: Buffer) => this.take(Buffer.concat([this.rest, bytes])));
    socket.on('error', () => undefined);
    socket.on('close', () => this.leave());
  }

  private take(bytes: Buffer): void {
    if (!this.isStarted) return this.start(bytes);
    const { messages, rest } = messagesOf(bytes);
    this.rest = rest;
    for (const each of messages) {
      this.pooler.count(each);
      if (each[0] === TERMINATE) return void this.socket.end();
      if (each[0] === SYNC || each[0] === QUERY) this.open += 1;
      this.waiting.push(each);
    }
    if (messages.length > 0) this.send();
  }

  private start(bytes: Buffer): void {
    if (bytes.length < 8) return void (this.rest = bytes);
    const code = bytes.readInt32BE(4);
    if (code === SSL_REQUEST) return void this.socket.write('N');
    if (code === CANCEL_REQUEST) return void this.socket.end();
    if (
      this.pooler.options.refusesSettings === true &&
      /\0(?:options|statement_timeout)\0/.test(String(bytes))
    ) {
      const fields = 'SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: options\0\0';
      return void this.socket.end(message('E', fields));
    }
    this.isStarted = true;
    this.rest = Buffer.alloc(0);
    this.socket.write(message('R', number(0)));
    this.socket.write(message('K', number(this.id), number(this.id)));
    this.socket.write(message('Z', 'I'));
  }

  /** Sends queued messages as soon as a session is free. */
  send(): void {
    if (this.session === null) this.pooler.claim(this);
    for (const each of this.session === null ? [] : this.waiting.splice(0)) this.session?.stream.write(each);
  }

  /** Forwards a message of the server to the client. */
  receive(each: Buffer): void {
    this.socket.write(each);
    if (each[0] !== READY) return;
    this.open -= 1;
    if (this.pooler.options.mode === 'session' || this.open > 0 || each[HEADER] !== IDLE) return;
    this.pooler.release(this);
  }

  private leave(): void {
    this.pooler.leave(this);
    if (this.session !== null) this.session.stream.destroy();
    this.session = null;
  }
}

export class Pooler {
  private readonly server: Server;
  private readonly clients = new Set<Socket>();
  private idle: Session[] = [];
  private readonly queue: PooledClient[] = [];
  private nextId = 1_000_000_000;
  /** Number of Close messages, and the texts of simple queries and Parse messages. */
  closed = 0;
  readonly texts: string[] = [];

  private constructor(
    private readonly target: string,
    readonly options: PoolerOptions,
  ) {
    this.server = createServer((socket) => {
      this.clients.add(socket);
      socket.on('close', () => this.clients.delete(socket));
      new PooledClient(socket, this, (this.nextId += 1));
    });
  }

  static async start(target: string, options: PoolerOptions = {}): Promise<Pooler> {
    const pooler = new Pooler(target, options);
    await new Promise<void>((done) => pooler.server.listen(0, '127.0.0.1', done));
    for (let i = 0; i < (options.sessions ?? 4); i += 1) await pooler.connect();
    return pooler;
  }

  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as { port: number }).port);
    return url.href;
  }

  /** Opens a server session with the driver and takes over its socket. */
  private async connect(): Promise<void> {
    const client = new Client({ connectionString: this.target });
    await client.connect();
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    stream.removeAllListeners();
    const session: Session = { stream, client: null, rest: Buffer.alloc(0) };
    stream.on('error', () => undefined);
    stream.on('data', (bytes: Buffer) => {
      const { messages, rest } = messagesOf(Buffer.concat([session.rest, bytes]));
      session.rest = rest;
      for (const each of messages) session.client?.receive(each);
    });
    // Replaces a session whose client disconnected within a transaction.
    stream.on('close', () => {
      if (this.server.listening) void this.connect();
    });
    this.offer(session);
  }

  private offer(session: Session): void {
    session.client = null;
    this.idle.push(session);
    const next = this.queue.shift();
    if (next === undefined) return;
    next.isWaiting = false;
    next.send();
  }

  claim(client: PooledClient): void {
    const session = this.idle.shift();
    if (session === undefined) {
      if (!client.isWaiting) this.queue.push(client);
      client.isWaiting = true;
      return;
    }
    session.client = client;
    client.session = session;
  }

  release(client: PooledClient): void {
    const { session } = client;
    client.session = null;
    if (session !== null) this.offer(session);
  }

  leave(client: PooledClient): void {
    const at = this.queue.indexOf(client);
    if (at >= 0) this.queue.splice(at, 1);
  }

  count(each: Buffer): void {
    const type = String.fromCharCode(each[0] ?? 0);
    if (type === 'C') this.closed += 1;
    if (type === 'Q' || type === 'P') this.texts.push(String(each.subarray(HEADER)));
  }

  async close(): Promise<void> {
    const closed = new Promise((done) => this.server.close(done));
    for (const socket of this.clients) socket.destroy();
    for (const { stream } of this.idle) stream.destroy();
    await closed;
  }
}
