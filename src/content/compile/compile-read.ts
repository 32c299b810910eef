/** Prints a read plan as one statement that returns the complete JSON text and, for lists, the total. */
import { localeChain } from '../plan/fallback.js';
import { isPlain, type ReadPlan } from '../plan/plan.js';
import type { Pagination } from '../query/query.js';
import { changeLogTablesOf } from '../model/change-log-tables.js';
import {
  alias,
  constant,
  fill,
  forms,
  inMany,
  join,
  param,
  type Param,
  quote,
  slot,
  type Sql,
  sql,
  type Statement,
  type Template,
  template,
} from '../../kernel/sql.js';
import { eachTemplate } from '../../kernel/many.js';
import { stampOf, writtenStampOf } from './changes.js';
import { seenBy } from './compile-change-log.js';
import { compileFilter, compileSearch, readContext, whereOf } from './compile-filter.js';
import { compileDocument } from './compile-object.js';
import { compileJoinedOrder, type JoinedOrder } from './compile-order.js';
import { MARK_COLUMN } from './compile-mark.js';
import { countedTotal } from './compile-totals.js';
import { compileStamps } from './compile-state.js';
import { failing } from './failing.js';
import {
  column,
  type Context,
  documentConditions,
  rootScope,
  type RowScope,
  totalConditions,
  versionConditions,
} from './scope.js';
import type { WrittenAnswer } from './write-shape.js';

function narrowing(plan: ReadPlan, row: RowScope, context: Context): Sql[] {
  const conditions: Sql[] = [];
  if (plan.where !== null) conditions.push(compileFilter(plan.where, row, context));
  if (plan.search !== null) conditions.push(compileSearch(plan.search, row));
  return conditions;
}

/** Sort key that prefers the default locale among several; the id then selects the oldest version. */
function firstOf({ version: { locale, defaultLocale } }: ReadPlan, row: RowScope): Sql {
  if (locale.kind === 'one' || !row.type.localized) return sql``;
  return sql`${column(row, 'locale')} <> ${constant(defaultLocale)}, `;
}

/** Whether a document has at most one row in its state and locale, so that no order is needed. */
const isOneRow = ({ type, documentId, version }: ReadPlan): boolean =>
  documentId !== null && (!type.localized || version.locale.kind === 'one');

const DOCUMENT_ID = slot(({ documentId }: ReadPlan) => documentId);

interface Source {
  readonly row: RowScope;
  readonly from: Sql;
  readonly stamp: Sql;
  /** Document of the row; null without several writes. */
  readonly documentId: Param | null;
}

/** Number of the write, in a statement of several. */
const ITEM_OF_WRITE = inMany(sql`g.item, `);

function shownRow(plan: ReadPlan, { row, from, stamp, documentId }: Source, context: Context): Sql {
  const list = compileDocument(plan, row, context);
  const shown = sql`(select row_to_json(d.*) from (select ${list}) d)::text as data, ${stamp} as stamp`;
  const { state } = plan;
  const hasStamps = state?.stamps === true;
  const versions = hasStamps ? sql`, ${compileStamps(state, row, context)} as versions` : sql``;
  const ofWrite = inMany(sql`, ${column(row, 'document_id')} as owner`);
  const isOfWrite = documentId === null ? sql`true` : forms(sql`true`, sql`o.owner = ${documentId}::text`);
  return sql`select ${ITEM_OF_WRITE}o.data, o.stamp${hasStamps ? sql`, o.versions` : sql``}
    from ${forms(sql`(select 1) z`, sql`g`)}
      left join (select ${shown}${versions}${ofWrite} from ${from}) o on ${isOfWrite}`;
}

function compileOne(plan: ReadPlan, row: RowScope, context: Context): Sql {
  const conditions = [...versionConditions(row, null, context), ...narrowing(plan, row, context)];
  if (plan.documentId !== null) conditions.unshift(sql`${column(row, 'document_id')} = ${DOCUMENT_ID}::text`);
  const first = isOneRow(plan) ? sql`` : sql` order by ${firstOf(plan, row)}${column(row, 'id')} limit 1`;
  const from = sql`${quote(plan.type.table)} ${row.alias}${whereOf(conditions)}${first}`;
  return shownRow(plan, { row, from, stamp: stampOf(row.alias), documentId: null }, context);
}

