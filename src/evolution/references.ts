/** Where types and documents are named elsewhere: in links that lead to them, and in grants. */
import type { ContentType, Schema } from '../schema/model.js';
import { constant, plain, quote, type Sql, sql } from '../sql.js';
import { type Evolution } from './pairs.js';

/** Links that say of which type their targets are call it by its new name. */
export const calledInLinks = ({ before }: Evolution, type: ContentType, name: string): Sql[] =>
  [...before.schema.types.values()].flatMap(({ storage }) =>
    storage.links.flatMap(({ table: { table, targetType } }) =>
      targetType === null
        ? []
        : [
            sql`update ${quote(table)} set ${plain(targetType.name)} = ${constant(name)} where ${plain(targetType.name)} = ${constant(type.singularApiId)}`,
          ],
    ),
  );

/** The types of the library's own that hold grants. */
const GRANTED: readonly string[] = ['content_roles', 'content_api_tokens'];

/** Grants on a type are grants on it by its new name, and give nobody more. */
export const calledInGrants = ({ after }: Evolution, old: string, name: string): Sql[] =>
  [...after.schema.types.values()]
    .filter(
      ({ table, storage }) => GRANTED.some((one) => table.endsWith(one)) && storage.columnOf.has('grants'),
    )
    .map(
      ({ table }) =>
        sql`update ${quote(table)} set grants = (grants - ${constant(old)}) || jsonb_build_object(${constant(name)}::text, grants -> ${constant(old)}) where grants -> ${constant(old)} is not null`,
    );

/** Links from and to documents of a type that have no version left. */
export function forgotten({ types }: Schema, type: ContentType): Sql[] {
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
          sql`update ${quote(other.table)} t set ${quote(name)} = null where t.${quote(name)} is not null and ${gone(sql`t.${quote(name)}`)}`,
      ),
  ]);
  return [...own, ...incoming];
}
