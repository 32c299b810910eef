import type { InverseLinkJoin } from '../../schema/model.js';
import { alias, param, quote, sql } from '../../sql.js';
import type { LinkChange, LinksStep } from '../../plan/steps.js';
import { type LinkStep, namesOf, notAmong, onLinks, texts, twoWayNamesOf } from '../link-sql.js';
import { column, rowOf } from '../scope.js';
import { namedBy, writtenRows } from './inverse-side.js';
import { type JoinSql, type Linked, type ReadStep, tableOf } from './join-sql.js';

function targets({ links }: InverseLinkJoin, { from: row, target, context }: ReadStep): Linked {
  const { table, holder, target: named, inversePosition } = twoWayNamesOf(links);
  const link = alias('l', context.next());
  return {
    from: sql`${table} ${link} join ${tableOf(target)} on ${column(target, 'id')} = ${link}.${holder}`,
    conditions: [sql`${link}.${named} = ${column(rowOf(row), 'document_id')}`],
    position: sql`${link}.${inversePosition}`,
  };
}

/** Links of the targets' rows to our document, ordered on our side. */
function replace(way: InverseLinkJoin, change: LinkChange, request: LinksStep): LinkStep[] {
  const { attribute, targets: wanted } = change;
  const { table, holder, target, position, inversePosition } = twoWayNamesOf(way.links);
  const rows = quote(attribute.target.table);
  const me = sql`${param(request.documentId)}::text`;
  const state = writtenRows(way, change, request);
  return onLinks([
    sql`delete from ${table} l using ${rows} x where x.id = l.${holder} and l.${target} = ${me} and ${notAmong(sql`x.document_id`, wanted)}${state}`,
    sql`insert into ${table} (${holder}, ${target}, ${position}, ${inversePosition})
      select x.id, ${me}, coalesce((select max(m.${position}) + 1 from ${table} m where m.${holder} = x.id), 1), l.n
      from unnest(${texts(wanted)}) with ordinality l(id, n) join ${rows} x on x.document_id = l.id${state} order by x.id
      on conflict (${holder}, ${target}) do update set ${inversePosition} = excluded.${inversePosition}`,
  ]);
}

/** The link table of the targets' type names our document: the other side of a many-to-many. */
export const inverseLinkJoin: JoinSql<InverseLinkJoin> = {
  versioned: true,
  isLookedUp: () => false,
  targets,
  storedList: (way, list) => {
    const { row, attribute } = list;
    const { table, holder, target, inversePosition } = twoWayNamesOf(way.links);
    const me = column(row, 'document_id');
    const from = sql`${table} l join ${quote(attribute.target.table)} x on x.id = l.${holder} where l.${target} = ${me}`;
    return namedBy(way, { from, position: sql`l.${inversePosition}` }, list);
  },
  linksTo: ({ links }, me) => {
    const { table, holder, target } = namesOf(links);
    return sql`exists (select 1 from ${table} l where l.${holder} = x.id and l.${target} = ${me})`;
  },
  replace,
};
