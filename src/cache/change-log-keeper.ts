/** Maintenance of the change log: checks that it is complete, counts versions, and deletes old changes. */
import {
  compileProbe,
  compileUpkeep,
  holdChangeLog,
  tryChangeLog,
} from '../content/compile/compile-change-log.js';
import {
  compileFold,
  compilePending,
  compileRecount,
  compileReset,
  compileSettle,
  compileUncount,
} from '../content/compile/compile-totals.js';
import { OWN_TRANSACTION, type Database } from '../content/store/database.js';
import { runUnlimited } from '../content/store/run-unlimited.js';
import type { Row } from '../pool/runner.js';
import { ContentError } from '../kernel/errors.js';
import { changeLogTablesOf, notedTables } from '../content/model/change-log-tables.js';
import type { ContentType, Schema } from '../content/model/model.js';
import { print, quote, type Statement } from '../kernel/sql.js';

export interface KeeperBase {
  readonly database: Database;
  readonly schema: Schema;
  readonly warn: (message: string) => void;
  /** Whether the application shuts down: then no further step runs, and errors are not reported. */
  readonly isStopping: () => boolean;
}

export interface WrongTotal {
  readonly type: string;
  readonly locale: string;
  readonly published: boolean;
  readonly noted: number;
  readonly counted: number;
}

/** Number of changes that are always retained. */
const MIN_RETAINED = 1000;
/** Number of pending changes that starts settling; every read of a total scans the pending ones. */
const MANY_PENDING = 100;
const RETENTION = 60_000;
const MAX_NAMES = 3;

export class ChangeLogKeeper {
  isWhole = false;
  /** Reason why the log is incomplete, in a sentence; null also if it is unknown. */
  lack: string | null = null;
  /** Number of stored changes at the last maintenance. */
  retained = 0;
  private started = 0;
  /** Number of the first check whose result counts: no earlier one replaces it. */
  private first = 0;
  private fingerprints: ReadonlyMap<string, string> = new Map();
  /** Time and result of a query for the snapshot's `xmin`: all transactions below it have ended. */
  private ended: { readonly at: number; readonly xmin: string } | null = null;

  constructor(private readonly base: KeeperBase) {}

  /** Marks the log as incomplete until the next check succeeds. */
  doubt(): void {
    this.first = this.started + 1;
    this.isWhole = false;
  }

  /**
   * Checks that the log is complete, and counts types without totals. Never throws. Returns false if the
   * check could not be made and should be repeated soon.
   */
  async checkLog(): Promise<boolean> {
    const { database, schema, isStopping } = this.base;
    const check = (this.started += 1);
    try {
      const { lacks, uncounted, marks } = compileProbe(schema);
      const lacking = (await this.step(() => database.run(lacks))).map(
        ({ name, why }) => [String(name), String(why)] as const,
      );
      // A later check may have ended before this one.
      if (check < this.first) return true;
      this.first = check;
      this.isWhole = lacking.length === 0;
      if (lacking.length > 0) {
        await this.complain(new Map(lacking));
        return true;
      }
      this.lack = null;
      for (const { type } of await this.step(() => database.run(uncounted)))
        await this.step(() => this.count(schema.types.get(String(type)), uncounted));
      await this.compare(await this.step(() => database.run(marks)));
      return true;
    } catch (error) {
      if (isStopping() || check < this.first) return true;
      this.isWhole = false;
      // The database module already logs that the database is unreachable.
      if (!(error instanceof ContentError))
        this.report(`The change log cannot be checked (${String(error)})`);
      return false;
    }
  }

  /** Adds pending changes to the totals, if there are many. Never throws. */
  async settle(): Promise<void> {
    const { database, schema } = this.base;
    const tables = changeLogTablesOf(schema.file);
    try {
      const [row] = await this.step(() => database.run(compilePending(tables, MANY_PENDING)));
      if (row?.['pending'] === true) await this.runIfUnlocked(compileSettle(tables));
    } catch {
      // The next run retries.
    }
  }

  /** Runs a step. Throws if the application shuts down before or during it, so that it is the last one. */
  private async step<T>(work: () => Promise<T>): Promise<T> {
    this.failIfStopping();
    const result = await work();
    this.failIfStopping();
    return result;
  }

