/**
 * What a write needs to know first: the document's rows, locked; then stored values, named documents, fresh
 * ids.
 */
import { hash } from 'node:crypto';
import QuickLRU from 'quick-lru';
import { MAX_INTEGER } from '../schema/cast-value.js';
import type { OwnCondition } from '../access/decide.js';
import type { Lookup, References } from '../plan/body.js';
import type { Lock } from '../plan/locks.js';
import { UNKNOWN_REVISION } from '../plan/versions.js';
import type { Attribute, ContentType, LinkedAttribute, ScalarAttribute } from '../schema/model.js';
import { modelTableOf } from '../schema/model-table.js';
import {
  alias,
  constant,
  type Identifier,
  join,
  param,
  print,
  quote,
  silently,
  type Sql,
  sql,
  type Statement,
} from '../sql.js';
import { byKind } from '../schema/by-kind.js';
import { stampOf } from './changes.js';
import { compileOwn } from './compile-own.js';
import { joinSql } from './joins/joins.js';
import { currentRows, hasVersion, newContext, rowScope, type RowScope } from './scope.js';

/** Keys of relations and of documents that are often written. */
const keys = new QuickLRU<string, bigint>({ maxSize: 1000 });

/** A lock's key: the same for a name on every instance of an application. */
function keyOf(name: string): bigint {
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = hash('sha256', name, 'buffer').readBigInt64BE();
  keys.set(name, key);
  return key;
}

const byKey = ([a]: readonly [bigint, boolean], [b]: readonly [bigint, boolean]): number => (a < b ? -1 : 1);

/**
 * Takes locks, in one order for everybody so that nobody waits in a circle. A statement of its own: what
 * comes after it sees all that the former holders have done.
 */
export function compileLocks(locks: readonly Lock[]): Statement {
  const kinds = new Map<bigint, boolean>();
  for (const { name, exclusive } of locks) {
    const key = keyOf(name);
    kinds.set(key, exclusive || kinds.get(key) === true);
  }
  const taken = [...kinds].sort(byKey).map(([key, exclusive]) => {
    const value = sql`${param(String(key))}::int8`;
    return exclusive ? sql`pg_advisory_xact_lock(${value})` : sql`pg_advisory_xact_lock_shared(${value})`;
  });
  return silently(print(sql`select ${join(taken, ', ')}`));
}

/** The rows of a document; all where it is a single type's, which has one document. */
const documentOf = (row: Sql, documentId: string | null): Sql =>
  documentId === null ? sql`true` : sql`${row}.document_id = ${param(documentId)}::text`;

/** Versions of a document: of one locale, or of all where it is null. */
interface VersionsOf {
  readonly documentId: string | null;
  readonly locale: string | null;
}

/** Whether a row is one of them. */
export const isVersionOf = (row: Sql, { documentId, locale }: VersionsOf): Sql =>
  locale === null
    ? documentOf(row, documentId)
    : sql`${documentOf(row, documentId)} and ${row}.locale = ${param(locale)}::text`;

/** Whether a row's document is the caller's own; null where nobody's is. */
const ownRow = (row: Sql, own: OwnCondition | null): Sql =>
  own === null ? sql`false` : compileOwn(own, row);

/** Whose versions are asked for, and why. */
type VersionsRequest = Pick<LoadRequest, 'type' | 'documentId' | 'own' | 'merged'>;

/**
 * The versions of a document, and whether they are the user's own. Where stored values go into what is
 * written, their rows are locked too, against writers that know nothing of this library.
 */
function versions({ type, documentId, own, merged }: VersionsRequest): Sql {
  const theirs = sql`coalesce(${ownRow(sql`t`, own)}, false)`;
  const lock = merged.size > 0 ? sql` for no key update` : sql``;
  const rows = sql`select t.id, t.document_id, t.locale, t.published, t.revision::text, ${stampOf(sql`t`)} as stamp,
      ${theirs} as own
    from ${quote(type.table)} t where ${documentOf(sql`t`, documentId)} order by t.id${lock}`;
  return sql`(select json_agg(v.*) from (${rows}) v)::text as versions`;
}

/** Under which model the content is stored: see {@link Loaded.model}. */
const storedModel = ({ table }: ContentType): Sql =>
  sql`(select m.digest from ${quote(modelTableOf({ table }))} m where m.id = 1) as model`;

/** The versions of a document alone, as `versions`, and the stored `model`. */
export const compileVersions = (request: VersionsRequest): Statement =>
  print(sql`select ${versions(request)}, ${storedModel(request.type)}`);

