import type { SqlEntityManager } from '@mikro-orm/postgresql';
import {
  compileAllRecords,
  compileChangeItem,
  compileCountRecords,
  compileFindRecordOr,
  compileFindRecords,
  compileRemoveRecords,
  compileSetRecords,
  type Countable,
  type ItemChange,
  type Match,
} from '../compile/compile-record.js';
import { OWN_TRANSACTION, type Database, type TransactionOptions } from '../store/database.js';
import type { Row } from '../../pool/runner.js';
import { ContentModelError } from '../model/content-model-error.js';
import type { ContentType, Schema } from '../model/model.js';
import type { Statement } from '../../kernel/sql.js';

/**
 * Internal repository of one type that bypasses permissions **and hooks**: it reads and writes hidden
 * attributes with one statement each. Values have the format of responses: times in ISO 8601, JSON as text.
 *
 * All other access goes through `Documents`. Authentication needs this class for values that no request may
 * see or write, and no hook may receive: hashes, codes, sessions. A code, password or session is used at most
 * once, so condition and change must be one statement. Changes of attributes that requests may write set
 * `updatedAt`, as elsewhere.
 */
export class RepositoryWithoutHooks {
  constructor(
    private readonly database: Database,
    private readonly type: ContentType,
  ) {}

  find(anyOf: readonly Match[], select: readonly string[]): Promise<readonly Row[]> {
    return this.database.run(compileFindRecords(this.type, anyOf, select));
  }

  /** Returns the matching row, or `otherwise` with the same keys, in equal time. */
  async findOr(match: Match, otherwise: Match): Promise<Row> {
    const [row] = await this.database.run(compileFindRecordOr(this.type, match, otherwise));
    return row ?? otherwise;
  }

  all(select: readonly string[]): Promise<readonly Row[]> {
    return this.database.run(compileAllRecords(this.type, select));
  }

  /** Changes the matching rows, in the transaction of `em` if there is one, and returns their number. */
  async set(match: Match, values: Match, em?: SqlEntityManager): Promise<number> {
    return this.write(compileSetRecords(this.type, match, values), em === undefined ? {} : { joined: em });
  }

  async countBy(key: string, among: Countable | null = null): Promise<ReadonlyMap<unknown, number>> {
    const rows = await this.database.run(compileCountRecords(this.type, key, among));
    return new Map(rows.map(({ value, total }) => [value, Number(total)]));
  }

  /**
   * Changes one item of a list in the matching rows, and returns whether one was changed. Such lists are
   * hidden, so `updatedAt` stays.
   */
  async changeItem(match: Match, change: ItemChange): Promise<boolean> {
    const mutex = `${this.type.table}.${change.attribute} ${JSON.stringify(match)}`;
    return (await this.write(compileChangeItem(this.type, match, change), { mutex })) > 0;
  }

  async remove(match: Match): Promise<number> {
    return this.write(compileRemoveRecords(this.type, match));
  }

  private async write(statement: Statement, options: Partial<TransactionOptions> = {}): Promise<number> {
    const rows = await this.database.transaction((runner) => runner.finish([statement]), {
      ...OWN_TRANSACTION,
      ...options,
    });
    return rows[0]?.length ?? 0;
  }
}

/** Returns a content type that another module needs. Throws a ContentModelError that says how to add it. */
export function neededType(schema: Schema, singularApiId: string, how: string): ContentType {
  const type = schema.types.get(singularApiId);
  if (type === undefined)
    throw new ContentModelError([`contentTypes: add ${how}, which this module requires`]);
  return type;
}
