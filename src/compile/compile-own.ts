import type { OwnCondition } from '../access/decide.js';
import { quote, type Sql, sql } from '../sql.js';
import { stored } from './stored-value.js';

/** Whether a row's document is a user's own: in what is read, and in what is looked up before a write. */
export function compileOwn({ owner, user }: OwnCondition, row: Sql): Sql {
  if (owner.kind === 'scalar') return sql`${row}.${quote(owner.column)} = ${stored(owner, user)}`;
  if (owner.join.kind !== 'column') return sql`false`;
  return sql`${row}.${quote(owner.join.column)} = ${stored(owner, user)}`;
}
