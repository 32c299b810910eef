/** Guards and steps for changed attributes of types and components. */
import type { Component, ContentType } from '../../content/model/model.js';
import { isScalar } from '../../content/model/scalar-of.js';
import { constant, type Identifier, param, quote, type Sql, sql, typeName } from '../../kernel/sql.js';
import { batches, type Guard, inBatches, NOT_COMPARED, type Steps } from './change.js';
import { convertVersions, rewriteVersions } from './history-steps.js';
import { hasRefusedLinks, embeddedLinksOf } from './embedded-links.js';
import { defaultOf, embeddedPair } from './instances.js';
import { conversionOf, type Evolution } from './pairs.js';
import { columnAsJson, isLostByConversion, isNotConvertible, jsonAsColumn, convertTo } from './readings.js';
import {
  type AttributeScope,
  fitChoice,
  guardOf,
  isLossAllowed,
  nameOf,
  ownerName,
  scalarsOf,
  typeOf,
} from './scopes.js';

export function conversionGuards(scope: AttributeScope): readonly Guard[] {
  const scalars = scalarsOf(scope);
  if (scalars === null) return [];
  const [from, to] = [scalars.before.def.type, scalars.after.def.type];
  const description = `changes from ${from} to ${to}; these values cannot be converted without loss`;
  const said = conversionOf(scope.pair);
  const fits = said === 'fit';
  // A value with an explicit replacement is replaced; the old value cannot be restored from it.
  const replaced = typeof said === 'object' && said !== null;
  return [
    ...(replaced ? guardOf(scope, sql`true`, { description, remedy: '', allowed: true }) : []),
    ...guardOf(scope, isLostByConversion(sql`v.j`, scalars), {
      description,
      remedy: fitChoice(scope),
      allowed: isLossAllowed(scope),
    }),
    ...(fits
      ? guardOf(scope, isNotConvertible(sql`v.j`, scalars), {
          description,
          remedy: `set convert: 'empty' on ${ownerName(scope)}.${nameOf(scope)}`,
          allowed: false,
        })
      : []),
  ];
}

/** Expression of a column's value as the later type. */
export function convertedValue({ before, after }: Parameters<typeof convertTo>[1], column: Sql): Sql {
  const value = jsonAsColumn(after, sql`(${convertTo(columnAsJson(before, column), { before, after })})`);
  return sql`case when ${column} is not null then ${value} end`;
}

/** Converts a column and its values in one statement. */
export function conversionSteps(scope: AttributeScope): Steps {
  const [type, scalars] = [typeOf(scope), scalarsOf(scope)];
  if (type === null || scalars === null) return {};
  const { after } = scalars;
  const column = quote(after.column);
  return {
    retype: [
      ...convertVersions(scope, scalars),
      sql`alter table ${quote(type.table)} alter column ${column} type ${typeName(after.type.column)}
        using ${convertedValue(scalars, column)}`,
    ],
  };
}

/**
 * Returns the value that all locales will share: that of the default locale, otherwise the oldest row with a
 * value.
 */
export const sharedValue = (evolution: Evolution, table: Sql, column: Sql): Sql =>
  sql`(select o.${column} from ${table} o
    where o.document_id = t.document_id and o.published = t.published and o.${column} is not null
    order by o.locale = ${constant(evolution.before.defaultLocale)} desc, o.id limit 1)`;

export function sharedSteps(scope: AttributeScope): Steps {
  const type = typeOf(scope);
  const { after } = scope.pair;
  if (type === null || after === null || !('column' in after)) return {};
  const [table, column] = [quote(type.table), quote(after.column)];
  const value = sharedValue(scope.evolution, table, column);
  return {
    fill: [
      inBatches(
        table,
        sql`${column} = ${value}, ${NOT_COMPARED}`,
        sql`t.${column} is distinct from ${value}`,
      ),
    ],
  };
}

export function sharedGuards(scope: AttributeScope): readonly Guard[] {
  const { owner, pair } = scope;
  if (owner.before === null || owner.before.model !== 'type' || pair.before === null) return [];
  if (!('column' in pair.before)) return [];
  const column = quote(pair.before.column);
  return [
    {
      query: sql`select t.document_id as "row" from ${quote(owner.before.table)} t
        group by t.document_id, t.published having count(distinct t.${column}) > 1`,
      description: 'becomes shared by all locales; these documents have different values per locale',
      remedy: `set convert: 'fit' on ${ownerName(scope)}.${nameOf(scope)} to keep the value of the default locale`,
      allowed: isLossAllowed(scope),
    },
  ];
}

/**
 * Whether a column was added with a constant, which PostgreSQL stores once for all rows. False if the column
 * existed before the migration.
 */