/**
 * Selects the page as ordered ids. LIMIT applies before populated values are computed, so skipped rows cost
 * none.
 * The bound of the sub-query is constant in a process. It tells the planner that a page is small, which a
 * parameter cannot. It belongs inside, at the sort: the planner otherwise overestimates the sort and plans
 * the statement again each time.
 * One generic plan thus serves every request of a template. First pages use a separate template, for the same
 * reason.
 */
function pageOf(row: RowScope, { where, order, counted }: ListParts, page: Pagination): Sql {
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
  const limited = sql`select ${join(columns, ', ')} from ${quote(row.type.table)} ${row.alias}${order.joins}${where}
    order by ${join(sorted, ', ')}
    limit ${isBounded ? constant(page.largest) : limit}${offset}`;
  return isBounded ? sql`select * from (${limited}) q limit ${limit}` : limited;
}

interface Order extends JoinedOrder {
  readonly id: Sql;
}

/** Drops the sort keys after `id`, which is unique. */
function orderOf(plan: ReadPlan, row: RowScope, context: Context): Order {
  const at = plan.order.findIndex(({ hops, attribute }) => hops.length === 0 && attribute.name === 'id');
  const order = compileJoinedOrder(at < 0 ? plan.order : plan.order.slice(0, at), row, context);
  return { ...order, id: plan.order[at]?.descending === true ? sql` desc` : sql`` };
}

interface ListPlan extends ReadPlan {
  readonly page: Pagination;
}

const isList = (plan: ReadPlan): plan is ListPlan => plan.page !== null;

interface ListParts {
  readonly where: Sql;
  readonly order: Order;
  readonly counted: boolean;
}

interface PageIds {
  readonly ids: Sql;
  readonly order: Order;
}

/** Selects the rows with these ids in the page's order. An id order needs one index scan only. */
function rowsOf(row: RowScope, { ids, order }: PageIds, shown: Sql): Sql {
  const [table, id] = [sql`${quote(row.type.table)} ${row.alias}`, column(row, 'id')];
  if (order.keys.length === 0)
    return sql`select ${shown} from ${table} where ${id} = any(array(${ids})) order by ${id}${order.id}`;
  return sql`select ${shown} from unnest(array(${ids})) with ordinality p(id, n)
    join ${table} on ${id} = p.id order by p.n`;
}

interface Counting {
  readonly context: Context;
  /** Whether the change log is complete, so that totals are known without counting. */
  readonly noted: boolean;
}

/** Counts the documents of a list without filters; `from` selects the shown rows. */
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
 * Prints the cheapest exact total. Without conditions it is an index-only count next to the page.
 * With conditions it is a window count over the page, which evaluates them once. Only an empty page past the
 * start needs a separate count.
 */
function list(plan: ListPlan, row: RowScope, { context, noted }: Counting): Sql {
  const { page } = plan;
  const narrow = narrowing(plan, row, context);
  const conditions = [...versionConditions(row, null, context), ...narrow];
  const where = whereOf(conditions);
  const from = sql`${quote(plan.type.table)} ${row.alias}${where}`;
  const counted = page.withCount && narrow.length > 0;
  const order = orderOf(plan, row, context);
  const paged = pageOf(row, { where, order, counted }, page);
  const ids = counted ? sql`select id from page` : sql`select id from (${paged}) page`;
  const rows = rowsOf(row, { ids, order }, compileDocument(plan, row, context));
  const data = sql`(select coalesce(json_agg(d.*), '[]') from (${rows}) d)::text as data`;
  const count =
    narrow.length > 0 ? sql`(select count(*) from ${from})` : countAll(row, from, { context, noted });
  if (!counted) return sql`select ${data}, (${page.withCount ? count : sql`null`})::int4 as total`;
  const otherwise = page.start === 0 ? sql`0` : count;
  return sql`with page as materialized (${paged}) 
    select ${data}, coalesce((select p.total from page p limit 1), ${otherwise})::int4 as total`;
}

