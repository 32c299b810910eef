/**
 * What a write needs to know first: the document's rows, locked; then stored values, named documents, fresh
 * ids.
 */
import { MAX_INTEGER } from '../schema/accept.js';
import type { Lookup, References } from '../plan/body.js';
import type { Lock } from '../plan/locks.js';
import type { Attribute, ContentType, RelationAttribute, ScalarAttribute } from '../schema/model.js';
import {
  alias,
  constant,
  type Identifier,
  join,
  param,
  print,
  quote,
  type Sql,
  sql,
  type Statement,
} from '../sql.js';
import { stored as storedAs } from './stored-value.js';
import { currentRows, heldJson, newContext, rowScope, type RowScope, shown } from './scope.js';

function taken(locks: readonly Lock[]): Sql {
  const names = param(locks.map(({ name }) => name));
  const kinds = param(locks.map(({ exclusive }) => exclusive));
  return sql`select case when l.exclusive then pg_advisory_xact_lock(l.key)::text else pg_advisory_xact_lock_shared(l.key)::text end as lock
    from (select hashtextextended(x.name, 0) as key, bool_or(x.exclusive) as exclusive from unnest(${names}::text[], ${kinds}::boolean[]) x(name, exclusive) group by 1 order by 1) l`;
}

/**
 * Takes locks, in one order for everybody so that nobody waits in a circle. A statement of its own: what
 * comes after it sees all that the former holders have done.
 */
export const compileQueue = (locks: readonly Lock[]): Statement => print(taken(locks));

/** The rows of a document; all where it is a single type's, which has one document. */
export const documentOf = (row: Sql, documentId: string | null): Sql =>
  documentId === null ? sql`true` : sql`${row}.document_id = ${param(documentId)}::text`;

/**
 * The versions of a document, and whether they are the user's own; their rows are locked too, against writers
 * that know nothing of this library.
 */
function versions(type: ContentType, { documentId, user }: Pick<LoadRequest, 'documentId' | 'user'>): Sql {
  const own = sql`coalesce(${ownedBy(type, sql`t`, user)}, false)`;
  const rows = sql`select t.id, t.document_id, t.locale, t.published, ${own} as own from ${quote(type.table)} t where ${documentOf(sql`t`, documentId)} order by t.id for no key update`;
  return sql`(select json_agg(v.*) from (${rows}) v)::text as versions`;
}

/** The versions of a document alone, as `versions`. */
export const compileVersions = (request: Pick<LoadRequest, 'type' | 'documentId' | 'user'>): Statement =>
  print(sql`select ${versions(request.type, request)}`);

/** The column that says whose a document is, and the user it is compared with. */
function ownedBy(type: ContentType, row: Sql, user: string | null): Sql {
  const owner = type.owner === null ? undefined : type.attributes.get(type.owner);
  if (owner === undefined || user === null) return sql`false`;
  if (owner.kind === 'scalar') return sql`${row}.${quote(owner.column)} = ${storedAs(owner, user)}`;
  if (owner.kind !== 'relation' || owner.join.kind !== 'column') return sql`false`;
  return sql`${row}.${quote(owner.join.column)} = ${storedAs(owner, user)}`;
}

/** Stored values of the written locale's versions, or of all where that locale is new. */
function stored(request: LoadRequest, row: RowScope): Sql {
  const { type, locale, defaultLocale } = request;
  const values = [...type.attributes.values()].flatMap((attribute) => storedValue(row, attribute, request));
  const object =
    values.length === 0
      ? sql`'{}'::json`
      : sql`(select row_to_json(j.*) from (select ${join(values, ', ')}) j)`;
  const code = sql`${param(locale)}::text`;
  const other = sql`select 1 from ${quote(type.table)} o where o.document_id = ${row.alias}.document_id and o.locale = ${code}`;
  const conditions = [
    documentOf(row.alias, request.documentId),
    ...currentRows(type, row.alias, constant(defaultLocale)),
    ...(type.localized ? [sql`(${row.alias}.locale = ${code} or not exists (${other}))`] : []),
  ];
  return sql`(select json_object_agg(${row.alias}.id, ${object}) from ${quote(type.table)} ${row.alias} where ${join(conditions, ' and ')})::text as stored`;
}

