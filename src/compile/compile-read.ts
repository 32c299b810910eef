/** ReadPlan → one statement that returns the finished JSON text and, for lists, the total. */
import { localeChain } from '../plan/fallback.js';
import { isPlain, type ReadPlan } from '../plan/plan.js';
import type { Pagination } from '../query/query.js';
import { ledgerTablesOf } from '../schema/ledger.js';
import {
  alias,
  constant,
  fill,
  join,
  param,
  quote,
  slot,
  type Sql,
  sql,
  type Statement,
  type Template,
  template,
} from '../sql.js';
import { stampOf, writtenStampOf } from './changes.js';
import { seenBy } from './compile-ledger.js';
import { compileFilter, compileSearch, whereOf } from './compile-filter.js';
import { compileObject } from './compile-object.js';
import { compileOrder, type Ordering } from './compile-order.js';
import { MARK_COLUMN } from './compile-mark.js';
import { countedTotal } from './compile-totals.js';
import { failing } from './failing.js';
import {
  column,
  type Context,
  documentConditions,
  newContext,
  rowScope,
  type RowScope,
  totalConditions,
  versionConditions,
} from './scope.js';
import type { WrittenAnswer } from './write-shape.js';

/** What narrows the rows beyond their version. */
function narrowing(plan: ReadPlan, row: RowScope, context: Context): Sql[] {
  const conditions: Sql[] = [];
  if (plan.where !== null) conditions.push(compileFilter(plan.where, row, context));
  if (plan.search !== null) conditions.push(compileSearch(plan.search, row));
  return conditions;
}

/** Of several locales a document is shown in the default one, or in the one that it had first. */
function firstOf({ version: { locale, defaultLocale } }: ReadPlan, row: RowScope): Sql {
  if (locale.kind === 'one' || !row.type.localized) return sql``;
  return sql`${column(row, 'locale')} <> ${constant(defaultLocale)}, `;
}

/** Whether a document has one row at most in its state and locale, so that there is nothing to choose. */
const isOneRow = ({ type, documentId, version }: ReadPlan): boolean =>
  documentId !== null && (!type.localized || version.locale.kind === 'one');

const DOCUMENT_ID = slot(({ documentId }: ReadPlan) => documentId);

/** Where the one row of an answer comes from: the table, or what a statement has written. */
interface Source {
  readonly row: RowScope;
  readonly from: Sql;
  readonly stamp: Sql;
}

function shownRow(plan: ReadPlan, { row, from, stamp }: Source, context: Context): Sql {
  const list = compileObject(plan.object, row, context);
  const shown = sql`(select row_to_json(d.*) from (select ${list}) d)::text as data, ${stamp} as stamp`;
  return sql`select o.data, o.stamp from (select 1) z left join (select ${shown} from ${from}) o on true`;
}

function one(plan: ReadPlan, row: RowScope, context: Context): Sql {
  const conditions = [...versionConditions(row, null, context), ...narrowing(plan, row, context)];
  if (plan.documentId !== null) conditions.unshift(sql`${column(row, 'document_id')} = ${DOCUMENT_ID}::text`);
  const first = isOneRow(plan) ? sql`` : sql` order by ${firstOf(plan, row)}${column(row, 'id')} limit 1`;
  const from = sql`${quote(plan.type.table)} ${row.alias}${whereOf(conditions)}${first}`;
  return shownRow(plan, { row, from, stamp: stampOf(row.alias) }, context);
}

/**
 * The page as ids in order: LIMIT comes before any populate work, so skipped rows cost none. The bound of the
 * sub-query never changes in a process; it tells the planner that a page is small, which a parameter cannot.
 * It stands within, where rows are sorted: a sort of which nobody knows that it ends early looks dearer than
 * one for a known page, and the statement would be planned anew each time. So one generic plan serves every
 * request of a shape. First pages are a shape of their own, for the same reason.
 */
