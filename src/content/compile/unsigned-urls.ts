/** File URLs that are signed before a response is sent: placeholder and storage key precede the URL. */
import type { ScalarAttribute } from '../model/model.js';
import { scalarOf } from '../model/scalar-of.js';
import { type Sql, sql } from '../../kernel/sql.js';
import { answered, type Context, type Scope } from './scope.js';

/** Prints a file attribute that contains URLs, with placeholders. */
type UnsignedUrl = (file: (name: string) => Sql, placeholder: Sql) => Sql;

const URLS: Readonly<Record<string, UnsignedUrl>> = {
  url: (file, placeholder) =>
    sql`${placeholder} || coalesce(${file('storageKey')}, '') || '|' || ${file('url')}`,
  formats: (file, placeholder) => {
    const keys = file('formatKeys');
    const url = sql`${placeholder} || coalesce(${keys} ->> f.key, '') || '|' || (f.value ->> 'url')`;
    const all = sql`(select jsonb_object_agg(f.key, f.value || jsonb_build_object('url', ${url}))
      from jsonb_each(${file('formats')}) f)`;
    const isSome = sql`jsonb_typeof(${file('formats')}) = 'object' and ${file('formats')} <> '{}'`;
    return sql`case when ${isSome} then ${all} else ${file('formats')} end`;
  },
};

/** Prints an attribute with placeholders; null for an attribute without URLs to sign. */
export function unsignedUrl(
  { name }: ScalarAttribute,
  scope: Scope,
  { filePlaceholder }: Context,
): Sql | null {
  if (filePlaceholder === null || scope.kind !== 'row' || !scope.type.internal) return null;
  const { type } = scope;
  const file = (other: string): Sql => answered(scope, scalarOf(type, other));
  return Object.hasOwn(URLS, name) ? (URLS[name]?.(file, filePlaceholder) ?? null) : null;
}
