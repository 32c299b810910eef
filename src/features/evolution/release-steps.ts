/** Steps that give the entries of releases the names of the new model. */
import { type ReleaseTables, releaseTablesOf } from '../../content/model/release-tables.js';
import { constant, quote, type Sql, sql } from '../../kernel/sql.js';
import { ifTableExists } from './change.js';
import type { Evolution } from './pairs.js';

const tablesOf = ({ after }: Evolution): ReleaseTables => releaseTablesOf(after.schema.file);
const entriesIn = (evolution: Evolution): Sql => quote(tablesOf(evolution).entry);

/** Deletes the entries of a removed type before another type takes its name. */
export const deleteEntries = (evolution: Evolution, name: string): readonly Sql[] => [
  sql`delete from ${entriesIn(evolution)} where type = ${constant(name)}`,
];

/** Gives the entries of a type its new name. */
export const renameTypeInEntries = (evolution: Evolution, before: string, after: string): readonly Sql[] => [
  sql`update ${entriesIn(evolution)} set type = ${constant(after)} where type = ${constant(before)}`,
];

/** Moves the ways back of entries of a type without locales to the new default locale. */
export const moveEntriesToLocale = (evolution: Evolution, name: string): readonly Sql[] => {
  const [old, locale] = [constant(evolution.before.defaultLocale), constant(evolution.after.defaultLocale)];
  const moved = sql`case when u.v->>'locale' = ${old} then u.v || jsonb_build_object('locale', ${locale}::text)
    else u.v end`;
  return [
    sql`update ${entriesIn(evolution)} set undo = (select coalesce(jsonb_agg(${moved} order by u.n), '[]')
        from jsonb_array_elements(undo) with ordinality u(v, n))
      where type = ${constant(name)} and jsonb_typeof(undo) = 'array'`,
  ];
};

/**
 * Deletes the entries of locales that documents lose, except those of releases that are published: their
 * undo must fail. The other entries are of the whole document.
 */
export function mergeEntryLocales(
  evolution: Evolution,
  name: string,
  kept: (documentId: Sql) => Sql,
): readonly Sql[] {
  const [entries, releases] = [entriesIn(evolution), quote(tablesOf(evolution).release)];
  const own = sql`e.type = ${constant(name)} and e.locale <> '*'`;
  return ifTableExists(
    tablesOf(evolution).entry,
    sql`delete from ${entries} e using ${releases} r where ${own} and r.id = e.release_id
      and r.released_at is null and e.locale <> coalesce(${kept(sql`e.document_id`)}, e.locale)`,
    sql`update ${entries} e set locale = '*' where ${own}`,
  );
}
