/** References to types and documents: links to them, and grants. */
import type { ContentType, Schema } from '../../content/model/model.js';
import { constant, param, plain, quote, type Sql, sql } from '../../kernel/sql.js';
import { type Evolution } from './pairs.js';
import type { NewNames } from './renamed-values.js';

/** Renames a type in polymorphic links to it. */
export const renameInLinks = ({ before }: Evolution, type: ContentType, name: string): Sql[] =>
  [...before.schema.types.values()].flatMap(({ storage }) =>
    storage.links.flatMap(({ table: { table, targetType } }) =>
      targetType === null
        ? []
        : [
            sql`update ${quote(table)} set ${plain(targetType.name)} = ${constant(name)}
              where ${plain(targetType.name)} = ${constant(type.singularApiId)}`,
          ],
    ),
  );

/** Tables of the library's types with grants, without prefix. */
const GRANT_TABLES: readonly string[] = ['content_roles', 'content_api_tokens'];

/** Returns the tables of the library's own types with one of these names, without prefix, and a column. */
export const ownTables = ({ after }: Evolution, names: readonly string[], column: string): Sql[] =>
  [...after.schema.types.values()]
    .filter(({ table, storage }) => names.some((one) => table.endsWith(one)) && storage.columnOf.has(column))
    .map(({ table }) => quote(table));

/** Tables with stored grants. */
export const grantTables = (evolution: Evolution): Sql[] => ownTables(evolution, GRANT_TABLES, 'grants');

/** Renames a type in grants; no caller gains a permission. */
export const renameInGrants = (evolution: Evolution, old: string, name: string): Sql[] =>
  grantTables(evolution).map(
    (table) => sql`update ${table} set grants = (grants - ${constant(old)})
      || jsonb_build_object(${constant(name)}::text, grants -> ${constant(old)})
      where grants -> ${constant(old)} is not null`,
  );

/** Removes grants of a removed type, so that they cannot apply to a later type of the same name. */
export const removeFromGrants = (evolution: Evolution, name: string): Sql[] =>
  grantTables(evolution).map(
    (table) =>
      sql`update ${table} set grants = grants - ${constant(name)} where grants -> ${constant(name)} is not null`,
  );

/**
 * Renames attributes (`fields`) or stages in grants of a type, and drops removed ones. No caller gains a
 * permission.
 */
export function renameMembersInGrants(
  evolution: Evolution,
  { singularApiId }: ContentType,
  { member, names }: { readonly member: 'fields' | 'stages'; readonly names: NewNames },
): Sql[] {
  const [type, key] = [constant(singularApiId), constant(member)];
  const called = sql`${param(JSON.stringify(names))}::jsonb`;
  const name = sql`case when ${called} -> p.field is null then p.field else ${called} ->> p.field end`;
  const fields = sql`(select coalesce(jsonb_agg(n.name order by p.place), '[]')
    from jsonb_array_elements_text(g.one -> ${key}) with ordinality p(field, place)
    cross join lateral (select ${name} as name) n where n.name is not null)`;
  const one = sql`case when jsonb_typeof(g.one -> ${key}) = 'array'
    then g.one || jsonb_build_object(${key}::text, ${fields}) else g.one end`;
  const list = sql`(select jsonb_agg(${one} order by g.place)
    from jsonb_array_elements(grants -> ${type}) with ordinality g(one, place))`;
  return grantTables(evolution).map(
    (table) => sql`update ${table} set grants = grants || jsonb_build_object(${type}::text, ${list})
      where jsonb_typeof(grants -> ${type}) = 'array' and grants -> ${type} <> '[]'`,
  );
}

/** Deletes links from and to documents without remaining versions. */
export function deleteLostLinks({ types }: Schema, type: ContentType): Sql[] {
  const gone = (documentId: Sql): Sql =>
    sql`not exists (select 1 from ${quote(type.table)} d where d.document_id = ${documentId})`;
  const own = type.storage.links.map(
    ({ table: { table, owner } }) =>
      sql`delete from ${quote(table)} l where ${gone(sql`l.${plain(owner.name)}`)}`,
  );
  const incoming = [...types.values()].flatMap((other) => [
    ...other.storage.links
      .filter(({ attribute }) => attribute.targets.includes(type))
      .map(({ table: { table, target, targetType } }) => {
        const isOfType =
          targetType === null
            ? sql`true`
            : sql`l.${plain(targetType.name)} = ${constant(type.singularApiId)}`;
        return sql`delete from ${quote(table)} l where ${isOfType} and ${gone(sql`l.${plain(target.name)}`)}`;
      }),
    ...other.storage.columns
      .filter(({ reference }) => reference === type)
      .map(
        ({ name }) =>
          sql`update ${quote(other.table)} t set ${quote(name)} = null
            where t.${quote(name)} is not null and ${gone(sql`t.${quote(name)}`)}`,
      ),
  ]);
  return [...own, ...incoming];
}