function pageOf(row: RowScope, { from, order, counted }: Listed, page: Pagination): Sql {
  const id = column(row, 'id');
  const columns = [id, ...order.keys.map(({ value }, i) => sql`${value} as ${alias('k', i)}`)];
  if (counted) columns.push(sql`count(*) over () as total`);
  const sorted = [
    ...order.keys.map(({ direction }, i) => sql`${alias('k', i)} ${direction}`),
    sql`${id}${order.id}`,
  ];
  const offset = page.start === 0 ? sql`` : sql` offset ${param(page.start)}::int8`;
  const limit = sql`${param(page.limit)}::int8`;
  const isBounded = Number.isSafeInteger(page.largest);
  const limited = sql`select ${join(columns, ', ')} from ${from} order by ${join(sorted, ', ')}
    limit ${isBounded ? constant(page.largest) : limit}${offset}`;
  return isBounded ? sql`select * from (${limited}) q limit ${limit}` : limited;
}

interface Order {
  readonly keys: readonly Ordering[];
  /** The direction of the id, which is the last key of all. */
  readonly id: Sql;
}

/** Nothing orders rows further once their id has. */
function orderOf(plan: ReadPlan, row: RowScope, context: Context): Order {
  const at = plan.order.findIndex(({ hops, attribute }) => hops.length === 0 && attribute.name === 'id');
  const keys = compileOrder(at < 0 ? plan.order : plan.order.slice(0, at), row, context);
  return { keys, id: plan.order[at]?.descending === true ? sql` desc` : sql`` };
}

/** A read that is answered with a page. */
interface ListPlan extends ReadPlan {
  readonly page: Pagination;
}

const isList = (plan: ReadPlan): plan is ListPlan => plan.page !== null;

interface Listed {
  readonly from: Sql;
  readonly order: Order;
  readonly counted: boolean;
}

/** The ids of a page, and the order that they are in. */
interface PageIds {
  readonly ids: Sql;
  readonly order: Order;
}

/**
 * The rows with these ids, in the page's order. In the order of ids, one walk of the index finds them all.
 */
function rowsOf(row: RowScope, { ids, order }: PageIds, shown: Sql): Sql {
  const [table, id] = [sql`${quote(row.type.table)} ${row.alias}`, column(row, 'id')];
  if (order.keys.length === 0)
    return sql`select ${shown} from ${table} where ${id} = any(array(${ids})) order by ${id}${order.id}`;
  return sql`select ${shown} from unnest(array(${ids})) with ordinality p(id, n)
    join ${table} on ${id} = p.id order by p.n`;
}

/** How a read counts. */
interface Counting {
  readonly context: Context;
  /** Whether changes are noted, so that totals are known without counting. */
  readonly noted: boolean;
}

/** How many documents there are, `from` being those that are shown. */
function countAll(row: RowScope, from: Sql, { context, noted }: Counting): Sql {
  const conditions = documentConditions(row, context);
  const known = noted ? totalConditions(row, context) : null;
  const counted = sql`(select count(*) from ${from})`;
  if (known !== null) return countedTotal(row.type, known, counted);
  if (conditions === null) return counted;
  const documents = sql`select distinct ${column(row, 'document_id')}
    from ${quote(row.type.table)} ${row.alias}`;
  return sql`(select count(*) from (${documents}${whereOf(conditions)}) q)`;
}

/**
 * The cheapest exact total: without conditions an index-only count beside the page; with conditions a window
 * over the narrow page, so that they are evaluated once, and a count of its own only for an empty page past
 * the start.
 */
function list(plan: ListPlan, row: RowScope, { context, noted }: Counting): Sql {
  const { page } = plan;
  const narrow = narrowing(plan, row, context);
  const conditions = [...versionConditions(row, null, context), ...narrow];
  const from = sql`${quote(plan.type.table)} ${row.alias}${whereOf(conditions)}`;
  const counted = page.withCount && narrow.length > 0;
  const order = orderOf(plan, row, context);
  const paged = pageOf(row, { from, order, counted }, page);
  const ids = counted ? sql`select id from page` : sql`select id from (${paged}) page`;
  const rows = rowsOf(row, { ids, order }, compileObject(plan.object, row, context));
  const data = sql`(select coalesce(json_agg(d.*), '[]') from (${rows}) d)::text as data`;
  const count =
    narrow.length > 0 ? sql`(select count(*) from ${from})` : countAll(row, from, { context, noted });
  if (!counted) return sql`select ${data}, (${page.withCount ? count : sql`null`})::int4 as total`;
  const otherwise = page.start === 0 ? sql`0` : count;
  return sql`with page as materialized (${paged}) 
    select ${data}, coalesce((select p.total from page p limit 1), ${otherwise})::int4 as total`;
}

