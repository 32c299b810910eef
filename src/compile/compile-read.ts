/** ReadPlan → one statement that returns the finished JSON text and, for lists, the total. */
import type { ReadPlan } from '../plan/plan.js';
import type { Pagination } from '../query/query.js';
import { alias, join, param, print, quote, type Sql, sql, type Statement } from '../sql.js';
import { compileFilter, compileSearch, whereOf } from './compile-filter.js';
import { compileObject } from './compile-object.js';
import { compileOrder, type Ordering } from './compile-order.js';
import { column, type Context, newContext, rowScope, type RowScope, versionConditions } from './scope.js';

/** What narrows the rows beyond their version. */
function narrowing(plan: ReadPlan, row: RowScope, context: Context): Sql[] {
  const conditions: Sql[] = [];
  if (plan.where !== null) conditions.push(compileFilter(plan.where, row, context));
  if (plan.search !== null) conditions.push(compileSearch(plan.search, row));
  return conditions;
}

function one(plan: ReadPlan, row: RowScope, context: Context): Sql {
  const conditions = [...versionConditions(row, null, context), ...narrowing(plan, row, context)];
  if (plan.documentId !== null) conditions.unshift(sql`${column(row, 'document_id')} = ${param(plan.documentId)}::text`);
  const list = compileObject(plan.object, row, context);
  const rows = sql`select ${list} from ${quote(plan.type.table)} ${row.alias}${whereOf(conditions)} order by ${column(row, 'id')} limit 1`;
  return sql`select (select row_to_json(d) from (${rows}) d)::text as data`;
}

/** The page as ids and sort keys: LIMIT comes before any populate work, so skipped rows cost none. */
function pageOf(row: RowScope, { from, keys, counted }: { from: Sql; keys: readonly Ordering[]; counted: boolean }, page: Pagination): Sql {
  const columns = [sql`${column(row, 'id')}`, ...keys.map(({ value }, i) => sql`${value} as ${alias('k', i)}`)];
  if (counted) columns.push(sql`count(*) over () as total`);
  const order = [...keys.map(({ direction }, i) => sql`${alias('k', i)} ${direction}`), column(row, 'id')];
  return sql`select ${join(columns, ', ')} from ${from} order by ${join(order, ', ')} limit ${param(page.limit)}::int8 offset ${param(page.start)}::int8`;
}

/**
 * The cheapest exact total: without conditions an index-only count beside the page; with conditions a window over
 * the narrow page, so that they are evaluated once, and a count of its own only for an empty page past the start.
 */
function list(plan: ReadPlan, page: Pagination, row: RowScope, context: Context): Sql {
  const narrow = narrowing(plan, row, context);
  const from = sql`${quote(plan.type.table)} ${row.alias}${whereOf([...versionConditions(row, null, context), ...narrow])}`;
  const keys = compileOrder(plan.order, row, context);
  const windowed = page.withCount && narrow.length > 0;
  const paged = pageOf(row, { from, keys, counted: windowed }, page);
  const outer = [...keys.map(({ direction }, i) => sql`p.${alias('k', i)} ${direction}`), sql`p.id`];
  const rows = sql`select ${compileObject(plan.object, row, context)} from page p join ${quote(plan.type.table)} ${row.alias} on ${column(row, 'id')} = p.id order by ${join(outer, ', ')}`;
  const count = sql`(select count(*) from ${from})`;
  const total = !page.withCount
    ? sql`null`
    : windowed
      ? sql`coalesce((select p.total from page p limit 1), case when ${param(page.start)}::int8 = 0 then 0 else ${count} end)`
      : count;
  return sql`with page as materialized (${paged}) select (select coalesce(json_agg(d), '[]') from (${rows}) d)::text as data, (${total})::int4 as total`;
}

/** Prints a read. The text depends on the plan's shape alone, never on a value. */
export function compileRead(plan: ReadPlan): Statement {
  const context = newContext(plan.version, plan.format);
  const row = rowScope(plan.type, alias('t', 0));
  return print(plan.page === null ? one(plan, row, context) : list(plan, plan.page, row, context));
}
