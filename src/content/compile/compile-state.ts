/** Prints the state of a document: draft, published or modified, and the same for each locale (8.32). */
import type { Rule } from '../access/decide.js';
import type { StatePlan } from '../plan/plan.js';
import { join, quote, type Sql, sql } from '../../kernel/sql.js';
import { compileRule } from './compile-filter.js';
import { stampOf } from './changes.js';
import { coveredRevision } from './covered-revision.js';
import { column, type Context, currentRows, type RowScope } from './scope.js';

/** State of a group of versions: those of a document in one locale. */
function statusOf({ type }: RowScope, { version: { coverage } }: Context): Sql {
  if (!type.draftAndPublish) return sql`'published'`;
  const revision = coveredRevision(type, sql`v`, coverage?.(type, true) ?? null);
  return sql`case when not bool_or(v.published) then 'draft'
    when count(distinct ${revision}) > 1 then 'modified' else 'published' end`;
}

/** Conditions on the versions that the caller may read: those of `limited`, without filters in grants. */
function readable({ drafts, published }: StatePlan, row: RowScope, context: Context): Sql[] {
  const version = { ...row, alias: sql`v` };
  const of = (rule: Rule | null, isPublished: boolean): Sql =>
    rule === null ? sql`true` : compileRule(rule, { row: version, published: isPublished }, context);
  if (drafts === null && published === null) return [];
  if (drafts?.kind === 'own' && published?.kind === 'own') return [of(published, true)];
  return [sql`((v.published and ${of(published, true)}) or (not v.published and ${of(drafts, false)}))`];
}

/** The rows `v` of a document that the caller may read. */
function versionsOf(state: StatePlan, row: RowScope, context: Context): Sql {
  const conditions = [
    sql`v.document_id = ${column(row, 'document_id')}`,
    ...currentRows(row.type, sql`v`, context.defaultLocale),
    ...readable(state, row, context),
  ];
  return sql`${quote(row.type.table)} v where ${join(conditions, ' and ')}`;
}

/** Prints the stamps of the versions as JSON text, drafts first. */
export function compileStamps(state: StatePlan, row: RowScope, context: Context): Sql {
  const version = sql`json_build_object('locale', v.locale, 'published', v.published, 'stamp', ${stampOf(sql`v`)})`;
  return sql`(select json_agg(${version} order by v.locale, v.published)::text
    from ${versionsOf(state, row, context)})`;
}

export function compileState(state: StatePlan, row: RowScope, context: Context): Sql {
  const { type } = row;
  const own = sql`max(s.status) filter (where s.locale = ${column(row, 'locale')})`;
  const locales = sql`json_agg(json_build_object('locale', s.locale, 'status', s.status) order by s.locale)`;
  const members = type.localized ? sql`'status', ${own}, 'locales', ${locales}` : sql`'status', ${own}`;
  return sql`(select json_build_object(${members})
    from (select v.locale, ${statusOf(row, context)} as status
      from ${versionsOf(state, row, context)} group by v.locale) s)`;
}
