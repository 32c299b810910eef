/** Sees to it that the ledger is whole, that versions are counted, and that it does not grow for ever. */
import {
  compileFold,
  compileProbe,
  compileRecount,
  compileUpkeep,
  holdLedger,
  tryLedger,
} from '../compile/compile-ledger.js';
import type { Database } from '../database/database.js';
import type { Runner } from '../database/runner.js';
import { ledgerTablesOf } from '../schema/ledger.js';
import type { ContentType, Schema } from '../schema/model.js';

/** What a keeper is made of. */
export interface KeeperBase {
  readonly database: Database;
  readonly schema: Schema;
  /** Told in one line what the host should know. */
  readonly warn: (message: string) => void;
}

/** So many changes are kept before they are added up. */
const KEPT = 1000;
/** How long changes are kept at least, in milliseconds: who asks that often is told each of them. */
const KEEP = 60_000;
/** How many names a message has. */
const NAMED = 3;

const ALONE = { values: new Map(), retryOn: [], shared: false, turn: null, hangup: null };

export class LedgerKeeper {
  /** Whether every change is noted. */
  isWhole = false;
  private told: string | null = null;
  /** Transactions before this one had ended at that time. */
  private ended: { readonly at: number; readonly xmin: string } | null = null;

  constructor(private readonly base: KeeperBase) {}

  /** Looks whether the ledger is whole, and counts what nobody has counted. Never throws. */
  async look(): Promise<void> {
    const { database, schema } = this.base;
    try {
      const { lacks, uncounted } = compileProbe(schema);
      const missing = (await database.run(lacks)).map(({ name }) => String(name));
      this.isWhole = missing.length === 0;
      if (!this.isWhole) return this.complain(missing);
      this.told = null;
      for (const { type } of await database.run(uncounted)) await this.recount(String(type));
    } catch {
      // The database is away, which others say already.
      this.isWhole = false;
    }
  }

  /** Adds up what has been kept for long enough. Never throws. */
  async fold(): Promise<void> {
    const { database, schema } = this.base;
    const tables = ledgerTablesOf(schema.file);
    try {
      const [row = {}] = await database.run(compileUpkeep(tables));
      const now = performance.now();
      const { ended } = this;
      if (ended === null || now - ended.at >= KEEP) this.ended = { at: now, xmin: String(row['xmin']) };
      if (ended === null || now - ended.at < KEEP || Number(row['kept']) < KEPT) return;
      await database.transaction(async (runner) => {
        const [lock] = await runner.run(tryLedger());
        if (lock?.['held'] === true) await runner.run(compileFold(tables, ended.xmin));
      }, ALONE);
    } catch {
      // It is tried again.
    }
  }

  /** Counts the versions of a type anew, or of all; whoever has kept answers about them reads them anew. */
  async recount(...types: readonly string[]): Promise<void> {
    const all = this.base.schema.types;
    const named = types.length === 0 ? [...all.values()] : types.flatMap((name) => all.get(name) ?? []);
    const count = (type: ContentType) => async (runner: Runner) => {
      await runner.run(holdLedger());
      await runner.run(compileRecount(type));
    };
    for (const type of named) await this.base.database.transaction(count(type), ALONE);
  }

  private complain(missing: readonly string[]): void {
    const names = [...new Set(missing)];
    const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
    const message = `Changes are not noted of ${names.slice(0, NAMED).join(', ')}${more}, so that no answer is kept and lists are counted: run the migrations`;
    if (message !== this.told) this.base.warn(message);
    this.told = message;
  }
}
