/** Reads and writes the model description in the database. */
import { modelTableOf } from '../../content/model/model-table.js';
import type { Schema } from '../../content/model/model.js';
import { isListOf, isShape, isText, type Test } from '../../kernel/json.js';
import { join, param, print, quote, type Sql, sql, type Statement } from '../../kernel/sql.js';
import type { Row } from '../../pool/runner.js';
import { digestOf, type ModelDescription, parseDescription } from '../../content/model/description.js';

export interface StoredModel {
  readonly digest: string;
  /** Time of the last migration. */
  readonly generation: string;
  readonly description: ModelDescription;
  /** Backfills of a migration that has not ended; null for none. */
  readonly backfill: BackfillRecord | null;
}

/** Data in the tables that only a later model uses. */
export interface BackfillRecord {
  /** Types that have no drafts yet, but rows for them. */
  readonly drafts: readonly string[];
  readonly columns: readonly FilledColumn[];
}

interface FilledColumn {
  readonly table: string;
  readonly filled: string;
}

const isBackfillRecord: Test<BackfillRecord> = isShape<BackfillRecord>({
  drafts: isListOf(isText),
  columns: isListOf(isShape<FilledColumn>({ table: isText, filled: isText })),
});

function parseBackfillRecord(text: unknown): BackfillRecord | null {
  const value: unknown = typeof text === 'string' ? JSON.parse(text) : null;
  return isBackfillRecord(value) ? value : null;
}

/** Parses a row of {@link storedModel}; null for no row. Throws an Error if this release cannot read it. */
export const parseStoredModel = (row: Row | undefined): StoredModel | null =>
  row === undefined
    ? null
    : {
        digest: String(row['digest']),
        generation: String(row['generation']),
        description: parseDescription(JSON.parse(String(row['description']))),
        backfill: parseBackfillRecord(row['backfill']),
      };

/**
 * Query of the stored model. Selects text, because the host may configure how the driver parses JSON. Returns
 * no row if no model is stored; fails with 42P01 if the table does not exist.
 */
export const storedModel = ({ file }: Schema): Sql =>
  sql`select m.digest, m.description::text as description,
    date_part('epoch', m.applied_at)::text as generation,
    (select a.description::text from ${quote(modelTableOf(file))} a where a.id = 2) as backfill
    from ${quote(modelTableOf(file))} m where m.id = 1`;

export const compileStoredModel = (schema: Schema): Statement => print(storedModel(schema));

const insertModel = ({ file }: Schema, description: ModelDescription): Sql => {
  const json = JSON.stringify(description);
  return sql`insert into ${quote(modelTableOf(file))} (id, digest, description, applied_at)
    values (1, ${param(digestOf(description))}::text, ${param(json)}::jsonb, now())`;
};

/** Advisory lock that a migration holds until it ends. */
const MIGRATION_LOCK = sql`hashtextextended('content-model', 0)`;

const OTHER_MODEL =
  'The database has another content model than this migration expects: run earlier migrations first, or create ' +
  'this one again';

const OTHER_RECORD =
  'The database has the data of an interrupted migration: continue it with --apply, or create this migration again';

/** State of the database in which a migration may run. */
export interface Expected {
  /** Digest of the stored model; null for none. */
  readonly digest: string | null;
  /** Backfills that the migration continues or removes. */
  readonly records: readonly BackfillRecord[];
}

/**
 * Begins a migration: waits for a running one, and fails if the database has another model than expected, or
 * other backfills.
 */
export function beginMigration({ file }: Schema, { digest, records }: Expected): Sql {
  const table = modelTableOf(file);
  const known = records.map((one) => sql` and a.description <> ${param(JSON.stringify(one))}::jsonb`);
  return sql`do $content$ declare found text; other boolean := false; begin
  perform pg_advisory_xact_lock(${MIGRATION_LOCK});
  if to_regclass(${quote(table, 'reference')}) is not null then
    select m.digest into found from ${quote(table)} m where m.id = 1;
    other := exists (select from ${quote(table)} a where a.id = 2${join(known, ' ')});
  end if;
  if found is distinct from ${param(digest)} then raise exception using message = ${param(OTHER_MODEL)};
  end if;
  if other then raise exception using message = ${param(OTHER_RECORD)}; end if;
end $content$`;
}

/** Records the backfills of the migration to a model, in a separate row. */
export const saveBackfillRecord = ({ file }: Schema, digest: string, work: BackfillRecord): Sql =>
  sql`insert into ${quote(modelTableOf(file))} (id, digest, description, applied_at)
    values (2, ${param(digest)}::text, ${param(JSON.stringify(work))}::jsonb, now())
    on conflict (id) do update set digest = excluded.digest, description = excluded.description,
      applied_at = excluded.applied_at`;

export const deleteBackfillRecord = ({ file }: Schema): Sql =>
  sql`delete from ${quote(modelTableOf(file))} where id = 2`;

export const saveModel = (schema: Schema, description: ModelDescription): Sql =>
  sql`${insertModel(schema, description)} on conflict (id) do update
    set digest = excluded.digest, description = excluded.description, applied_at = excluded.applied_at`;
