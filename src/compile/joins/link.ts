import type { LinkJoin } from '../../schema/model.js';
import { alias, sql } from '../../sql.js';
import type { LinkChange, LinksStep } from '../../plan/steps.js';
import { type LinkStep, namesOf, notAmong, onLinks, holderRows, texts } from '../link-sql.js';
import { column, rowOf } from '../scope.js';
import { type JoinSql, type Linked, NOTHING_STORED, type ReadStep } from './join-sql.js';
import { lookUp } from './look-up.js';

function targets({ links }: LinkJoin, { from: row, target, context, version }: ReadStep): Linked {
  const { table, holder, target: named, position } = namesOf(links);
  const link = alias('l', context.next());
  const on = sql`${column(target, 'document_id')} = ${link}.${named}`;
  return {
    from: sql`${table} ${link} ${lookUp(target, on, version)}`,
    conditions: [sql`${link}.${holder} = ${column(rowOf(row), 'id')}`],
    position: sql`${link}.${position}`,
  };
}

function replace({ links }: LinkJoin, change: LinkChange, step: LinksStep): LinkStep[] {
  const { targets: wanted, rows: holders } = change;
  const { table, holder, target, position } = namesOf(links);
  const rows = holderRows(holders, step);
  const insert = sql`insert into ${table} (${holder}, ${target}, ${position})
      select o.id, l.id, l.n from ${rows} cross join unnest(${texts(wanted)}) with ordinality l(id, n) order by o.id, l.n`;
  if (holders === 'inserted') return onLinks([insert]);
  return onLinks([
    sql`delete from ${table} l using ${rows} where l.${holder} = o.id and ${notAmong(sql`l.${target}`, wanted)}`,
    sql`${insert} on conflict (${holder}, ${target}) do update set ${position} = excluded.${position}`,
  ]);
}

/** Rows of a link table, which name the holder's row and the target's document. */
export const linkJoin: JoinSql<LinkJoin> = {
  ...NOTHING_STORED,
  versioned: true,
  isLookedUp: () => true,
  targets,
  storedList: ({ links }, { row }) => {
    const { table, holder, target, position } = namesOf(links);
    return sql`(select coalesce(json_agg(l.${target} order by l.${position}), '[]') from ${table} l where l.${holder} = ${row.alias}.id)`;
  },
  replace,
};
