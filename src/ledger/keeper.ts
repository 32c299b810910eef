/** Sees to it that the ledger is whole, that versions are counted, and that it does not grow for ever. */
import { compileProbe, compileUpkeep, holdLedger, patiently, tryLedger } from '../compile/compile-ledger.js';
import {
  compileFold,
  compilePending,
  compileRecount,
  compileReset,
  compileSettle,
  compileUncount,
} from '../compile/compile-totals.js';
import type { Database } from '../database/database.js';
import type { Row, Runner } from '../database/runner.js';
import { ContentError } from '../errors.js';
import { ledgerTablesOf, notedTables } from '../schema/ledger.js';
import type { ContentType, Schema } from '../schema/model.js';
import { print, quote, type Statement } from '../sql.js';

/** What a keeper is made of. */
export interface KeeperBase {
  readonly database: Database;
  readonly schema: Schema;
  /** Told in one line what the host should know. */
  readonly warn: (message: string) => void;
}

/** A total that was not that of the table. */
export interface WrongTotal {
  /** By `singularApiId`. */
  readonly type: string;
  readonly locale: string;
  readonly published: boolean;
  /** How many versions there were said to be. */
  readonly noted: number;
  /** How many there are. */
  readonly counted: number;
}

/** So many changes are kept before any of them are forgotten. */
const KEPT = 1000;
/** So many changes are settled sooner: each of them costs who reads a total. */
const PENDING = 100;
/** How long changes are kept at least, in milliseconds: who asks that often is told each of them. */
const KEEP = 60_000;
/** How many names a message has. */
const NAMED = 3;

const ALONE = { values: new Map(), retryOn: [], shared: false, turn: null, hangup: null };

export class LedgerKeeper {
  /** Whether every change is noted. */
  isWhole = false;
  /** What changes are not noted of, in a sentence; null where that is not known, too. */
  lack: string | null = null;
  private isClosed = false;
  /** How often somebody has doubted it. */
  private doubts = 0;
  /** What the tables of each type looked like. */
  private marks: ReadonlyMap<string, string> = new Map();
  /** Transactions before this one had ended at that time. */
  private ended: { readonly at: number; readonly xmin: string } | null = null;

  constructor(private readonly base: KeeperBase) {}

  /** Takes the ledger for incomplete until a look that begins from now on has found it whole. */
  doubt(): void {
    this.doubts += 1;
    this.isWhole = false;
  }

  /** Looks whether the ledger is whole, and counts what nobody has counted. Never throws. */
  async look(): Promise<void> {
    const { database, schema } = this.base;
    const { doubts } = this;
    try {
      const { lacks, uncounted, marks } = compileProbe(schema);
      const lacking = (await database.run(lacks)).map(
        ({ name, why }) => [String(name), String(why)] as const,
      );
      this.isWhole = lacking.length === 0 && doubts === this.doubts;
      if (lacking.length > 0) return await this.complain(new Map(lacking));
      this.lack = null;
      for (const { type } of await database.run(uncounted))
        await this.count(schema.types.get(String(type)), uncounted);
      await this.compare(await database.run(marks));
    } catch (error) {
      this.isWhole = false;
      // That the database is away is said by others already.
      if (!(error instanceof ContentError)) this.say(`What is noted cannot be seen: ${String(error)}`);
    }
  }

  /** Settles changes, if they are many. Never throws. */
  async settle(): Promise<void> {
    const { database, schema } = this.base;
    const tables = ledgerTablesOf(schema.file);
    try {
      const [row] = await database.run(compilePending(tables, PENDING));
      if (row?.['pending'] === true) await this.alone(compileSettle(tables));
    } catch {
      // It is tried again.
    }
  }

  /** Does it, unless somebody else is at the ledger. */
  private alone(...statements: readonly Statement[]): Promise<void> {
    return this.base.database.transaction(async (runner) => {
      const [lock] = await runner.run(tryLedger());
      if (lock?.['held'] === true) for (const statement of statements) await runner.run(statement);
    }, ALONE);
  }

  /** Forgets what has been kept for long enough, once it is settled. Never throws. */
  async fold(): Promise<void> {
    const { database, schema } = this.base;
    const tables = ledgerTablesOf(schema.file);
    try {
      const [row = {}] = await database.run(compileUpkeep(tables));
      const now = performance.now();
      const { ended } = this;
      if (ended === null || now - ended.at >= KEEP) this.ended = { at: now, xmin: String(row['xmin']) };
      if (ended === null || now - ended.at < KEEP || Number(row['kept']) < KEPT) return;
      await this.alone(compileSettle(tables), compileFold(tables, ended.xmin));
    } catch {
      // It is tried again.
    }
  }

  /**
   * Counts the versions of a type anew, or of all, and answers which totals were wrong; whoever has kept
   * answers about them reads them anew. Throws an Error for a type that there is not, before anything is
   * counted.
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
   * In one transaction, for as long as it takes; writers do not wait for it. With `unless`, only what that
   * statement still names once it is this one's turn.
   */
  private count(type?: ContentType, unless?: Statement): Promise<readonly WrongTotal[]> {
    const work = async (runner: Runner): Promise<readonly WrongTotal[]> => {
      if (type === undefined) return [];
      await runner.run(patiently());
      await runner.run(holdLedger());
      const [reset] = await runner.run(compileReset(type));
      if (reset?.['kept'] === false) throw new Error('Totals cannot be counted within a savepoint');
      const left = unless === undefined ? [] : await runner.run(unless);
      if (unless !== undefined && !left.some((row) => row['type'] === type.singularApiId)) return [];
      const rows = await runner.run(compileRecount(type));
      return rows.map((row) => ({ type: type.singularApiId, ...row }) as WrongTotal);
    };
    return this.base.database.alone(work, { snapshot: false });
  }

  /**
   * Counts anew what has been out of sight since the last look: triggers may have been switched off and on
   * again, and whoever rewrites a table calls none.
   */
  private async compare(rows: readonly Row[]): Promise<void> {
    const before = this.marks;
    this.marks = new Map(rows.map(({ type, mark }) => [String(type), String(mark)]));
    for (const [name, mark] of this.marks)
      if (before.has(name) && before.get(name) !== mark) await this.count(this.base.schema.types.get(name));
  }

  /** The application ends: nothing that fails from here on is worth a word. */
  close(): void {
    this.isClosed = true;
  }

  /** Once, until it has become another reason. */
  private say(why: string): void {
    if (this.isClosed) return;
    const message = `${why}, so that no answer is kept and lists are counted`;
    if (message !== this.lack) this.base.warn(message);
    this.lack = message;
  }

  /** Says why, by table, and has what is written meanwhile counted as soon as it is noted again. */
  private async complain(lacking: ReadonlyMap<string, string>): Promise<void> {
    const names = [...lacking].map(([name, why]) => `${name} (${why})`);
    const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
    this.say(`Changes are not noted of ${names.slice(0, NAMED).join(', ')}${more}`);
    const { database, schema } = this.base;
    const unnoted = notedTables(schema).filter(({ table }) => lacking.has(print(quote(table)).text));
    const types = unnoted.map(({ type }) => type.singularApiId);
    await database.run(compileUncount(ledgerTablesOf(schema.file), types));
  }
}
