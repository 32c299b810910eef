import type { InverseColumnJoin } from '../../schema/model.js';
import { param, quote, sql } from '../../sql.js';
import type { LinkChange, LinksStep } from '../../plan/steps.js';
import { type LinkStep, notAmong, texts } from '../link-sql.js';
import { column, rowOf } from '../scope.js';
import { namedBy, writtenRows } from './inverse-side.js';
import { type JoinSql, tableOf } from './join-sql.js';

/** Rows come to hold our document id, and those left out lose it. */
function replace(way: InverseColumnJoin, change: LinkChange, request: LinksStep): LinkStep[] {
  const { attribute, targets } = change;
  const table = quote(attribute.target.table);
  const held = quote(way.column);
  const me = sql`${param(request.documentId)}::text`;
  const position =
    way.position === null ? sql`` : sql`, ${quote(way.position)} = coalesce(s.n, t.${quote(way.position)})`;
  const rows = writtenRows(way, change, request);
  // Lists are joined and hashed, never searched for each row.
  const kept = sql`select x.id, ${me} as holder, l.n from unnest(${texts(targets)}) with ordinality l(id, n)
      join ${table} x on x.document_id = l.id${rows}`;
  const lost = sql`select x.id, null, null from ${table} x where x.${held} = ${me}${rows} and ${notAmong(sql`x.document_id`, targets)}`;
  const update = sql`update ${table} t set ${held} = s.holder${position} from (${kept} union all ${lost}) s where t.id = s.id`;
  return [{ sql: update, updates: attribute.target.table }];
}

/** The targets' rows hold our document id: the other side of a to-one. */
export const inverseColumnJoin: JoinSql<InverseColumnJoin> = {
  versioned: true,
  isLookedUp: () => false,
  targets: (way, { from, target }) => ({
    from: tableOf(target),
    conditions: [sql`${target.alias}.${quote(way.column)} = ${column(rowOf(from), 'document_id')}`],
    position: way.position === null ? column(target, 'id') : sql`${target.alias}.${quote(way.position)}`,
  }),
  storedList: (way, list) => {
    const { row, attribute } = list;
    const position = way.position === null ? sql`x.id` : sql`x.${quote(way.position)}`;
    const me = column(row, 'document_id');
    const from = sql`${quote(attribute.target.table)} x where x.${quote(way.column)} = ${me}`;
    return namedBy(way, { from, position }, list);
  },
  linksTo: (way, me) => sql`x.${quote(way.column)} = ${me}`,
  replace,
};
