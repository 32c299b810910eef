/** Work of one reader while this instance has its lease: retries, then new events, until nothing is due. */
import pLimit, { type LimitFunction } from 'p-limit';
import { isListOf, isShape } from '../../kernel/json.js';
import {
  batchStatements,
  countIn,
  isFailing,
  isSettled,
  type Pending,
  type TriedEvent,
  warningOf,
} from './batch-statements.js';
import type { Cursor } from './compile-events.js';
import { compileHold, compileUndelivered, compileProbe, type Lease } from './compile-readers.js';
import { OWN_TRANSACTION } from '../../content/store/database.js';
import { dueRowsIn, type EventLog, type News } from './event-log.js';
import type { LoggedEvent } from './logged-event.js';
import type { Runner } from '../../pool/runner.js';
import type { Delivery, EventReader } from './reader.js';
import type { ReaderCounts } from './reader-counts.js';

/** Number of documents with undelivered events at which a reader stops reading new ones. */
const MAX_PARKED = 100;
/** Number of undelivered events that are retried at once. */
const MOST_RETRIES = 50;
/** Time in milliseconds between two attempts of a reader with too many undelivered events. */
const PROBE_INTERVAL = 60_000;

/** Another instance has acquired the lease, or the reader was disabled. */
class LeaseLost extends Error {}

export interface RunState {
  readonly cursor: Cursor;
  readonly failing: boolean;
  readonly server: string;
}

export interface RunBase {
  readonly log: EventLog;
  /** Reader as it is now. */
  readonly reader: EventReader;
  readonly owner: string;
  readonly counts: ReaderCounts;
  /** Bounds the work of all readers on the database. */
  readonly limit: LimitFunction;
  /** Times of the last probe by reader, by `performance.now()`. */
  readonly probes: Map<string, number>;
  readonly isStopping: () => boolean;
  readonly warn: (line: string) => void;
}

/** Events that a reader has to deliver. */
interface Found {
  readonly due: readonly Pending[];
  /** Documents with undelivered events. */
  readonly parked: ReadonlySet<string>;
  /** Null while too many documents have undelivered events. */
  readonly news: News | null;
  readonly isFull: boolean;
}

const isDocuments = isListOf(
  isShape<{ readonly type: string; readonly id: string }>({
    type: (value): value is string => typeof value === 'string',
    id: (value): value is string => typeof value === 'string',
  }),
);

const documentOf = ({ type, documentId }: LoggedEvent): string => `${type} ${documentId}`;