const isJustAdded = ({ table }: ContentType, column: Identifier): Sql =>
  sql`(select a.atthasmissing from pg_attribute a
    where a.attrelid = ${quote(table, 'reference')}::regclass and a.attname = ${quote(column, 'string')})`;

export function filledSteps(scope: AttributeScope): Steps {
  const type = typeOf(scope);
  const { after } = scope.pair;
  if (type === null || after === null || !isScalar(after)) return {};
  const value = sql`${param(JSON.stringify(defaultOf(scope.pair)))}::jsonb`;
  const column = quote(after.column);
  return {
    fill: [
      batches({
        table: quote(type.table),
        assignments: sql`${column} = ${jsonAsColumn(after, value)}`,
        condition: sql`t.${column} is null`,
        skip: scope.pair.before === null ? isJustAdded(type, after.column) : sql`false`,
      }),
    ],
  };
}

export function rewrittenSteps(scope: AttributeScope): Steps {
  const type = typeOf(scope);
  const { pair, owner, instances } = scope;
  const nested = embeddedPair(pair);
  if (type === null || nested === null) return {};
  const column = quote(nested.after.column);
  const value = instances.value(owner, pair, sql`t.${column}, false`);
  return {
    fill: [
      inBatches(quote(type.table), sql`${column} = ${value}`, sql`t.${column} is not null`),
      ...rewriteVersions(scope),
    ],
  };
}

/** Returns the components that an attribute no longer accepts. */
export function lostMembers({ evolution, pair }: AttributeScope): readonly Component[] {
  const nested = embeddedPair(pair);
  if (nested === null) return [];
  return nested.before.components.filter((component) => {
    const later = evolution.components.find(({ before }) => before === component)?.after ?? null;
    return later === null || !nested.after.components.some((one) => one === later);
  });
}

export const memberGuards = (scope: AttributeScope): readonly Guard[] =>
  lostMembers(scope).flatMap(({ uid }) => {
    const path = `$[*] ? (@.__component == "${uid}")`;
    const entry = `${nameOf(scope)}.${uid}`;
    return guardOf(scope, sql`jsonb_path_exists(v.j, ${param(path)})`, {
      description: `no longer accepts ${uid}; these documents contain instances of it`,
      remedy: `set removed: ['${entry}'] on ${ownerName(scope)}`,
      allowed: scope.owner.after?.removed.includes(entry) === true || scope.evolution.removed.includes(uid),
    });
  });

/** Reports links inside components that the later relation does not allow. */
export function strayGuards(scope: AttributeScope): readonly Guard[] {
  const links = embeddedLinksOf(scope.evolution, scope.pair);
  if (links === null) return [];
  return guardOf(scope, hasRefusedLinks(links, sql`v.j`), {
    description: 'changes its target; these links have no document of the new type',
    remedy: `set convert: 'fit' on ${ownerName(scope)}.${nameOf(scope)} to keep the valid links`,
    allowed: isLossAllowed(scope),
  });
}

/**
 * During a rolling update, processes of the previous release still write password hashes to this name. A
 * visible attribute with the name would expose them.
 */
export function hashGuards(scope: AttributeScope): readonly Guard[] {
  const { owner, pair } = scope;
  const name = nameOf(scope);
  if (owner.before?.attributes.get(name)?.def.type !== 'password') return [];
  if (pair.after?.def.type === 'password') return [];
  return [
    {
      query: sql`select ${param(name)}::text as "row"`,
      description: 'has the name of a former password, which processes of the previous release still write',
      remedy: 'rename it, or remove the password in an earlier release',
      allowed: false,
    },
  ];
}

/** When reverting, values that the migration filled in may be lost. */
function notFilled({ evolution, pair }: AttributeScope): Sql {
  const value = evolution.isReversal ? defaultOf({ before: null, after: pair.before }) : null;
  return value === null ? sql`true` : sql`v.j <> ${param(JSON.stringify(value))}::jsonb`;
}

export const removalGuards = (scope: AttributeScope): readonly Guard[] =>
  guardOf(scope, notFilled(scope), {
    description: 'is removed; these values would be deleted',
    remedy: scope.evolution.isReversal
      ? 'empty them before you revert the migration'
      : `set removed: ['${nameOf(scope)}'] on ${ownerName(scope)}`,
    allowed: scope.owner.after?.removed.includes(nameOf(scope)) === true,
  });

export const singleGuards = (scope: AttributeScope): readonly Guard[] =>
  guardOf(scope, sql`case jsonb_typeof(v.j) when 'array' then jsonb_array_length(v.j) > 1 end`, {
    description: 'becomes a single value; these have several',
    remedy: `set convert: 'fit' on ${ownerName(scope)}.${nameOf(scope)} to keep the first`,
    allowed: isLossAllowed(scope),
  });
