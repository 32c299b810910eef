/** Former hashes of files in archives: a list in the line of the file. */
import {
  type ArchivePart,
  type ImportedDocuments,
  linesWith,
} from '../../content/documents/archive-parts.js';
import { FORMER_HASHES } from '../../content/model/former-file-table.js';
import type { ContentType } from '../../content/model/model.js';
import { type Identifier, param, print, quote, sql, type Statement } from '../../kernel/sql.js';

const KEY = quote(FORMER_HASHES, 'string');

/** Adds the hashes in the lines of imported files. Those of a replaced file stay. */
function importFormers(table: Identifier, batch: ImportedDocuments): readonly Statement[] {
  const lines = linesWith(FORMER_HASHES, batch);
  if (lines === null) return [];
  return [
    print(sql`insert into ${quote(table)} (hash, document_id)
      select e.hash, d.v->>'documentId' from jsonb_array_elements(${param(lines)}::jsonb) d(v)
        cross join lateral jsonb_array_elements_text(
          case jsonb_typeof(d.v->${KEY}) when 'array' then d.v->${KEY} else '[]' end) e(hash)
      on conflict (hash) do nothing`),
  ];
}

/** Returns the part that exports and imports the former hashes of files. */
export const archivedFormers = (file: ContentType, table: Identifier): ArchivePart => ({
  always: {
    name: FORMER_HASHES,
    lists: { name: 'hash', type: 'text' },
    of: (type, document) =>
      type === file
        ? sql`(select json_agg(f.hash order by f.hash) from ${quote(table)} f where f.document_id = ${document})`
        : null,
  },
  imported: (type, batch) => (type === file ? importFormers(table, batch) : []),
});
