/** The description of the model that the content was stored under, in the database: to be read and noted. */
import { modelTableOf } from '../schema/model-table.js';
import type { Schema } from '../schema/model.js';
import { param, print, quote, type Sql, sql, type Statement } from '../sql.js';
import type { Row } from '../database/runner.js';
import { digestOf, type ModelDescription, noted } from './description.js';

/** What a migration has noted. */
export interface StoredModel {
  readonly digest: string;
  readonly description: ModelDescription;
}

/** The answer to {@link storedModel}; null for no row. Throws an Error for what this version cannot read. */
export const storedModelIn = (row: Row | undefined): StoredModel | null =>
  row === undefined
    ? null
    : { digest: String(row['digest']), description: noted(JSON.parse(String(row['description']))) };

/**
 * Asks for the description, as text: what the driver makes of JSON is the host's to decide. No row where
 * nothing has noted one. The table may be missing (42P01).
 */
export const storedModel = ({ file }: Schema): Sql =>
  sql`select m.digest, m.description::text as description from ${quote(modelTableOf(file))} m where m.id = 1`;

/** The same as a statement. */
export const compileStoredModel = (schema: Schema): Statement => print(storedModel(schema));

const inserted = ({ file }: Schema, description: ModelDescription): Sql => {
  const json = JSON.stringify(description);
  return sql`insert into ${quote(modelTableOf(file))} (id, digest, description, applied_at)
    values (1, ${param(digestOf(description))}::text, ${param(json)}::jsonb, now())`;
};

/** Held by whoever migrates until they have. */
const MIGRATION_LOCK = sql`hashtextextended('content-model', 0)`;

/**
 * Begins a migration: nobody else migrates meanwhile, and it stops where the content is of another model than
 * the one that it was made for. Null where none is noted.
 */
export function migrationFrom({ file }: Schema, digest: string | null): Sql {
  const table = modelTableOf(file);
  return sql`do $content$ declare found text; begin
  perform pg_advisory_xact_lock(${MIGRATION_LOCK});
  if to_regclass(${quote(table, 'reference')}) is not null then
    select m.digest into found from ${quote(table)} m where m.id = 1;
  end if;
  if found is distinct from ${param(digest)} then raise exception using message =
    'The content is of another model than this migration was made for: run the migrations before it, or make it anew';
  end if;
end $content$`;
}

/** Notes the model after a migration, in place of the one before. */
export const notedModel = (schema: Schema, description: ModelDescription): Sql =>
  sql`${inserted(schema, description)} on conflict (id) do update
    set digest = excluded.digest, description = excluded.description, applied_at = excluded.applied_at`;