type InverseJoin = Extract<RelationAttribute['join'], { kind: 'inverseColumn' | 'inverseLink' }>;

/**
 * The documents whose rows `x` name ours, in the order of `position`: those of drafts, and of documents that
 * have no draft yet.
 */
function namedBy(from: Sql, position: Sql, way: InverseJoin, { target, request }: Stand): Sql {
  const { locale, defaultLocale } = request;
  const conditions = [
    ...currentRows(target, sql`x`, constant(defaultLocale)),
    ...(way.perLocale ? [sql`x.locale = ${param(locale)}::text`] : []),
  ];
  const where = conditions.length === 0 ? sql`` : sql` and ${join(conditions, ' and ')}`;
  const order = target.draftAndPublish
    ? sql`coalesce(min(${position}) filter (where not x.published), min(${position}))`
    : sql`min(${position})`;
  const draft = sql`select 1 from ${quote(target.table)} v where v.document_id = x.document_id and not v.published`;
  const state = target.draftAndPublish
    ? sql` having bool_or(not x.published) or not exists (${draft})`
    : sql``;
  return sql`(select coalesce(json_agg(y.document_id order by y.n), '[]') from (select x.document_id, ${order} as n from ${from}${where} group by x.document_id${state}) y)`;
}

/** Where a list is looked up from. */
interface Stand {
  readonly target: ContentType;
  readonly request: LoadRequest;
}

/** The target documents of a relation in stored order, whichever versions they have. */
function storedList(row: RowScope, attribute: RelationAttribute, request: LoadRequest): Sql {
  const { join: way, target } = attribute;
  const table = quote(target.table);
  const me = sql`${row.alias}.document_id`;
  switch (way.kind) {
    case 'column':
      return sql`json_build_array(${row.alias}.${quote(way.column)})`;
    case 'link':
      return sql`(select coalesce(json_agg(l.target_document_id order by l.position), '[]') from ${quote(way.table)} l where l.owner_id = ${row.alias}.id)`;
    case 'inverseColumn': {
      const position = way.position === null ? sql`x.id` : sql`x.${quote(way.position)}`;
      return namedBy(sql`${table} x where x.${quote(way.column)} = ${me}`, position, way, {
        target,
        request,
      });
    }
    case 'inverseLink': {
      const links = sql`${quote(way.table)} l join ${table} x on x.id = l.owner_id where l.target_document_id = ${me}`;
      return namedBy(links, sql`l.inverse_position`, way, { target, request });
    }
    default:
      return sql`'[]'::json`;
  }
}

function storedValue(row: RowScope, attribute: Attribute, request: LoadRequest): Sql[] {
  const as = (value: Sql, name: Identifier): Sql[] => [sql`${value} as ${quote(name)}`];
  if (attribute.kind === 'scalar') return attribute.system ? [] : as(shown(row, attribute), attribute.name);
  if (attribute.kind !== 'relation') return as(heldJson(row, attribute), attribute.name);
  return request.touched.has(attribute.name) ? as(storedList(row, attribute, request), attribute.name) : [];
}

/** What to look up. */
export interface LoadRequest {
  readonly type: ContentType;
  /** Whether there may be a document to look up; a new one has no versions yet. */
  readonly existing: boolean;
  /** Null for a single type's document, whichever it is. */
  readonly documentId: string | null;
  readonly locale: string;
  readonly defaultLocale: string;
  /** Relations whose lists are needed. */
  readonly touched: ReadonlySet<string>;
  readonly references: References;
  /** The user whose own documents matter, the written one too; null for nobody. */
  readonly user: string | null;
  /** Types whose rows the write changes, because they hold the other side of its relations. */
  readonly changed: ReadonlySet<ContentType>;
  /** How many fresh component ids to reserve. */
  readonly instances: number;
  readonly sequenceTable: Identifier;
}

