/** Versions in archives: a list in the line of their document. */
import { nextCount } from '../../content/compile/changes.js';
import { cleanValues } from '../../content/compile/archived-values.js';
import {
  type ArchivePart,
  type ImportedDocuments,
  linesWith,
} from '../../content/documents/archive-parts.js';
import { HISTORY_COLUMNS, HISTORY_MEMBER, historyTableOf } from '../../content/model/history-table.js';
import type { ContentType } from '../../content/model/model.js';
import { isObject } from '../../kernel/json.js';
import { constant, join, param, print, quote, type Sql, sql, type Statement } from '../../kernel/sql.js';
import { isStoredAction } from './compile-versions.js';

/** Most versions of a document, which bounds its line. */
const MOST = 1000;

/** Columns that a line has once, for all of its versions. */
const OF_DOCUMENT = ['id', 'type', 'document_id'];

const CONTENT = 'content';

const ACCEPTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  action: isStoredAction,
  [CONTENT]: isObject,
};

const LISTED = HISTORY_COLUMNS.filter(({ name }) => !OF_DOCUMENT.includes(name)).map((column) => ({
  ...column,
  accepts: ACCEPTS[column.name],
}));

const COLUMNS = join(
  LISTED.map(({ name }) => quote(name)),
  ', ',
);
const MEMBER = quote(HISTORY_MEMBER, 'string');

/** Prints the newest versions of a document as a JSON list, oldest first; null without any. */
function versionsOf(file: ContentType, type: ContentType, document: Sql): Sql {
  const { singularApiId } = type;
  const columns = LISTED.map(({ name }) =>
    name === CONTENT ? sql`${cleanValues(type, sql`v.${quote(name)}`)} as ${quote(name)}` : quote(name),
  );
  const newest = sql`select f.* from ${quote(historyTableOf(file))} f
    where f.document_id = ${document} and f.type = ${constant(singularApiId)}
    order by f.id desc limit ${param(MOST)}::int4`;
  const shown = sql`select to_json(s) from (select ${join(columns, ', ')}) s`;
  return sql`(select json_agg((${shown}) order by v.id) from (${newest}) v)`;
}

/**
 * Replaces the versions of imported documents whose lines have some. They get new ids, in the same order.
 * Values of another form than the model's are left out, as in the documents themselves.
 */
function importVersions(
  file: ContentType,
  { singularApiId }: ContentType,
  batch: ImportedDocuments,
): readonly Statement[] {
  const lines = linesWith(HISTORY_MEMBER, batch);
  if (lines === null) return [];
  const { unlike } = batch;
  const table = quote(historyTableOf(file));
  const type = sql`${param(singularApiId)}::text`;
  const given = sql`(select d.v->>'documentId' as id, d.v->${MEMBER} as list, d.n
    from jsonb_array_elements(${param(lines)}::jsonb) with ordinality d(v, n)
    where jsonb_typeof(d.v->${MEMBER}) = 'array') g`;
  const content = unlike.length === 0 ? sql`r.content` : sql`r.content - ${param(unlike)}::text[]`;
  const values = LISTED.map(({ name }) => (name === CONTENT ? content : sql`r.${quote(name)}`));
  return [
    print(sql`delete from ${table} f using ${given} where f.document_id = g.id and f.type = ${type}`),
    print(sql`insert into ${table} (id, type, document_id, ${COLUMNS})
      select ${nextCount(file)}, ${type}, g.id, ${join(values, ', ')}
      from ${given} cross join lateral jsonb_array_elements(g.list) with ordinality e(v, n)
        cross join lateral jsonb_populate_record(null::${table}, e.v) r
      order by g.n, e.n`),
  ];
}

/** Returns the part that exports and imports versions. */
export const archivedVersions = (file: ContentType): ArchivePart => ({
  onRequest: {
    name: HISTORY_MEMBER,
    lists: LISTED,
    of: (type, document) => (type.history ? versionsOf(file, type, document) : null),
  },
  imported: (type, batch) => (type.history ? importVersions(file, type, batch) : []),
});
