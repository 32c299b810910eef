/** Statements of the stored versions. */
import { nextCount, TIME } from '../../content/compile/changes.js';
import { compileDocument } from '../../content/compile/compile-object.js';
import { column, newContext, rowScope, versionConditions } from '../../content/compile/scope.js';
import { historyTableOf } from '../../content/model/history-table.js';
import type { ContentType } from '../../content/model/model.js';
import { isoInstant } from '../../content/model/scalar-types.js';
import type { ReadPlan } from '../../content/plan/plan.js';
import {
  alias,
  constant,
  join,
  param,
  print,
  quote,
  slot,
  type Sql,
  sql,
  type Statement,
  template,
  type Template,
  union,
} from '../../kernel/sql.js';

/** Write whose versions are stored. */
export interface StoredWrite {
  readonly documentId: string;
  readonly action: string;
  readonly actor: string;
  readonly actorId: string | null;
  readonly requestId: string | null;
  /** Locales whose drafts the write made equal to their published versions: `*` for all. */
  readonly published: readonly string[];
  /** Locales and states of the versions that the write deletes. */
  readonly deleted: { readonly locales: readonly string[]; readonly published: readonly boolean[] };
}

interface Stored {
  readonly file: ContentType;
  readonly type: ContentType;
  /** Plans of the drafts and of the published versions in all locales. */
  readonly plans: readonly ReadPlan[];
}

/** Action of writes that restore a version. They replace no version of the same sitting. */
export const RESTORE = 'restore';

const DOCUMENT = slot(({ documentId }: StoredWrite) => documentId);
const ACTOR = slot(({ actor }: StoredWrite) => actor);
const ACTION = slot(({ action }: StoredWrite) => action);
const ACTOR_ID = slot(({ actorId }: StoredWrite) => actorId);

const COLUMNS = sql`(id, type, document_id, locale, published, action, since, at, actor, actor_id,
  request_id, content)`;

/** Selects the versions of a document with their content. */
function shown({ type, plans }: Stored, isWritten: boolean): Sql {
  const parts = plans.map((plan, n) => {
    const context = newContext(plan);
    const row = rowScope(type, alias('t', 900 + n));
    const v = row.alias;
    const written = isWritten
      ? sql` and (${v}.xmin = pg_current_xact_id()::xid or ${v}.updated_at >= ${TIME})`
      : sql``;
    const conditions = versionConditions(row, null, context).map((one) => sql` and ${one}`);
    return sql`select ${v}.locale, ${v}.published, ${v}.updated_at as at,
        (select row_to_json(d.*) from (select ${compileDocument(plan, row, context)}) d)::jsonb as content
      from ${quote(type.table)} ${v}
      where ${column(row, 'document_id')} = ${DOCUMENT}::text${join(conditions, ' ')}${written}`;
  });
  return union(parts);
}

const typeOf = ({ singularApiId }: ContentType): Sql => sql`${param(singularApiId)}::text`;

/** Stores the present versions of a document that has none stored: writes before `history` was on. */
export function compileFirst(stored: Stored): Template<StoredWrite> {
  const table = quote(historyTableOf(stored.file));
  const type = typeOf(stored.type);
  return template(sql`insert into ${table} ${COLUMNS}
    select ${nextCount(stored.file)}, ${type}, ${DOCUMENT}::text, s.locale, s.published, 'before', s.at, s.at, 'system',
      null, null, s.content
    from (${shown(stored, false)}) s
    where not exists (select 1 from ${table} o where o.document_id = ${DOCUMENT}::text and o.type = ${type})`);
}

/** Stores the versions that a write has changed. A draft replaces the last one of the same sitting. */
export function compileStore(stored: Stored, sittingMinutes: number): Template<StoredWrite> {
  const table = quote(historyTableOf(stored.file));
  const type = typeOf(stored.type);
  const covered = slot(({ published }: StoredWrite) => published);
  return template(sql`with s as materialized (select * from (${shown(stored, true)}) r
      where r.published or not (r.locale = any(${covered}::text[]) or '*' = any(${covered}::text[]))),
    replaced as (delete from ${table} f using s
      where not s.published and f.content is not null and f.action <> 'before' and ${ACTION}::text <> ${constant(RESTORE)}
        and f.actor = ${ACTOR}::text and f.actor_id is not distinct from ${ACTOR_ID}::text
        and f.since > now() - make_interval(mins => ${constant(sittingMinutes)})
        and f.id = (select max(l.id) from ${table} l where l.document_id = ${DOCUMENT}::text and l.type = ${type}
          and l.locale = s.locale and not l.published)
      returning f.locale, f.since)
    insert into ${table} ${COLUMNS}
    select ${nextCount(stored.file)}, ${type}, ${DOCUMENT}::text, s.locale, s.published,
      ${ACTION}::text,
      coalesce((select r.since from replaced r where r.locale = s.locale and not s.published), ${TIME}), ${TIME},
      ${ACTOR}::text, ${ACTOR_ID}::text, ${slot(({ requestId }: StoredWrite) => requestId)}::text, s.content
    from s order by s.locale, s.published`);
}

