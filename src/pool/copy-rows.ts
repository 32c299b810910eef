/**
 * COPY: sends rows of a table as one text, which the server reads faster than the values of a statement
 * (PostgreSQL documentation, "COPY Operations").
 */
import { print, type Statement, sql } from '../kernel/sql.js';
import { busyClients } from './lost-connections.js';
import { canPipeline } from './pipelined-batch.js';
import type { Pool } from './pool-types.js';
import type { Runner } from './runner.js';

interface CopyWire {
  query(text: string): void;
  sendCopyFromChunk(bytes: Buffer): void;
  endCopyFrom(): void;
}

/** Query object of the driver for a statement `copy … from stdin`. */
class CopyRows {
  constructor(
    private readonly statement: Statement,
    private readonly rows: Buffer,
    private readonly done: (error: Error | null) => void,
  ) {}

  /**
   * Called at the end, and by the driver when its own timeout elapses, before `handleError`. The driver wraps
   * it to stop its clock.
   */
  callback = (_error: Error | null): void => undefined;

  get text(): string {
    return this.statement.text;
  }

  submit(wire: CopyWire): null {
    wire.query(this.text);
    return null;
  }

  handleCopyInResponse(wire: CopyWire): void {
    wire.sendCopyFromChunk(this.rows);
    wire.endCopyFrom();
  }

  handleCommandComplete(): void {
    // The server is ready for the next query after it.
  }

  handleError(error: Error): void {
    this.callback(error);
    this.done(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
    this.done(null);
  }
}

/** Sends rows to a table. Throws the error of the database. */
export type Copy = (statement: Statement, rows: Buffer) => Promise<void>;

const PROCESS = print(sql`select pg_backend_pid() as pid`);

/** Returns COPY on the connection of a transaction; null if the pool does not know its server process. */
export async function copyOn(pool: Pool, transaction: Runner): Promise<Copy | null> {
  const [row] = await transaction.run(PROCESS);
  const [client, ...others] = busyClients(pool).filter(({ processID }) => processID === row?.['pid']);
  if (client === undefined || others.length > 0 || !canPipeline(client)) return null;
  return (statement, rows) =>
    new Promise((resolve, reject) => {
      const done = (error: Error | null): void => (error === null ? resolve() : reject(error));
      client.query(new CopyRows(statement, rows, done));
    });
}
