/** Steps that give conditions and presets of stored grants the names of the new model. */
import { name } from '../../content/model/naming.js';
import { besideTable } from '../../content/model/table-shapes.js';
import { constant, param, quote, type Sql, sql } from '../../kernel/sql.js';
import { grantPlaces } from './grant-places.js';
import type { Evolution } from './pairs.js';
import { grantTables } from './references.js';

/**
 * Renames keys and texts of conditions and presets in one pass, so that names can be exchanged. It needs the
 * new names of types.
 */
export function renameInConditions(evolution: Evolution): readonly Sql[] {
  const tables = grantTables(evolution);
  const places = grantPlaces(evolution);
  if (tables.length === 0 || !('grants' in places)) return [];
  const rename = quote(besideTable(evolution.after.schema.file.table, name('content', 'renamed', 'grants')));
  const text = sql`item #>> '{}'`;
  const items = sql`select jsonb_agg(${rename}(e.one, place, places) order by e.n)
    from jsonb_array_elements(item) with ordinality e(one, n)`;
  const members = sql`select jsonb_object_agg(coalesce(here -> 'keys' -> m.key ->> 'key', m.key),
    ${rename}(m.value, here -> 'keys' -> m.key ->> 'place', places)) from jsonb_each(item) m`;
  const renamed = sql`${rename}(grants, ${constant('grants')}, ${param(JSON.stringify(places))}::jsonb)`;
  const update = (table: Sql): Sql => sql`update ${table} t set grants = n.grants
    from (select id, ${renamed} as grants from ${table}) n where n.id = t.id and n.grants <> t.grants`;
  return [
    sql`create or replace function ${rename}(item jsonb, place text, places jsonb) returns jsonb
      language plpgsql as $content$
      declare here jsonb := coalesce(places -> (place || ' ' || (item ->> '__component')), places -> place);
      begin case jsonb_typeof(item)
        when 'string' then return coalesce(here -> 'texts' -> (${text}),
          places -> 'variables' -> 'texts' -> (${text}), item);
        when 'array' then return coalesce((${items}), '[]');
        when 'object' then return coalesce((${members}), '{}');
        else return item; end case; end $content$`,
    ...tables.map(update),
    sql`drop function ${rename}(jsonb, text, jsonb)`,
  ];
}