function readSql(plan: ReadPlan, noted = false): Sql {
  const context = newContext(plan);
  const row = rowScope(plan.type, alias('t', 0));
  return isList(plan) ? list(plan, row, { context, noted }) : one(plan, row, context);
}

/** How many rows a list's conditions leave. */
export function compileTotal(plan: ReadPlan): Template<ReadPlan> {
  const context = newContext(plan);
  const row = rowScope(plan.type, alias('t', 0));
  const conditions = [...versionConditions(row, null, context), ...narrowing(plan, row, context)];
  return template(sql`select count(*) from ${quote(plan.type.table)} ${row.alias}${whereOf(conditions)}`);
}

/** Prints a read. The text depends on the plan's shape alone, never on a value. */
export const compileRead = (plan: ReadPlan): Statement => fill(template<ReadPlan>(readSql(plan)), plan);

/** What an answer is read for. */
export interface Reading {
  /** The most bytes of it: what is larger never leaves the database, only word of it (`over`). */
  readonly bytes: number;
  /** Whether the ledger is whole, so that totals are told by it. */
  readonly noted: boolean;
  /** Whether it may be kept: then it says what was seen, and by whom. */
  readonly kept: boolean;
  /** Whether it reports the position of the server. */
  readonly marked: boolean;
}

/** The same as it is answered. */
export function compileAnswer(plan: ReadPlan, { bytes, noted, kept, marked }: Reading): Template<ReadPlan> {
  const answer = answerSql(plan, bytes, noted);
  if (!kept && !marked) return template(answer);
  const seen = kept ? seenBy(ledgerTablesOf(plan.type), marked) : MARK_COLUMN;
  return template(sql`select a.*, ${seen} from (${answer} offset 0) a`);
}

/** What stands in an answer beside its data. */
const besideOf = ({ page }: ReadPlan): Sql => (page === null ? sql`x.stamp` : sql`x.total`);

function answerSql(plan: ReadPlan, bytes: number, noted = false): Sql {
  const bound = constant(bytes);
  return sql`select case when octet_length(x.data) <= ${bound} then x.data end as data,
    coalesce(octet_length(x.data) > ${bound}, false) as over, ${besideOf(plan)}
    from (${readSql(plan, noted)} offset 0) x`;
}

/** The same as the last thing that a transaction does: it fails where there is none, or it is too large. */
function lastSql(answer: Sql, plan: ReadPlan, bytes: number): Sql {
  const flaw = failing({
    over: sql`octet_length(x.data) > ${constant(bytes)}`,
    absent: sql`x.data is null`,
  });
  return sql`select x.data, false as over, ${besideOf(plan)}, ${flaw} as flaw from (${answer} offset 0) x`;
}

/**
 * The answer to a write, as the last statement of its transaction, so that the COMMIT that was sent along
 * with it does nothing where it fails.
 */
export const compileLastAnswer = (plan: ReadPlan, bytes: number): Template<ReadPlan> =>
  template(lastSql(readSql(plan), plan, bytes));

/**
 * The same as the end of the statement that has written what it shows: the row of `rows`. Null for an answer
 * that shows more than a row's own columns, which that statement does not see.
 */
export function compileWrittenAnswer(plan: ReadPlan, bytes: number): WrittenAnswer | null {
  const { kept, version, type } = plan;
  const isAny = plan.where === null && plan.search === null && plan.otherwise === null;
  const isVersion = version.publication === null && localeChain(type, version, true) === null;
  if (kept === null || !isPlain(plan) || !isAny || !isVersion) return null;
  const row = rowScope(type, alias('t', 0));
  return {
    key: kept.key,
    published: version.published || !type.draftAndPublish,
    from: (rows) => {
      const source = { row, from: sql`${rows} ${row.alias}`, stamp: writtenStampOf(row.alias) };
      return lastSql(shownRow(plan, source, newContext(plan)), plan, bytes);
    },
  };
}
