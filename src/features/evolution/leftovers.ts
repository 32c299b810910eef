/** Finds data of older models: rows that no request returns, and names that the model does not have. */
import { unknownMembers } from '../../content/plan/stored-instances.js';
import { embeddedIn, type Holder } from '../../content/plan/stored-problems.js';
import type { ContentType } from '../../content/model/model.js';
import { declaredIndexName } from '../../content/model/naming.js';
import { besideTable } from '../../content/model/table-shapes.js';
import { isScalar } from '../../content/model/scalar-of.js';
import { rowLabel } from './change.js';
import {
  constant,
  join,
  param,
  print,
  quote,
  type Sql,
  sql,
  type Statement,
  union,
} from '../../kernel/sql.js';

/** Limit of the counts. */
export const MANY = 1000;
/** Newest documents per type whose components are checked at start. */
const SAMPLE_SIZE = 20;
/** Largest stored column that is checked at start, in bytes. */
const MAX_COLUMN_BYTES = 32 * 1024;

const countUpTo1000 = (rows: Sql): Sql =>
  sql`(select count(*) from (${rows} limit ${constant(MANY)}) x)::int4`;

const draftsOf = ({ table, draftAndPublish }: ContentType): Sql =>
  draftAndPublish ? sql`0` : countUpTo1000(sql`select 1 from ${quote(table)} t where not t.published`);

/** Number of rows in other locales in a type that is not localized. Each part is an index range scan. */
function localesOf({ table, localized, draftAndPublish }: ContentType, defaultLocale: string): Sql {
  if (localized) return sql`0`;
  const locale = constant(defaultLocale);
  const states = draftAndPublish ? [sql`t.published`, sql`not t.published`] : [sql`t.published`];
  const parts = states.flatMap((state) =>
    [sql`<`, sql`>`].map(
      (side) => sql`select 1 from ${quote(table)} t where ${state} and t.locale ${side} ${locale}`,
    ),
  );
  return countUpTo1000(sql`(${union(parts)})`);
}

/** Query of the number of rows per type that no request returns: `type`, `drafts` and `locales`. */
export const compileHidden = (types: readonly ContentType[], defaultLocale: string): Statement =>
  print(
    union(
      types.map(
        (type) =>
          sql`select ${constant(type.singularApiId)} as type, ${draftsOf(type)} as drafts,
            ${localesOf(type, defaultLocale)} as locales`,
      ),
    ),
  );

export const hasComponents = (type: ContentType): boolean => embeddedIn(type).length > 0;

/** Prints an object of values with names. Has no limit of 50 members, as `json_build_object` has. */
const objectOf = (values: readonly Sql[]): Sql =>
  sql`(select row_to_json(v.*)::text from (select ${join(values, ', ')}) v)`;

function instances(type: ContentType, limit: Sql): Sql {
  const values = embeddedIn(type).map(({ name, column }) => sql`t.${quote(column)} as ${quote(name)}`);
  return sql`select ${constant(type.singularApiId)} as type, ${objectOf(values)} as value
    from ${quote(type.table)} t ${limit}`;
}

/** Query of the components of the newest documents, as `type` and `value`. */
export const compileSample = (types: readonly ContentType[]): Statement =>
  print(
    union(
      types.map((type) => {
        const sizes = embeddedIn(type).map(
          ({ column }) =>
            sql`coalesce(pg_column_size(t.${quote(column)}), 0) < ${constant(MAX_COLUMN_BYTES)}`,
        );
        const newest = sql`where ${join(sizes, ' and ')} order by t.id desc limit ${constant(SAMPLE_SIZE)}`;
        return sql`(${instances(type, newest)})`;
      }),
    ),
  );

/** Returns the attributes that requests write: scalars except passwords, and components. */
function valuesOf({ attributes }: ContentType): Sql[] {
  return [...attributes.values()].flatMap((attribute) => {
    if (attribute.system || !('column' in attribute)) return [];
    const column = sql`t.${quote(attribute.column)}`;
    if ('components' in attribute) return [sql`${column} as ${quote(attribute.name)}`];
    if (!isScalar(attribute) || !attribute.type.readable) return [];
    return [sql`${attribute.type.toJson(column)} as ${quote(attribute.name)}`];
  });
}

/** Query of the next versions by row `id`: `value` as JSON, the label `row`, and the state. */
export function compileVersionsAfter(type: ContentType, id: number, count: number): Statement {
  return print(sql`select t.id, ${rowLabel(sql`t`)} as "row", t.published, ${objectOf(valuesOf(type))} as value
    from ${quote(type.table)} t where t.id > ${param(id)}::int4 order by t.id limit ${param(count)}::int4`);
}

/** Query of the declared indexes that the database lacks, or that are not complete: `type` and `name`. */
export function compileMissingIndexes(types: readonly ContentType[]): Statement | null {
  const rows = types.flatMap((type) =>
    type.indexes.map((index) => {
      const name = declaredIndexName(type, index);
      const place = sql`to_regclass(${quote(besideTable(type.table, name), 'reference')})`;
      return sql`(${constant(type.singularApiId)}, ${quote(name, 'string')}, ${place})`;
    }),
  );
  if (rows.length === 0) return null;
  return print(sql`select e.type, e.name from (values ${join(rows, ', ')}) e(type, name, place)
    left join pg_index i on i.indexrelid = e.place where i.indisvalid is not true`);
}

const IDENTITY: readonly string[] = ['id', 'documentId', '__component'];

/** Returns the names in an instance that the model does not have: `article.parts.extra`. */
export const unknownIn = ({ model, at, values }: Holder): string[] =>
  model.model === 'type'
    ? []
    : Object.keys(unknownMembers(model, values))
        .filter((name) => !IDENTITY.includes(name))
        .map((name) => `${at}.${name}`);
