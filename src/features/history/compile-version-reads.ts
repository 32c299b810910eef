/** Statements that read stored versions. */
import { storedModel } from '../../content/compile/compile-load.js';
import { compileWithoutValues } from '../../content/compile/compile-version-rights.js';
import { historyTableOf } from '../../content/model/history-table.js';
import type { ContentType } from '../../content/model/model.js';
import { isoInstant } from '../../content/model/scalar-types.js';
import type { Pagination } from '../../content/query/query.js';
import { join, param, quote, type Sql, sql, type Statement } from '../../kernel/sql.js';

/** Versions of a document that exist for a caller. */
export interface VersionsOf {
  readonly type: ContentType;
  readonly documentId: string;
  /** Conditions on the version `f`. */
  readonly visible: readonly Sql[];
  /** Conditions that exclude versions `f` of an older model (D29). */
  readonly current: readonly Sql[];
}

export interface VersionsPage extends Pick<Pagination, 'start' | 'limit' | 'withCount'> {
  readonly locale: string | null;
  readonly published: boolean | null;
  /** Id of the version that the page precedes. */
  readonly before?: string;
}

export interface TrashPage extends Omit<VersionsPage, 'before'> {
  /** Documents to list; null for all. */
  readonly documentIds: readonly string[] | null;
  readonly defaultLocale: string;
}

const VERSION_COLUMNS = sql`f.id::text as id, f.locale, f.published, f.action, ${isoInstant(sql`f.since`)} as since,
  ${isoInstant(sql`f.at`)} as at, f.actor, f.actor_id`;

const typeOf = ({ singularApiId }: ContentType): Sql => sql`${param(singularApiId)}::text`;

const ofDocument = ({ type, documentId, visible, current }: VersionsOf): Sql =>
  join(
    [sql`f.document_id = ${param(documentId)}::text`, sql`f.type = ${typeOf(type)}`, ...current, ...visible],
    ' and ',
  );

/** Total of a list; null if it is not counted. */
const totalOf = ({ withCount }: Pick<VersionsPage, 'withCount'>, rows: Sql): Sql =>
  withCount ? sql`(select count(*) from ${rows})` : sql`null`;

/** Conditions on the locale and state of the version `f`. */
const inVersion = ({ locale, published }: Pick<VersionsPage, 'locale' | 'published'>): readonly Sql[] => [
  ...(locale === null ? [] : [sql`f.locale = ${param(locale)}::text`]),
  ...(published === null ? [] : [sql`f.published = ${param(published)}::boolean`]),
];

/** Selects `list`, a page of the versions of a document, newest first, without their content, and `total`. */
export function compileVersions(file: ContentType, of: VersionsOf, page: VersionsPage): Statement {
  const { start, limit } = page;
  const conditions = [
    ofDocument(of),
    ...inVersion(page),
    ...(page.before === undefined ? [] : [sql`f.id < ${param(page.before)}::bigint`]),
  ];
  const rows = sql`${quote(historyTableOf(file))} f where ${join(conditions, ' and ')}`;
  // An offset would compute the columns of the earlier pages.
  const pageRows = sql`select f.id, f.locale, f.published, f.action, f.since, f.at, f.actor, f.actor_id
    from ${rows} order by f.id desc limit ${param(limit)}::int8 offset ${param(start)}::int8`;
  return compileWithoutValues(sql`select ${totalOf(page, rows)} as total,
    (select json_agg((select to_json(s) from (select ${VERSION_COLUMNS}) s) order by f.id desc)
      from (${pageRows}) f)::text as list`);
}

/** Selects one stored version with its content. */
export const compileVersion = (file: ContentType, of: VersionsOf, id: string): Statement =>
  compileWithoutValues(sql`select ${VERSION_COLUMNS}, f.content::text as content from ${quote(historyTableOf(file))} f
    where ${ofDocument(of)} and f.id = ${param(id)}::bigint`);

interface Last extends Pick<VersionsOf, 'current'> {
  readonly document: Sql;
  readonly type: Sql;
  readonly columns: Sql;
}

/**
 * Selects the versions that the last deletion of a document has deleted. The index finds each of them,
 * however many versions and deletions the document has had.
 */