function groupByDocument(pending: readonly Pending[]): Pending[][] {
  const groups = new Map<string, Pending[]>();
  for (const one of pending) {
    const key = documentOf(one.event);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

export class ReaderRun {
  private readonly lease: Lease;
  private cursor: Cursor;
  private failing: boolean;

  constructor(
    private readonly base: RunBase,
    state: RunState,
  ) {
    this.lease = { name: base.reader.name, owner: base.owner, server: state.server };
    this.cursor = state.cursor;
    this.failing = state.failing;
  }

  /** Works until nothing is due. Ends without an error if the lease was lost. */
  async run(): Promise<void> {
    try {
      while (!this.base.isStopping() && (await this.step()));
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    }
  }

  /** Delivers one batch. Returns whether there may be more. */
  private async step(): Promise<boolean> {
    const { reader, limit, isStopping } = this.base;
    const found = await limit(() => (isStopping() ? null : this.find()));
    if (found === null) return false;
    const { due, parked, news, isFull } = found;
    if (isFull && due.length === 0) return this.probe();
    const fresh = (news?.events ?? []).filter((event) => reader.accepts(event));
    const waiting = fresh.filter((event) => parked.has(documentOf(event)));
    const now = fresh.filter((event) => !parked.has(documentOf(event)));
    if (due.length === 0 && (news === null || news.events.length === 0)) {
      this.cursor = news?.cursor ?? this.cursor;
      return news?.more ?? false;
    }
    const tried = await this.deliver([
      ...due,
      ...now.map((event) => ({ event, attempts: 0, isStored: false })),
    ]);
    await this.store({ tried, waiting, cursor: news?.cursor ?? this.cursor });
    return true;
  }

  /** Reads the due events and the new ones. Throws LeaseLost. */
  private async find(): Promise<Found> {
    const { log, reader, counts } = this.base;
    const { file, database } = log;
    const most = { due: MOST_RETRIES, documents: MAX_PARKED };
    const [row] = await database.run(compileUndelivered(file, this.lease, most));
    if (row === undefined) throw new LeaseLost();
    const documents: unknown = JSON.parse(String(row['documents']));
    const parked = new Set((isDocuments(documents) ? documents : []).map(({ type, id }) => `${type} ${id}`));
    const due = dueRowsIn(row['due']).map((one) => ({
      event: log.eventOf(one),
      attempts: one.attempts,
      isStored: true,
    }));
    const documentCount = Number(row['waiting']);
    const isFull = documentCount >= MAX_PARKED;
    const news = isFull ? null : await log.after(this.cursor);
    counts.note(reader.name, { waiting: documentCount, news });
    return { due, parked, news, isFull };
  }

  /** Retries one event of a reader that has too many undelivered ones, once a minute. */
  private async probe(): Promise<boolean> {
    const { log, reader, limit, probes } = this.base;
    const [now, last = Number.NEGATIVE_INFINITY] = [performance.now(), probes.get(reader.name)];
    if (now - last < PROBE_INTERVAL) return false;
    probes.set(reader.name, now);
    const probed = await limit(() => log.database.run(compileProbe(log.file, reader.name)));
    return probed.length > 0;
  }

  /**
   * Attempts the events of each document in order, up to the first failure. A reader with a concurrency of 1
   * gets all events in order. Attempts none once the run has to stop: a batch can take an hour.
   */
  private async deliver(pending: readonly Pending[]): Promise<readonly TriedEvent[]> {
    const { reader, isStopping } = this.base;
    const failed = new Set<string>();
    let isGone = false;
    const one = async (each: Pending): Promise<TriedEvent> => {
      const [at, started] = [Date.now(), performance.now()];
      const document = documentOf(each.event);
      const isHeld = isGone || failed.has(document) || isStopping();
      const outcome = isHeld ? null : await this.outcomeOf(each.event);
      if (outcome?.kind === 'gone') isGone = true;
      const tried = { ...each, outcome, at, milliseconds: Math.round(performance.now() - started) };
      if (!isSettled(tried)) failed.add(document);
      return tried;
    };
    const all = async (events: readonly Pending[]): Promise<TriedEvent[]> => {
      const tried: TriedEvent[] = [];
      for (const each of events) tried.push(await one(each));
      return tried;
    };
    if (reader.concurrency === 1) return all(pending);
    const limit = pLimit(reader.concurrency);
    return (await Promise.all(groupByDocument(pending).map((group) => limit(() => all(group))))).flat();
  }

  /** Sends an event. Stored ones may no longer be among the events of the receiver. */
  private async outcomeOf(event: LoggedEvent): Promise<Delivery> {
    const { reader } = this.base;
    return reader.accepts(event) ? reader.deliver(event) : { kind: 'skipped' };
  }

  /** Stores the results of a batch and the position after it in one transaction. */
  private async store(batch: {
    readonly tried: readonly TriedEvent[];
    readonly waiting: readonly LoggedEvent[];
    readonly cursor: Cursor;
  }): Promise<void> {
    const { log, limit } = this.base;
    const failing = isFailing(batch.tried) ?? this.failing;
    const change = { lease: this.lease, wasFailing: this.failing, failing };
    const statements = batchStatements(log.file, this.base.reader, { ...batch, ...change });
    const work = async (runner: Runner): Promise<void> => {
      const [held] = await runner.run(compileHold(log.file, this.lease));
      if (held === undefined) throw new LeaseLost();
      for (const statement of statements) await runner.run(statement);
    };
    await limit(() => log.database.transaction(work, OWN_TRANSACTION));
    const line = warningOf(this.base.reader.name, batch.tried, this.failing);
    if (line !== null) this.base.warn(line);
    this.cursor = batch.cursor;
    this.failing = failing;
    countIn(this.base.counts, batch.tried);
  }
}
