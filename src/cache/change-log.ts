/**
 * Client of the change log: one poll of the database serves all requests that arrive at about the same time.
 * A request that arrives during a poll waits for the next. Its poll thus includes every change that was
 * committed before the request.
 */
import { messageOf } from '../kernel/errors.js';
import {
  compileCheck,
  compileGlance,
  compileStand,
  type Stand,
} from '../content/compile/compile-change-log.js';
import type { OwnConnection } from '../pool/own-connection.js';
import type { Row } from '../pool/runner.js';
import { type Mark, markIn } from '../content/query/mark.js';
import { EVERYTHING, type ChangeLogTables } from '../content/model/change-log-tables.js';
import { NO_TELEMETRY, type Telemetry } from '../kernel/telemetry.js';
import { sees } from '../kernel/snapshots.js';
import { fill, type Identifier, type Statement, type Template } from '../kernel/sql.js';

export interface Subject {
  readonly types: readonly string[];
  readonly document: { readonly type: string; readonly id: string } | null;
}

export interface ChangeLogBase {
  readonly tables: ChangeLogTables;
  readonly marked: boolean;
  readonly noted: readonly Identifier[];
  readonly open: () => Promise<OwnConnection | null>;
  readonly warn: (message: string) => void;
  /** Reports each poll as a span. Default: none. */
  readonly telemetry?: Telemetry;
}

interface Changes {
  position: number;
  unnamed: number;
}

/** Change of a document by a transaction; a null `id` stands for any document. */
export interface DocumentChange {
  readonly type: string;
  readonly id: string | null;
  readonly xid: string;
}

interface Recent {
  readonly check: number;
  readonly change: DocumentChange;
}

/** Pause after a failed poll in milliseconds. */
const PAUSE = 1000;
/** Maximum of documents tracked by id; beyond it, all of them count as changed. */
const MAX_DOCUMENTS = 10_000;
const MIN_RECENT = 1000;

const parsedChanges = (text: unknown): readonly DocumentChange[] =>
  typeof text === 'string' ? (JSON.parse(text) as DocumentChange[]) : [];

export class ChangeLog {
  private count = 0;
  /**
   * Number of the poll after which the state was last dropped. Reads before it may come from another server.
   */
  private floor = 0;
  private readonly types = new Map<string, Changes>();
  private readonly documents = new Map<string, number>();
  /** Changes in the order of polls; complete after `recentSince`. */
  private recent: Recent[] = [];
  private recentSince = 0;
  private connection: OwnConnection | null = null;
  private snapshot: string | null = null;
  private tables: { readonly noted: string; readonly shape: string } = { noted: '{}', shape: '' };
  /** Whether nothing was committed between the last two polls, so that the cheap poll is tried first. */
  private isQuiet = false;
  mark: Mark | null = null;
  private snapshotServer: string | null = null;
  private isPolling = false;
  /** Next poll, for requests that arrived during the running one. */
  private next: PromiseWithResolvers<boolean> | null = null;
  private quietUntil = 0;
  private isClosed = false;
  private complaint: string | null = null;
  /** Number of polls, for metrics. */
  checks = 0;
  /** Duration of the last poll in milliseconds. */
  took = 0;
  /** Time of the last successful poll, by `performance.now()`. */
  checkedAt: number | null = null;
  private altered: () => void = () => undefined;
  private readonly statement: Template<Stand>;
  private readonly cheapPoll: Statement;
  private readonly telemetry: Telemetry;

  constructor(private readonly base: ChangeLogBase) {
    this.telemetry = base.telemetry ?? NO_TELEMETRY;
    this.statement = compileCheck(base);
    this.cheapPoll = compileGlance(base);
  }

  /** Number of the last poll; reads from now on are at least as new. */
  get position(): number {
    return this.count;
  }

  get server(): string | null {
    return this.snapshot === null ? null : this.snapshotServer;
  }

  /**
   * Registers a listener for altered, rewritten or replaced tables, which call no trigger. It runs before a
   * later read can be cached.
   */
  onAltered(listener: () => void): void {
    this.altered = listener;
  }

  /** Polls the changes. Returns false if the poll fails. */
  check(): Promise<boolean> {
    if (!this.isPolling) return this.start();
    return (this.next ??= Promise.withResolvers<boolean>()).promise;
  }

  /** Whether a dependency may have changed since `position`, according to the polls so far. */
  hasChanged({ types, document }: Subject, position: number): boolean {
    if (position < this.floor) return true;
    if (types.some((type) => (this.types.get(type)?.position ?? 0) > position)) return true;
    if (document === null) return false;
    const { type, id } = document;
    const unnamed = this.types.get(type)?.unnamed ?? 0;
    return Math.max(unnamed, this.documents.get(`${type} ${id}`) ?? 0) > position;
  }

  /**
   * Whether a read missed a change since `position`: changes that its snapshot includes do not count. True
   * also if that is unknown.
   */
  hasMissed(subject: Subject, position: number, snapshot: string): boolean {
    if (!this.hasChanged(subject, position)) return false;
    if (position < this.floor || position < this.recentSince) return true;
    return this.recent.some(
      ({ check, change }) => check > position && concerns(change, subject) && !sees(snapshot, change.xid),
    );
  }

