/** Statements that find values used by other documents. */
import type {
  Column,
  ComponentAttribute,
  ContentType,
  ScalarAttribute,
  ZoneAttribute,
} from '../model/model.js';
import { columnValue } from './column-value.js';
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

/** Documents among which a value is unique. */
export interface Within {
  /** Document that has the value; null for a new one. */
  readonly documentId: string | null;
  /** Columns with equal values. A value is undefined if the document keeps the stored one. */
  readonly columns: readonly { readonly column: Column; readonly value: unknown }[];
}

/** Conditions that limit rows `t` to the documents within which a value must be unique. */
function isWithin({ table }: ContentType, { columns, documentId }: Within): Sql[] {
  return columns.map(({ column, value }) => {
    const name = quote(column.name);
    const stored = sql`(select s.${name} from ${quote(table)} s
      where s.document_id = ${param(documentId)}::text limit 1)`;
    return sql`t.${name} is not distinct from ${value === undefined ? stored : columnValue(column, value)}`;
  });
}

export interface WantedValues {
  readonly holder: ComponentAttribute | ZoneAttribute;
  /** JSON pattern that is contained in a column with the value, for each value. */
  readonly patterns: readonly string[];
  /** Locales whose published versions would have the values. */
  readonly locales: readonly string[];
}

/**
 * Selects the wanted values that a published version of another document has: indexes `holder` and `value`,
 * from 0. Each lookup uses the index of its column.
 */
export const compileTakenValues = (
  type: ContentType,
  within: Within,
  wanted: readonly WantedValues[],
): Statement =>
  print(
    union(
      wanted.map(
        ({ holder, patterns, locales }, i) =>
          sql`select ${constant(i)} as holder, p.n::int4 - 1 as value
            from unnest(${param(patterns)}::text[]) with ordinality p(v, n)
      cross join lateral (select 1 from ${quote(type.table)} t where t.${quote(holder.column)} @> p.v::jsonb
        and ${join([sql`t.published`, ...isWithin(type, within)], ' and ')}
        and t.locale = any(${param(locales)}::text[]) and t.document_id is distinct
          from ${param(within.documentId)}::text limit 1) f`,
      ),
    ),
  );

export interface WantedColumn {
  readonly attribute: ScalarAttribute;
  readonly value: unknown;
  /** Locales whose published versions would have the value. */
  readonly locales: readonly string[];
}

/**
 * Selects the wanted values that a published version of another document has: index `value`, from 0. Each
 * lookup uses the index of its column.
 */
export const compileTakenColumns = (
  type: ContentType,
  documentId: string | null,
  wanted: readonly WantedColumn[],
): Statement =>
  print(
    union(
      wanted.map(({ attribute, value, locales }, i) => {
        const column = type.storage.columnOf.get(attribute.name);
        if (column === undefined) throw new Error(`${attribute.name} has no column`);
        return sql`select ${constant(i)} as value where exists (select 1 from ${quote(type.table)} t
          where t.${quote(attribute.column)} = ${columnValue(column, value)} and t.published
          and t.locale = any(${param(locales)}::text[])
          and t.document_id is distinct from ${param(documentId)}::text)`;
      }),
    ),
  );

export interface UidBase extends Within {
  readonly attribute: ScalarAttribute;
  readonly base: string;
  /** Locale in which the uid is unique; null if locales share it. */
  readonly locale: string | null;
}

/** Selects the candidates that exist in a locale, or in any, drafts included, by the index of the column. */
export function compileTakenUids(type: ContentType, uid: UidBase, candidates: readonly string[]): Statement {
  const { attribute, locale } = uid;
  const column = quote(attribute.column);
  const conditions = [
    sql`t.${column} = any(${param(candidates)}::text[])`,
    ...(locale === null ? [] : [sql`t.locale = ${param(locale)}::text`]),
    ...(type.draftAndPublish ? [] : [sql`t.published`]),
    ...isWithin(type, uid),
  ];
  return print(sql`select distinct t.${column} as uid from ${quote(type.table)} t
    where ${join(conditions, ' and ')}`);
}
