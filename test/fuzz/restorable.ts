import pg from 'pg';
import { restore, save, type Tables, tablesOf } from '../faults/picture.ts';
import type { RunSql } from './content.ts';

/** First id of rows that the requests of a run create. */
export const NEW_ROWS = 1000;

const SEQUENCES = `select setval(format('%I.%I', schemaname, sequencename)::regclass, ${NEW_ROWS}) from pg_sequences where schemaname = 'public'`;

/** Positions of webhooks in the event log, which go on after a reset. */
const POSITIONS = /^content_event_(reader|delivery)$/;

/** Filled database that can be reset, with its sequences. */
export class Restorable {
  readonly sql: RunSql;
  readonly tables: Tables;

  private constructor(sql: RunSql, tables: Tables) {
    this.sql = sql;
    this.tables = tables;
  }

  /** Saves the content of a database; `closing` ends the connection. */
  static async open(url: string, closing: (() => Promise<unknown>)[]): Promise<Restorable> {
    const connection = new pg.Client({ connectionString: url });
    await connection.connect();
    closing.unshift(() => connection.end());
    const sql: RunSql = async (text, values = []) =>
      (await connection.query<Record<string, unknown>>(text, values)).rows;
    const tables = new Map([...(await tablesOf(sql))].filter(([name]) => !POSITIONS.test(name)));
    await save(sql, tables);
    await sql(SEQUENCES);
    return new Restorable(sql, tables);
  }

  async restore(): Promise<void> {
    await restore(this.sql, this.tables);
    await this.sql(SEQUENCES);
  }
}
