import type { OwnCondition } from '../access/decide.js';
import { quote, type Sql, sql } from '../sql.js';
import { columnValue } from './column-value.js';

/** Whether a row's document is a user's own: in what is read, and in what is looked up before a write. */
export const compileOwn = ({ owner, user }: OwnCondition, row: Sql): Sql =>
  sql`${row}.${quote(owner.name)} = ${columnValue(owner, user)}`;
