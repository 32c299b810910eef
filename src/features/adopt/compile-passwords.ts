/** Statement that stores hashes of passwords of adopted users. */
import type { ContentType } from '../../content/model/model.js';
import { param, print, quote, sql, type Statement } from '../../kernel/sql.js';

export interface UserHash {
  readonly documentId: string;
  readonly hash: string;
}

/**
 * Stores the hashes of users that have none, so that a newer password always stays. Null if users have no
 * passwords.
 */
export function compilePasswords(user: ContentType, hashes: readonly UserHash[]): Statement | null {
  const column = user.storage.columnOf.get('password');
  if (column === undefined) return null;
  const name = quote(column.name);
  return print(sql`update ${quote(user.table)} t set ${name} = h.hash
    from json_to_recordset(${param(JSON.stringify(hashes))}::json) h("documentId" text, hash text)
    where t.document_id = h."documentId" and t.${name} is null`);
}
