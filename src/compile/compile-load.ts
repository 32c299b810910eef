/** What a write needs to know first: the document's rows, locked; then stored values, named documents, fresh ids. */
import type { Reference } from '../plan/relation-input.js';
import type { Attribute, ContentType, RelationAttribute, ScalarAttribute } from '../schema/model.js';
import { alias, type Identifier, join, param, print, quote, type Sql, sql, type Statement } from '../sql.js';
import { heldJson, newContext, rowScope, type RowScope, shown } from './scope.js';

/**
 * Queues writers that take targets from each other or write to the same targets' rows: one lock per document named,
 * in one order for everybody, held until the transaction ends.
 */
export const compileQueue = (documents: readonly string[]): Statement =>
  print(sql`select pg_advisory_xact_lock(d.key) from (select distinct hashtextextended(x.id, 0) as key from unnest(${param(documents)}::text[]) x(id) order by 1) d`);

/** Locks every version of a document, in the order of ids; writers of one document queue here. */
export function compileLock(type: ContentType, documentId: string | null): Statement {
  const table = quote(type.table);
  const which = documentId === null ? sql`` : sql` where t.document_id = ${param(documentId)}::text`;
  return print(sql`select t.id, t.document_id, t.locale, t.published from ${table} t${which} order by t.id for no key update`);
}

/** The target documents of a relation in stored order, whichever versions they have. */
function storedList(row: RowScope, attribute: RelationAttribute): Sql {
  const { join: way, target } = attribute;
  const drafts = target.draftAndPublish ? sql` and not x.published` : sql``;
  switch (way.kind) {
    case 'column':
      return sql`json_build_array(${row.alias}.${quote(way.column)})`;
    case 'link':
      return sql`(select coalesce(json_agg(l.target_document_id order by l.position), '[]') from ${quote(way.table)} l where l.owner_id = ${row.alias}.id)`;
    case 'inverseColumn': {
      const order = way.position === null ? sql`min(x.id)` : sql`min(x.${quote(way.position)})`;
      return sql`(select coalesce(json_agg(y.document_id order by y.n), '[]') from (select x.document_id, ${order} as n from ${quote(target.table)} x
        where x.${quote(way.column)} = ${row.alias}.document_id${drafts} group by x.document_id) y)`;
    }
    case 'inverseLink':
      return sql`(select coalesce(json_agg(y.document_id order by y.n), '[]') from (select x.document_id, min(l.inverse_position) as n from ${quote(way.table)} l
        join ${quote(target.table)} x on x.id = l.owner_id where l.target_document_id = ${row.alias}.document_id${drafts} group by x.document_id) y)`;
    default:
      return sql`'[]'::json`;
  }
}

function storedValue(row: RowScope, attribute: Attribute, touched: ReadonlySet<string>): Sql[] {
  const named = (value: Sql, name: Identifier): Sql[] => [sql`${value} as ${quote(name)}`];
  if (attribute.kind === 'scalar') return attribute.system ? [] : named(shown(row, attribute), attribute.name);
  if (attribute.kind !== 'relation') return named(heldJson(row, attribute), attribute.name);
  return touched.has(attribute.name) ? named(storedList(row, attribute), attribute.name) : [];
}

/** What to look up. */
export interface LoadRequest {
  readonly type: ContentType;
  /** Rows whose values are needed; none on create. */
  readonly rows: readonly number[];
  /** Relations whose lists are needed. */
  readonly touched: ReadonlySet<string>;
  readonly references: ReadonlyMap<ContentType, readonly Reference[]>;
  /** How many fresh component ids to reserve. */
  readonly instances: number;
  readonly sequenceTable: Identifier;
}

/** One statement, one row: `stored`, `ids`, and `r0`, `r1`, … with `[row id, document id]` of each referenced type. */
export function compileLoad(request: LoadRequest): Statement {
  const context = newContext({ published: true, locale: { kind: 'any' }, defaultLocale: '', publication: null }, 'flat');
  const row = rowScope(request.type, alias('t', context.next()));
  const values = [...request.type.attributes.values()].flatMap((attribute) => storedValue(row, attribute, request.touched));
  const object = values.length === 0 ? sql`'{}'::json` : sql`(select row_to_json(j) from (select ${join(values, ', ')}) j)`;
  const stored = sql`(select json_object_agg(${row.alias}.id, ${object}) from ${quote(request.type.table)} ${row.alias} where ${row.alias}.id = any(${param(request.rows)}::int4[]))::text as stored`;
  const sequence = sql`pg_get_serial_sequence(${quote(request.sequenceTable, 'string')}, 'id')`;
  const ids = sql`(select json_agg(nextval(${sequence})) from generate_series(1, ${param(request.instances)}::int4))::text as ids`;
  const references = [...request.references].map(([target, list], i) => {
    const documents = list.flatMap((reference) => ('documentId' in reference ? [reference.documentId] : []));
    const rows = list.flatMap((reference) => ('id' in reference && reference.id <= 2_147_483_647 ? [reference.id] : []));
    return sql`(select json_agg(json_build_array(x.id, x.document_id)) from ${quote(target.table)} x
      where x.document_id = any(${param([...new Set(documents)])}::text[]) or x.id = any(${param([...new Set(rows)])}::int4[]))::text as ${alias('k', i)}`;
  });
  return print(sql`select ${join([stored, ids, ...references], ', ')}`);
}

/** The uids of a locale that begin like `base`. */
export function compileTakenUids(type: ContentType, attribute: ScalarAttribute, base: string, locale: string): Statement {
  const column = quote(attribute.column);
  const numbered = sql`left(t.${column}, length(${param(base)}::text) + 1) = ${param(base)}::text || '-'`;
  return print(sql`select distinct t.${column} as uid from ${quote(type.table)} t
    where t.locale = ${param(locale)}::text and (t.${column} = ${param(base)}::text or ${numbered})`);
}
