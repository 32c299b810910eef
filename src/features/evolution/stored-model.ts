/** Reads and writes the model description in the database. */
import { modelTableOf } from '../../content/model/model-table.js';
import type { Schema } from '../../content/model/model.js';
import { param, print, quote, type Sql, sql, type Statement } from '../../kernel/sql.js';
import type { Row } from '../../pool/runner.js';
import { digestOf, type ModelDescription, noted } from '../../content/model/description.js';

export interface StoredModel {
  readonly digest: string;
  readonly description: ModelDescription;
}

/** Parses a row of {@link storedModel}; null for no row. Throws an Error if this release cannot read it. */
export const storedModelIn = (row: Row | undefined): StoredModel | null =>
  row === undefined
    ? null
    : { digest: String(row['digest']), description: noted(JSON.parse(String(row['description']))) };

/**
 * Query of the stored model. Selects text, because the host may configure how the driver parses JSON. Returns
 * no row if no model is stored; fails with 42P01 if the table does not exist.
 */
export const storedModel = ({ file }: Schema): Sql =>
  sql`select m.digest, m.description::text as description from ${quote(modelTableOf(file))} m where m.id = 1`;

export const compileStoredModel = (schema: Schema): Statement => print(storedModel(schema));

const inserted = ({ file }: Schema, description: ModelDescription): Sql => {
  const json = JSON.stringify(description);
  return sql`insert into ${quote(modelTableOf(file))} (id, digest, description, applied_at)
    values (1, ${param(digestOf(description))}::text, ${param(json)}::jsonb, now())`;
};

/** Advisory lock that a migration holds until it ends. */
const MIGRATION_LOCK = sql`hashtextextended('content-model', 0)`;

/**
 * Begins a migration: waits for a running one, and fails if the database does not have the expected model. A
 * null digest means no stored model.
 */
export function migrationFrom({ file }: Schema, digest: string | null): Sql {
  const table = modelTableOf(file);
  return sql`do $content$ declare found text; begin
  perform pg_advisory_xact_lock(${MIGRATION_LOCK});
  if to_regclass(${quote(table, 'reference')}) is not null then
    select m.digest into found from ${quote(table)} m where m.id = 1;
  end if;
  if found is distinct from ${param(digest)} then raise exception using message =
    'The database has another content model than this migration expects: run earlier migrations first, or create this one again';
  end if;
end $content$`;
}

export const notedModel = (schema: Schema, description: ModelDescription): Sql =>
  sql`${inserted(schema, description)} on conflict (id) do update
    set digest = excluded.digest, description = excluded.description, applied_at = excluded.applied_at`;
