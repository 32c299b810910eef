/**
 * PostgreSQL server, pool and connections of node-postgres for tests. It reads the bytes that the library
 * sends, answers with the rows or errors of a script, and needs the fake clock.
 */
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import type { Pool, PoolClient, QueryConfig } from '../../src/pool/pool-types.ts';
import type { Row } from '../../src/pool/runner.ts';
import { decode, type Message } from './wire-messages.ts';

/** Result of a statement: rows, an error of the server, or one of these that takes time. */
export type Reply = readonly Row[] | Error | Slow;

interface Slow {
  /** Milliseconds; infinite for a statement that ends only by cancellation. */
  readonly after: number;
  readonly reply: Reply;
  /** Whether a cancel request ends it. */
  readonly cancellable: boolean;
}

/** The statement COMMIT; BEGIN has the word in its text, too. */
export const COMMIT = /^commit$/;

export const slow = (after: number, reply: Reply = []): Slow => ({ after, reply, cancellable: true });
export const hanging = slow(Number.POSITIVE_INFINITY);
/** Statement that a cancel request does not end. */
export const stuck: Slow = { ...hanging, cancellable: false };

/** Error that the server sends. A fatal one ends the connection. */
export const refusal = (code: string, message: string, severity: 'ERROR' | 'FATAL' = 'ERROR'): Error =>
  Object.assign(new Error(message), { code, severity });
/** Script entry for a connection that is lost while the statement runs. */
export const lost = new Error('Connection terminated unexpectedly');

const CANCELLED = refusal('57014', 'canceling statement due to user request');

/** Statement that the server has run, or was running when the connection was lost. */
export interface Executed {
  readonly connection: number;
  /** Empty for an unnamed statement. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Reply, or a function that returns it for the values of a statement. */
type Script = Reply | ((...values: readonly unknown[]) => Reply);

interface Rule {
  /** Part of the statement's text. */
  readonly text: string | RegExp;
  readonly reply: Script;
  readonly once: boolean;
}

/** Replies to statements of the library itself. */
const DEFAULT_RULES: readonly Rule[] = [
  ['pg_xact_status', []],
  ['pg_current_xact_id', [{ xid: '7', started: '2026-01-01', server: '1' }]],
  ['pg_backend_pid() =', [{ own: true }]],
].map(([text, reply]) => ({ text, reply, once: false }) as Rule);

/** The network of the process. Suites run one after another, so no fake is installed when this module loads. */
const realConnect = net.connect;

function restoreNetwork(): void {
  net.connect = realConnect;
  syncBuiltinESMExports();
}

export class FakeServer {
  /** Milliseconds between the sending of statements and their execution. */
  latency = 1;
  /** Error of new connections; null while the server accepts them. */
  refuses: Error | null = null;
  /** Whether cancel requests reach the server. */
  acceptsCancel = true;
  /** Executed statements, in order. */
  readonly executed: Executed[] = [];
  /** Texts of each write to a socket, in order. */
  readonly batches: (readonly string[])[] = [];
  /** Names of statements that connections have prepared; empty for unnamed ones. */
  readonly parsed: string[] = [];
  /** Number of requested row descriptions. */
  described = 0;
  /** Names of statements that connections have closed. */
  readonly closed: string[] = [];
  /** Process ids in cancel requests. */
  readonly cancelled: number[] = [];
  /** Statements of committed transactions, by transaction. */
  readonly committed: (readonly string[])[] = [];
  readonly connections: FakeClient[] = [];
  private rules: readonly Rule[] = DEFAULT_RULES;

  /** Accepts cancel requests of this process. */
  install(): void {
    net.connect = ((port: number, host: string) => new CancelSocket(this, `${host}:${port}`)) as never;
    syncBuiltinESMExports();
  }

  uninstall(): void {
    restoreNetwork();
  }

  /** Replies to all statements that contain a text. Later rules come first. */
  when(text: Rule['text'], reply: Script): void {
    this.rules = [{ text, reply, once: false }, ...this.rules];
  }

  /** Replies once, to the next statement that contains a text and is in no earlier rule of this kind. */
  once(text: Rule['text'], reply: Script): void {
    const count = this.rules.findIndex(({ once }) => !once);
    this.rules = this.rules.toSpliced(count, 0, { text, reply, once: true });
  }

