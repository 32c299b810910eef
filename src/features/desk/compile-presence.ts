/** Statements for the documents that editors have open. */
import { type Identifier, param, print, quote, type Statement, sql } from '../../kernel/sql.js';

/** Time without a sign after which a form counts as closed. Forms send one every five seconds. */
const LIFETIME = sql`interval '20 seconds'`;
/** Number of closed forms that one statement deletes at most. */
const BATCH = 20;

/** Open form of an editor. */
export interface OpenForm {
  readonly id: string;
  readonly place: string;
  readonly editor: string;
  readonly name: string;
  /** Time of the document after the last save of the form; null without one. */
  readonly saved: string | null;
}

/** Notes that a form is open, and returns the other editors of its document. Deletes closed forms. */
export function compileOpenForm(table: Identifier, { id, place, editor, name, saved }: OpenForm): Statement {
  const rows = quote(table);
  return print(sql`with closed as (
      select o.id from ${rows} o where o.seen_at < now() - ${LIFETIME} and o.id <> ${param(id)}::text
      limit ${param(BATCH)}::int4 for update skip locked
    ), deleted as (
      delete from ${rows} d using closed where d.id = closed.id
    ), noted as (
      insert into ${rows} (id, place, editor, name, saved, seen_at)
      values (${param(id)}::text, ${param(place)}::text, ${param(editor)}::text, ${param(name)}::text,
        ${param(saved)}::text, now())
      on conflict (id) do update set place = excluded.place, editor = excluded.editor, name = excluded.name,
        saved = excluded.saved, seen_at = excluded.seen_at
    )
    select p.editor, min(p.name) as name, max(p.saved) as saved from ${rows} p
    where p.place = ${param(place)}::text and p.editor <> ${param(editor)}::text
      and p.seen_at > now() - ${LIFETIME}
    group by p.editor order by min(p.name)`);
}

export const compileCloseForm = (table: Identifier, id: string): Statement =>
  print(sql`delete from ${quote(table)} where id = ${param(id)}::text`);
