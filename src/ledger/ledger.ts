/**
 * What has changed, as far as anybody could know it: asked of the database by one statement for all who ask
 * at about the same time. Whoever asks while it is under way waits for the next, so that what is said was
 * seen after the question: nothing that was committed before it is missing.
 */
import { compileCheck, compileGlance, compileStand, type Stand } from '../compile/compile-ledger.js';
import type { OwnConnection } from '../database/own-connection.js';
import type { Row } from '../database/runner.js';
import type { Mark } from '../query/mark.js';
import { EVERYTHING, type LedgerTables } from '../schema/ledger.js';
import { fill, type Identifier, type Statement, type Template } from '../sql.js';
import { ofLate } from './odds.js';

/** What answers are about. */
export interface Subject {
  /** Types of which any document matters, by `singularApiId`. */
  readonly types: readonly string[];
  /** The only document of another type that matters; null where there is none. */
  readonly document: { readonly type: string; readonly id: string } | null;
}

/** What a ledger is made of. */
export interface LedgerBase {
  readonly tables: LedgerTables;
  /** Whether checks report the position of the primary. */
  readonly marked: boolean;
  /** The tables whose changes are noted. */
  readonly noted: readonly Identifier[];
  /** Opens a connection; null where the driver has none. */
  readonly open: () => Promise<OwnConnection | null>;
  /** Told in one line when nothing can be said for now, and why. */
  readonly warn: (message: string) => void;
}

/** When something changed last: by the number of the check that said so. */
interface Changes {
  /** Any document. */
  last: number;
  /** Documents that nobody named, so that each may be among them. */
  unnamed: number;
}

/** Changes of a document by a transaction, or of any where `id` is null. */
export interface Told {
  readonly type: string;
  readonly id: string | null;
  readonly xid: string;
}

/** Changes that were told lately, and by which check. */
interface Recent {
  readonly check: number;
  readonly change: Told;
}

/** How long nobody is asked after a failure, in milliseconds. */
const PAUSE = 1000;
/** How many documents are known by name; beyond that all of them count as changed. */
const NAMED = 10_000;
/** How many changes are remembered one by one, at least. */
const RECENT = 1000;

const told = (text: unknown): readonly Told[] =>
  typeof text === 'string' ? (JSON.parse(text) as Told[]) : [];

export class Ledger {
  /** How many checks were made; what was read before the last one may be older. */
  private count = 0;
  /** What was read before this check is worth nothing: it may have been read elsewhere. */
  private floor = 0;
  private readonly types = new Map<string, Changes>();
  private readonly documents = new Map<string, number>();
  /** In the order of checks; all of those after `recentSince`. */
  private recent: Recent[] = [];
  private recentSince = 0;
  private connection: OwnConnection | null = null;
  private snapshot: string | null = null;
  /** The tables whose changes are noted, and what they are like. */
  private tables: { readonly noted: string; readonly shape: string } = { noted: '{}', shape: '' };
  /** Whether nothing at all was committed between the last two checks: so it may be this time. */
  private isQuiet = false;
  /** The position of the primary at the last check; null where it is not queried. */
  mark: Mark | null = null;
  /** Which server answers; null before it is known. */
  private seenBy: string | null = null;
  private isAsking = false;
  /** Those who came while it was asked, and wait for the next time. */
  private next: PromiseWithResolvers<boolean> | null = null;
  private quietUntil = 0;
  private isClosed = false;
  private complaint: string | null = null;
  /** How many statements were asked, and the milliseconds of the last; for who watches. */
  checks = 0;
  took = 0;
  /** What checks of late have cost each of those who shared them, in milliseconds. */
  cost = 0;
  private asking = 0;
  private altered: () => void = () => undefined;
  private readonly statement: Template<Stand>;
  private readonly glance: Statement;

  constructor(private readonly base: LedgerBase) {
    this.statement = compileCheck(base);
    this.glance = compileGlance(base);
  }

  /** Names the present: what is read from now on is at least as new. */
  get position(): number {
    return this.count;
  }

  /** Which server has said so; null while nothing is known. */
  get server(): string | null {
    return this.snapshot === null ? null : this.seenBy;
  }

  /**
   * Calls back when tables were altered, rewritten or replaced, which calls no trigger: before anything that
   * is read from then on can be kept.
   */
  onAltered(listener: () => void): void {
    this.altered = listener;
  }

  /** Asks what has changed. False where nobody can say. */
  check(): Promise<boolean> {
    this.asking += 1;
    if (!this.isAsking) return this.start();
    return (this.next ??= Promise.withResolvers<boolean>()).promise;
  }

  /** Whether something may have changed since a position, as far as it has been asked. */
  hasChanged({ types, document }: Subject, position: number): boolean {
    if (position < this.floor) return true;
    if (types.some((type) => (this.types.get(type)?.last ?? 0) > position)) return true;
    if (document === null) return false;
    const { type, id } = document;
    const unnamed = this.types.get(type)?.unnamed ?? 0;
    return Math.max(unnamed, this.documents.get(`${type} ${id}`) ?? 0) > position;
  }