/** The rows of a target that are linked to the written document, in any state and locale. */
function linkedTo({ join: way }: RelationAttribute, { type, documentId }: LoadRequest): Sql {
  const me =
    documentId === null
      ? sql`(select t.document_id from ${quote(type.table)} t limit 1)`
      : sql`${param(documentId)}::text`;
  if (way.kind === 'inverseColumn') return sql`x.${quote(way.column)} = ${me}`;
  if (way.kind !== 'inverseLink') return sql`false`;
  return sql`exists (select 1 from ${quote(way.table)} l where l.owner_id = x.id and l.target_document_id = ${me})`;
}

/** Whether a document has a published version, is the user's own, and the row itself is a published one. */
function standing(target: ContentType, user: string | null): Sql {
  const some = (condition: Sql): Sql =>
    sql`exists (select 1 from ${quote(target.table)} v where v.document_id = x.document_id and ${condition})`;
  const [published, live] = target.draftAndPublish
    ? [some(sql`v.published`), sql`x.published`]
    : [sql`true`, sql`true`];
  return sql`, ${published}, ${some(ownedBy(target, sql`v`, user))}, ${live}`;
}

/**
 * The rows of the documents that a body names, and of those whose links may have to stay: `[row id, document
 * id, published, own, the row is published, has no draft, media type]`, the later ones where they matter.
 */
function named(target: ContentType, { references, guarded, ownOnly }: Lookup, request: LoadRequest): Sql {
  const documents = references.flatMap((one) => ('documentId' in one ? [one.documentId] : []));
  const rows = references.flatMap((one) => ('id' in one && one.id <= MAX_INTEGER ? [one.id] : []));
  const linked = request.existing ? ownOnly.map((attribute) => linkedTo(attribute, request)) : [];
  const wanted = [
    sql`x.document_id = any(${param([...new Set(documents)])}::text[])`,
    sql`x.id = any(${param([...new Set(rows)])}::int4[])`,
    ...linked,
  ];
  const draft = sql`select 1 from ${quote(target.table)} v where v.document_id = x.document_id and v.locale = x.locale and not v.published`;
  const draftless = target.draftAndPublish && request.changed.has(target);
  const facts = [
    guarded ? standing(target, request.user) : sql`, true, true, true`,
    draftless ? sql`, x.published and not exists (${draft})` : sql`, false`,
    target.internal ? sql`, x.mime` : sql``,
  ];
  const more = guarded || draftless || target.internal ? join(facts, ' ') : sql``;
  const conditions = [
    sql`(${join(wanted, ' or ')})`,
    ...currentRows(target, sql`x`, constant(request.defaultLocale)),
  ];
  return sql`(select json_agg(json_build_array(x.id, x.document_id${more})) from ${quote(target.table)} x where ${join(conditions, ' and ')})::text`;
}

/**
 * One statement, one row: `versions`, `stored`, `ids`, and `k0`, `k1`, … with the documents of each type that
 * is referenced.
 */
export function compileLoad(request: LoadRequest): Statement {
  const context = newContext(
    { published: true, locale: { kind: 'any' }, defaultLocale: request.defaultLocale, publication: null },
    'flat',
  );
  const row = rowScope(request.type, alias('t', context.next()));
  const document = request.existing ? [versions(request.type, request), stored(request, row)] : [];
  const sequence = sql`pg_get_serial_sequence(${quote(request.sequenceTable, 'reference')}, 'id')`;
  const ids = sql`(select json_agg(nextval(${sequence})) from generate_series(1, ${param(request.instances)}::int4))::text as ids`;
  const references = [...request.references].map(
    ([target, lookup], i) => sql`${named(target, lookup, request)} as ${alias('k', i)}`,
  );
  return print(sql`select ${join([...document, ids, ...references], ', ')}`);
}

/** The uids of a locale that begin like `base`, drafts included where there are drafts. */
export function compileTakenUids(
  type: ContentType,
  attribute: ScalarAttribute,
  base: string,
  locale: string,
): Statement {
  const column = quote(attribute.column);
  const numbered = sql`left(t.${column}, length(${param(base)}::text) + 1) = ${param(base)}::text || '-'`;
  const state = type.draftAndPublish ? sql`` : sql` and t.published`;
  return print(sql`select distinct t.${column} as uid from ${quote(type.table)} t
    where t.locale = ${param(locale)}::text${state} and (t.${column} = ${param(base)}::text or ${numbered})`);
}