  /** Drops all state, so that every cache entry is stale. */
  forget(): void {
    this.snapshot = null;
    this.count += 1;
    this.floor = this.count;
    this.types.clear();
    this.documents.clear();
    this.recent = [];
    this.recentSince = this.count;
  }

  close(): void {
    this.isClosed = true;
    this.disconnect();
  }

  private async start(): Promise<boolean> {
    if (this.isClosed || performance.now() < this.quietUntil) return false;
    this.isPolling = true;
    const isCurrent = await this.telemetry.background('content.change_log.poll', () => this.poll());
    this.isPolling = false;
    const { next } = this;
    this.next = null;
    // Started at once: a request that arrives now must not start a second poll, or both would get the same
    // changes.
    if (next !== null) this.start().then(next.resolve, next.reject);
    return isCurrent;
  }

  /** Polls once and records the changes. Never throws. */
  protected async poll(): Promise<boolean> {
    const started = performance.now();
    try {
      const connection = (this.connection ??= await this.base.open());
      if (connection === null) return false;
      if (this.isClosed) throw new Error('the application shuts down');
      const { snapshot } = this;
      const isCurrent = snapshot !== null && (await this.pollSince(connection, snapshot));
      if (!isCurrent) await this.begin(connection);
      this.checks += 1;
      this.checkedAt = performance.now();
      this.took = this.checkedAt - started;
      this.complaint = null;
      return true;
    } catch (error) {
      this.disconnect();
      this.warnOnce(messageOf(error));
      return false;
    }
  }

  /** Polls the changes since the last poll. Returns false if the log does not reach back that far. */
  private async pollSince(connection: OwnConnection, since: string): Promise<boolean> {
    const { noted, shape } = this.tables;
    if (this.isQuiet && (await this.hasSameSnapshot(connection, since))) {
      this.apply([]);
      return true;
    }
    const [row = {}] = await connection.runOften(fill(this.statement, { snapshot: since, noted }));
    this.checkServer(row);
    this.isQuiet = row['snapshot'] === since;
    const isAltered = typeof row['shape'] === 'string' && row['shape'] !== shape;
    const isForgotten = this.snapshot !== since;
    const changes = parsedChanges(row['changes']);
    const isLost = row['lost'] === true || changes.some(({ type }) => type === EVERYTHING);
    if (isForgotten || isAltered || isLost || row['server'] !== this.snapshotServer) return false;
    this.snapshot = String(row['snapshot']);
    this.apply(changes);
    return true;
  }

  /** Returns whether the snapshot equals that of the last poll: then nothing was committed since. */
  private async hasSameSnapshot(connection: OwnConnection, since: string): Promise<boolean> {
    const [row = {}] = await connection.runOften(this.cheapPoll);
    this.checkServer(row);
    // The state may have been dropped during the query.
    return (
      row['snapshot'] === this.snapshot && row['snapshot'] === since && row['server'] === this.snapshotServer
    );
  }

  protected apply(changes: readonly DocumentChange[]): void {
    this.count += 1;
    for (const change of changes) this.note(change);
  }

  private async begin(connection: OwnConnection): Promise<void> {
    const [row = {}] = await connection.run(compileStand(this.base, this.base.noted));
    this.checkServer(row);
    this.forget();
    this.snapshotServer = String(row['server']);
    this.snapshot = String(row['snapshot']);
    const shape = String(row['shape']);
    // Tables may have been replaced while there was no connection, or before the first poll.
    if (shape !== this.tables.shape) this.altered();
    this.tables = { noted: String(row['noted']), shape };
  }

  /** Throws for a standby: its snapshots do not show which transactions are still running. */
  private checkServer({ standby, mark }: Row): void {
    this.mark = markIn(mark);
    if (standby === true) throw new Error('the server is in recovery');
  }

  private note(change: DocumentChange): void {
    const { type, id } = change;
    const changes = this.types.get(type) ?? { position: 0, unnamed: 0 };
    this.types.set(type, changes);
    changes.position = this.count;
    if (this.documents.size >= MAX_DOCUMENTS) {
      this.documents.clear();
      for (const each of this.types.values()) each.unnamed = this.count;
    }
    this.recent.push({ check: this.count, change });
    if (this.recent.length > 2 * MIN_RECENT) {
      this.recentSince = this.recent[MIN_RECENT]?.check ?? this.count;
      this.recent = this.recent.slice(MIN_RECENT + 1);
    }
    if (id === null) changes.unnamed = this.count;
    else this.documents.set(`${type} ${id}`, this.count);
  }

  private disconnect(): void {
    this.connection?.close();
    this.connection = null;
    this.quietUntil = performance.now() + PAUSE;
    this.forget();
  }

  private warnOnce(why: string): void {
    if (this.complaint === why || this.isClosed) return;
    this.complaint = why;
    this.base.warn(`The response cache is off for now, because the change log cannot be polled: ${why}`);
  }
}

const concerns = ({ type, id }: DocumentChange, { types, document }: Subject): boolean =>
  types.includes(type) || (document?.type === type && (id === null || id === document.id));