/**
 * Whether the values of a row matter: of a published version's only instances do, which a body may name, and
 * not where they are those of its draft.
 */
function matters({ type, merged }: LoadRequest, row: Sql): Sql[] {
  if (!type.draftAndPublish) return [];
  if (merged.size === 0) return [sql`not ${row}.published`];
  const unknown = constant(Number(UNKNOWN_REVISION));
  const draft = sql`select 1 from ${quote(type.table)} d where d.document_id = ${row}.document_id
    and d.locale = ${row}.locale and not d.published and d.revision = ${row}.revision`;
  return [sql`(not ${row}.published or ${row}.revision = ${unknown} or not exists (${draft}))`];
}

/** Stored values of the written locale's versions, or of all where that locale is new. */
function storedValues(request: LoadRequest, row: RowScope): Sql {
  const { type, locale, defaultLocale } = request;
  const values = [...type.attributes.values()].flatMap((attribute) => storedValue(attribute, row, request));
  const object =
    values.length === 0
      ? sql`'{}'::json`
      : sql`(select row_to_json(j.*) from (select ${join(values, ', ')}) j)`;
  const code = sql`${param(locale)}::text`;
  const other = sql`select 1 from ${quote(type.table)} o where o.document_id = ${row.alias}.document_id
    and o.locale = ${code}`;
  const conditions = [
    documentOf(row.alias, request.documentId),
    ...currentRows(type, row.alias, constant(defaultLocale)),
    ...matters(request, row.alias),
    ...(type.localized && locale !== null
      ? [sql`(${row.alias}.locale = ${code} or not exists (${other}))`]
      : []),
  ];
  return sql`(select json_object_agg(${row.alias}.id, ${object}) from ${quote(type.table)} ${row.alias}
    where ${join(conditions, ' and ')})::text as stored`;
}

/** The value of an attribute that has a column of its own, where it matters. */
function storedColumn(attribute: Attribute, row: RowScope, { needed, merged }: LoadRequest): Sql[] {
  const column = row.type.storage.columnOf.get(attribute.name);
  if (column === undefined || !needed.has(attribute.name)) return [];
  const value = column.toJson(sql`${row.alias}.${quote(column.name)}`);
  // Of a published version only instances matter, which a body may name.
  const isTheirs = row.type.draftAndPublish && !merged.has(attribute.name);
  const shown = isTheirs ? sql`case when not ${row.alias}.published then ${value} end` : value;
  return [sql`${shown} as ${quote(attribute.name)}`];
}

/** The targets of a relation, where its list is needed. */
function storedTargets(attribute: LinkedAttribute, row: RowScope, request: LoadRequest): Sql[] {
  if (!request.touched.has(attribute.name)) return [];
  const { linkLocale: locale, defaultLocale } = request;
  const list = joinSql(attribute.join).storedList(attribute.join, { row, attribute, locale, defaultLocale });
  return [sql`${list} as ${quote(attribute.name)}`];
}

/** What is stored for an attribute. */
const storedValue = byKind<Attribute, [RowScope, LoadRequest], Sql[]>({
  scalar: storedColumn,
  component: storedColumn,
  zone: storedColumn,
  relation: storedTargets,
  morph: storedTargets,
});

/** What to look up. */
export interface LoadRequest {
  readonly type: ContentType;
  /** Whether there may be a document to look up; a new one has no versions yet. */
  readonly existing: boolean;
  /** Null for a single type's document, whichever it is. */
  readonly documentId: string | null;
  /** The locale whose values are needed; null for those of all. */
  readonly locale: string | null;
  /** The locale whose links are, where locales have their own. */
  readonly linkLocale: string;
  readonly defaultLocale: string;
  /** Relations whose lists are needed. */
  readonly touched: ReadonlySet<string>;
  /** Other attributes whose stored values are; and those whose values go into what is written. */
  readonly needed: ReadonlySet<string>;
  readonly merged: ReadonlySet<string>;
  readonly references: References;
  /** Which documents of the type are the caller's own; null where that does not matter. */
  readonly own: OwnCondition | null;
  /** Types whose rows the write changes, because they hold the other side of its relations. */
  readonly changed: ReadonlySet<ContentType>;
  /** How many fresh component ids to reserve. */
  readonly instances: number;
  /** Where they come from. */
  readonly sequence: Identifier;
}

