import type { Replaceable } from '../../content/documents/archive-parts.js';
import type { Schema } from '../../content/model/model.js';
import { quote, sql } from '../../kernel/sql.js';

/** Returns the condition of roles without users, unchanged since an application created them at its start. */
export function unusedRoles({ types }: Schema): Replaceable {
  const users = types.get('user');
  const roleColumn = users?.storage.columnOf.get('role');
  if (users === undefined || roleColumn === undefined) return () => sql`false`;
  return (row) => {
    const had = sql`select 1 from ${quote(users.table)} u where u.${quote(roleColumn.name)} = ${row}.document_id`;
    return sql`${row}.created_at = ${row}.updated_at and not exists (${had})`;
  };
}
