/** Statements of the audit log. The application only appends to it. */
import { nextCount, TIME } from '../../../content/compile/changes.js';
import { type OwnFields, ownField, type OwnList } from '../../../content/compile/compile-own-filter.js';
import { auditTableOf } from '../../../content/model/audit-table.js';
import type { ContentType } from '../../../content/model/model.js';
import { isoInstant } from '../../../content/model/scalar-types.js';
import { validationError } from '../../../kernel/errors.js';
import { rowsTemplate } from '../../../kernel/many.js';
import {
  inMany,
  param,
  print,
  quote,
  slot,
  type Sql,
  sql,
  type Statement,
  type Template,
} from '../../../kernel/sql.js';

/** Entries to append: one for each action. */
export interface NewEntries {
  readonly actions: readonly string[];
  readonly status: number | null;
  readonly type: string | null;
  readonly documentId: string | null;
  readonly locale: string | null;
  readonly attributes: readonly string[];
  readonly actor: string;
  readonly actorId: string | null;
  readonly requestId: string | null;
  readonly address: string | null;
}

const value = (read: (entries: NewEntries) => unknown): Sql => sql`${slot(read)}`;

/** Appends entries, in the transaction that runs. One text for all writes. */
export const compileEntries = (file: ContentType): Template<NewEntries> =>
  rowsTemplate(sql`insert into ${quote(auditTableOf(file))}
      (id, at, action, status, type, document_id, locale, attributes, actor, actor_id, request_id, address)
    select ${nextCount(file)}, ${TIME}, a.action, ${value(({ status }) => status)}::int4,
      ${value(({ type }) => type)}::text, ${value(({ documentId }) => documentId)}::text,
      ${value(({ locale }) => locale)}::text, ${value(({ attributes }) => JSON.stringify(attributes))}::jsonb,
      ${value(({ actor }) => actor)}::text, ${value(({ actorId }) => actorId)}::text,
      ${value(({ requestId }) => requestId)}::text, ${value(({ address }) => address)}::text
    from ${inMany(sql`g cross join `)}unnest(${value(({ actions }) => actions)}::text[]) with ordinality a(action, n)
    order by ${inMany(sql`g.item, `)}a.n`);

/** Columns of an entry by the path of their values in responses. */
const AUDIT_FIELDS: OwnFields = new Map([
  ['id', ownField(sql`e.id`, 'biginteger')],
  ['at', ownField(sql`e.at`, 'datetime')],
  ['action', ownField(sql`e.action`)],
  ['status', ownField(sql`e.status`, 'integer')],
  ['type', ownField(sql`e.type`)],
  ['documentId', ownField(sql`e.document_id`)],
  ['locale', ownField(sql`e.locale`)],
  ['by.kind', ownField(sql`e.actor`)],
  ['by.id', ownField(sql`e.actor_id`)],
  ['requestId', ownField(sql`e.request_id`)],
  ['address', ownField(sql`e.address`)],
]);

/** Entry in the form of responses. */
const ENTRY = sql`json_build_object('id', e.id::text, 'at', ${isoInstant(sql`e.at`)}, 'action', e.action,
  'status', e.status, 'type', e.type, 'documentId', e.document_id, 'locale', e.locale,
  'attributes', e.attributes, 'by', json_build_object('kind', e.actor, 'id', e.actor_id),
  'requestId', e.request_id, 'address', e.address)`;

const ORDERS: ReadonlyMap<unknown, Sql> = new Map<unknown, Sql>([
  [undefined, sql`e.id desc`],
  ['at:desc', sql`e.id desc`],
  ['at:asc', sql`e.id`],
  ['at', sql`e.id`],
]);

/** Prints the order: newest first by default. Throws a 400 for another order than that of the time. */
function orderOf(sort: unknown): readonly Sql[] {
  const order = ORDERS.get(sort);
  if (order !== undefined) return [order];
  throw validationError('Invalid sort: expected at:asc or at:desc', {
    key: 'sort',
    path: null,
    source: 'query',
    param: 'sort',
  });
}

export const auditList = (file: ContentType): OwnList => ({
  table: quote(auditTableOf(file)),
  alias: sql`e`,
  shown: ENTRY,
  fields: AUDIT_FIELDS,
  order: orderOf,
});

/** Selects the next entries after an id, as `entry`, a JSON text each, and their ids. */
export const compileAfter = (file: ContentType, after: string, limit: number): Statement =>
  print(sql`select e.id::text as id, (${ENTRY})::text as entry from ${quote(auditTableOf(file))} e
    where e.id > ${param(after)}::bigint order by e.id limit ${param(limit)}::int8`);

const isOlder = (days: number): Sql => sql`e.at < now() - make_interval(days => ${param(days)}::int4)`;

/** Selects `count`, the number of entries that are older than a number of days. */
export const compileCountOlder = (file: ContentType, days: number): Statement =>
  print(sql`select count(*) as count from ${quote(auditTableOf(file))} e where ${isOlder(days)}`);

/** Deletes entries that are older than a number of days, at most `limit`. */
export const compileForgetEntries = (file: ContentType, days: number, limit: number): Statement => {
  const table = quote(auditTableOf(file));
  return print(sql`delete from ${table} d where d.id in (select e.id from ${table} e
      where ${isOlder(days)} order by e.id limit ${param(limit)}::int8)
    returning 1`);
};
