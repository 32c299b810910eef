/** Times and revisions that a write gives to the versions whose content it changes (D21). */
import { CHANGER } from '../model/authors.js';
import type { Attribute, Column, ContentType, LinkedAttribute, StoredLinks } from '../model/model.js';
import { SHARED_LOCALE } from '../model/join-model.js';
import type { LinksStep } from '../plan/steps.js';
import { UNKNOWN_REVISION } from '../plan/versions.js';
import { constant, forms, join, type Param, quote, slot, type Sql, sql } from '../../kernel/sql.js';
import { namesOf } from './link-sql.js';

/** Transaction time, truncated to its columns' milliseconds: rounding up would give a future time. */
export const TIME = sql`date_trunc('milliseconds', now())`;

/**
 * Next `updated_at` of a stored row: the transaction's time, or one millisecond more than an earlier write of
 * the same transaction has set. A value in the far future has another cause.
 */
export const nextTime = (row: Sql): Sql => sql`case when ${row}.updated_at between ${TIME}
    and ${TIME} + interval '1 minute' then ${row}.updated_at + interval '1 millisecond' else ${TIME} end`;

/** User who writes, in templates of steps with links. */
const WRITER = slot(({ links }: { readonly links: LinksStep }) => links.by);

/** The writes of one statement have the same user. */
const writtenBy = (by: Param): Sql => forms(sql`${by}::text`, sql`(select ${by}::text from g limit 1)`);

/** Column with the user who last changed a version; undefined for types without `authors`. */
const changerOf = ({ storage }: ContentType): Column | undefined => storage.columnOf.get(CHANGER);

/** Assignment of the user who writes; empty for types without `authors`. */
export function changedBy(type: ContentType, by: Param = WRITER): Sql[] {
  const column = changerOf(type);
  return column === undefined ? [] : [sql`${quote(column.name)} = ${writtenBy(by)}`];
}

/** Assignment of the user who writes, in the rows `t` that a condition covers. */
function changedByIf(type: ContentType, changed: Sql): Sql[] {
  const column = changerOf(type);
  if (column === undefined) return [];
  const name = quote(column.name);
  return [sql`${name} = case when ${changed} then ${writtenBy(WRITER)} else t.${name} end`];
}

/** Next value of the counter, greater than all earlier positions in lists. */
export const nextCount = ({ storage }: ContentType): Sql =>
  sql`nextval(${quote(storage.counter, 'reference')}::regclass)`;

/** Content of a version after a write: stored values, except for those that the write gives. */
export interface Content {
  readonly type: ContentType;
  readonly row: Sql;
  readonly value?: (column: Column) => Sql | undefined;
  readonly lists?: ReadonlyMap<LinkedAttribute, Sql>;
  readonly covers?: (attribute: Attribute) => boolean;
}

export function targetsOf({ table: links }: Pick<StoredLinks, 'table'>, row: Sql): Sql {
  const { table, owner, target, position } = namesOf(links);
  const locale = links.perLocale ? sql`${row}.locale` : constant(SHARED_LOCALE);
  return sql`array(select l.${target} from ${table} l where l.${owner} = ${row}.document_id
    and l.published = ${row}.published and l.locale = ${locale} order by l.${position})`;
}

export function storedTargets(attribute: LinkedAttribute, { storage }: ContentType): Sql {
  const stored = storage.links.find((one) => one.attribute === attribute);
  return stored === undefined ? sql`array[]::text[]` : targetsOf(stored, sql`t`);
}

/** Prints a list as text, since PostgreSQL's list hashes collide for swapped or nested members. */
const asText = (value: Sql): Sql => sql`(${value})::text`;

/** Bits of a revision that contain the generation of the type instead of the digest. */
const GENERATION_BITS = 65535;

/**
 * Revision of a version: a digest of its own content, without its positions in other lists. Its last bits are
 * the generation of the type. Migrations leave revisions as they are, and only revisions of one generation
 * can be compared.
 */
export function revisionOf({ type, row, value, lists, covers = () => true }: Content): Sql {
  const { columns, links } = type.storage.content;
  const covered = columns.filter(({ attribute }) => covers(attribute));
  const values = covered.map((column) => {
    const one = value?.(column) ?? sql`${row}.${quote(column.name)}`;
    return column.type === 'jsonb' ? asText(one) : one;
  });
  const linked = links.filter(({ attribute }) => covers(attribute));
  const targets = linked.map((stored) => asText(lists?.get(stored.attribute) ?? targetsOf(stored, row)));
  const content = [...values, ...targets];
  if (content.length === 0) return constant(0);
  const digest = sql`hash_record_extended(row(${join(content, ', ')}), 0)`;
  return sql`((${digest} & ${constant(-1 - GENERATION_BITS)}) | ${constant(type.storage.generation)})`;
}

