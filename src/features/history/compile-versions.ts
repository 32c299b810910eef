/** Statements of the stored versions. */
import { nextCount, TIME } from '../../content/compile/changes.js';
import { currentRows, rowScope } from '../../content/compile/scope.js';
import { historyTableOf } from '../../content/model/history-table.js';
import type { ContentType } from '../../content/model/model.js';
import { VERBS } from '../../content/plan/plan-write.js';
import {
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
} from '../../kernel/sql.js';
import { compileContent } from './compile-content.js';

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

export interface HistoryOfType {
  readonly file: ContentType;
  readonly type: ContentType;
  readonly defaultLocale: string;
}

/** Action of writes that restore a version. They replace no version of the same sitting. */
export const RESTORE = 'restore';

/** Action of versions that were stored before a write, because no write had stored them. */
const BEFORE = 'before';

const STORED_ACTIONS: ReadonlySet<unknown> = new Set([...Object.keys(VERBS), RESTORE, BEFORE]);

/** Whether stored versions have an action: that of their write, or why they are stored. */
export const isStoredAction = (action: unknown): boolean => STORED_ACTIONS.has(action);

const DOCUMENT = slot(({ documentId }: StoredWrite) => documentId);
const ACTOR = slot(({ actor }: StoredWrite) => actor);
const ACTION = slot(({ action }: StoredWrite) => action);
const ACTOR_ID = slot(({ actorId }: StoredWrite) => actorId);
const REQUEST_ID = slot(({ requestId }: StoredWrite) => requestId);

const COLUMNS = sql`(id, type, document_id, locale, published, action, since, at, actor, actor_id,
  request_id, content)`;

const typeOf = ({ singularApiId }: ContentType): Sql => sql`${param(singularApiId)}::text`;

/** Condition for the rows `v` of documents, without versions of an older model (D29). */
const isCurrent = ({ type, defaultLocale }: HistoryOfType, isOfDocuments: Sql): Sql =>
  join([isOfDocuments, ...currentRows(type, sql`v`, constant(defaultLocale))], ' and ');

/** Condition for the rows `v` of the written document. */
const isOfDocument = (stored: HistoryOfType): Sql =>
  isCurrent(stored, sql`v.document_id = ${DOCUMENT}::text`);

/** Documents whose current versions are stored. */
export interface PresentDocuments {
  readonly documentIds: readonly string[];
}

const DOCUMENTS = slot(({ documentIds }: PresentDocuments) => documentIds);

interface PresentVersion extends HistoryOfType {
  /** Row of the current version. */
  readonly row: Sql;
  /** Whether a published version of the same time does not stand for its draft. */
  readonly all: boolean;
}

/** Selects a column of the last stored version of a row, in the given states. */
const lastOf = ({ file, type, row }: PresentVersion, shown: Sql, states: Sql): Sql =>
  sql`(select ${shown} from ${quote(historyTableOf(file))} l where l.document_id = ${row}.document_id
    and l.type = ${typeOf(type)} and l.locale = ${row}.locale and ${states} order by l.id desc limit 1)`;

const sameState = ({ row }: PresentVersion): Sql => sql`l.published = ${row}.published`;

/**
 * Condition that the last write stored the row. It compares times, which imports and own SQL may not set. A
 * published version of the same time stands for a draft, also if later writes have changed only the published
 * version.
 */
function isKept(present: PresentVersion): Sql {
  const same = sameState(present);
  const covering = present.all ? same : sql`(${same} or l.published and l.at = ${present.row}.updated_at)`;
  const at = sql`case when l.content is not null then l.at end`;
  return sql`${lastOf(present, at, covering)} = ${present.row}.updated_at`;
}

/**
 * Condition that the last write changed the row. An earlier write of the transaction may have changed others,
 * and so may another transaction that began later: those are already stored.
 */
const isNew = (present: PresentVersion): Sql =>
  sql`${present.row}.updated_at >= ${TIME} and (${isKept(present)}) is not true`;

/** Returns the condition that the row `t` of the load of a write is stored. */
export const compileKept = (stored: HistoryOfType): Sql => isKept({ ...stored, row: sql`t`, all: false });

/**
 * Stores the current versions of documents that nothing has stored. They are of before `history` was on, or
 * imports, SQL, or writes of linked documents have changed them. `all` are also the drafts that equal their
 * published versions.
 */
export function compileFirst(stored: HistoryOfType, all: boolean): Template<PresentDocuments> {
  const { file, type } = stored;
  const present = { ...stored, row: sql`v`, all };
  const content = compileContent(rowScope(type, present.row));
  const isOther = sql`${lastOf(present, sql`l.content`, sameState(present))} is distinct from ${content}`;
  return template(sql`insert into ${quote(historyTableOf(file))} ${COLUMNS}
    select ${nextCount(file)}, ${typeOf(type)}, v.document_id, v.locale, v.published, ${constant(BEFORE)}, v.updated_at,
      v.updated_at, 'system', null, null, ${content}
    from ${quote(type.table)} v where ${isCurrent(stored, sql`v.document_id = any(${DOCUMENTS}::text[])`)}
      and case when ${isKept(present)} then false else ${isOther} end
    order by v.document_id, v.locale, v.published`);
}

