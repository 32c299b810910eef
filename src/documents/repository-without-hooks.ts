import {
  compileAllRecords,
  compileChangeItem,
  compileCountRecords,
  compileFindRecordOr,
  compileFindRecords,
  compileRemoveRecords,
  compileSetRecords,
  type ItemChange,
  type Match,
} from '../compile/compile-record.js';
import type { Database } from '../database/database.js';
import type { Row } from '../database/runner.js';
import { ContentModelError } from '../schema/content-model-error.js';
import type { ContentType, Schema } from '../schema/model.js';
import type { Statement } from '../sql.js';

/**
 * The back door, and the only one: rows of one type for the library's own modules, by hidden attributes,
 * without rights and **without the host's hooks**, one statement each. Values are in the form of answers,
 * times in ISO 8601; JSON is text.
 *
 * Everything else goes through `Documents`. What stays here cannot: signing in and its codes look up and
 * change what no request may see or write (hashes, codes, sessions), which no hook is to be shown either; and
 * a code, a password or a session is good for one of those who come with it at once, so the condition and the
 * change have to be one statement. Attributes that requests may write change `updatedAt` here as they do
 * everywhere.
 */
export class RepositoryWithoutHooks {
  constructor(
    private readonly database: Database,
    private readonly type: ContentType,
  ) {}

  /** The rows that match one of several, those of an earlier match first. */
  find(anyOf: readonly Match[], select: readonly string[]): Promise<readonly Row[]> {
    return this.database.run(compileFindRecords(this.type, anyOf, select));
  }

  /** The row that matches, or `otherwise` with the same keys, in the same time. */
  async findOr(match: Match, otherwise: Match): Promise<Row> {
    const [row] = await this.database.run(compileFindRecordOr(this.type, match, otherwise));
    return row ?? otherwise;
  }

  all(select: readonly string[]): Promise<readonly Row[]> {
    return this.database.run(compileAllRecords(this.type, select));
  }

  /**
   * Changes the rows that match; how many there were. Sets `updatedAt`, unless all that it changes is of a
   * kind that no request may write: that a code was mailed is no news of its user.
   */
  async set(match: Match, values: Match): Promise<number> {
    return this.write(compileSetRecords(this.type, match, values));
  }

  /** How many rows hold each value of an attribute. */
  async countBy(key: string): Promise<ReadonlyMap<unknown, number>> {
    const rows = await this.database.run(compileCountRecords(this.type, key));
    return new Map(rows.map(({ value, total }) => [value, Number(total)]));
  }

  /**
   * Changes one item of a list in the rows that match; whether there was one that could be. For lists that
   * nobody is shown: `updatedAt` stays.
   */
  async changeItem(match: Match, change: ItemChange): Promise<boolean> {
    const turn = `${this.type.table}.${change.attribute} ${JSON.stringify(match)}`;
    return (await this.write(compileChangeItem(this.type, match, change), turn)) > 0;
  }

  /** Removes the rows that match; how many there were. */
  async remove(match: Match): Promise<number> {
    return this.write(compileRemoveRecords(this.type, match));
  }

  /** A statement that writes has its place among writes; those with one turn wait without a connection. */
  private async write(statement: Statement, turn: string | null = null): Promise<number> {
    const options = { values: new Map(), retryOn: [], shared: false, turn, hangup: null };
    const rows = await this.database.transaction((runner) => runner.last([statement]), options);
    return rows[0]?.length ?? 0;
  }
}

/**
 * A content type that a module beside the content module needs. Throws a ContentModelError that says how to
 * add it.
 */
export function neededType(schema: Schema, singularApiId: string, how: string): ContentType {
  const type = schema.types.get(singularApiId);
  if (type === undefined)
    throw new ContentModelError([`contentTypes: ${how} is missing, which this module needs`]);
  return type;
}