  replyTo(text: string, values: readonly unknown[]): Reply {
    const rule = this.rules.find((one) =>
      typeof one.text === 'string' ? text.includes(one.text) : one.text.test(text),
    );
    if (rule?.once === true) this.rules = this.rules.filter((one) => one !== rule);
    const reply = rule?.reply ?? [];
    return typeof reply === 'function' ? reply(...values) : reply;
  }

  cancel(processID: number, secretKey: number): void {
    this.cancelled.push(processID);
    const target = this.connections.find((one) => one.processID === processID);
    if (target?.secretKey === secretKey) target.cancel();
  }

  /** Texts of the executed statements that contain a text. */
  ran(text: string): string[] {
    return this.executed.filter((one) => one.text.includes(text)).map((one) => one.text);
  }
}

/** Socket of a cancel request. */
class CancelSocket extends EventEmitter {
  constructor(
    private readonly server: FakeServer,
    readonly address: string,
  ) {
    super();
    if (server.acceptsCancel) setTimeout(() => this.emit('connect'), server.latency);
  }

  setTimeout(milliseconds: number, call: () => void): void {
    if (!this.server.acceptsCancel) setTimeout(call, milliseconds);
  }

  write(bytes: Buffer): void {
    expect([bytes.length, bytes.readInt32BE(0), bytes.readInt32BE(4)]).toEqual([16, 16, 80_877_102]);
    setTimeout(() => {
      this.server.cancel(bytes.readInt32BE(8), bytes.readInt32BE(12));
      this.emit('close');
    }, this.server.latency);
  }

  destroy(): void {
    this.emit('close');
  }

  resume(): void {}
}

/** Query object of the driver. */
interface Query {
  submit(wire: never): Error | null;
  handleRowDescription(message: object): void;
  handleDataRow(message: object): void;
  handleCommandComplete(): void;
  handleError(error: Error, wire: object): void;
  handleReadyForQuery(wire: object): void;
}

const TYPES: Readonly<Record<string, number>> = { boolean: 16, number: 23, string: 25 };
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 'true',
  23: Number,
  25: (text) => text,
};

/** Connection of the pool, with the session of the server at its other end. */
export class FakeClient extends EventEmitter {
  readonly host: string = 'db.test';
  readonly port: number = 5432;
  readonly number: number;
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: object | undefined;
  _queryable = true;
  release: PoolClient['release'] = () => undefined;
  /** Texts of the session's prepared statements, by name. */
  prepared = new Map<string, string>();
  /** Statements of the open transaction; null outside a transaction. */
  transaction: string[] | null = null;
  private isFailed = false;
  private readonly queue: Query[] = [];
  private active: Query | null = null;
  private isReady = true;
  /** Ends the running statement early. */
  private interrupt: ((reply: Reply) => void) | null = null;
  /** Whether a cancel request ends the running statement. */
  private isCancellable = false;

  constructor(
    readonly server: FakeServer,
    pipelines: boolean,
  ) {
    super();
    this.number = server.connections.push(this);
    this.processID = 100 + this.number;
    this.secretKey = 9000 + this.number;
    this.on('error', () => undefined);
    const stream = {
      write: (bytes: Buffer) => void this.execute(decode(bytes)),
      destroy: () => this.lose(),
    };
    if (pipelines) this.connection = { stream, parsedStatements: {}, sync: () => undefined };
  }

  get isIdle(): boolean {
    return this.active === null && this.queue.length === 0;
  }

  /** Connects, for a connection outside the pool. */
  connect(done: (error?: Error | null) => void): void {
    setTimeout(() => done(this.server.refuses), this.server.latency);
  }

  getTypeParser(type: number): (text: string) => unknown {
    return PARSERS[type] ?? String;
  }

  query(query: Query | QueryConfig, done?: ConfigDone): void {
    const item = 'submit' in query ? query : new ConfigQuery(this, query, done ?? (() => undefined));
    if (this._queryable) this.queue.push(item);
    else setImmediate(() => item.handleError(new Error('Client has encountered a connection error'), {}));
    this.pulse();
  }

  /** Closes the connection from the server's side, or the socket. */
  lose(error: Error = lost): void {
    if (!this._queryable) return;
    this._queryable = false;
    this.transaction = null;
    const queries = [...(this.active === null ? [] : [this.active]), ...this.queue.splice(0)];
    this.active = null;
    for (const query of queries) setImmediate(() => query.handleError(error, this.connection ?? {}));
    this.emit('error', error);
    setImmediate(() => this.emit('end'));
  }

  /** Ends the running statement with an error, if it can be cancelled. */
  cancel(): void {
    if (this.isCancellable) this.interrupt?.(CANCELLED);
  }

