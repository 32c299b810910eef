/** Statements of the event log: append, and read by snapshot. */
import { nextCount, TIME } from '../../content/compile/changes.js';
import type { ImportedDocument } from '../../content/documents/archive-parts.js';
import { rowsUnseenBy } from '../../content/compile/compile-change-log.js';
import { eventTablesOf } from '../../content/model/event-tables.js';
import type { ContentType } from '../../content/model/model.js';
import { isoInstant } from '../../content/model/scalar-types.js';
import { rowsTemplate } from '../../kernel/many.js';
import {
  constant,
  inMany,
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

/** Write to log: one event for each of its actions. */
export interface NewEvents {
  readonly type: string;
  readonly documentId: string;
  readonly locale: string;
  readonly actions: readonly string[];
  /** Whether each action changes published content: `true` or `false`. */
  readonly published: readonly string[];
  readonly actor: string;
  readonly actorId: string | null;
  readonly requestId: string | null;
  readonly attributes: readonly string[];
}

/** Appends events to the log in the transaction of their write. One text for all writes. */
export const compileLog = (file: ContentType): Template<NewEvents> =>
  rowsTemplate(sql`insert into ${quote(eventTablesOf(file).event)}
      (id, xid, at, type, document_id, locale, action, actor, actor_id, request_id, attributes, published)
    select ${nextCount(file)}, pg_current_xact_id(), ${TIME}, ${slot(({ type }: NewEvents) => type)}::text,
      ${slot(({ documentId }: NewEvents) => documentId)}::text, ${slot(({ locale }: NewEvents) => locale)}::text,
      a.action, ${slot(({ actor }: NewEvents) => actor)}::text, ${slot(({ actorId }: NewEvents) => actorId)}::text,
      ${slot(({ requestId }: NewEvents) => requestId)}::text,
      ${slot(({ attributes }: NewEvents) => JSON.stringify(attributes))}::jsonb,
      a.published::boolean
    from ${inMany(sql`g cross join `)}unnest(${slot(({ actions }: NewEvents) => actions)}::text[],
      ${slot(({ published }: NewEvents) => published)}::text[]) with ordinality a(action, published, n)
    order by ${inMany(sql`g.item, `)}a.n`);

/**
 * Appends an event of all locales for each imported document. One that the import has replaced may have been
 * published before.
 */
export const compileLogImport = (
  { file, type }: { readonly file: ContentType; readonly type: ContentType },
  documents: readonly ImportedDocument[],
): Statement => {
  const isPublished = sql`exists (select 1 from ${quote(type.table)} v
    where v.document_id = d."documentId" and v.published)`;
  return print(sql`insert into ${quote(eventTablesOf(file).event)}
      (id, xid, at, type, document_id, locale, action, actor, attributes, published)
    select ${nextCount(file)}, pg_current_xact_id(), ${TIME}, ${param(type.singularApiId)}::text, d."documentId",
      '', case when d."isNew" then 'create' else 'update' end, 'system', '[]',
      not d."isNew" or ${isPublished}
    from json_to_recordset(${param(JSON.stringify(documents))}::json) d("documentId" text, "isNew" boolean)`);
};

/** Columns of an event `e`, as {@link EventRow} expects them. */
export const EVENT_SHOWN = sql`e.id::text as id, ${isoInstant(sql`e.at`)} as at, e.type, e.document_id,
  e.locale, e.action, e.actor, e.actor_id, e.request_id, e.attributes, e.published`;

/** Position of a reader: see the columns of readers. */
export interface Cursor {
  readonly base: string;
  readonly target: string | null;
  readonly after: string;
}

const inOrder = (events: Sql): Sql =>
  sql`(select coalesce(json_agg(d.* order by d.id::bigint), '[]') from (${events}) d)::text as events`;

/**
 * Selects the first events that a snapshot does not include, in order of their ids, and the present snapshot.
 * A transaction that runs for long delays no other event, because its id is part of the snapshot.
 */
export function compileNews(file: ContentType, limit: number): Template<Pick<Cursor, 'base'>> {
  const base = sql`${slot(({ base: known }: Pick<Cursor, 'base'>) => known)}::pg_snapshot`;
  const rows = union(rowsUnseenBy(eventTablesOf(file).event, sql`c.*`, base));
  // Transaction ids of a restored log may be ahead of this server: see compileRebase.
  const events = sql`select ${EVENT_SHOWN} from (${rows}) e
    where pg_visible_in_snapshot(e.xid, pg_current_snapshot()) order by e.id limit ${constant(limit)}`;
  return template(sql`select pg_current_snapshot()::text as snapshot, ${inOrder(events)}`);
}

/** Selects the next events after an id that `target` includes and `base` does not. */
export function compileNextEvents(file: ContentType, limit: number): Template<Cursor> {
  const table = quote(eventTablesOf(file).event);
  const base = sql`${slot((cursor: Cursor) => cursor.base)}::pg_snapshot`;
  const target = sql`${slot((cursor: Cursor) => cursor.target)}::pg_snapshot`;
  const after = sql`${slot((cursor: Cursor) => cursor.after)}::bigint`;
  const events = sql`select ${EVENT_SHOWN} from ${table} e where e.id > ${after}
    and pg_visible_in_snapshot(e.xid, ${target}) and not pg_visible_in_snapshot(e.xid, ${base})
    order by e.id limit ${constant(limit)}`;
  return template(sql`select ${inOrder(events)}`);
}

/** Deletes events that are older than a number of days, at most `limit`. */
export const compileForget = (file: ContentType, days: number, limit: number): Statement => {
  const table = quote(eventTablesOf(file).event);
  return print(sql`delete from ${table} d where d.id in (select e.id from ${table} e
      where e.at < now() - make_interval(days => ${param(days)}::int4) order by e.id limit ${constant(limit)})
    returning 1`);
};
