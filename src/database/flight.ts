/**
 * Several statements on their way at once: sent in one piece, answered in one piece. There is one Sync behind
 * them, so that the first that fails has the server skip the rest, a COMMIT at the end included.
 */
import { Messages } from './messages.js';
import { type Columns, isWire, type PoolClient, type QueryConfig, type Wire } from './pool-types.js';
import type { Row } from './runner.js';

/**
 * Called once, when the server has answered or the connection is closed: the failure of the first statement
 * that failed, and the rows of all statements that were answered.
 */
export type Landed = (error: Error | null, rows: readonly (readonly Row[])[]) => void;

/** Nothing was sent: a value is none that the protocol can carry. */
export class Unsendable extends Error {}

/** A row that the driver's type parsers do not read. The server itself has refused nothing. */
export class UnreadableRow extends Error {}

/** What the server says of the rows of a statement. */
interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/** Whether a client of the driver can carry flights: not the one over libpq. */
export const canFly = ({ connection }: PoolClient): boolean => isWire(connection);

/** Written and taken at once, so that all flights share it. */
const messages = new Messages();

/**
 * Prepared statements that the next flight of a connection closes first. A Close without a Sync behind it
 * would keep a server connection from a pooler's other clients.
 */
const obsolete = new WeakMap<Wire, string[]>();

/** Has a connection close prepared statements along with its next flight. */
export function closeLater(wire: Wire, names: readonly string[]): void {
  if (names.length === 0) return;
  for (const name of names) delete wire.parsedStatements[name];
  obsolete.set(wire, [...(obsolete.get(wire) ?? []), ...names]);
}

/**
 * Runs one statement: as a flight where the driver can carry them, because the driver itself has the rows of
 * a prepared statement described each time that it is run.
 */
export function runAlone(client: PoolClient, config: QueryConfig, landed: Landed): void {
  if (canFly(client)) return client.query(new Flight(client, [config], landed));
  client.query(config, (error, result) => landed(error ?? null, error ? [] : [result.rows]));
}

/** What the driver calls a query: anything that submits itself and takes the messages that come back. */
export class Flight {
  private readonly rows: Row[][] = [[]];
  /** Error of the driver's own timeout, after which the server still works on the statements. */
  private timeout: Error | null = null;
  /** What this flight has prepared first, text by name. */
  private readonly fresh = new Map<string, string>();
  private readonly columns: (Columns | null)[] = [];
  private error: Error | null = null;
  private isOver = false;

  constructor(
    private readonly client: PoolClient,
    /** For who watches what is sent. */
    readonly statements: readonly QueryConfig[],
    readonly landed: Landed,
  ) {}

  /** Called when the driver's own timeout elapses first; the flight lands later. */
  timedOut: (error: Error) => void = () => undefined;

  /**
   * Called by this class at the end, and by the driver when its own timeout elapses first. Code that watches
   * queries wraps this property: the driver to stop its clock, tracing to end a span.
   */
  callback = (error: Error | null): void => {
    if (this.isOver || error === null) return;
    this.timeout = error;
    this.timedOut(error);
  };

  /** The rows of the statements that have been answered. */
  get received(): readonly (readonly Row[])[] {
    return this.rows.slice(0, -1);
  }

  /** What tracing shows of it. */
  get text(): string {
    return this.statements.map(({ text }) => text).join(';\n');
  }

  /** What cannot be sent is an error, and nothing of the flight is. */
  submit(wire: Wire): Error | null {
    const closed = obsolete.get(wire) ?? [];
    try {
      for (const name of closed) messages.closeStatement(name);
      for (const config of this.statements) this.write(config, wire);
    } catch (cause) {
      messages.clear();
      this.fresh.clear();
      return new Unsendable(String(cause), { cause });
    }
    obsolete.delete(wire);
    messages.sync();
    wire.stream.write(messages.take());
    return null;
  }

  private write({ name = '', text, values, silent, described, flush }: QueryConfig, wire: Wire): void {
    if (flush === true) messages.flush();
    const isKnown = name !== '' && wire.parsedStatements[name] !== undefined;
    if (!isKnown && !this.fresh.has(name)) messages.parse(name, text);
    if (!isKnown && name !== '') this.fresh.set(name, text);
    messages.bind(name, values);
    const columns = (isKnown && described?.columns) || null;
    if (silent !== true && columns === null) messages.describe();
    messages.execute();
    this.columns.push(columns);
  }

  /** The statement that is being answered. */
  private get answered(): number {
    return this.rows.length - 1;
  }

  handleRowDescription({ fields }: RowDescription): void {
    const columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.client.getTypeParser(dataTypeID, 'text'),
    }));
    this.columns[this.answered] = columns;
    const described = this.statements[this.answered]?.described;
    if (described !== undefined) described.columns = columns;
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const columns = this.columns[this.answered];
    // Nobody reads the rows of a silent statement, nor can they be read without their description.
    if (columns === null || columns === undefined || this.statements[this.answered]?.silent === true) return;
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
    this.error = error;
    this.handleReadyForQuery(wire);
  }

  handleReadyForQuery(wire: Wire): void {
    if (this.isOver) return;
    this.isOver = true;
    this.note(wire);
    this.callback(this.error);
    this.landed(this.error, this.received);
  }

  /** Tells the driver what is prepared now. A failed flight may have prepared its names: they are closed. */
  private note(wire: Wire): void {
    if (this.error === null) for (const [name, text] of this.fresh) wire.parsedStatements[name] = text;
    else closeLater(wire, [...this.fresh.keys()]);
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
