/** What older models have left in the tables of this one: what nobody is shown, or nobody knows. */
import { componentOf } from '../plan/given.js';
import { instancesOf, type StoredValues, unknownMembers } from '../plan/stored-instances.js';
import type { ContentType, EmbeddedAttribute, Model } from '../schema/model.js';
import { constant, join, param, print, quote, type Sql, sql, type Statement, union } from '../sql.js';

/** Beyond this, leftovers are not counted. */
export const MANY = 1000;
/** Of how many documents of a type components are looked at when an application starts. */
const SAMPLE = 20;
/** How large a column may be to be looked at then, as it is stored, in bytes. */
const SMALL = 32 * 1024;

const few = (rows: Sql): Sql => sql`(select count(*) from (${rows} limit ${constant(MANY)}) x)::int4`;

/** Drafts in a type that has none. */
const draftsOf = ({ table, draftAndPublish }: ContentType): Sql =>
  draftAndPublish ? sql`0` : few(sql`select 1 from ${quote(table)} t where not t.published`);

/** Rows in other locales in a type that has one; each part is a range of an index. */
function localesOf({ table, localized, draftAndPublish }: ContentType, defaultLocale: string): Sql {
  if (localized) return sql`0`;
  const locale = constant(defaultLocale);
  const states = draftAndPublish ? [sql`t.published`, sql`not t.published`] : [sql`t.published`];
  const parts = states.flatMap((state) =>
    [sql`<`, sql`>`].map(
      (side) => sql`select 1 from ${quote(table)} t where ${state} and t.locale ${side} ${locale}`,
    ),
  );
  return few(sql`(${union(parts)})`);
}

/** How many rows no request shows, of each type: `type`, `drafts` and `locales`. */
export const compileHidden = (types: readonly ContentType[], defaultLocale: string): Statement =>
  print(
    union(
      types.map(
        (type) =>
          sql`select ${constant(type.singularApiId)} as type, ${draftsOf(type)} as drafts, ${localesOf(type, defaultLocale)} as locales`,
      ),
    ),
  );

const embeddedIn = ({ attributes }: Model): EmbeddedAttribute[] =>
  [...attributes.values()].filter((one): one is EmbeddedAttribute => 'components' in one);

/** Whether documents of a type have components. */
export const hasComponents = (type: ContentType): boolean => embeddedIn(type).length > 0;

function instances(type: ContentType, limit: Sql): Sql {
  const values = embeddedIn(type).map(
    ({ name, column }) => sql`${quote(name, 'string')}, t.${quote(column)}`,
  );
  return sql`select t.id, ${constant(type.singularApiId)} as type, json_build_object(${join(values, ', ')})::text as value
    from ${quote(type.table)} t ${limit}`;
}

/** Components of the documents that were made last, as `type` and `value`. */
export const compileSample = (types: readonly ContentType[]): Statement =>
  print(
    union(
      types.map((type) => {
        const sizes = embeddedIn(type).map(
          ({ column }) => sql`coalesce(pg_column_size(t.${quote(column)}), 0) < ${constant(SMALL)}`,
        );
        return sql`(${instances(type, sql`where ${join(sizes, ' and ')} order by t.id desc limit ${constant(SAMPLE)}`)})`;
      }),
    ),
  );

/** Components of the next documents by their row's id, which comes along. */
export const compileInstancesAfter = (type: ContentType, id: number, count: number): Statement =>
  print(instances(type, sql`where t.id > ${param(id)}::int4 order by t.id limit ${param(count)}::int4`));

const IDENTITY: readonly string[] = ['id', 'documentId', '__component'];

/** What holds components, and where it is. */
interface Holder {
  readonly at: string;
  readonly values: StoredValues;
}

/** Notes the names in stored components that a model does not have, as `article.parts.extra`. */
export function noteUnknown(model: Model, { at, values }: Holder, found: Set<string>): void {
  for (const attribute of embeddedIn(model))
    for (const item of instancesOf(values[attribute.name])) {
      const here = `${at}.${attribute.name}`;
      const component = componentOf(attribute, item);
      if (component === undefined) {
        found.add(`${here} of "${String(item['__component'])}"`);
        continue;
      }
      for (const name of Object.keys(unknownMembers(component, item)))
        if (!IDENTITY.includes(name)) found.add(`${here}.${name}`);
      noteUnknown(component, { at: here, values: item }, found);
    }
}