/**
 * Stores the published versions that a write has changed, if the write makes each changed draft equal to its
 * published version.
 */
export function compileStorePublished(stored: HistoryOfType): Template<StoredWrite> {
  const { file, type } = stored;
  return template(sql`insert into ${quote(historyTableOf(file))} ${COLUMNS}
    select ${nextCount(file)}, ${typeOf(type)}, ${DOCUMENT}::text, v.locale, v.published, ${ACTION}::text,
      v.updated_at, v.updated_at, ${ACTOR}::text, ${ACTOR_ID}::text, ${REQUEST_ID}::text,
      ${compileContent(rowScope(type, sql`v`))}
    from ${quote(type.table)} v
    where ${isOfDocument(stored)} and v.published and ${isNew({ ...stored, row: sql`v`, all: false })}
    order by v.locale`);
}

/** Stores the versions that a write has changed. A draft replaces the last one of the same sitting. */
export function compileStore(stored: HistoryOfType, sittingMinutes: number): Template<StoredWrite> {
  const { file, type } = stored;
  const table = quote(historyTableOf(file));
  const covered = slot(({ published }: StoredWrite) => published);
  // A write gives a new time to each version that it changes (D21).
  const content = compileContent(rowScope(type, sql`v`));
  const changed = sql`select v.locale, v.published, v.updated_at as at, ${content} as content
    from ${quote(type.table)} v
    where ${isOfDocument(stored)} and ${isNew({ ...stored, row: sql`v`, all: false })}
      and (v.published or not (v.locale = any(${covered}::text[]) or '*' = any(${covered}::text[])))`;
  return template(sql`with s as materialized (${changed}),
    replaced as (delete from ${table} f using s
      where not s.published and f.content is not null and f.action <> ${constant(BEFORE)}
        and ${ACTION}::text <> ${constant(RESTORE)}
        and f.actor = ${ACTOR}::text and f.actor_id is not distinct from ${ACTOR_ID}::text
        and f.since > now() - make_interval(mins => ${constant(sittingMinutes)})
        and f.id = (select l.id from ${table} l where l.document_id = ${DOCUMENT}::text
          and l.type = ${typeOf(type)} and l.locale = s.locale and not l.published order by l.id desc limit 1)
      returning f.locale, f.since)
    insert into ${table} ${COLUMNS}
    select ${nextCount(file)}, ${typeOf(type)}, ${DOCUMENT}::text, s.locale, s.published,
      ${ACTION}::text,
      coalesce((select r.since from replaced r where r.locale = s.locale and not s.published), s.at), s.at,
      ${ACTOR}::text, ${ACTOR_ID}::text, ${REQUEST_ID}::text, s.content
    from s order by s.locale, s.published`);
}

/** Notes the versions that a write deletes. */
export function compileDeleted({ file, type }: HistoryOfType): Template<StoredWrite> {
  return template(sql`insert into ${quote(historyTableOf(file))} ${COLUMNS}
    select ${nextCount(file)}, ${typeOf(type)}, ${DOCUMENT}::text, d.locale, d.published,
      ${ACTION}::text, ${TIME}, ${TIME}, ${ACTOR}::text, ${ACTOR_ID}::text,
      ${REQUEST_ID}::text, null
    from unnest(${slot(({ deleted }: StoredWrite) => deleted.locales)}::text[],
      ${slot(({ deleted }: StoredWrite) => deleted.published)}::boolean[]) d(locale, published)`);
}

interface Retention {
  readonly keep: number;
  readonly keepDays: number;
  readonly trashDays: number;
  readonly limit: number;
}

/**
 * Deletes versions beyond the limits, at most `limit`; the newest of each locale and state stays. Contents
 * and deletions count separately, so that the trash has the content of its documents. Those are forgotten as
 * a whole: a content may be much older than its deletion.
 */
export function compileForget(
  file: ContentType,
  types: readonly ContentType[],
  { keep, keepDays, trashDays, limit }: Retention,
): Statement {
  const table = quote(historyTableOf(file));
  // Versions of other types stay: another process may have a newer model.
  const isGone = types.map(
    (type) => sql`(r.type = ${typeOf(type)} and not exists (select 1 from ${quote(type.table)} t
      where t.document_id = r.document_id))`,
  );
  return print(sql`delete from ${table} d where d.id in (select r.id from (
      select v.*, max(v.at) over (partition by v.type, v.document_id) as last_at,
        row_number() over (partition by v.type, v.document_id, v.locale, v.published, v.content is null
          order by v.id desc) as place
      from ${table} v) r
    where (r.place > ${param(keep)}::int8)
      or (r.place > 1 and r.at < now() - make_interval(days => ${param(keepDays)}::int4))
      or (r.last_at < now() - make_interval(days => ${param(trashDays)}::int4) and (${join(isGone, ' or ')}))
    order by r.id limit ${param(limit)}::int8) returning 1`);
}
