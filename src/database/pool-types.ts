/** The part of node-postgres that this room uses. */
import type { Row } from './runner.js';

/** A connection's protocol, as far as what submits itself writes to it. */
export interface Wire {
  readonly stream: { write(bytes: Buffer): unknown; destroy(): void };
  /** What the driver believes to be prepared on this connection, text by name. */
  readonly parsedStatements: Record<string, string>;
  sync(): void;
}

/** Whether a client speaks the protocol itself, unlike the driver over libpq. */
export const isWire = (wire: Partial<Wire> | undefined): wire is Wire => typeof wire?.sync === 'function';

export interface PoolClient {
  readonly host: string;
  readonly port: number;
  readonly processID: number | null;
  readonly secretKey: number | null;
  /** Not there, or not whole, in the driver over libpq. */
  readonly connection?: Partial<Wire>;
  query(config: QueryConfig, done: (error: Error | null | undefined, result: { rows: Row[] }) => void): void;
  /** Gives the connection back, once. */
  release: Release;
  /** Submits whatever submits itself. */
  query(flight: { submit(wire: never): Error | null }): void;
  /** How a value of a type is read. */
  getTypeParser(type: number, format: 'text'): (text: string) => unknown;
}

/** A client that is nobody else's. */
export interface OwnClient extends PoolClient {
  connect(done: (error?: Error | null) => void): void;
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown;
  unref?(): void;
}

/** Gives a connection back; with `true` it is closed instead of used again. */
type Release = (destroy?: boolean) => void;

export interface Pool {
  readonly Client: new (options: Pool['options']) => OwnClient;
  readonly options: {
    readonly max: number;
    readonly host?: string;
    readonly port?: number;
    readonly connectionTimeoutMillis?: number;
    /** Settings of the server for each connection. */
    readonly options?: string;
  };
  /** How many connections there are. */
  readonly totalCount: number;
  connect(done: (error: Error | undefined, client: PoolClient | undefined, release: Release) => void): void;
  /** Tells of each connection that is opened. */
  on(event: 'connect', listener: (client: PoolClient) => void): unknown;
}

/** The columns of a statement's rows: how they are called, and how their values are read. */
export type Columns = readonly { readonly name: string; readonly parse: (text: string) => unknown }[];

/** Where the columns of a statement are kept once the server has described them. */
export interface Described {
  columns: Columns | null;
}

export interface QueryConfig {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether nobody reads its rows; the driver itself does not know this, nor the next. */
  readonly silent?: boolean;
  readonly described?: Described;
  /** Whether the server sends all earlier results before it runs this statement. */
  readonly flush?: boolean;
}

/** Whether a client of MikroORM's is the pool of node-postgres. */
export const isPool = (client: unknown): client is Pool =>
  typeof client === 'object' && client !== null && 'connect' in client && 'totalCount' in client;

/** Names a server in the log. */
export const nameOf = ({ options: { host = 'localhost', port = 5432 } }: Pool): string => `${host}:${port}`;
