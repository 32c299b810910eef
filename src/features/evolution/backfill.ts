/** Long steps that run before a migration, in batches: conversions of columns, and drafts. */
import { createHash } from 'node:crypto';
import { startDrafts } from '../../content/compile/compile-drafts.js';
import type { ContentType, Schema } from '../../content/model/model.js';
import { name, splitTable, storedName } from '../../content/model/naming.js';
import { besideTable } from '../../content/model/table-shapes.js';
import { type Identifier, plain, quote, script, type Sql, sql, typeName } from '../../kernel/sql.js';
import { conversionGuards, convertedValue } from './attribute-steps.js';
import { type Backfill, rowsWhere } from './change.js';
import { conversionOf, isBoth } from './pairs.js';
import { convertVersions } from './history-steps.js';
import { columnAsJson, isLostByConversion, isNotConvertible, type Scalars } from './readings.js';
import { type AttributeScope, scalarsOf, type TypeScope, typeOf } from './scopes.js';
import type { BackfillRecord } from './stored-model.js';

/**
 * Column with the converted values of another. Its name contains a hash of the conversion: a migration with
 * another conversion uses no values of one that was interrupted.
 */
function filledName(column: Identifier, conversion: readonly Sql[]): Identifier {
  const digest = createHash('sha256').update(conversion.map(script).join('\n')).digest('hex');
  return name('content', 'ahead', column, digest.slice(0, 10));
}

/** Column that states whether the conversion loses a value, and the trigger, which has the same name. */
const lostName = (filled: Identifier): Identifier => name(filled, 'lost');

const functionOf = (table: Identifier, filled: Identifier): Identifier =>
  besideTable(table, name(splitTable(table).bare, filled));

/** Returns the statements that end the backfill of a column. */
const dropBackfillTrigger = (table: Identifier, filled: Identifier): Sql[] => [
  sql`drop trigger if exists ${quote(lostName(filled))} on ${quote(table)}`,
  sql`drop function if exists ${quote(functionOf(table, filled))}()`,
  sql`alter table ${quote(table)} drop column if exists ${quote(lostName(filled))}`,
];

/** Condition that converting a value of a row would lose it, and that the definition does not allow this. */
function lostIn(scope: AttributeScope, scalars: Scalars, row: Sql): Sql {
  const json = columnAsJson(scalars.before, sql`${row}.${quote(scalars.before.column)}`);
  const convert = conversionOf(scope.pair);
  if (convert === 'empty') return sql`false`;
  const isLost = convert === 'fit' ? isNotConvertible(json, scalars) : isLostByConversion(json, scalars);
  return sql`coalesce(${isLost}, false)`;
}

/**
 * Fills a column of the later type next to the former one. The migration then only replaces the column, which
 * needs no rewrite of the table. A trigger converts the values that the earlier release writes.
 */
export function columnBackfill(scope: AttributeScope): Backfill | null {
  const { owner } = scope;
  const [type, scalars] = [typeOf(scope), scalarsOf(scope)];
  if (type === null || scalars === null || owner.before?.model !== 'type') return null;
  const before = owner.before;
  const table = quote(before.table);
  const former = scalars.before.column;
  const valueType = typeName(scalars.after.type.column);
  const newValue = convertedValue(scalars, sql`new.${quote(former)}`);
  const newLost = lostIn(scope, scalars, sql`new`);
  const filled = filledName(former, [valueType, newValue, newLost]);
  const [value, lost] = [quote(filled), quote(lostName(filled))];
  const made = quote(functionOf(before.table, filled));
  return {
    table: before.table,
    prepare: [
      sql`alter table ${table} add column if not exists ${value} ${valueType} null,
        add column if not exists ${lost} boolean null`,
      sql`create or replace function ${made}() returns trigger language plpgsql as $content$ begin
        new.${value} := ${newValue}; new.${lost} := ${newLost};
        return new; end $content$`,
      sql`create or replace trigger ${lost} before insert or update on ${table}
        for each row execute function ${made}()`,
    ],
    batch: (rows) => sql`update ${table} t set ${lost} = null where ${rows(sql`t`)} and t.${lost} is null`,
    steps: { prepare: dropBackfillTrigger(before.table, filled), retype: convertVersions(scope, scalars) },
    guards: conversionGuards(scope).map((guard) => ({
      ...guard,
      query: rowsWhere(before, sql`t.${lost} is not false`),
    })),
    column: { former, filled },
    drafts: null,
  };
}

/** Removes the drafts and filled columns of a migration that was abandoned. */
export function removeBackfill({ types }: Schema, { drafts, columns }: BackfillRecord): Sql[] {
  const withDrafts = [...types.values()].filter((type) => drafts.includes(type.singularApiId));
  return [
    ...withDrafts.flatMap((type) => deleteDrafts(type, null)),
    ...[...types.values()].flatMap(({ table }) =>
      columns
        .filter((one) => one.table === table)
        .map((one) => storedName(one.filled))
        .flatMap((filled) => [
          ...dropBackfillTrigger(table, filled),
          sql`alter table ${quote(table)} drop column if exists ${quote(filled)}`,
        ]),
    ),
  ];
}

/** Documents whose drafts are older than what is published: the earlier release does not write drafts. */
const outdatedDrafts = ({ table }: ContentType): Sql =>
  sql`select d.document_id from ${quote(table)} d left join ${quote(table)} p
      on p.document_id = d.document_id and p.locale = d.locale and p.published
    where not d.published and (p.id is null or d.updated_at <> p.updated_at
      or (d.revision <> p.revision and d.revision <> 0) or age(p.xmin) < age(d.xmin))`;

/** Deletes drafts, of all documents or those in a query, with their links. */
const deleteDrafts = (type: ContentType, documents: Sql | null): Sql[] => {
  const among = (owner: Sql): Sql =>
    documents === null ? sql`` : sql` and ${owner} = any(array(${documents}))`;
  return [
    ...type.storage.links.map(
      ({ table: { table, owner } }) =>
        sql`delete from ${quote(table)} l where not l.published${among(sql`l.${plain(owner.name)}`)}`,
    ),
    sql`delete from ${quote(type.table)} t where not t.published${among(sql`t.document_id`)}`,
  ];
};

/**
 * Creates the drafts before the migration. The earlier release neither shows nor writes them, so those that
 * are outdated at the migration are created again.
 */
export function draftsBackfill({ pair }: TypeScope): Backfill | null {
  if (!isBoth(pair)) return null;
  const { before, after } = pair;
  return {
    table: before.table,
    prepare: [],
    batch: (rows) => startDrafts(before, rows(sql`p`)),
    steps: {
      shrink: deleteDrafts(before, outdatedDrafts(before)),
      grow: [startDrafts(after, sql`true`)],
    },
    guards: null,
    column: null,
    drafts: before.singularApiId,
  };
}