  /**
   * The same for what was read meanwhile, in a snapshot of its own: changes that it has seen are none. Says
   * yes also where that cannot be told.
   */
  hasMissed(subject: Subject, position: number, snapshot: string): boolean {
    if (!this.hasChanged(subject, position)) return false;
    if (position < this.floor || position < this.recentSince) return true;
    return this.recent.some(
      ({ check, change }) =>
        check > position && concerns(change, subject) && !sees(snapshot, BigInt(change.xid)),
    );
  }

  /** Forgets everything, so that what is kept is read anew. */
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
    this.lose();
  }

  private async start(): Promise<boolean> {
    if (this.isClosed || performance.now() < this.quietUntil) return false;
    this.isAsking = true;
    const isKnown = await this.ask();
    this.isAsking = false;
    const { next } = this;
    this.next = null;
    // At once: whoever comes now must not ask beside those who have waited, or both would be told the same.
    if (next !== null) this.start().then(next.resolve, next.reject);
    return isKnown;
  }

  /** Takes note of what has changed. Never throws. */
  protected async ask(): Promise<boolean> {
    const started = performance.now();
    const askers = Math.max(1, this.asking);
    this.asking = 0;
    try {
      const connection = (this.connection ??= await this.base.open());
      if (connection === null) return false;
      const { snapshot } = this;
      const known = snapshot !== null && (await this.goOn(connection, snapshot));
      if (!known) await this.begin(connection);
      this.checks += 1;
      this.took = performance.now() - started;
      if (known) this.cost = ofLate(this.cost, this.took / askers);
      this.complaint = null;
      return true;
    } catch (error) {
      this.lose();
      this.complain(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  /** What has changed since the last look; false where that cannot be told. */
  private async goOn(connection: OwnConnection, since: string): Promise<boolean> {
    const { noted, shape } = this.tables;
    if (this.isQuiet && (await this.isStill(connection, since))) {
      this.tell([]);
      return true;
    }
    const [row = {}] = await connection.runOften(fill(this.statement, { snapshot: since, noted }));
    this.judge(row);
    this.isQuiet = row['snapshot'] === since;
    const isAltered = typeof row['shape'] === 'string' && row['shape'] !== shape;
    if (isAltered) this.altered();
    const isForgotten = this.snapshot !== since;
    const changes = told(row['changes']);
    const isLost = row['lost'] === true || changes.some(({ type }) => type === EVERYTHING);
    if (isForgotten || isAltered || isLost || row['server'] !== this.seenBy) return false;
    this.snapshot = String(row['snapshot']);
    this.tell(changes);
    return true;
  }

  /** Whether exactly what was seen at the last look is seen now: then nothing was committed since. */
  private async isStill(connection: OwnConnection, since: string): Promise<boolean> {
    const [row = {}] = await connection.runOften(this.glance);
    this.judge(row);
    // It may have been forgotten meanwhile.
    return row['snapshot'] === this.snapshot && row['snapshot'] === since && row['server'] === this.seenBy;
  }

  /** Another check has been made, and has said so much. */
  protected tell(changes: readonly Told[]): void {
    this.count += 1;
    for (const change of changes) this.note(change);
  }

  /** Begins with what is there, for the first time, or after it has been lost from sight. */
  private async begin(connection: OwnConnection): Promise<void> {
    const [row = {}] = await connection.run(compileStand(this.base, this.base.noted));
    this.judge(row);
    this.forget();
    this.seenBy = String(row['server']);
    this.snapshot = String(row['snapshot']);
    this.tables = { noted: String(row['noted']), shape: String(row['shape']) };
  }

  /** A standby does not know of transactions that are still running: it cannot say what it does not see. */
  private judge({ standby, mark = null }: Row): void {
    this.mark = mark as Mark | null;
    if (standby === true) throw new Error('it is asked of a server in recovery');
  }

  private note(change: Told): void {
    const { type, id } = change;
    const changes = this.types.get(type) ?? { last: 0, unnamed: 0 };
    this.types.set(type, changes);
    changes.last = this.count;
    if (this.documents.size >= NAMED) {
      this.documents.clear();
      for (const each of this.types.values()) each.unnamed = this.count;
    }
    this.recent.push({ check: this.count, change });
    if (this.recent.length > 2 * RECENT) {
      this.recentSince = this.recent[RECENT]?.check ?? this.count;
      this.recent = this.recent.slice(RECENT + 1);
    }
    if (id === null) changes.unnamed = this.count;
    else this.documents.set(`${type} ${id}`, this.count);
  }

  private lose(): void {
    this.connection?.close();
    this.connection = null;
    this.quietUntil = performance.now() + PAUSE;
    this.forget();
  }

  private complain(why: string): void {
    if (this.complaint === why || this.isClosed) return;
    this.complaint = why;
    this.base.warn(
      `Nothing is answered from the cache for now, because nobody knows what has changed: ${why}`,
    );
  }
}

/** Whether a change may be one of what an answer is about. */
const concerns = ({ type, id }: Told, { types, document }: Subject): boolean =>
  types.includes(type) || (document?.type === type && (id === null || id === document.id));

/** Whether a snapshot sees what a transaction has committed (`xmin:xmax:running,…`). */
function sees(snapshot: string, xid: bigint): boolean {
  const [xmin = '', xmax = '', running = ''] = snapshot.split(':');
  if (xid < BigInt(xmin)) return true;
  return xid < BigInt(xmax) && !running.split(',').includes(String(xid));
}
