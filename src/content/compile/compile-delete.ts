/** Statements that unpublish or delete versions, with their links. */
import type { DeleteStep, UnpublishStep } from '../plan/steps.js';
import { CHANGER, isAuthor } from '../model/authors.js';
import type { LinkTable } from '../model/join-model.js';
import type { Column, ContentType, LinkedAttribute, StoredLinks } from '../model/model.js';
import {
  alias,
  join,
  param,
  type Param,
  print,
  quote,
  type Sql,
  sql,
  type Statement,
} from '../../kernel/sql.js';
import { changedBy, changeColumns, targetsOf, timedIf } from './changes.js';
import { isKnownVersion } from './version-sql.js';
import { allOf, namesOf, ofType } from './link-sql.js';

const LAST = sql`(select z.document_id from z)`;

/** Deletes the links of the versions in `g`. Links shared by locales are deleted with the last version. */
const ownLinks = (type: ContentType): Sql[] =>
  type.storage.links.map(({ table: links }) => {
    const { table, owner } = namesOf(links);
    const ofLocale = links.perLocale
      ? sql` or exists (select 1 from g where g.document_id = l.${owner} and g.locale = l.locale)`
      : sql``;
    return sql`delete from ${table} l where l.${owner} in ${LAST}${ofLocale}`;
  });

const asExpressions = (steps: readonly Sql[]): Sql[] =>
  steps.map((step, i) => sql`${alias('c', i)} as (${step})`);

/** Copies the list positions of the published versions in `g` to the remaining drafts. */
function rememberPositions(type: ContentType): Sql[] {
  const places = type.storage.columns.flatMap(({ name, remembers, placeOf }) =>
    remembers === null || placeOf === null ? [] : [{ name, remembers, held: quote(placeOf) }],
  );
  if (places.length === 0) return [];
  const sets = places.map(
    ({ name, remembers, held }) =>
      sql`${quote(name)} = case when t.${held} = g.${held} then g.${quote(remembers)} end`,
  );
  return [
    sql`update ${quote(type.table)} t set ${join(sets, ', ')} from g
      where t.document_id = g.document_id and g.published and not t.published and t.id not in (select h.id
        from g h)`,
  ];
}

/**
 * Deletes the published version of a document and keeps its draft. Published links stay: they are invisible,
 * and must keep their positions until the next publication (D13).
 */
export function compileUnpublish(step: UnpublishStep): Statement {
  const { type } = step;
  const gone = sql`g as (delete from ${quote(type.table)} t where ${isKnownVersion(sql`t`, step)}
    and t.published returning t.*)`;
  const parts = [gone, ...asExpressions(rememberPositions(type))];
  return print(sql`with ${join(parts, ', ')} select count(*)::int4 as count from g`);
}

const linksTo = (deleted: ContentType, { storage }: ContentType): StoredLinks[] =>
  storage.links.filter(({ attribute }) => attribute.targets.includes(deleted));

const isLost = (links: LinkTable, { singularApiId }: ContentType, last: Sql): Sql =>
  allOf([sql`l.${namesOf(links).target} in ${last}`, ...ofType(sql`l`, links, singularApiId)]);

interface Forgetting {
  readonly last: Sql;
  readonly by: Param;
}

/** Links of rows `t` of a holder that deleted documents lose, and the lists that stay. */
function lostLinks(holder: ContentType, deleted: ContentType, last: Sql): LostLinks {
  const links = linksTo(deleted, holder);
  const left = links.map((stored): [LinkedAttribute, Sql] => [
    stored.attribute,
    sql`array(select x.id from unnest(${targetsOf(stored, sql`t`)}) with ordinality x(id, n)
      where x.id not in ${last} order by x.n)`,
  ]);
  const named = links.map(({ table: stored }) => {
    const { table, owner } = namesOf(stored);
    const locale = stored.perLocale ? sql` and l.locale = t.locale` : sql``;
    return sql`exists (select 1 from ${table} l where ${isLost(stored, deleted, last)}
      and l.${owner} = t.document_id and l.published = t.published${locale})`;
  });
  return { named, lists: new Map(left) };
}

interface LostLinks {
  readonly named: readonly Sql[];
  readonly lists: ReadonlyMap<LinkedAttribute, Sql>;
}

/** Clears references to deleted documents. The deletion of an author does not change the content. */
function forget(holder: ContentType, deleted: ContentType, { last, by }: Forgetting): Sql[] {
  const references = holder.storage.columns.filter(({ reference }) => reference === deleted);
  const authors = references.filter(({ attribute }) => isAuthor(attribute));
  const columns = references.filter(({ attribute }) => !isAuthor(attribute));
  const { named: linked, lists } = lostLinks(holder, deleted, last);
  const isLostIn = ({ name }: Column): Sql => sql`t.${quote(name)} in ${last}`;
  const withoutReference = ({ name }: Column): Sql =>
    sql`case when t.${quote(name)} in ${last} then null else t.${quote(name)} end`;
  const value = (column: Column): Sql | undefined =>
    column.reference === deleted ? withoutReference(column) : undefined;
  const named = [...columns.map(isLostIn), ...linked];
  if (named.length + authors.length === 0) return [];
  const content = { type: holder, value, lists };
  const changed = sql`(${join([sql`false`, ...named], ' or ')})`;
  const noting =
    authors.length === 0 ? [changeColumns(content), ...changedBy(holder, by)] : [timedIf(changed, content)];
  const sets = [
    ...noting,
    ...columns.map((column) => sql`${quote(column.name)} = ${withoutReference(column)}`),
    ...authors.map((column) => {
      const changer = column.attribute.name === CHANGER ? sql`when ${changed} then ${by}::text ` : sql``;
      const { name } = column;
      return sql`${quote(name)} = case ${changer}when ${isLostIn(column)} then null else t.${quote(name)} end`;
    }),
  ];
  // An array lets PostgreSQL combine the indexes of both columns.
  const byAuthors = authors.map(({ name }) => sql`t.${quote(name)} = any(array(${last}))`);
  const others = holder === deleted ? sql` and t.document_id not in ${last}` : sql``;
  return [
    sql`update ${quote(holder.table)} t set ${join(sets, ', ')}
      where (${join([...named, ...byAuthors], ' or ')})${others}`,
  ];
}

const unlink = (holder: ContentType, deleted: ContentType, last: Sql): Sql[] =>
  linksTo(deleted, holder).map(
    ({ table }) => sql`delete from ${namesOf(table).table} l where ${isLost(table, deleted, last)}`,
  );

/** Deletes versions of one locale or all. Deleting the last one also deletes links to the document. */
export function compileDelete(step: DeleteStep): Statement {
  const { type } = step;
  const table = quote(type.table);
  const gone = sql`g as (delete from ${table} t where ${isKnownVersion(sql`t`, step)} returning t.*)`;
  const left = sql`select 1 from ${table} v where v.document_id = g.document_id and not exists (select 1
    from g h where h.id = v.id)`;
  const lost = sql`z as (select distinct g.document_id from g where not exists (${left}))`;
  const holders = type.storage.referrers;
  const links = holders.flatMap((holder) => unlink(holder, type, LAST));
  const columns = holders.flatMap((holder) => forget(holder, type, { last: LAST, by: param(step.by) }));
  const parts = [
    gone,
    lost,
    ...asExpressions([...rememberPositions(type), ...ownLinks(type), ...links, ...columns]),
  ];
  return print(sql`with ${join(parts, ', ')} select count(*)::int4 as count from g`);
}
