/** Statements about the stored versions of what was published. */
import {
  compileWithoutValues,
  isMet,
  ruleContext,
  type StateDecisions,
} from '../../content/compile/compile-version-rights.js';
import { rowScope } from '../../content/compile/scope.js';
import type {
  PublishedChange,
  ReversalRequest,
  StoredDocument,
} from '../../content/documents/document-history.js';
import { historyTableOf } from '../../content/model/history-table.js';
import type { ContentType } from '../../content/model/model.js';
import { join, param, print, quote, type Sql, sql, type Statement } from '../../kernel/sql.js';
import { compileContent } from './compile-content.js';
import { last } from './compile-version-reads.js';

const listOf = <T>(list: readonly T[], read: (one: T) => unknown, type: Sql): Sql =>
  sql`${param(list.map(read))}::${type}[]`;

/** Documents `x`, with their `place` in the list. */
const listed = (documents: readonly StoredDocument[]): Sql =>
  sql`unnest(${listOf(documents, ({ type }) => type.singularApiId, sql`text`)},
    ${listOf(documents, ({ documentId }) => documentId, sql`text`)}) with ordinality x(type, document_id, place)`;

/** Last stored version of the document `x` in each locale, of what is published. */
const lastPublished = (file: ContentType): Sql =>
  sql`select distinct on (l.locale) l.* from ${quote(historyTableOf(file))} l
    where l.document_id = x.document_id and l.type = x.type and l.published order by l.locale, l.id desc`;

/**
 * Selects the last stored versions of what is published: `place` of the document, `locale` and `id`, and
 * whether the version was `deleted` then.
 */
export const compilePublished = (file: ContentType, documents: readonly StoredDocument[]): Statement =>
  print(sql`select x.place::int4 as place, f.locale, f.id::text as id, f.content is null as deleted
    from ${listed(documents)} cross join lateral (${lastPublished(file)}) f order by x.place, f.locale`);

interface ReversalLookup extends Pick<ReversalRequest, 'type' | 'documentId' | 'changes'> {
  /** Conditions on a stored version `f` that a caller may see. */
  readonly visible: readonly Sql[];
  /** Decisions about current versions: the caller knows of a document if a version meets one of them. */
  readonly knowing: readonly StateDecisions[];
  readonly defaultLocale: string;
}

/**
 * Selects for each locale the contents `after`, `before` and `draft`. The caller may see the first two if
 * `visible`, and knows of the current document or of its deletion if `known`. A `live` version exists, and a
 * `current` one has not changed since `after`.
 */
export function compileReversal(
  file: ContentType,
  { type, documentId, changes, visible, knowing, defaultLocale }: ReversalLookup,
): Statement {
  const [table, rows] = [quote(historyTableOf(file)), quote(type.table)];
  const column = (read: (change: PublishedChange) => unknown): Sql => listOf(changes, read, sql`text`);
  const asked = sql`unnest(${column(({ locale }) => locale)}, ${column(({ after }) => after)},
    ${column(({ before }) => before)}) with ordinality x(locale, after, before, place)`;
  const document = sql`${param(documentId)}::text`;
  const typeName = sql`${param(type.singularApiId)}::text`;
  const newest = sql`select l.id from ${table} l where l.document_id = ${document} and l.type = ${typeName}
    and l.locale = x.locale and l.published order by l.id desc limit 1`;
  const content = compileContent(rowScope(type, sql`t`));
  const isSame = sql`case when a.content is null then t.id is null
    else t.id is not null and (t.updated_at = a.at or ${content} = a.content) end`;
  const isVisible = join([sql`true`, ...visible], ' and ');
  const hidden = sql`select 1 from ${table} f where f.id in (a.id, b.id) and f.content is not null
    and not coalesce(${isVisible}, false)`;
  const draft = sql`select ${compileContent(rowScope(type, sql`d`))} from ${rows} d
    where d.document_id = ${document} and d.locale = x.locale and not d.published`;
  const present = sql`select 1 from ${rows} e where e.document_id = ${document}`;
  const scope = { row: rowScope(type, sql`e`), context: ruleContext(defaultLocale) };
  const isKnown = join(
    knowing.map((decisions) => isMet(decisions, scope)),
    ' or ',
  );
  const columns = sql`f.locale, f.published, ${isVisible} as shown`;
  const deleted = last(table, { document, type: typeName, columns, current: [] });
  return compileWithoutValues(sql`select x.locale, a.content::text as after, b.content::text as before,
      (${draft})::text as draft, t.id is not null as live,
      exists (${present}) as found, case when exists (${present}) then exists (${present} and (${isKnown}))
        else (select coalesce(bool_and(l.shown), false) from (${deleted}) l) end as known,
      coalesce(a.id = (${newest}) and ${isSame}, false) as current, not exists (${hidden}) as visible
    from ${asked} left join ${rows} t on t.document_id = ${document} and t.locale = x.locale and t.published
      left join ${table} a on a.id = x.after::bigint left join ${table} b on b.id = x.before::bigint
    order by x.place`);
}