/** Whether the revision of a row is of the current model, and known. */
const isCurrent = ({ storage }: ContentType, row: Sql): Sql =>
  sql`(${row}.revision & ${constant(GENERATION_BITS)}) = ${constant(storage.generation)}`;

/** Stored revision of a row, computed if it is unknown or older than the last migration of the type. */
export const currentRevision = (type: ContentType, row: Sql): Sql =>
  sql`case when ${isCurrent(type, row)} then ${row}.revision else ${revisionOf({ type, row })} end`;

/**
 * Whether two rows have the same content. A migration changes equal rows in the same way, so equal revisions
 * stay comparable; it marks rows whose change depends on others as unknown.
 */
export function isSameContent(type: ContentType, [a, b]: readonly [Sql, Sql]): Sql {
  const unknown = constant(Number(UNKNOWN_REVISION));
  const [table, x, y] = [quote(type.table), sql`x`, sql`y`];
  // Looks the rows up by id, so that a join of all rows carries only revisions.
  const computed = sql`select ${revisionOf({ type, row: x })} = ${revisionOf({ type, row: y })}
    from ${table} x, ${table} y where x.id = ${a}.id and y.id = ${b}.id`;
  return sql`case when ${a}.revision = ${b}.revision and ${a}.revision <> ${unknown} then true
    when ${isCurrent(type, a)} and ${isCurrent(type, b)} then false
    else (${computed}) end`;
}

/**
 * Row version stamp: the row id, the transaction that wrote it last, and its time. Each transaction that
 * changes the row or its links gives it a new stamp, and so does each of its writes ({@link nextTime}).
 * Unlike the revision, the stamp does not depend on the content, so hidden values cannot be guessed from it.
 */
export const stampOf = (row: Sql): Sql => stampBy(row, sql`${row}.xmin`);

export const writtenStampOf = (row: Sql): Sql => stampBy(row, sql`pg_current_xact_id()::xid`);

const stampBy = (row: Sql, writer: Sql): Sql =>
  sql`concat(${row}.id, '.', ${writer}, '.', (date_part('epoch', ${row}.updated_at) * 1000)::int8)`;

export const changeColumns = (content: Omit<Content, 'row'>): Sql =>
  sql`updated_at = ${nextTime(sql`t`)}, revision = ${revisionOf({ ...content, row: sql`t` })}`;

/** Assignments of time and revision in the rows that a condition covers; other rows keep theirs. */
export function timedIf(changed: Sql, content: Omit<Content, 'row'>): Sql {
  const revision = revisionOf({ ...content, row: sql`t` });
  return sql`updated_at = case when ${changed} then ${nextTime(sql`t`)} else t.updated_at end,
    revision = case when ${changed} then ${revision} else t.revision end`;
}

/** Assignments of an update that may leave some rows unchanged. */
export const notedIf = (changed: Sql, content: Omit<Content, 'row'>): Sql =>
  join([timedIf(changed, content), ...changedByIf(content.type, changed)], ', ');

/**
 * Updates the versions whose links have changed. `changed` has the columns `owner`, `published` and `locale`.
 * Links that all locales share have the locale {@link SHARED_LOCALE}.
 */
export function noteOwners(content: Omit<Content, 'row'>, changed: Sql): Sql {
  const revision = revisionOf({ ...content, row: sql`t` });
  const table = quote(content.type.table);
  // The sub-query computes each digest once. Renumbered links in the same order are the same content.
  const owners = sql`select t.id, t.revision as former, ${revision} as revision from ${table} t
    join (${changed}) c
      on t.document_id = c.owner and t.published = c.published and (c.locale = ${constant(SHARED_LOCALE)}
        or c.locale = t.locale) offset 0`;
  const sets = [sql`updated_at = ${nextTime(sql`u`)}, revision = o.revision`, ...changedBy(content.type)];
  return sql`update ${table} u set ${join(sets, ', ')} from (${owners}) o
    where u.id = o.id and o.revision <> o.former`;
}
