/** Steps that give stored versions of documents the names of the new model. */
import { historyTableOf } from '../../content/model/history-table.js';
import { BETWEEN } from '../../content/plan/target-key.js';
import { constant, type Identifier, join, quote, type Sql, sql } from '../../kernel/sql.js';
import { ifTableExists, type Steps } from './change.js';
import { type Evolution, isBoth } from './pairs.js';
import { convertTo, type Scalars } from './readings.js';
import type { AttributeScope, TypeScope } from './scopes.js';

const versionsIn = ({ after }: Evolution): Sql => quote(historyTableOf(after.schema.file));

const ofType = (name: string): Sql => sql`type = ${constant(name)}`;

/** Deletes the versions of a removed type before another type takes its name. */
export const deleteVersions = (evolution: Evolution, name: string): readonly Sql[] => [
  sql`delete from ${versionsIn(evolution)} where ${ofType(name)}`,
];

/** Gives the versions of a type its new name. */
export const renameTypeInVersions = (evolution: Evolution, before: string, after: string): readonly Sql[] => [
  sql`update ${versionsIn(evolution)} set type = ${constant(after)} where ${ofType(before)}`,
];

/** Relations whose links name the type: former and new names of the attribute and of its owner. */
const namedRelations = ({
  types,
}: Evolution): readonly { names: readonly string[]; of: readonly string[] }[] =>
  types.flatMap((pair) =>
    pair.attributes.flatMap(({ before, after }) => {
      if (before?.linked !== true || !before.named) return [];
      const owners = [pair.before, pair.after].flatMap((one) => one?.singularApiId ?? []);
      return [{ names: [...new Set([before.name, after?.name ?? before.name])], of: owners }];
    }),
  );

/** Gives a type its new name in the links of stored versions that name it. */
export function renameTypeInStoredLinks(evolution: Evolution, before: string, after: string): readonly Sql[] {
  const [old, now] = [constant(`${before}${BETWEEN}`), constant(`${after}${BETWEEN}`)];
  return namedRelations(evolution).flatMap(({ names, of }) =>
    names.map((name) => {
      const list = sql`v.content->${constant(name)}`;
      const keys = sql`jsonb_array_elements_text(${list}) with ordinality e(k, n)`;
      const renamed = sql`select jsonb_agg(case when starts_with(e.k, ${old})
        then ${now} || substr(e.k, length(${old}) + 1) else e.k end order by e.n) from ${keys}`;
      const owners = join(of.map(constant), ', ');
      return sql`update ${versionsIn(evolution)} v
        set content = jsonb_set(v.content, array[${constant(name)}], (${renamed}))
        where v.type in (${owners}) and case when jsonb_typeof(${list}) = 'array'
          then exists (select 1 from ${keys} where starts_with(e.k, ${old})) end`;
    }),
  );
}

/** Moves the versions of a type without locales to the new default locale. */
export const moveVersionsToLocale = (evolution: Evolution, name: string): readonly Sql[] => {
  const [old, locale] = [constant(evolution.before.defaultLocale), constant(evolution.after.defaultLocale)];
  return [
    sql`update ${versionsIn(evolution)} set locale = ${locale} where ${ofType(name)} and locale = ${old}`,
  ];
};

/**
 * Moves the versions of the locale that a document keeps to the default locale. A deleted document keeps a
 * locale that its last deletion has deleted.
 */
export function mergeVersionLocales(
  evolution: Evolution,
  name: string,
  kept: (documentId: Sql) => Sql,
): readonly Sql[] {
  const [versions, locale] = [versionsIn(evolution), constant(evolution.before.defaultLocale)];
  const deleted = sql`select d.locale from ${versions} d
    where d.document_id = v.document_id and d.${ofType(name)} and d.action = 'delete'
    order by d.at desc, d.locale = ${locale} desc, d.locale limit 1`;
  return ifTableExists(
    historyTableOf(evolution.after.schema.file),
    sql`update ${versions} v set locale = ${locale} where v.${ofType(name)} and v.locale <> ${locale}
      and v.locale = coalesce(${kept(sql`v.document_id`)}, (${deleted}))`,
  );
}

interface NewName {
  readonly before: Identifier;
  readonly after: Identifier;
}

const renamedAttributes = ({ pair: { attributes } }: TypeScope): readonly NewName[] =>
  attributes.flatMap((pair) => {
    const isRenamed = isBoth(pair) && pair.before.name !== pair.after.name;
    return isRenamed ? [{ before: pair.before.name, after: pair.after.name }] : [];
  });

export const hasNewNames = (scope: TypeScope): boolean =>
  isBoth(scope.pair) && renamedAttributes(scope).length > 0;

/** Renames attributes in stored versions, in one statement, so that two may swap their names. */
export function renameAttributesInVersions(scope: TypeScope): Steps {
  const { pair, evolution } = scope;
  if (!isBoth(pair)) return {};
  const text = (name: Identifier): Sql => quote(name, 'string');
  const names = renamedAttributes(scope);
  const without = names.reduce((rest, { before }) => sql`${rest} - ${text(before)}::text`, sql`content`);
  const given = names.map(
    ({ before, after }) => sql` || case when content->${text(before)} is null then '{}'::jsonb
      else jsonb_build_object(${text(after)}, content->${text(before)}) end`,
  );
  const content = given.reduce((all, one) => sql`${all}${one}`, sql`${without}`);
  const some = join(
    names.map(({ before }) => sql`content->${text(before)} is not null`),
    ' or ',
  );
  // The type itself may get its new name before this step or after it.
  const called = [pair.before, pair.after].map(({ singularApiId }) => ofType(singularApiId));
  return {
    fill: [
      sql`update ${versionsIn(evolution)} set content = ${content}
        where (${join(called, ' or ')}) and (${some})`,
    ],
  };
}

/** Converts the values of an attribute in stored versions. Values that cannot be converted stay. */
export function convertVersions(
  { evolution, owner, pair }: AttributeScope,
  scalars: Scalars,
): readonly Sql[] {
  const { before: type } = owner;
  if (type?.model !== 'type' || pair.before === null) return [];
  const name = quote(pair.before.name, 'string');
  const value = sql`(v.content->${name})`;
  return ifTableExists(
    historyTableOf(evolution.after.schema.file),
    sql`update ${versionsIn(evolution)} v
      set content = v.content || jsonb_build_object(${name}, coalesce(${convertTo(value, scalars)}, ${value}))
      where v.${ofType(type.singularApiId)} and jsonb_typeof(${value}) <> 'null'`,
  );
}

/** Converts the instances of an attribute in stored versions, after types and attributes are renamed. */
export function rewriteVersions({ evolution, owner, pair, instances }: AttributeScope): readonly Sql[] {
  const { after: type } = owner;
  if (type?.model !== 'type' || pair.after === null) return [];
  const name = quote(pair.after.name, 'string');
  const value = instances.value(owner, pair, sql`v.content->${name}, true`);
  return ifTableExists(
    historyTableOf(evolution.after.schema.file),
    sql`update ${versionsIn(evolution)} v set content = v.content || jsonb_build_object(${name}, ${value})
      where v.${ofType(type.singularApiId)} and jsonb_typeof(v.content->${name}) in ('object', 'array')`,
  );
}