/** The rows of a target that are linked to the written document, in any state and locale. */
function linkedTo({ join: way }: LinkedAttribute, { type, documentId }: LoadRequest): Sql {
  const me =
    documentId === null
      ? sql`(select t.document_id from ${quote(type.table)} t limit 1)`
      : sql`${param(documentId)}::text`;
  return joinSql(way).linksTo(way, me);
}

/** Whether a document has a published version, is the user's own, and the row itself is a published one. */
function standing(target: ContentType, own: OwnCondition | null): Sql {
  const some = (condition: Sql): Sql => hasVersion(target, sql`x.document_id`, condition);
  const [published, live] = target.draftAndPublish
    ? [some(sql`v.published`), sql`x.published`]
    : [sql`true`, sql`true`];
  return sql`, ${published}, ${some(ownRow(sql`v`, own))}, ${live}`;
}

/**
 * The rows of the documents that a body names, and of those whose links may have to stay: `[row id, document
 * id, published, own, the row is published, has no draft, media type]`, the later ones where they matter.
 */
function named(
  target: ContentType,
  { references, guarded, own, ownOnly }: Lookup,
  request: LoadRequest,
): Sql {
  const documents = references.flatMap((one) => ('documentId' in one ? [one.documentId] : []));
  const rows = references.flatMap((one) => ('id' in one && one.id <= MAX_INTEGER ? [one.id] : []));
  const linked = request.existing ? ownOnly.map((attribute) => linkedTo(attribute, request)) : [];
  // One condition is answered by its index alone.
  const byRow = sql`x.id = any(${param([...new Set(rows)])}::int4[])`;
  const wanted = [
    sql`x.document_id = any(${param([...new Set(documents)])}::text[])`,
    ...(rows.length > 0 ? [byRow] : []),
    ...linked,
  ];
  const draft = sql`select 1 from ${quote(target.table)} v where v.document_id = x.document_id
    and v.locale = x.locale and not v.published`;
  const draftless = target.draftAndPublish && request.changed.has(target);
  const facts = [
    guarded ? standing(target, own) : sql`, true, true, true`,
    draftless ? sql`, x.published and not exists (${draft})` : sql`, false`,
    target.internal ? sql`, x.mime` : sql``,
  ];
  const more = guarded || draftless || target.internal ? join(facts, ' ') : sql``;
  const conditions = [
    sql`(${join(wanted, ' or ')})`,
    ...currentRows(target, sql`x`, constant(request.defaultLocale)),
  ];
  return sql`(select json_agg(json_build_array(x.id, x.document_id${more})) from ${quote(target.table)} x
    where ${join(conditions, ' and ')})::text`;
}

/**
 * One statement, one row: `versions`, `stored`, `model`, `ids`, and `k0`, `k1`, … with the documents of each
 * type that is referenced.
 */
export function compileLoad(request: LoadRequest): Statement {
  const { defaultLocale } = request;
  const version = { published: true, locale: { kind: 'any' }, defaultLocale, publication: null } as const;
  const context = newContext({ version, format: 'flat', filePlaceholder: null });
  const row = rowScope(request.type, alias('t', context.next()));
  const document = request.existing
    ? [versions(request), storedValues(request, row), storedModel(request.type)]
    : [];
  const sequence = sql`${quote(request.sequence, 'reference')}::regclass`;
  const ids = sql`(select json_agg(nextval(${sequence}))
    from generate_series(1, ${param(request.instances)}::int4))::text as ids`;
  const references = [...request.references].map(
    ([target, lookup], i) => sql`${named(target, lookup, request)} as ${alias('k', i)}`,
  );
  return print(
    sql`select ${join([...document, ...(request.instances > 0 ? [ids] : []), ...references], ', ')}`,
  );
}

/** What a uid is made from. */
interface UidBase {
  readonly attribute: ScalarAttribute;
  readonly base: string;
  readonly locale: string;
}

/** The uids of a locale that begin like `base`, drafts included where there are drafts. */
export function compileTakenUids(type: ContentType, { attribute, base, locale }: UidBase): Statement {
  const column = quote(attribute.column);
  const numbered = sql`left(t.${column}, length(${param(base)}::text) + 1) = ${param(base)}::text || '-'`;
  const state = type.draftAndPublish ? sql`` : sql` and t.published`;
  return print(sql`select distinct t.${column} as uid from ${quote(type.table)} t
    where t.locale = ${param(locale)}::text${state} and (t.${column} = ${param(base)}::text or ${numbered})`);
}
