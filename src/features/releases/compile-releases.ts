/** Statements of releases. Writers and the worker lock the row of a release before its documents. */
import { nextCount, TIME } from '../../content/compile/changes.js';
import {
  compileOwnOrder,
  type OwnFields,
  ownField,
  type OwnList,
} from '../../content/compile/compile-own-filter.js';
import type { Caller } from '../../content/access/caller.js';
import type { ContentType } from '../../content/model/model.js';
import { releaseTablesOf } from '../../content/model/release-tables.js';
import { isoInstant } from '../../content/model/scalar-types.js';
import { join, param, print, quote, type Sql, sql, type Statement } from '../../kernel/sql.js';

const releasesIn = (file: ContentType): Sql => quote(releaseTablesOf(file).release);
const entriesIn = (file: ContentType): Sql => quote(releaseTablesOf(file).entry);

const STATE = sql`case when r.released_at is not null then 'released' when r.failed_at is not null then 'failed'
  when r.due_at is not null then 'scheduled' else 'open' end`;

/** Columns of a release `r` by the path of their values in responses. */
const RELEASE_FIELDS: OwnFields = new Map([
  ['id', ownField(sql`r.id`, 'biginteger')],
  ['name', ownField(sql`r.name`)],
  ['state', ownField(sql`(${STATE})`)],
  ['at', ownField(sql`r.due_at`, 'datetime')],
  ['createdAt', ownField(sql`r.created_at`, 'datetime')],
  ['updatedAt', ownField(sql`r.updated_at`, 'datetime')],
  ['createdBy.kind', ownField(sql`r.created_by`)],
  ['createdBy.id', ownField(sql`r.created_by_id`)],
  ['releasedAt', ownField(sql`r.released_at`, 'datetime')],
  ['releasedBy.kind', ownField(sql`r.released_by`)],
  ['releasedBy.id', ownField(sql`r.released_by_id`)],
]);

/** Release in the form of responses. */
const releaseJson = (
  file: ContentType,
): Sql => sql`json_build_object('id', r.id::text, 'name', r.name, 'state', ${STATE},
  'at', ${isoInstant(sql`r.due_at`)}, 'size', (select count(*) from ${entriesIn(file)} e where e.release_id = r.id),
  'createdAt', ${isoInstant(sql`r.created_at`)},
  'createdBy', json_build_object('kind', r.created_by, 'id', r.created_by_id),
  'updatedAt', ${isoInstant(sql`r.updated_at`)}, 'releasedAt', ${isoInstant(sql`r.released_at`)},
  'releasedBy', case when r.released_by is not null
    then json_build_object('kind', r.released_by, 'id', r.released_by_id) end,
  'requestId', r.request_id, 'failedAt', ${isoInstant(sql`r.failed_at`)})`;

/** List of the releases: newest first, after the order of the request. */
export const releaseList = (file: ContentType): OwnList => ({
  table: releasesIn(file),
  alias: sql`r`,
  shown: releaseJson(file),
  fields: RELEASE_FIELDS,
  order: (sort) => [...compileOwnOrder(sort, RELEASE_FIELDS), sql`r.id desc`],
});

const byId = (id: string): Sql => sql`r.id = ${param(id)}::int8`;

/** Selects a release as `data`, a JSON text, and its `failed_entry`. */
export const compileRelease = (file: ContentType, id: string): Statement =>
  print(sql`select (${releaseJson(file)})::text as data, r.failed_entry::text as failed_entry
    from ${releasesIn(file)} r where ${byId(id)}`);

/** Locks a release, and selects whether it is `released`. */
export const compileHoldRelease = (file: ContentType, id: string): Statement =>
  print(
    sql`select r.released_at is not null as released from ${releasesIn(file)} r where ${byId(id)} for update`,
  );

export interface NewRelease {
  readonly name: string;
  readonly at: string | null;
  readonly caller: Pick<Caller, 'kind' | 'id'>;
}

/** Creates a release, and returns its `id`. */
export const compileCreate = (file: ContentType, { name, at, caller }: NewRelease): Statement =>
  print(sql`insert into ${releasesIn(file)} as r
      (id, name, due_at, attempts, created_at, created_by, created_by_id, updated_at)
    values (${nextCount(file)}, ${param(name)}::text, ${param(at)}::timestamptz, 0, ${TIME},
      ${param(caller.kind)}::text, ${param(caller.id)}::text, ${TIME})
    returning r.id::text as id`);

export interface ReleaseChange {
  readonly name?: string;
  /** Null for no time. A new time clears the failure. */
  readonly at?: string | null;
}

export function compileChange(file: ContentType, id: string, { name, at }: ReleaseChange): Statement {
  const sets = [
    sql`updated_at = ${TIME}`,
    ...(name === undefined ? [] : [sql`name = ${param(name)}::text`]),
    ...(at === undefined
      ? []
      : [
          sql`due_at = ${param(at)}::timestamptz, attempts = 0, failed_at = null, failure = null,
            failed_entry = null`,
        ]),
  ];
  return print(sql`update ${releasesIn(file)} r set ${join(sets, ', ')} where ${byId(id)}`);
}