/** Notes the versions that a write deletes. */
export function compileDeleted({ file, type }: Pick<Stored, 'file' | 'type'>): Template<StoredWrite> {
  return template(sql`insert into ${quote(historyTableOf(file))} ${COLUMNS}
    select ${nextCount(file)}, ${typeOf(type)}, ${DOCUMENT}::text, d.locale, d.published,
      ${ACTION}::text, ${TIME}, ${TIME}, ${ACTOR}::text, ${ACTOR_ID}::text,
      ${slot(({ requestId }: StoredWrite) => requestId)}::text, null
    from unnest(${slot(({ deleted }: StoredWrite) => deleted.locales)}::text[],
      ${slot(({ deleted }: StoredWrite) => deleted.published)}::boolean[]) d(locale, published)`);
}

export interface VersionsOf {
  readonly type: ContentType;
  readonly documentId: string;
}

export interface VersionsPage {
  readonly start: number;
  readonly limit: number;
  readonly locale: string | null;
  readonly published: boolean | null;
  /** Id of the version that the page precedes. */
  readonly before?: string;
}

const SHOWN = sql`v.id::text as id, v.locale, v.published, v.action, ${isoInstant(sql`v.since`)} as since,
  ${isoInstant(sql`v.at`)} as at, v.actor, v.actor_id`;

const ofDocument = ({ type, documentId }: VersionsOf): Sql =>
  sql`v.document_id = ${param(documentId)}::text and v.type = ${typeOf(type)}`;

/** Selects a page of the versions of a document, newest first, without their content. */
export function compileVersions(file: ContentType, of: VersionsOf, page: VersionsPage): Statement {
  const { start, limit, locale, published } = page;
  const conditions = [
    ofDocument(of),
    ...(locale === null ? [] : [sql`v.locale = ${param(locale)}::text`]),
    ...(published === null ? [] : [sql`v.published = ${param(published)}::boolean`]),
    ...(page.before === undefined ? [] : [sql`v.id < ${param(page.before)}::bigint`]),
  ];
  return print(sql`select ${SHOWN}, count(*) over () as total
    from ${quote(historyTableOf(file))} v where ${join(conditions, ' and ')}
    order by v.id desc limit ${param(limit)}::int8 offset ${param(start)}::int8`);
}

/** Selects one stored version with its content. */
export const compileVersion = (file: ContentType, of: VersionsOf, id: string): Statement =>
  print(sql`select ${SHOWN}, v.content::text as content from ${quote(historyTableOf(file))} v
    where ${ofDocument(of)} and v.id = ${param(id)}::bigint`);

/** Selects the versions that the last deletion of a document has deleted. */
export function compileLast(file: ContentType, of: VersionsOf): Statement {
  const table = quote(historyTableOf(file));
  const same = sql`x.document_id = v.document_id and x.type = v.type and x.action = 'delete'`;
  return print(sql`select distinct on (v.locale, v.published) ${SHOWN}, v.content::text as content
    from ${table} v
    where ${ofDocument(of)} and v.content is not null
      and exists (select 1 from ${table} x where ${same} and x.locale = v.locale and x.published = v.published
        and x.at = (select max(x.at) from ${table} x where ${same}))
    order by v.locale, v.published, v.id desc`);
}

/** Selects a page of the deleted documents of a type, latest first. */
export function compileTrash(file: ContentType, type: ContentType, page: VersionsPage): Statement {
  const table = quote(historyTableOf(file));
  return print(sql`select v.document_id, v.id::text as id, ${isoInstant(sql`v.at`)} as at, v.actor, v.actor_id,
      (select json_agg(distinct l.locale)::text from ${table} l
        where l.document_id = v.document_id and l.type = v.type and l.content is not null) as locales,
      count(*) over () as total
    from ${table} v
    where v.type = ${typeOf(type)} and v.action = 'delete'
      and not exists (select 1 from ${quote(type.table)} t where t.document_id = v.document_id)
      and not exists (select 1 from ${table} n where n.document_id = v.document_id and n.type = v.type and n.id > v.id)
    order by v.id desc limit ${param(page.limit)}::int8 offset ${param(page.start)}::int8`);
}

/** Selects `found`: whether a document exists in any state. */
export const compileExists = ({ type, documentId }: VersionsOf): Statement =>
  print(sql`select exists (select 1 from ${quote(type.table)} t
    where t.document_id = ${param(documentId)}::text) as found`);

interface Kept {
  readonly keep: number;
  readonly keepDays: number;
  readonly trashDays: number;
  readonly limit: number;
}

/** Deletes versions beyond the limits, at most `limit`; the newest of each locale and state stays. */
export function compileForget(
  file: ContentType,
  types: readonly ContentType[],
  { keep, keepDays, trashDays, limit }: Kept,
): Statement {
  const table = quote(historyTableOf(file));
  const exists = types.map(
    (type) => sql`(r.type = ${typeOf(type)} and exists (select 1 from ${quote(type.table)} t
      where t.document_id = r.document_id))`,
  );
  const isLiving = exists.length === 0 ? sql`true` : join(exists, ' or ');
  return print(sql`delete from ${table} d where d.id in (select r.id from (
      select v.*, row_number() over (partition by v.type, v.document_id, v.locale, v.published order by v.id desc)
        as place from ${table} v) r
    where (r.place > ${param(keep)}::int8)
      or (r.place > 1 and r.at < now() - make_interval(days => ${param(keepDays)}::int4))
      or (r.at < now() - make_interval(days => ${param(trashDays)}::int4) and not (${isLiving}))
    order by r.id limit ${param(limit)}::int8) returning 1`);
}
