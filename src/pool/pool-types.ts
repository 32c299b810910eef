/** The parts of the types of node-postgres that the pool uses. */
import type { Row } from './runner.js';

/** The part of the wire protocol of a connection that query objects use. */
export interface Wire {
  readonly stream: { write(bytes: Buffer): unknown; destroy(): void };
  /** Prepared statements as the driver knows them: texts by name. */
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
  /** Absent or partial in the driver over libpq. */
  readonly connection?: Partial<Wire>;
  query(config: QueryConfig, done: (error: Error | null | undefined, result: { rows: Row[] }) => void): void;
  /** Returns the connection to the pool, once. */
  release: Release;
  /** Submits a query object. */
  query(query: { submit(wire: never): Error | null }): void;
  getTypeParser(type: number, format: 'text'): (text: string) => unknown;
}

export interface OwnClient extends PoolClient {
  connect(done: (error?: Error | null) => void): void;
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown;
  unref?(): void;
}

type Release = (destroy?: boolean) => void;

export interface Pool {
  readonly Client: new (options: Pool['options']) => OwnClient;
  readonly options: {
    readonly max: number;
    readonly host?: string;
    readonly port?: number;
    readonly connectionTimeoutMillis?: number;
    readonly options?: string;
  };
  readonly totalCount: number;
  readonly idleCount: number;
  connect(done: (error: Error | undefined, client: PoolClient | undefined, release: Release) => void): void;
  on(event: 'connect', listener: (client: PoolClient) => void): unknown;
}

export type Columns = readonly { readonly name: string; readonly parse: (text: string) => unknown }[];

export interface DescribedStatement {
  columns: Columns | null;
}

export interface QueryConfig {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether its rows are discarded. The driver ignores this and the next property. */
  readonly silent?: boolean;
  readonly described?: DescribedStatement;
  /** Whether the server sends all earlier results before it runs this statement. */
  readonly flush?: boolean;
}

export const isPool = (client: unknown): client is Pool =>
  typeof client === 'object' && client !== null && 'connect' in client && 'totalCount' in client;