  /** Runs the messages of one write, as the server does: after an error it skips all up to the Sync. */
  async execute(messages: readonly Message[]): Promise<void> {
    const { server } = this;
    const texts = this.textsOf(messages);
    server.batches.push(texts);
    await new Promise<void>((done) => void setTimeout(done, server.latency));
    const output = new Output();
    const portal: Portal = { text: '', name: '', values: [], isDescribed: false };
    for (const message of messages) {
      if (!this._queryable) return;
      const error = await this.runMessage(message, portal, output);
      if (error === null) continue;
      if (this._queryable) output.flush();
      return this.failed(error);
    }
    output.flush();
    this.ready();
  }

  /** Returns the texts of all statements that are bound. */
  private textsOf(messages: readonly Message[]): string[] {
    const parsed = new Map(this.prepared);
    return messages.flatMap((message) => {
      if (message.kind === 'parse') parsed.set(message.name, message.text);
      return message.kind === 'bind' ? [parsed.get(message.name) ?? `unknown ${message.name}`] : [];
    });
  }

  private async runMessage(message: Message, portal: Portal, output: Output): Promise<Error | null> {
    switch (message.kind) {
      case 'parse':
        if (message.name !== '' && this.prepared.has(message.name))
          return refusal('42P05', `prepared statement "${message.name}" already exists`);
        this.prepared.set(message.name, message.text);
        this.server.parsed.push(message.name);
        return null;
      case 'close':
        this.server.closed.push(message.name);
        this.prepared.delete(message.name);
        return null;
      case 'bind': {
        const text = this.prepared.get(message.name);
        if (text === undefined)
          return refusal('26000', `prepared statement "${message.name}" does not exist`);
        Object.assign(portal, { text, name: message.name, values: message.values, isDescribed: false });
        return null;
      }
      case 'describe':
        portal.isDescribed = true;
        this.server.described += 1;
        return null;
      case 'execute':
        return this.run(portal, output);
      case 'flush':
        output.flush();
        return null;
      case 'sync':
        return null;
    }
  }

  private async run({ text, name, values, isDescribed }: Portal, output: Output): Promise<Error | null> {
    const { server } = this;
    server.executed.push({ connection: this.number, name, text, values });
    let reply = server.replyTo(text, values);
    while ('after' in reply) reply = await this.wait(reply);
    if (reply === lost) this.lose();
    if (reply instanceof Error) return reply;
    this.track(text);
    const rows = reply;
    const query = this.active;
    const columns = Object.entries(rows[0] ?? {});
    const fields = columns.map(([column, value]) => ({
      name: column,
      dataTypeID: TYPES[typeof value] ?? 25,
    }));
    output.add(() => {
      if (isDescribed && rows.length > 0) query?.handleRowDescription({ fields });
      for (const row of rows)
        query?.handleDataRow({
          fields: Object.values(row).map((value) => textOf(value)),
        });
      query?.handleCommandComplete();
    });
    return null;
  }

  /** Waits for a slow statement, a cancel request or the end of the connection. */
  private wait({ after, reply, cancellable }: Slow): Promise<Reply> {
    this.isCancellable = cancellable;
    return new Promise((resolve) => {
      this.interrupt = resolve;
      if (Number.isFinite(after)) setTimeout(() => resolve(reply), after);
    });
  }

  /** Notes the begin and the end of transactions. */
  private track(text: string): void {
    if (text.startsWith('begin')) this.transaction = [];
    else if (text === 'commit' || text === 'rollback') {
      const statements = this.transaction ?? [];
      if (text === 'commit' && !this.isFailed) this.server.committed.push(statements);
      this.transaction = null;
      this.isFailed = false;
    } else this.transaction?.push(text);
  }

  private failed(error: Error): void {
    if (this.transaction !== null) this.isFailed = true;
    if (error === lost || !this._queryable) return;
    if ((error as { severity?: string }).severity === 'FATAL') return this.lose(error);
    const query = this.active;
    this.active = null;
    query?.handleError(error, this.connection ?? {});
    this.ready();
  }

  private ready(): void {
    if (!this._queryable) return;
    const query = this.active;
    this.active = null;
    this.isReady = true;
    query?.handleReadyForQuery(this.connection ?? {});
    this.pulse();
  }

