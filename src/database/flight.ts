/**
 * Several statements on their way at once: sent in one piece, answered in one piece. The driver's own queries
 * print their messages and read their answers; this sends them without a Sync between them, so that the first
 * that fails has the server skip the rest, a COMMIT at the end included.
 */
import type { PoolClient, QueryConfig } from './pool-types.js';
import type { Row } from './runner.js';

/** How a flight ended: the rows of each statement, or the failure of the first that failed. */
export type Landed = (error: Error | null, rows: readonly (readonly Row[])[]) => void;

/** A connection's protocol, as far as queries write to it. */
interface Wire {
  readonly stream: { write(bytes: Buffer): unknown };
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  _send(part: Buffer): unknown;
  sync(): void;
  close(message: { readonly type: 'S'; readonly name: string }): void;
}

/** One of the driver's queries. */
interface DriverQuery {
  readonly name?: string;
  readonly text: string;
  prepare(wire: Wire): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
  handleReadyForQuery(wire: Wire): void;
}

type QueryClass = new (
  config: QueryConfig,
  done: (error: Error | null, result?: { readonly rows: readonly Row[] }) => void,
) => DriverQuery;

const queryClassOf = (client: PoolClient): QueryClass | null => {
  const { Query } = client.constructor as { Query?: QueryClass };
  const whole = typeof Query?.prototype === 'object' && 'prepare' in Query.prototype;
  return whole && typeof client.connection?._send === 'function' ? (Query ?? null) : null;
};

/** Whether a client of the driver can carry flights: not the one over libpq. */
export const canFly = (client: PoolClient): boolean => queryClassOf(client) !== null;

/** What the driver calls a query: anything that submits itself and takes the messages that come back. */
export class Flight {
  private readonly queries: readonly DriverQuery[];
  private readonly rows: (readonly Row[])[] = [];
  /** Names that this flight has prepared first. */
  private readonly fresh: DriverQuery[] = [];
  private error: Error | null = null;
  /** How many statements have been answered. */
  private answered = 0;

  constructor(
    client: PoolClient,
    /** For who watches what is sent. */
    readonly statements: readonly QueryConfig[],
    readonly landed: Landed,
  ) {
    const Query = queryClassOf(client);
    if (Query === null) throw new Error('This client of the driver cannot carry several statements at once');
    this.queries = statements.map(
      (config) =>
        new Query(config, (error, result) => {
          if (error) this.error ??= error;
          else this.rows.push(result?.rows ?? []);
        }),
    );
  }

  submit(wire: Wire): Error | null {
    const parts: Buffer[] = [];
    // What the driver writes for a query ends in a Sync; only the last one's is sent, and all in one piece:
    // many small ones cost the process more than the statements do.
    const together = Object.assign(Object.create(wire) as Wire, {
      _send: (part: Buffer) => parts.push(part),
      sync: () => undefined,
    });
    const silent = Object.assign(Object.create(together) as Wire, { describe: () => undefined });
    for (const [i, query] of this.queries.entries()) {
      const { name } = query;
      if (name !== undefined && wire.parsedStatements[name] === undefined) this.fresh.push(query);
      query.prepare(this.isSilent(i) ? silent : together);
      // A value that the driver cannot send: what would come after it must not happen.
      if (this.error !== null) break;
    }
    wire.sync.call(together);
    wire.stream.write(Buffer.concat(parts));
    return null;
  }

  /** Whether nobody reads a statement's rows: the driver cannot, without their description. */
  private isSilent(statement: number): boolean {
    return this.statements[statement]?.silent === true;
  }

  private get current(): DriverQuery | undefined {
    return this.queries[this.answered];
  }

  handleRowDescription(message: unknown): void {
    this.current?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    if (!this.isSilent(this.answered)) this.current?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, wire: Wire): void {
    const query = this.current;
    if (query === undefined) return;
    this.answered += 1;
    query.handleCommandComplete(message, wire);
    // Its rows are whole: the query hands them over, or what was wrong in reading them.
    query.handleReadyForQuery(wire);
  }

  handleError(error: Error, wire: Wire): void {
    this.error ??= error;
    this.handleReadyForQuery(wire);
  }

  handleReadyForQuery(wire: Wire): void {
    this.note(wire);
    this.landed(this.error, this.rows);
  }

  /** Tells the driver what is prepared now. Of a flight that failed nobody knows: its names are closed. */
  private note(wire: Wire): void {
    for (const { name = '', text } of this.fresh) {
      delete wire.submittedNamedStatements[name];
      if (this.error === null) wire.parsedStatements[name] = text;
      else wire.close({ type: 'S', name });
    }
  }
}