export function last(table: Sql, { document, type, columns, current }: Last): Sql {
  const same = sql`x.document_id = ${document} and x.type = ${type} and x.action = 'delete'`;
  const own = [
    sql`f.document_id = ${document}`,
    sql`f.type = ${type}`,
    ...current,
    sql`f.locale = g.locale and f.published = g.published and f.content is not null`,
  ];
  return sql`select ${columns} from (select distinct x.locale, x.published from ${table} x
      where ${same} and x.at = (select x.at from ${table} x where ${same} order by x.id desc limit 1)) g
    cross join lateral (select f.* from ${table} f where ${join(own, ' and ')} order by f.id desc limit 1) f
    order by f.locale, f.published`;
}

/**
 * Selects the versions that the last deletion of a document has deleted; `visible` is whether the version
 * exists for the caller.
 */
export function compileLast(
  file: ContentType,
  { type, documentId, visible, current }: VersionsOf,
): Statement {
  const isVisible = join([sql`true`, ...visible], ' and ');
  const columns = sql`${VERSION_COLUMNS}, f.content::text as content, ${isVisible} as visible`;
  return compileWithoutValues(
    last(quote(historyTableOf(file)), {
      document: sql`${param(documentId)}::text`,
      type: typeOf(type),
      columns,
      current,
    }),
  );
}

/**
 * Selects `list`, a page of the deleted documents of a type, latest first, and `total`. The last versions of
 * each are all visible. `last` is the one in the locale of the page, or else in the default locale, or else
 * another one.
 */
export function compileTrash(
  file: ContentType,
  { type, visible, current }: Omit<VersionsOf, 'documentId'>,
  page: TrashPage,
): Statement {
  const table = quote(historyTableOf(file));
  const lastOf = (columns: Sql): Sql =>
    last(table, { document: sql`v.document_id`, type: sql`v.type`, columns, current });
  const shown = sql`f.locale, ${join([sql`true`, ...visible], ' and ')} as visible`;
  const newer = sql`select 1 from ${table} n
    where n.document_id = v.document_id and n.type = v.type and n.id > v.id`;
  const newest = [
    ...(page.documentIds === null ? [] : [sql`v.document_id = any(${param(page.documentIds)}::text[])`]),
    sql`v.type = ${typeOf(type)}`,
    sql`v.action = 'delete' and v.content is null`,
    sql`not exists (select 1 from ${quote(type.table)} t where t.document_id = v.document_id)`,
    sql`not exists (${newer})`,
  ];
  const inPage = inVersion(page);
  const conditions = [
    sql`(select coalesce(bool_and(l.visible), false) from (${lastOf(shown)}) l)`,
    ...(inPage.length === 0
      ? []
      : [
          sql`exists (select 1 from (${lastOf(sql`f.locale, f.published`)}) f where ${join(inPage, ' and ')})`,
        ]),
  ];
  const columns = sql`v.id, v.type, v.document_id, v.at, v.actor, v.actor_id`;
  const entry = sql`v.document_id, ${isoInstant(sql`v.at`)} as at, v.actor, v.actor_id,
    (select json_agg(distinct f.locale) from (${lastOf(sql`f.locale`)}) f) as locales,
    (select to_json(l) from (${lastOf(sql`${VERSION_COLUMNS}, f.content::text as content`)}) l
      order by l.locale <> ${param(page.locale ?? page.defaultLocale)}::text, l.locale, l.published limit 1) as last`;
  const pageRows = sql`select d.* from d order by d.id desc
    limit ${param(page.limit)}::int8 offset ${param(page.start)}::int8`;
  // In one step, PostgreSQL would check the conditions for every earlier deletion, too.
  return compileWithoutValues(sql`with c as materialized (select ${columns} from ${table} v
      where ${join(newest, ' and ')}),
    d as materialized (select ${columns} from c v where ${join(conditions, ' and ')})
    select ${totalOf(page, sql`d`)} as total,
      (select json_agg((select to_json(s) from (select ${entry}) s) order by v.id desc)
        from (${pageRows}) v)::text as list`);
}

/** Selects `found`, whether a document exists in any state, and the stored `model`. */
export const compileExists = ({ type, documentId }: Pick<VersionsOf, 'type' | 'documentId'>): Statement =>
  compileWithoutValues(sql`select exists (select 1 from ${quote(type.table)} t
    where t.document_id = ${param(documentId)}::text) as found, ${storedModel(type)}`);
