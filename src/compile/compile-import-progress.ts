/** How far an import has come, and how far numbers have been given. */
import { type ArchivedType, importTableOf } from '../schema/archive.js';
import type { Schema } from '../schema/model.js';
import { param, print, quote, type Sql, sql, type Statement } from '../sql.js';
import { idsOf } from './compile-import.js';

/** How far an archive's numbers go. */
export interface LastNumbers {
  readonly instances: string;
  readonly counts: string;
}

/** The last number that a sequence has given; 0 where it has given none. */
const lastOf = (sequence: Sql): Sql => sql`coalesce(pg_sequence_last_value(${sequence}::regclass), 0)`;

/** A gap that no other transactions fill between two expressions of a statement. */
const WIDE = sql`1000000`;

/**
 * Numbers that are given from now on are greater than those of an archive. Each is taken by itself, because
 * setting a sequence may set it back behind numbers that other transactions take. A wide gap is set.
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

/** The same of the rows of a type, whose table nobody else writes meanwhile. */
export function compilePastIds({ type }: ArchivedType, last: number): Statement {
  const sequence = idsOf(type);
  const least = sql`${param(last)}::int8`;
  return print(
    sql`select case when ${lastOf(sequence)} < ${least} then setval(${sequence}::regclass, ${least}) end`,
  );
}

/** Which archive is being imported, and how many of its documents have been dealt with. */
export interface ImportProgress {
  readonly archive: string;
  readonly done: number;
}

const progressTable = ({ file }: Schema): Sql => quote(importTableOf(file));

/** What is remembered of an import while it is under way: a table of its own, which goes with the last. */
export const compileBeginImport = (schema: Schema, archive: string): readonly Statement[] => [
  print(
    sql`create table if not exists ${progressTable(schema)} (archive text primary key, done bigint not null)`,
  ),
  print(
    sql`insert into ${progressTable(schema)} (archive, done) values (${param(archive)}::text, 0)
      on conflict (archive) do nothing`,
  ),
];

/** Whether an import is under way, as `there`. */
export const compileImportTable = ({ file }: Schema): Statement =>
  print(sql`select to_regclass(${quote(importTableOf(file), 'reference')}) is not null as there`);

/** How far an import has come, as `done`; its row may be held until the transaction ends. */
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

/** An import that has come to its end is forgotten. */
export const compileForgetImport = (schema: Schema, archive: string): Statement =>
  print(sql`delete from ${progressTable(schema)} p where p.archive = ${param(archive)}::text returning
    not exists (select 1 from ${progressTable(schema)} o where o.archive <> p.archive) as last`);

export const compileDropProgress = (schema: Schema): Statement =>
  print(sql`drop table if exists ${progressTable(schema)}`);