function readSql(plan: ReadPlan, noted = false): Sql {
  const context = readContext(plan);
  const row = rootScope(plan.type);
  return isList(plan) ? list(plan, row, { context, noted }) : compileOne(plan, row, context);
}

export function compileTotal(plan: ReadPlan): Template<ReadPlan> {
  const context = readContext(plan);
  const row = rootScope(plan.type);
  const conditions = [...versionConditions(row, null, context), ...narrowing(plan, row, context)];
  return template(sql`select count(*) from ${quote(plan.type.table)} ${row.alias}${whereOf(conditions)}`);
}

/** Prints a read without the parts that depend on the process: its cache, change log and limits. */
export const compileForm = (plan: ReadPlan): Template<ReadPlan> => template<ReadPlan>(readSql(plan));

export const compileRead = (plan: ReadPlan): Statement => fill(compileForm(plan), plan);

export interface Reading {
  /** Maximum size in bytes. A larger response stays in the database, and the row has `over` instead. */
  readonly bytes: number;
  readonly noted: boolean;
  readonly cached: boolean;
  readonly marked: boolean;
}

/** Type and action of a read, for the comment of its statement. */
export const readLabelOf = ({ type, page }: ReadPlan): string =>
  `${type.singularApiId}.${page === null ? 'findOne' : 'find'}`;

/** Prints a read for a response, with its size limit and the requested columns. */
export function compileAnswer(plan: ReadPlan, { bytes, noted, cached, marked }: Reading): Template<ReadPlan> {
  const answer = answerSql(plan, bytes, noted);
  const label = readLabelOf(plan);
  if (!cached && !marked) return template(answer, label);
  const seen = cached ? seenBy(changeLogTablesOf(plan.type), marked) : MARK_COLUMN;
  return template(sql`select a.*, ${seen} from (${answer} offset 0) a`, label);
}

/** Columns of a response next to its data: the total, or the stamp and those of other versions. */
function besideOf({ page, state }: ReadPlan): Sql {
  if (page !== null) return sql`x.total`;
  return state?.stamps === true ? sql`x.stamp, x.versions` : sql`x.stamp`;
}

function answerSql(plan: ReadPlan, bytes: number, noted = false): Sql {
  const bound = constant(bytes);
  return sql`select case when octet_length(x.data) <= ${bound} then x.data end as data,
    coalesce(octet_length(x.data) > ${bound}, false) as over, ${besideOf(plan)}
    from (${readSql(plan, noted)} offset 0) x`;
}

/** Prints a read as a transaction's last statement, which fails for a missing or too large document. */
function lastSql(answer: Sql, plan: ReadPlan, bytes: number): Sql {
  const flaw = failing({
    over: sql`octet_length(x.data) > ${constant(bytes)}`,
    absent: sql`x.data is null`,
  });
  return sql`select ${inMany(sql`x.item, `)}x.data, false as over, ${besideOf(plan)}, ${flaw} as flaw
    from (${answer} offset 0) x`;
}

/**
 * Prints the response to a write as the last statement of its transaction. COMMIT is sent with it, and does
 * nothing if it fails.
 */
export const compileLastAnswer = (plan: ReadPlan, bytes: number): Template<ReadPlan> =>
  eachTemplate(lastSql(readSql(plan), plan, bytes), `${plan.type.singularApiId}.respond`);

/**
 * Prints the response as the end of the statement that writes the row, from the row of `rows`. Null if the
 * response needs more than the row's own columns, since that statement does not see its other changes.
 */
export function compileWrittenAnswer(plan: ReadPlan, bytes: number): WrittenAnswer | null {
  const { shared, version, type } = plan;
  const isAny = plan.where === null && plan.search === null && plan.otherwise === null;
  const isVersion = version.publication === null && localeChain(type, version, true) === null;
  if (shared === null || !isPlain(plan) || !isAny || !isVersion) return null;
  const row = rootScope(type);
  return {
    key: shared.key,
    published: version.published || !type.draftAndPublish,
    from: (rows, documentId) => {
      const stamp = writtenStampOf(row.alias);
      const source = { row, from: sql`${rows} ${row.alias}`, stamp, documentId };
      return lastSql(shownRow(plan, source, readContext(plan)), plan, bytes);
    },
  };
}
