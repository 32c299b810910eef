/** Steps that give logged events, and stored webhooks, the new names of types. */
import { eventTablesOf } from '../../content/model/event-tables.js';
import { constant, quote, type Sql, sql } from '../../kernel/sql.js';
import type { Evolution } from './pairs.js';
import { ownTables } from './references.js';

/** Gives events their new type: receivers would leave out those that are not delivered yet. */
export const renameTypeInEvents = ({ after }: Evolution, old: string, name: string): Sql =>
  sql`update ${quote(eventTablesOf(after.schema.file).event)} set type = ${constant(name)}
    where type = ${constant(old)}`;

/** Gives the list of types of each stored webhook the new name: without it, the webhook gets no event. */
export const renameTypeInWebhooks = (evolution: Evolution, old: string, name: string): readonly Sql[] => {
  const [former, present] = [old, name].map((one) => sql`to_jsonb(${constant(one)}::text)`) as [Sql, Sql];
  const types = sql`select jsonb_agg(case when e.one = ${former} then ${present} else e.one end order by e.n)
    from jsonb_array_elements(types) with ordinality e(one, n)`;
  return ownTables(evolution, ['content_webhooks'], 'types').map(
    (table) => sql`update ${table} set types = (${types})
      where jsonb_typeof(types) = 'array' and types @> ${former}`,
  );
};
