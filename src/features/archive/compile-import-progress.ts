/** Progress of an import, and the sequences that it must advance. */
import { type ArchivedType, importTableOf } from '../../content/model/archive.js';
import type { Schema } from '../../content/model/model.js';
import { param, print, quote, type Sql, sql, type Statement } from '../../kernel/sql.js';
import { idsOf } from './compile-import.js';

export interface LastNumbers {
  readonly instances: string;
  readonly counts: string;
}

/** Last value of a sequence; 0 before its first use. */
const lastOf = (sequence: Sql): Sql => sql`coalesce(pg_sequence_last_value(${sequence}::regclass), 0)`;

/** Gap that concurrent transactions cannot fill between two expressions of a statement. */
const WIDE = sql`1000000`;

/**
 * Advances the sequences beyond the values of an archive, one `nextval` for each value: `setval` could set
 * back a sequence that concurrent writes advance. Only a gap wider than {@link WIDE} uses it.
 */
export function compilePast({ file }: Schema, { instances, counts }: LastNumbers): Statement {
  const taken = (sequence: Sql, last: string): Sql =>
    sql`case when ${param(last)}::int8 - ${lastOf(sequence)} > ${WIDE}
      then setval(${sequence}::regclass, ${param(last)}::int8)
      else (select max(nextval(${sequence}::regclass))
        from generate_series(${lastOf(sequence)} + 1, ${param(last)}::int8)) end`;
  const { instanceSequence, counter } = file.storage;
  return print(
    sql`select ${taken(quote(instanceSequence, 'reference'), instances)},
      ${taken(quote(counter, 'reference'), counts)}`,
  );
}

/** Advances the sequence of row ids. The caller holds a lock on the table, so `setval` is safe. */
export function compilePastIds({ type }: ArchivedType, last: number): Statement {
  const sequence = idsOf(type);
  const least = sql`${param(last)}::int8`;
  return print(
    sql`select case when ${lastOf(sequence)} < ${least} then setval(${sequence}::regclass, ${least}) end`,
  );
}

export interface ImportProgress {
  readonly archive: string;
  readonly done: number;
}

const progressTable = ({ file }: Schema): Sql => quote(importTableOf(file));

/** Creates the table that records running imports. The last import to finish drops it. */
export const compileBeginImport = (schema: Schema, archive: string): readonly Statement[] => [
  print(
    sql`create table if not exists ${progressTable(schema)} (archive text primary key, done bigint not null)`,
  ),
  print(
    sql`insert into ${progressTable(schema)} (archive, done) values (${param(archive)}::text, 0)
      on conflict (archive) do nothing`,
  ),
];

/** Selects as `there` whether the table of running imports exists. */
export const compileImportTable = ({ file }: Schema): Statement =>
  print(sql`select to_regclass(${quote(importTableOf(file), 'reference')}) is not null as there`);

/** Selects the progress of an import as `done`, optionally locking its row until the transaction ends. */
export function compileProgress(schema: Schema, archive: string, isHeld: boolean): Statement {
  const hold = isHeld ? sql` for update` : sql``;
  return print(
    sql`select p.done::int4 as done from ${progressTable(schema)} p
      where p.archive = ${param(archive)}::text${hold}`,
  );
}

export const compileNoteProgress = (schema: Schema, { archive, done }: ImportProgress): Statement =>
  print(
    sql`update ${progressTable(schema)} p set done = ${param(done)}::int8
      where p.archive = ${param(archive)}::text`,
  );

/** Deletes a finished import; `last` is true if no other import is running. */
export const compileForgetImport = (schema: Schema, archive: string): Statement =>
  print(sql`delete from ${progressTable(schema)} p where p.archive = ${param(archive)}::text returning
    not exists (select 1 from ${progressTable(schema)} o where o.archive <> p.archive) as last`);

export const compileDropProgress = (schema: Schema): Statement =>
  print(sql`drop table if exists ${progressTable(schema)}`);