  private failIfStopping(): void {
    if (this.base.isStopping()) throw new Error('The application shuts down');
  }

  /** Runs the statements unless another transaction has the lock of the change log. */
  private runIfUnlocked(...statements: readonly Statement[]): Promise<void> {
    return this.base.database.transaction(async (runner) => {
      const [lock] = await runner.run(tryChangeLog());
      if (lock?.['held'] === true) for (const statement of statements) await runner.run(statement);
    }, OWN_TRANSACTION);
  }

  /** Deletes changes after the retention time, once they are settled. Never throws. */
  async fold(): Promise<void> {
    const { database, schema } = this.base;
    const tables = changeLogTablesOf(schema.file);
    try {
      const [row = {}] = await this.step(() => database.run(compileUpkeep(tables)));
      this.retained = Number(row['retained']);
      const now = performance.now();
      const { ended } = this;
      if (ended === null || now - ended.at >= RETENTION) this.ended = { at: now, xmin: String(row['xmin']) };
      if (ended === null || now - ended.at < RETENTION || this.retained < MIN_RETAINED) return;
      await this.runIfUnlocked(compileSettle(tables), compileFold(tables, ended.xmin));
    } catch {
      // The next run retries.
    }
  }

  /**
   * Recounts the versions of some types, or of all, and returns the totals that were wrong. Instances re-read
   * their cache entries. Throws an Error for an unknown type, before it counts any.
   */
  async recount(...types: readonly string[]): Promise<readonly WrongTotal[]> {
    const all = this.base.schema.types;
    const unknown = types.filter((name) => !all.has(name));
    if (unknown.length > 0) throw new Error(`The model has no type ${unknown.join(', ')}`);
    const named = types.length === 0 ? [...all.keys()] : [...new Set(types)];
    const wrong: WrongTotal[] = [];
    for (const name of named) wrong.push(...(await this.count(all.get(name))));
    return wrong;
  }

  /**
   * Counts in one transaction without blocking writers. With `unless`, it counts only the types that this
   * query still returns once the lock is acquired.
   */
  private count(type?: ContentType, unless?: Statement): Promise<readonly WrongTotal[]> {
    return runUnlimited(this.base.database, async (runner) => {
      if (type === undefined) return [];
      await runner.run(holdChangeLog());
      const [reset] = await runner.run(compileReset(type));
      if (reset?.['counted'] === false) throw new Error('Totals cannot be counted within a savepoint');
      const left = unless === undefined ? [] : await runner.run(unless);
      if (unless !== undefined && !left.some((row) => row['type'] === type.singularApiId)) return [];
      const rows = await runner.run(compileRecount(type));
      return rows.map((row) => ({ type: type.singularApiId, ...row }) as WrongTotal);
    });
  }

  /**
   * Recounts types whose tables have a new fingerprint: triggers may have been off between two checks, and a
   * rewrite of a table calls none.
   */
  private async compare(rows: readonly Row[]): Promise<void> {
    const before = this.fingerprints;
    this.fingerprints = new Map(rows.map(({ type, mark }) => [String(type), String(mark)]));
    for (const [name, mark] of this.fingerprints)
      if (before.has(name) && before.get(name) !== mark)
        await this.step(() => this.count(this.base.schema.types.get(name)));
  }

  private report(why: string): void {
    const message = `${why}; responses are not cached, and lists are counted`;
    if (message !== this.lack) this.base.warn(message);
    this.lack = message;
  }

  /**
   * Logs the reasons by table, and removes their totals, so that they are recounted when logging works again.
   */
  private async complain(lacking: ReadonlyMap<string, string>): Promise<void> {
    const names = [...lacking].map(([name, why]) => `${name} (${why})`);
    const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
    this.report(`Changes are not logged for ${names.slice(0, MAX_NAMES).join(', ')}${more}`);
    const { database, schema } = this.base;
    const unnoted = notedTables(schema).filter(({ table }) => lacking.has(print(quote(table)).text));
    const types = unnoted.map(({ type }) => type.singularApiId);
    await database.run(compileUncount(changeLogTablesOf(schema.file), types));
  }
}
