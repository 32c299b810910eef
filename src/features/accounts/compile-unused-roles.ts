import type { Replaceable } from '../../content/documents/archive-parts.js';
import type { Schema } from '../../content/model/model.js';
import { print, quote, sql, type Statement } from '../../kernel/sql.js';

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

/** Selects `id` and `type` of the roles that an import does not replace; null for a model without roles. */
export function compileUsedRoles(schema: Schema): Statement | null {
  const roles = schema.types.get('role');
  const column = roles?.storage.columnOf.get('type');
  if (roles === undefined || column === undefined) return null;
  return print(sql`select t.document_id as id, t.${quote(column.name)} as type from ${quote(roles.table)} t
    where not (${unusedRoles(schema)(sql`t`)})`);
}
