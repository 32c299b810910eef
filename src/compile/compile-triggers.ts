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
import { constant, type Identifier, print, quote, type Sql, sql, union } from '../sql.js';
import { nextCount } from './changes.js';

type HeldRows = NotedTable['holds'];

/** What the rows of a statement are to the ledger. */
interface Noted {
  /** The document; what is in one row of the change has to be one document. */
  readonly documentId: Sql;
  /**
   * By which columns it is told how many versions there are, for each of which one is more; null where rows
   * are none.
   */
  readonly counted: { readonly locale: Sql; readonly published: Sql } | null;
}

const NOTED: Readonly<Record<HeldRows, Noted>> = {
  versions: { documentId: sql`document_id`, counted: { locale: sql`locale`, published: sql`published` } },
  links: { documentId: sql`owner_document_id`, counted: null },
};

/** The columns of a change, but for the type. */
const INTO = sql`(xid, n, type, document_id, locale, published, delta)`;

/** The one document of the rows; null where they are of several. */
const ONE = sql`case when min(x.d) = max(x.d) then min(x.d) end`;

/** The rows of a statement as they are and as they were, as the trigger of an event is told. */
const FRESH = { rows: sql`fresh`, sign: sql`` };
const FORMER = { rows: sql`former`, sign: sql`-` };
const TOLD = { insert: [FRESH], update: [FRESH, FORMER], delete: [FORMER] } as const;

/** What a statement has changed: the document, and what it adds to each state and locale. */
function changeBy({ documentId, counted }: Noted, event: keyof typeof TOLD): Sql {
  const all = (columns: (sign: Sql) => Sql): Sql =>
    union(TOLD[event].map(({ rows, sign }) => sql`select ${documentId} as d${columns(sign)} from ${rows}`));
  if (counted === null) return sql`${ONE}, '', false, 0 from (${all(() => sql``)}) x`;
  const { locale, published } = counted;
  const rows = all((sign) => sql`, ${locale} as l, ${published} as p, ${sign}1 as n`);
  return sql`${ONE}, x.l, x.p, sum(x.n) from (${rows}) x group by x.l, x.p`;
}

/** A trigger sees names where its connection does; the ledger is where it was when the trigger was made. */
const HEADER = sql`returns trigger language plpgsql security definer set search_path from current as`;

function noteFunction({ type, holds }: NotedTable, { change, total }: LedgerTables): Sql {
  const into = sql`insert into ${quote(change)} ${INTO}`;
  const by = sql`pg_current_xact_id(), ${nextCount(type)}, tg_argv[0]`;
  // Triggers are called for statements that change nothing, too: a write has more of them than of others.
  const note = (event: keyof typeof TOLD): Sql =>
    sql`if exists (select from ${TOLD[event][0].rows}) then
      ${into} select ${by}, ${changeBy(NOTED[holds], event)}; end if;`;
  // Nobody has counted what is left, which is nothing unless the transaction looks at an older state.
  const uncounted =
    holds === 'versions'
      ? sql` update ${quote(total)} t set total = 0 where t.type = tg_argv[0] and t.locale = '' and t.published;`
      : sql``;
  const emptied = sql`${into} values (${by}, null, '', false, 0);${uncounted}`;
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
