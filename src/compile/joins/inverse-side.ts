/** What the sides that do not own their relation have in common: others' rows name our document. */
import type { InverseColumnJoin, InverseLinkJoin } from '../../schema/model.js';
import { constant, join, param, quote, type Sql, sql } from '../../sql.js';
import type { LinkChange, LinksStep } from '../../plan/steps.js';
import { notAmong } from '../link-sql.js';
import { currentRows } from '../scope.js';
import type { StoredList } from './join-sql.js';

type InverseJoin = InverseColumnJoin | InverseLinkJoin;

/** Rows `x` of a target that name our document, and the place of each among them. */
interface Naming {
  readonly from: Sql;
  readonly position: Sql;
}

/**
 * The documents whose rows `x` name ours, in the order of `position`: those of drafts, and of documents that
 * have no draft yet.
 */
export function namedBy(
  way: InverseJoin,
  { from, position }: Naming,
  { attribute: { target }, locale, defaultLocale }: StoredList,
): Sql {
  const conditions = [
    ...currentRows(target, sql`x`, constant(defaultLocale)),
    ...(way.perLocale ? [sql`x.locale = ${param(locale)}::text`] : []),
  ];
  const where = conditions.length === 0 ? sql`` : sql` and ${join(conditions, ' and ')}`;
  const order = target.draftAndPublish
    ? sql`coalesce(min(${position}) filter (where not x.published), min(${position}))`
    : sql`min(${position})`;
  const draft = sql`select 1 from ${quote(target.table)} v where v.document_id = x.document_id and not v.published`;
  const state = target.draftAndPublish
    ? sql` having bool_or(not x.published) or not exists (${draft})`
    : sql``;
  return sql`(select coalesce(json_agg(y.document_id order by y.n), '[]') from (select x.document_id, ${order} as n from ${from}${where} group by x.document_id${state}) y)`;
}

/** Which of the targets' rows `x` are written: drafts only or both states, one locale or all. */
export function writtenRows(
  way: InverseJoin,
  { attribute: { target }, untouched }: LinkChange,
  request: LinksStep,
): Sql {
  const state = target.draftAndPublish && request.draftsOnly ? sql` and not x.published` : sql``;
  const locale = way.perLocale ? sql` and x.locale = ${param(request.locale)}::text` : sql``;
  const others = untouched.length === 0 ? sql`` : sql` and ${notAmong(sql`x.document_id`, untouched)}`;
  return sql`${state}${locale}${others}`;
}