  private pulse(): void {
    if (!this.isReady || !this._queryable) return;
    const query = this.queue.shift();
    if (query === undefined) return;
    this.active = query;
    this.isReady = false;
    const error = query.submit((this.connection ?? {}) as never);
    if (error === null) return;
    setImmediate(() => {
      this.active = null;
      query.handleError(error, this.connection ?? {});
      this.isReady = true;
      this.pulse();
    });
  }
}

/** Value in the text format; objects as JSON. */
const textOf = (value: unknown): string | null =>
  value === null || typeof value === 'string' ? value : JSON.stringify(value);

/** Bound statement. */
interface Portal {
  text: string;
  name: string;
  values: readonly unknown[];
  isDescribed: boolean;
}

/** Buffer of the server: it sends its results with a Flush and a Sync. */
class Output {
  private readonly results: (() => void)[] = [];

  add(result: () => void): void {
    this.results.push(result);
  }

  flush(): void {
    for (const result of this.results.splice(0)) result();
  }
}

type ConfigDone = (error: Error | null, result: { rows: Row[] }) => void;

/** Query that the driver makes of a text and values. */
class ConfigQuery implements Query {
  private readonly rows: Row[] = [];
  private names: readonly string[] = [];
  private isOver = false;

  constructor(
    private readonly client: FakeClient,
    private readonly config: QueryConfig,
    private readonly done: ConfigDone,
  ) {}

  submit(): null {
    const { text, values } = this.config;
    void this.client.execute([
      { kind: 'parse', name: '', text },
      { kind: 'bind', name: '', values: values as readonly string[] },
      { kind: 'describe' },
      { kind: 'execute' },
      { kind: 'sync' },
    ]);
    return null;
  }

  handleRowDescription({ fields }: { readonly fields: readonly { readonly name: string }[] }): void {
    this.names = fields.map(({ name }) => name);
  }

  handleDataRow({ fields }: { readonly fields: readonly unknown[] }): void {
    this.rows.push(Object.fromEntries(this.names.map((name, i) => [name, fields[i]])));
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.end(error);
  }

  handleReadyForQuery(): void {
    this.end(null);
  }

  private end(error: Error | null): void {
    if (this.isOver) return;
    this.isOver = true;
    this.done(error, { rows: this.rows });
  }
}

type Connected = (error: Error | undefined, client: FakeClient | undefined, release: () => void) => void;

/** Pool of node-postgres. */
export class FakePool extends EventEmitter {
  readonly options: Pool['options'];
  readonly Client: new () => FakeClient;
  _clients: FakeClient[] = [];
  _idle: { readonly client: FakeClient }[] = [];
  private readonly waiting: Connected[] = [];

  constructor(
    readonly server: FakeServer,
    options: Partial<Pool['options']> = {},
    private readonly pipelines = true,
  ) {
    super();
    this.options = {
      max: 10,
      host: 'db.test',
      connectionTimeoutMillis: 3000,
      options: '-c jit=off',
      ...options,
    };
    this.Client = class extends FakeClient {
      constructor() {
        super(server, pipelines);
      }
    };
  }

  get totalCount(): number {
    return this._clients.length;
  }

  /** Number of connections that a caller has not returned. */
  get inUse(): number {
    return this._clients.length - this._idle.length;
  }

  connect(done: Connected): void {
    this.waiting.push(done);
    this.serve();
  }

  private serve(): void {
    const idle = this._idle[0];
    if (this.waiting.length === 0 || (idle === undefined && this.totalCount >= this.options.max)) return;
    const done = this.waiting.shift()!;
    if (idle !== undefined) {
      this._idle.shift();
      return void setImmediate(() => this.lend(idle.client, done));
    }
    const client = new FakeClient(this.server, this.pipelines);
    this._clients.push(client);
    setTimeout(() => {
      const { refuses } = this.server;
      if (refuses === null) {
        this.emit('connect', client);
        return this.lend(client, done);
      }
      this.remove(client);
      done(refuses, undefined, () => undefined);
    }, this.server.latency);
  }

  private lend(client: FakeClient, done: Connected): void {
    let isReleased = false;
    const release = (destroy = false): void => {
      if (isReleased)
        throw new Error('Release called on client which has already been released to the pool.');
      isReleased = true;
      if (destroy || !client._queryable) {
        this.remove(client);
        client.lose(new Error('Connection terminated'));
      } else this._idle.push({ client });
      this.serve();
    };
    client.release = release;
    done(undefined, client, release);
  }

  private remove(client: FakeClient): void {
    this._clients = this._clients.filter((one) => one !== client);
    this.serve();
  }
}
