/** ReadPlan → one statement that returns the finished JSON text and, for lists, the total. */
import type { OrderKey, ReadPlan } from '../plan/plan.js';
import type { Pagination } from '../query/query.js';
import { alias, constant, join, param, print, quote, type Sql, sql, type Statement } from '../sql.js';
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

/**
 * The page as ids in order: LIMIT comes before any populate work, so skipped rows cost none. The outer bound never
 * changes in a process; it tells the planner that a page is small, which a parameter cannot, so that one generic plan
 * serves every request of a shape. First pages are a shape of their own, for the same reason.
 */
function pageOf(row: RowScope, { from, keys, counted }: Listed, page: Pagination): Sql {
  const id = column(row, 'id');
  const columns = [id, ...keys.map(({ value }, i) => sql`${value} as ${alias('k', i)}`)];
  if (counted) columns.push(sql`count(*) over () as total`);
  const order = [...keys.map(({ direction }, i) => sql`${alias('k', i)} ${direction}`), id];
  const offset = page.start === 0 ? sql`` : sql` offset ${param(page.start)}::int8`;
  const limited = sql`select ${join(columns, ', ')} from ${from} order by ${join(order, ', ')} limit ${param(page.limit)}::int8${offset}`;
  return Number.isSafeInteger(page.largest) ? sql`select * from (${limited}) q limit ${constant(page.largest)}` : limited;
}

/** Nothing orders rows further once their id has. */
function upToId(order: readonly OrderKey[]): readonly OrderKey[] {
  const at = order.findIndex(({ hops, attribute }) => hops.length === 0 && attribute.name === 'id');
  return at < 0 ? order : order.slice(0, at + 1);
}

interface Listed {
  readonly from: Sql;
  readonly keys: readonly Ordering[];
  readonly counted: boolean;
}

/**
 * The cheapest exact total: without conditions an index-only count beside the page; with conditions a window over
 * the narrow page, so that they are evaluated once, and a count of its own only for an empty page past the start.
 */
function list(plan: ReadPlan, page: Pagination, row: RowScope, context: Context): Sql {
  const narrow = narrowing(plan, row, context);
  const from = sql`${quote(plan.type.table)} ${row.alias}${whereOf([...versionConditions(row, null, context), ...narrow])}`;
  const counted = page.withCount && narrow.length > 0;
  const paged = pageOf(row, { from, keys: compileOrder(upToId(plan.order), row, context), counted }, page);
  const ids = counted ? sql`select id from page` : sql`select id from (${paged}) page`;
  const rows = sql`select ${compileObject(plan.object, row, context)} from unnest(array(${ids})) with ordinality p(id, n)
    join ${quote(plan.type.table)} ${row.alias} on ${column(row, 'id')} = p.id order by p.n`;
  const data = sql`(select coalesce(json_agg(d), '[]') from (${rows}) d)::text as data`;
  const count = sql`(select count(*) from ${from})`;
  if (!counted) return sql`select ${data}, (${page.withCount ? count : sql`null`})::int4 as total`;
  const otherwise = page.start === 0 ? sql`0` : count;
  return sql`with page as materialized (${paged}) select ${data}, coalesce((select p.total from page p limit 1), ${otherwise})::int4 as total`;
}

function readSql(plan: ReadPlan): Sql {
  const context = newContext(plan.version, plan.format);
  const row = rowScope(plan.type, alias('t', 0));
  return plan.page === null ? one(plan, row, context) : list(plan, plan.page, row, context);
}

/** Prints a read. The text depends on the plan's shape alone, never on a value. */
export const compileRead = (plan: ReadPlan): Statement => print(readSql(plan));

/** The same with a bound on the answer: what is larger never leaves the database, only word of it (`over`). */
export function compileAnswer(plan: ReadPlan, bytes: number): Statement {
  const bound = constant(bytes);
  const total = plan.page === null ? sql`` : sql`, x.total`;
  return print(sql`select case when octet_length(x.data) <= ${bound} then x.data end as data, coalesce(octet_length(x.data) > ${bound}, false) as over${total} from (${readSql(plan)} offset 0) x`);
}
