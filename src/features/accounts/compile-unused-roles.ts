import type { ContentType } from '../../content/model/model.js';
import { quote, type Sql, sql } from '../../kernel/sql.js';

/** Condition that a role has no users and is unchanged since an application created it at its start. */
export function isUnusedRole(row: Sql, users: ContentType): Sql {
  const held = users.storage.columnOf.get('role');
  if (held === undefined) return sql`false`;
  const had = sql`select 1 from ${quote(users.table)} u where u.${quote(held.name)} = ${row}.document_id`;
  return sql`${row}.created_at = ${row}.updated_at and not exists (${had})`;
}
