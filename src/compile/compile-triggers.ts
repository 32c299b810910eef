/** The triggers that write the ledger, as statements of the migrations that make the tables. */
import {
  type LedgerTables,
  ledgerTablesOf,
  NOTE_LINKS,
  NOTE_VERSIONS,
  type NotedEvent,
  type NotedTable,
  TRIGGERS,
} from '../schema/ledger.js';
import { inSchema, parted } from '../schema/naming.js';
import { constant, type Identifier, print, quote, type Sql, sql } from '../sql.js';
import { nextCount } from './changes.js';

type HeldRows = NotedTable['holds'];

/** What the rows of a statement are to the ledger. */
interface Noted {
  /** The document; what is in one row of the change has to be one document. */
  readonly documentId: Sql;
  readonly locale: Sql;
  readonly published: Sql;
  /** What each new version adds, and each former one takes away. */
  readonly each: Sql;
}

const NOTED: Readonly<Record<HeldRows, Noted>> = {
  versions: { documentId: sql`document_id`, locale: sql`locale`, published: sql`published`, each: sql`1` },
  links: { documentId: sql`owner_document_id`, locale: sql`''`, published: sql`false`, each: sql`0` },
};

/** The columns of a change, but for the type. */
const INTO = sql`(xid, n, type, document_id, locale, published, delta)`;

const one = (aggregated: Sql): Sql =>
  sql`case when min(${aggregated}) = max(${aggregated}) then min(${aggregated}) end`;

/** The rows of a statement: new ones, and former ones. */
function changedRows({ documentId, locale, published, each }: Noted, event: NotedEvent): Sql {
  const rows = (from: Sql, sign: Sql): Sql =>
    sql`select ${documentId} as d, ${locale} as l, ${published} as p, ${sign}${each} as n from ${from}`;
  const fresh = rows(sql`fresh`, sql``);
  const former = rows(sql`former`, sql`-`);
  if (event === 'insert') return fresh;
  return event === 'delete' ? former : sql`${fresh} union all ${former}`;
}

/** A trigger sees names where its connection does; the ledger is where it was when the trigger was made. */
const HEADER = sql`returns trigger language plpgsql security definer set search_path from current as`;

function noteFunction({ type, holds }: NotedTable, { change, total }: LedgerTables): Sql {
  const noted = NOTED[holds];
  const into = sql`insert into ${quote(change)} ${INTO}`;
  const note = (event: NotedEvent): Sql =>
    sql`${into} select pg_current_xact_id(), ${nextCount(type)}, tg_argv[0], ${one(sql`d`)}, l, p, sum(n)
      from (${changedRows(noted, event)}) x group by l, p;`;
  // Nobody has counted what is left, which is nothing unless the transaction looks at an older state.
  const uncounted =
    holds === 'versions'
      ? sql` update ${quote(total)} t set total = 0 where t.type = tg_argv[0] and t.locale = '' and t.published;`
      : sql``;
  const emptied = sql`${into}
    values (pg_current_xact_id(), ${nextCount(type)}, tg_argv[0], null, '', false, 0);${uncounted}`;
  return sql`create or replace function ${quote(functionOf({ type, holds }))}() ${HEADER} $$ begin
    if tg_op = 'INSERT' then ${note('insert')} elsif tg_op = 'UPDATE' then ${note('update')}
    elsif tg_op = 'DELETE' then ${note('delete')} else ${emptied} end if; return null; end $$`;
}

const functionOf = ({ type, holds }: Pick<NotedTable, 'type' | 'holds'>): Identifier =>
  inSchema(parted(type.table).schema, holds === 'versions' ? NOTE_VERSIONS : NOTE_LINKS);

const REFERENCING: Readonly<Record<NotedEvent, Sql>> = {
  insert: sql` referencing new table as fresh`,
  update: sql` referencing new table as fresh old table as former`,
  delete: sql` referencing old table as former`,
  truncate: sql``,
};
const EVENTS: Readonly<Record<NotedEvent, Sql>> = {
  insert: sql`insert`,
  update: sql`update`,
  delete: sql`delete`,
  truncate: sql`truncate`,
};

/** A trigger that is called whoever writes: restores and replication, too. */
function trigger(noted: NotedTable, event: NotedEvent): Sql[] {
  const [name, table] = [quote(TRIGGERS[event]), quote(noted.table)];
  const call = sql`${quote(functionOf(noted))}(${constant(noted.type.singularApiId)})`;
  return [
    sql`create trigger ${name} after ${EVENTS[event]} on ${table}${REFERENCING[event]}
      for each statement execute function ${call}`,
    sql`alter table ${table} enable always trigger ${name}`,
  ];
}

/** What makes the trigger of an event on a table. */
export function compileTrigger(noted: NotedTable, event: 'insert' | 'update' | 'delete'): string {
  const first = [noteFunction(noted, ledgerTablesOf(noted.type)), ...trigger(noted, 'truncate')];
  const statements = [...(event === 'insert' ? first : []), ...trigger(noted, event)];
  // A line each: drivers that take one statement at a time are given them so.
  return statements.map((statement) => print(statement).text.replace(/\s+/g, ' ')).join(';\n');
}

/** What makes all triggers of a table anew, and what they call. */
export function renewedTriggers(noted: NotedTable): Sql[] {
  const table = quote(noted.table);
  const events = ['insert', 'update', 'delete', 'truncate'] as const;
  return [
    noteFunction(noted, ledgerTablesOf(noted.type)),
    ...events.flatMap((event) => [
      sql`drop trigger if exists ${quote(TRIGGERS[event])} on ${table}`,
      ...trigger(noted, event),
    ]),
  ];
}
