/**
 * Pipelined batch of statements: one write to the socket and one Sync. After an error the server skips the
 * remaining statements, including a COMMIT at the end.
 */
import { Messages } from './messages.js';
import { type Columns, isWire, type PoolClient, type QueryConfig, type Wire } from './pool-types.js';
import type { Row } from './runner.js';

/**
 * Called once, with the first error or null, and the rows of all statements that succeeded. A closed
 * connection is an error, too.
 */
export type BatchCallback = (error: Error | null, rows: readonly (readonly Row[])[]) => void;

export interface BatchCalls {
  readonly done: BatchCallback;
  /** Called when the driver's own timeout elapses first; the result arrives later. */
  readonly timedOut: (error: Error) => void;
}

/** Nothing was sent: a value cannot be encoded, or the connection was lost before. */
export class Unsendable extends Error {}

/** A type parser of the driver failed on a row. The statement itself succeeded. */
export class UnreadableRow extends Error {}

interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/** Whether a client of the driver supports pipelining; the one over libpq does not. */
export const canPipeline = ({ connection }: PoolClient): boolean => isWire(connection);

/** Buffer of all batches: each is encoded and taken synchronously. */
const messages = new Messages();

/**
 * Prepared statements that the next batch of a connection closes first. A Close without a Sync would keep a
 * pooler from giving the server connection to other clients.
 */
const obsolete = new WeakMap<Wire, string[]>();

export function closeLater(wire: Wire, names: readonly string[]): void {
  if (names.length === 0) return;
  for (const name of names) delete wire.parsedStatements[name];
  obsolete.set(wire, [...(obsolete.get(wire) ?? []), ...names]);
}

/**
 * Runs one statement, as a batch if the driver supports it: the driver itself requests the row description of
 * a prepared statement for each run.
 */
export function runAlone(client: PoolClient, config: QueryConfig, done: BatchCallback): void {
  const timedOut = (): void => undefined;
  if (canPipeline(client)) return client.query(new PipelinedBatch(client, [config], { done, timedOut }));
  client.query(config, (error, result) => done(error ?? null, error ? [] : [result.rows]));
}

/**
 * The constructor takes its functions. V8 keeps a function that is assigned to a field later until the next
 * major collection. With what it referred to, that was 14 kB for each POST.
 */
export class PipelinedBatch {
  readonly done: BatchCallback;
  private readonly timedOut: BatchCalls['timedOut'];
  private readonly rows: Row[][] = [[]];
  /** Error of the driver's own timeout, after which the server still works on the statements. */
  private timeout: Error | null = null;
  private readonly parsed = new Map<string, string>();
  private readonly columns: (Columns | null)[] = [];
  private error: Error | null = null;
  private isSent = false;
  private isOver = false;

  constructor(
    private readonly client: PoolClient,
    /** Statements in the order of sending, for tracing. */
    readonly statements: readonly QueryConfig[],
    { done, timedOut }: BatchCalls,
  ) {
    this.done = done;
    this.timedOut = timedOut;
  }

  /**
   * Called by this class at the end, and by the driver when its own timeout elapses first. Code that watches
   * queries wraps this property: the driver to stop its clock, tracing to end a span.
   */
  callback = (error: Error | null): void => {
    if (this.isOver || error === null) return;
    this.timeout = error;
    this.timedOut(error);
  };

  get received(): readonly (readonly Row[])[] {
    return this.rows.slice(0, -1);
  }

  get text(): string {
    return this.statements.map(({ text }) => text).join(';\n');
  }

  /** Returns an error if a value cannot be encoded; nothing is sent then. */
  submit(wire: Wire): Error | null {
    const closed = obsolete.get(wire) ?? [];
    try {
      for (const name of closed) messages.closeStatement(name);
      for (const config of this.statements) this.write(config, wire);
    } catch (cause) {
      messages.clear();
      this.parsed.clear();
      return new Unsendable(String(cause), { cause });
    }
    obsolete.delete(wire);
    messages.sync();
    this.isSent = true;
    wire.stream.write(messages.take());
    return null;
  }

  private write({ name = '', text, values, silent, described, flush }: QueryConfig, wire: Wire): void {
    if (flush === true) messages.flush();
    const isPrepared = name !== '' && wire.parsedStatements[name] !== undefined;
    if (!isPrepared && !this.parsed.has(name)) messages.parse(name, text);
    if (!isPrepared && name !== '') this.parsed.set(name, text);
    messages.bind(name, values);
    const columns = (isPrepared && described?.columns) || null;
    if (silent !== true && columns === null) messages.describe();
    messages.execute();
    this.columns.push(columns);
  }

  private get completed(): number {
    return this.rows.length - 1;
  }

  handleRowDescription({ fields }: RowDescription): void {
    const columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.client.getTypeParser(dataTypeID, 'text'),
    }));
    this.columns[this.completed] = columns;
    const described = this.statements[this.completed]?.described;
    if (described !== undefined) described.columns = columns;
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const columns = this.columns[this.completed];
    // Rows of a silent statement are discarded: they have no description.
    if (columns === null || columns === undefined || this.statements[this.completed]?.silent === true) return;
    try {
      this.rows.at(-1)?.push(rowOf(columns, fields));
    } catch (cause) {
      this.error ??= new UnreadableRow(String(cause), { cause });
    }
  }

  handleCommandComplete(): void {
    this.rows.push([]);
  }

  handleError(error: Error, wire: Wire): void {
    // The driver repeats its timeout here; the server's answer is still to come.
    if (error === this.timeout) return;
    this.error = this.isSent ? error : new Unsendable(error.message, { cause: error });
    this.handleReadyForQuery(wire);
  }

  handleReadyForQuery(wire: Wire): void {
    if (this.isOver) return;
    this.isOver = true;
    this.notePrepared(wire);
    this.callback(this.error);
    this.done(this.error, this.received);
  }

  /** Tells the driver what is prepared now. A failed batch may have prepared its names: they are closed. */
  private notePrepared(wire: Wire): void {
    if (this.error === null) for (const [name, text] of this.parsed) wire.parsedStatements[name] = text;
    else closeLater(wire, [...this.parsed.keys()]);
  }
}

function rowOf(columns: Columns, fields: readonly (string | null)[]): Row {
  const row: Record<string, unknown> = {};
  for (const [i, { name, parse }] of columns.entries()) {
    const field = fields[i] ?? null;
    row[name] = field === null ? null : parse(field);
  }
  return row;
}