export const compileDelete = (file: ContentType, id: string): readonly Statement[] => [
  print(sql`delete from ${entriesIn(file)} e where e.release_id = ${param(id)}::int8`),
  print(sql`delete from ${releasesIn(file)} r where ${byId(id)}`),
];

/** Selects the entries of a release in the order in which they were added. */
export const compileEntries = (file: ContentType, id: string): Statement =>
  print(sql`select e.id::text as id, e.type, e.document_id, e.locale, e.action, e.undo::text as undo
    from ${entriesIn(file)} e
    where e.release_id = ${param(id)}::int8 order by e.id`);

export interface NewEntry {
  readonly type: string;
  readonly documentId: string;
  readonly locale: string;
  readonly action: string;
}

/** Adds entries in place of those of the same documents in the same locales. */
export function compileAdd(
  file: ContentType,
  id: string,
  entries: readonly NewEntry[],
): readonly Statement[] {
  const list = (read: (entry: NewEntry) => string): Sql => sql`${param(entries.map(read))}::text[]`;
  const given = sql`unnest(${list(({ type }) => type)}, ${list(({ documentId }) => documentId)},
    ${list(({ locale }) => locale)}, ${list(({ action }) => action)}) with ordinality
    n(type, document_id, locale, action, place)`;
  return [
    print(sql`delete from ${entriesIn(file)} e using ${given} where e.release_id = ${param(id)}::int8
      and e.type = n.type and e.document_id = n.document_id
      and (e.locale = n.locale or '*' in (e.locale, n.locale))`),
    print(sql`insert into ${entriesIn(file)} (id, release_id, type, document_id, locale, action)
      select ${nextCount(file)}, ${param(id)}::int8, n.type, n.document_id, n.locale, n.action
      from ${given} order by n.place`),
  ];
}

export const compileRemove = (file: ContentType, id: string, entries: readonly string[]): Statement =>
  print(sql`delete from ${entriesIn(file)} e
    where e.release_id = ${param(id)}::int8 and e.id = any(${param(entries)}::int8[])`);

export interface ReleasedBy {
  readonly caller: Pick<Caller, 'kind' | 'id'>;
  readonly requestId: string | null;
}

export const compileMarkReleased = (
  file: ContentType,
  id: string,
  { caller, requestId }: ReleasedBy,
): Statement =>
  print(sql`update ${releasesIn(file)} r set released_at = ${TIME}, released_by = ${param(caller.kind)}::text,
      released_by_id = ${param(caller.id)}::text, request_id = ${param(requestId)}::text, updated_at = ${TIME},
      failed_at = null, failure = null, failed_entry = null
    where ${byId(id)}`);

/** Stores the ways back of entries, as JSON texts by the ids of the entries. */
export const compileUndo = (file: ContentType, undo: ReadonlyMap<string, string>): Statement =>
  print(sql`update ${entriesIn(file)} e set undo = n.undo::jsonb
    from unnest(${param([...undo.keys()])}::int8[], ${param([...undo.values()])}::text[]) n(id, undo)
    where e.id = n.id`);

/** Opens a release again, without a time. */
export const compileReopen = (file: ContentType, id: string): readonly Statement[] => [
  print(sql`update ${entriesIn(file)} e set undo = null where e.release_id = ${param(id)}::int8`),
  print(sql`update ${releasesIn(file)} r set due_at = null, attempts = 0, released_at = null, released_by = null,
      released_by_id = null, request_id = null, updated_at = ${TIME} where ${byId(id)}`),
];

/** Condition that a release is due, by the database clock. */
const IS_DUE = sql`r.due_at <= now() and r.released_at is null and r.failed_at is null`;

export const compileDueReleases = (file: ContentType, limit: number): Statement =>
  print(sql`select r.id::text as id from ${releasesIn(file)} r
    where ${IS_DUE} order by r.due_at, r.id limit ${param(limit)}::int4`);

/** Locks a due release; no row if another transaction has locked it, or has run it. */
export const compileTakeRelease = (file: ContentType, id: string): Statement =>
  print(sql`select r.name from ${releasesIn(file)} r where ${byId(id)} and ${IS_DUE} for update skip locked`);

export interface ReleaseFailure {
  readonly message: string;
  readonly entry: string | null;
}

export const compileMarkFailed = (
  file: ContentType,
  id: string,
  { message, entry }: ReleaseFailure,
): Statement =>
  print(sql`update ${releasesIn(file)} r set failed_at = now(), failure = ${param(message)}::text,
      failed_entry = ${param(entry)}::int8
    where ${byId(id)}`);

/** Counts an attempt that may succeed later; `failed` is true after the last allowed one. */
export function compileCountRelease(
  file: ContentType,
  id: string,
  { message, allowed }: { readonly message: string; readonly allowed: number },
): Statement {
  const over = sql`r.attempts + 1 >= ${param(allowed)}::int4`;
  return print(sql`update ${releasesIn(file)} r set attempts = r.attempts + 1,
      failed_at = case when ${over} then now() end,
      failure = case when ${over} then ${param(message)}::text end
    where ${byId(id)} and ${IS_DUE} returning r.failed_at is not null as failed`);
}
