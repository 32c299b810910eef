/** What a write notes of the versions whose content it changes: their time and their revision (D21). */
import type { Attribute, Column, ContentType, LinkedAttribute, StoredLinks } from '../schema/model.js';
import { SHARED } from '../schema/join-model.js';
import { constant, join, quote, type Sql, sql } from '../sql.js';
import { namesOf } from './link-sql.js';

/** Columns keep milliseconds and round to them: a time that was rounded up would not have come yet. */
export const TIME = sql`date_trunc('milliseconds', now())`;

/** The next number of the counter: a place behind all others. */
export const nextCount = ({ storage }: ContentType): Sql =>
  sql`nextval(${quote(storage.counter, 'reference')}::regclass)`;

/** A version as it is after a write: what its row and its links say, unless the write says something else. */
export interface Content {
  readonly type: ContentType;
  /** The row, or what has its `document_id`, `published` and `locale`. */
  readonly row: Sql;
  readonly value?: (column: Column) => Sql | undefined;
  /** New targets of relations, as lists. */
  readonly lists?: ReadonlyMap<LinkedAttribute, Sql>;
  /** Whether an attribute counts; all do if this is left out. */
  readonly covers?: (attribute: Attribute) => boolean;
}

/** The targets of a relation of a row, in their order. */
export function targetsOf({ table: links }: Pick<StoredLinks, 'table'>, row: Sql): Sql {
  const { table, owner, target, position } = namesOf(links);
  const locale = links.perLocale ? sql`${row}.locale` : constant(SHARED);
  return sql`array(select l.${target} from ${table} l where l.${owner} = ${row}.document_id
    and l.published = ${row}.published and l.locale = ${locale} order by l.${position})`;
}

/** The same of a relation of a type, of the row `t`. */
export function storedTargets(attribute: LinkedAttribute, { storage }: ContentType): Sql {
  const stored = storage.links.find((one) => one.attribute === attribute);
  return stored === undefined ? sql`array[]::text[]` : targetsOf(stored, sql`t`);
}

/**
 * A list as text. The database adds up what it makes of the members of a list or of JSON, in such a way that
 * two of them which have swapped members, or nest them otherwise, come to the same.
 */
const whole = (value: Sql): Sql => sql`(${value})::text`;

/**
 * The revision of a version: a digest of its own content, so that it is the same where the content is, and
 * only there. Places in the lists of others are no part of it.
 */
export function revisionOf({ type, row, value, lists, covers = () => true }: Content): Sql {
  const { columns, links } = type.storage.content;
  const covered = columns.filter(({ attribute }) => covers(attribute));
  const values = covered.map((column) => {
    const one = value?.(column) ?? sql`${row}.${quote(column.name)}`;
    return column.type === 'jsonb' ? whole(one) : one;
  });
  const linked = links.filter(({ attribute }) => covers(attribute));
  const targets = linked.map((stored) => whole(lists?.get(stored.attribute) ?? targetsOf(stored, row)));
  const content = [...values, ...targets];
  return content.length === 0 ? constant(0) : sql`hash_record_extended(row(${join(content, ', ')}), 0)`;
}

/**
 * The stamp of a row: its id, its last writer's transaction, and its time. Each transaction that changes the
 * row or its links gives it another stamp. Two writes of one transaction get the same, so that writes which
 * may change one row never share a transaction (`conflict` in database/write-flights.ts). The stamp says
 * nothing of the content, unlike the revision, by which hidden values could be guessed.
 */
export const stampOf = (row: Sql): Sql => stampBy(row, sql`${row}.xmin`);

/** The same of a row that this statement has written, outside of savepoints. */
export const writtenStampOf = (row: Sql): Sql => stampBy(row, sql`pg_current_xact_id()::xid`);

const stampBy = (row: Sql, writer: Sql): Sql =>
  sql`concat(${row}.id, '.', ${writer}, '.', (date_part('epoch', ${row}.updated_at) * 1000)::int8)`;

/** The assignments of an update that changes the content of `t`. */
export const noted = (content: Omit<Content, 'row'>): Sql =>
  sql`updated_at = ${TIME}, revision = ${revisionOf({ ...content, row: sql`t` })}`;

/** The same for rows that an update may leave as they are. */
export const notedIf = (changed: Sql, content: Omit<Content, 'row'>): Sql =>
  sql`updated_at = case when ${changed} then ${TIME} else t.updated_at end,
    revision = case when ${changed} then ${revisionOf({ ...content, row: sql`t` })} else t.revision end`;

/**
 * Notes it of the versions whose links have changed: `changed` has their `owner`, `published`, and `locale`,
 * which is that of all where locales share the links.
 */
export function noteOwners(content: Omit<Content, 'row'>, changed: Sql): Sql {
  const revision = revisionOf({ ...content, row: sql`t` });
  const table = quote(content.type.table);
  // Digests are made once for each; links that are numbered anew in their old order are the same content.
  const owners = sql`select t.id, t.revision as former, ${revision} as revision from ${table} t
    join (${changed}) c
      on t.document_id = c.owner and t.published = c.published and (c.locale = ${constant(SHARED)}
        or c.locale = t.locale) offset 0`;
  return sql`update ${table} u set updated_at = ${TIME}, revision = o.revision from (${owners}) o
    where u.id = o.id and o.revision <> o.former`;
}
