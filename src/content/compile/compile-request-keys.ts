/** Statements for the responses to requests with an `Idempotency-Key`. */
import type { Identifier, Statement } from '../../kernel/sql.js';
import { param, print, quote, sql } from '../../kernel/sql.js';

/** Time that a response stays stored. */
const LIFETIME = sql`interval '24 hours'`;

/** Locks a key until the transaction ends; `held` is false while another transaction has it. */
export const compileHoldKey = (id: string): Statement =>
  print(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${param(`content-request-key ${id}`)}::text, 0)) as held`,
  );

export const compileStoredAnswer = (table: Identifier, id: string): Statement =>
  print(sql`select k.fingerprint, k.answer from ${quote(table)} k
    where k.id = ${param(id)}::text and k.created_at > now() - ${LIFETIME}`);

export interface StoredAnswer {
  readonly id: string;
  readonly fingerprint: string;
  readonly answer: string;
}

/** Stores a response, and deletes up to ten expired ones, so that the table does not grow. */
export function compileStoreAnswer(table: Identifier, { id, fingerprint, answer }: StoredAnswer): Statement {
  const rows = quote(table);
  return print(sql`with expired as (
      select o.id from ${rows} o where o.created_at < now() - ${LIFETIME} and o.id <> ${param(id)}::text
      order by o.created_at limit 10 for update skip locked
    ), deleted as (
      delete from ${rows} d using expired where d.id = expired.id
    )
    insert into ${rows} (id, fingerprint, answer, created_at)
    values (${param(id)}::text, ${param(fingerprint)}::text, ${param(answer)}::text, now())
    on conflict (id) do update set fingerprint = excluded.fingerprint, answer = excluded.answer,
      created_at = excluded.created_at`);
}
