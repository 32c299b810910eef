/** The part of node-postgres that this room uses. */
import type { Row } from './runner.js';

export interface PoolClient {
  readonly host: string;
  readonly port: number;
  readonly processID: number | null;
  readonly secretKey: number | null;
  /** What the driver believes to be prepared on this connection, text by name. */
  readonly connection?: {
    readonly parsedStatements?: Record<string, string>;
    readonly stream?: { destroy(): void };
    /** Writes one message; not there in the driver over libpq. */
    readonly _send?: unknown;
  };
  query(config: QueryConfig, done: (error: Error | null | undefined, result: { rows: Row[] }) => void): void;
  /** Submits whatever submits itself. */
  query(flight: { submit(wire: never): Error | null }): void;
}

/** A client that is nobody else's. */
export interface OwnClient extends PoolClient {
  connect(done: (error?: Error | null) => void): void;
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown;
  unref?(): void;
}

/** Gives a connection back; with `true` it is closed instead of used again. */
export type Release = (destroy?: boolean) => void;

export interface Pool {
  readonly Client: new (options: Pool['options']) => OwnClient;
  readonly options: { readonly max: number; readonly connectionTimeoutMillis?: number };
  connect(done: (error: Error | undefined, client: PoolClient | undefined, release: Release) => void): void;
}

export interface QueryConfig {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether nobody reads its rows; the driver itself does not know this. */
  readonly silent?: boolean;
}

/** Whether a client of MikroORM's is the pool of node-postgres. */
export const isPool = (client: unknown): client is Pool =>
  typeof client === 'object' && client !== null && 'connect' in client && 'totalCount' in client;
