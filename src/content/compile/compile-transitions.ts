import { CHANGER } from '../model/authors.js';
import type { Column, ContentType } from '../model/model.js';
import { changedBy, nextTime, TIME } from './changes.js';
import { formerPlaceOf, type LinkStep } from './link-sql.js';
import { hasVersion } from './scope.js';
import { join, quote, type Sql, sql } from '../../kernel/sql.js';
import { isVersionOf, list, PLACE, shared, statement, takenValue, VERSION_COLUMNS } from './version-sql.js';
import type { TransitionShape } from './write-shape.js';

/** List position of a row that becomes published: that of other locales, its former one, or last. */
function publishedPlace({ name, placeOf, remembers }: Column, type: ContentType, place: Sql): Sql {
  if (placeOf === null) return sql`d.${quote(name)}`;
  if (remembers !== null) return sql`null::int8`;
  const held = quote(placeOf);
  const others = sql`select o.${quote(name)} from ${quote(type.table)} o where o.document_id = d.document_id
    and o.published and o.${held} = d.${held} limit 1`;
  const former = formerPlaceOf(type, name);
  const own = former === undefined ? [] : [sql`d.${quote(former.name)}`];
  return sql`case when d.${held} is not null
    then coalesce(${join([sql`(${others})`, ...own, place], ', ')}) end`;
}

/** Inserts the published versions of drafts in `d`; `where` selects the drafts. */
export function insertPublished(type: ContentType, where: Sql, place = PLACE): Sql {
  const { columns } = type.storage;
  const values = columns.map((column) => publishedPlace(column, type, place));
  return sql`insert into ${quote(type.table)} (${VERSION_COLUMNS}${list(columns.map(({ name }) => quote(name)))})
    select d.document_id, d.locale, true, d.created_at, d.updated_at, ${TIME}, d.revision${list(values)}
      from d${where} order by d.id returning *`;
}

/** Copies drafts in `d` to their published versions, which keep id and creation time (D18). */
export function updatePublished(type: ContentType, place = PLACE): Sql {
  const sets = type.storage.columns.map(
    (column) => sql`${quote(column.name)} = ${takenValue(column, sql`d`, place)}`,
  );
  return sql`update ${quote(type.table)} t
    set updated_at = greatest(d.updated_at, ${nextTime(sql`t`)}), revision = d.revision,
      published_at = ${TIME}${list(sets)}
    from d where t.document_id = d.document_id and t.locale = d.locale and t.published returning t.*`;
}

/** Publishes the drafts of one locale or of all, which counts as a write. */
export function compilePublish(step: TransitionShape, links: readonly LinkStep[]): Sql {
  const { type, locale } = step;
  const drafts = sql`update ${quote(type.table)} t set updated_at = ${nextTime(sql`t`)}${list(changedBy(type))}
    where ${isVersionOf(sql`t`, step)} and not t.published returning t.*`;
  const sharing = { from: sql`p`, published: true };
  const others =
    locale === null || !step.links.hasOthers ? null : shared(type, type.storage.columns, sharing);
  const missing = sql` where not ${hasVersion(type, sql`d.document_id`, sql`v.locale = d.locale and v.published`)}`;
  const parts = [
    { name: sql`d`, body: drafts },
    { name: sql`i`, body: insertPublished(type, missing) },
    { name: sql`u`, body: updatePublished(type) },
    { name: sql`p`, body: sql`select * from i union all select * from u` },
    { name: sql`q`, body: others },
  ];
  return statement(step, parts, links);
}

/** Resets a draft to its published version, and copies shared values to the drafts of other locales. */
export function compileDiscard(step: TransitionShape, links: readonly LinkStep[]): Sql {
  const { type, locale } = step;
  const { columns } = type.storage;
  const table = quote(type.table);
  const taken = columns.filter(({ attribute }) => attribute.name !== CHANGER);
  const sets = [
    ...taken.map((column) => sql`${quote(column.name)} = ${takenValue(column, sql`p`)}`),
    ...changedBy(type),
  ];
  const restored = sql`update ${table} t set updated_at = ${nextTime(sql`t`)}, revision = p.revision${list(sets)}
    from ${table} p
    where ${isVersionOf(sql`t`, step)} and not t.published and p.document_id = t.document_id
      and p.locale = t.locale and p.published returning t.*`;
  const one = sql`select * from d limit 1`;
  const siblings = shared(type, columns, { from: sql`o`, published: false });
  const isShared = siblings !== null && step.links.hasOthers;
  const parts = [
    { name: sql`d`, body: restored },
    { name: sql`o`, body: isShared ? one : null },
    { name: sql`s`, body: isShared ? sharedBeside(siblings, locale) : null },
  ];
  return statement(step, parts, links);
}

/** Excludes versions that the statement restores itself from the shared update. */
const sharedBeside = (siblings: Sql, locale: TransitionShape['locale']): Sql =>
  locale === null ? sql`${siblings} and not exists (select 1 from d where d.id = t.id)` : siblings;
