/** Guards and steps for changed types: versions, schedules, change log and grants. */
import { isSameContent } from '../../content/compile/changes.js';
import { startDrafts } from '../../content/compile/compile-drafts.js';
import type { ContentType } from '../../content/model/model.js';
import { changeLogTablesOf } from '../../content/model/change-log-tables.js';
import { scheduleTableOf } from '../../content/model/schedule.js';
import { STAGE } from '../../content/model/stage-definition.js';
import { constant, type Identifier, plain, quote, type Sql, sql, union } from '../../kernel/sql.js';
import { type Guard, inBatches, rowsWhere, type Steps } from './change.js';
import { renameTypeInEvents, renameTypeInWebhooks } from './event-steps.js';
import {
  renameTypeInEntries,
  moveEntriesToLocale,
  mergeEntryLocales,
  deleteEntries,
} from './release-steps.js';
import {
  deleteVersions,
  renameTypeInStoredLinks,
  renameTypeInVersions,
  moveVersionsToLocale,
  mergeVersionLocales,
} from './history-steps.js';
import { type Both, type Evolution, isBoth } from './pairs.js';
import {
  renameInGrants,
  renameInLinks,
  deleteLostLinks,
  removeFromGrants,
  renameMembersInGrants,
} from './references.js';
import { type NewNames, newValues } from './renamed-values.js';
import { idOf, removedTypeRemedy, type TypeScope } from './scopes.js';

type TypeInBoth = Both<ContentType> & { readonly evolution: Evolution };

/** Steps for a type in both models, otherwise none. */
const stepsForBoth =
  (steps: (type: TypeInBoth) => Steps) =>
  ({ pair, evolution }: TypeScope): Steps =>
    isBoth(pair) ? steps({ ...pair, evolution }) : {};

const guardForFormer =
  (guard: (before: ContentType, scope: TypeScope) => Guard) =>
  (scope: TypeScope): readonly Guard[] =>
    scope.pair.before === null ? [] : [guard(scope.pair.before, scope)];

const mayRemove = ({ pair }: TypeScope, what: string): boolean => pair.after?.removed.includes(what) === true;

const schedulesOf = (type: ContentType, called: string): { readonly table: Sql; readonly own: Sql } => ({
  table: quote(scheduleTableOf(type)),
  own: sql`type = ${constant(called)}`,
});

/** Whether a row has the content of the row `t`. */
const isSameAs = (type: ContentType, row: Sql): Sql => isSameContent(type, [sql`t`, row]);

/** Drafts without an equal published version. */
const isUnpublished = (type: ContentType): Sql =>
  sql`not t.published and not exists (select 1 from ${quote(type.table)} p where p.document_id = t.document_id
    and p.locale = t.locale and p.published and ${isSameAs(type, sql`p`)})`;

export const deleteDraftsSteps = stepsForBoth(({ before, evolution }) => {
  const links = before.storage.links.map(
    ({ table }) => sql`delete from ${quote(table.table)} where not published`,
  );
  const { table, own } = schedulesOf(before, before.singularApiId);
  return {
    shrink: [
      sql`delete from ${quote(before.table)} where not published`,
      ...links,
      ...deleteLostLinks(evolution.before.schema, before),
      sql`delete from ${table} where ${own}`,
    ],
  };
});

/** Returns the locale that a document keeps: the default locale, otherwise the first. */
export const keptLocale = (type: ContentType, { before }: Evolution, documentId: Sql): Sql =>
  sql`(select k.locale from ${quote(type.table)} k where k.document_id = ${documentId}
    order by k.locale = ${constant(before.defaultLocale)} desc, k.locale limit 1)`;

const isInLostLocale = (type: ContentType, evolution: Evolution): Sql => {
  const kept = keptLocale(type, evolution, sql`t.document_id`);
  return sql`t.locale <> ${kept} and not exists (
    select 1 from ${quote(type.table)} o where o.document_id = t.document_id
    and o.published = t.published and o.locale = ${kept} and ${isSameAs(type, sql`o`)})`;
};

export const mergeLocalesSteps = stepsForBoth(({ before, evolution }) => {
  const table = quote(before.table);
  const locale = constant(evolution.before.defaultLocale);
  const links = before.storage.links.map((one) => one.table).filter(({ perLocale }) => perLocale);
  const moved = (one: Identifier): Sql =>
    sql`update ${quote(one)} set locale = ${locale} where locale <> ${locale}`;
  const schedules = schedulesOf(before, before.singularApiId);
  const kept = (documentId: Sql): Sql => keptLocale(before, evolution, documentId);
  return {
    shrink: [
      ...mergeVersionLocales(evolution, before.singularApiId, kept),
      ...mergeEntryLocales(evolution, before.singularApiId, kept),
      // A document keeps the schedules of its remaining locale.
      sql`delete from ${schedules.table} s
        where ${schedules.own} and s.locale <> ${kept(sql`s.document_id`)}`,
      sql`update ${schedules.table} set locale = ${locale} where ${schedules.own} and locale <> ${locale}`,
      sql`delete from ${table} t where t.locale <> ${kept(sql`t.document_id`)}`,
      // Links follow the remaining versions, so change the locale of both only after deleting.
      ...links.map(
        (one) => sql`delete from ${quote(one.table)} l where not exists (
          select 1 from ${table} o where o.document_id = l.${plain(one.owner.name)} and o.locale = l.locale)`,
      ),
      moved(before.table),
      ...links.map((one) => moved(one.table)),
      ...deleteLostLinks(evolution.before.schema, before),
    ],
  };
});

/** Moves the rows of a type that is not localized to the new default locale. */
export const moveToLocaleSteps = stepsForBoth(({ after, evolution }) => {
  const [old, locale] = [constant(evolution.before.defaultLocale), constant(evolution.after.defaultLocale)];
  const { table, own } = schedulesOf(after, after.singularApiId);
  return {
    fill: [
      inBatches(quote(after.table), sql`locale = ${locale}`, sql`t.locale = ${old}`),
      sql`update ${table} set locale = ${locale} where ${own} and locale = ${old}`,
      ...moveVersionsToLocale(evolution, after.singularApiId),
      ...moveEntriesToLocale(evolution, after.singularApiId),
    ],
  };
});

/**
 * Deletes the schedules, entries of releases and of the change log, and grants of a removed type before
 * another type takes its name.
 */
export function deleteTraces({ pair: { before }, evolution }: TypeScope): Steps {
  if (before === null) return {};
  const { table, own } = schedulesOf(before, before.singularApiId);
  const changeLog = Object.values(changeLogTablesOf(evolution.after.schema.file));
  return {
    retype: [
      sql`delete from ${table} where ${own}`,
      ...changeLog.map((one: Identifier) => sql`delete from ${quote(one)} where ${own}`),
      ...removeFromGrants(evolution, before.singularApiId),
      ...deleteVersions(evolution, before.singularApiId),
      ...deleteEntries(evolution, before.singularApiId),
    ],
  };
}

export const renameTypeSteps = stepsForBoth(({ before, after, evolution }) => {
  const { table, own } = schedulesOf(after, before.singularApiId);
  const name = constant(after.singularApiId);
  return {
    shrink: renameInLinks(evolution, before, after.singularApiId),
    fill: [
      sql`update ${table} set type = ${name} where ${own}`,
      ...Object.values(changeLogTablesOf(after)).map(
        (changeLog: Identifier) => sql`update ${quote(changeLog)} set type = ${name} where ${own}`,
      ),
      ...renameInGrants(evolution, before.singularApiId, after.singularApiId),
      ...renameTypeInVersions(evolution, before.singularApiId, after.singularApiId),
      ...renameTypeInStoredLinks(evolution, before.singularApiId, after.singularApiId),
      ...renameTypeInEntries(evolution, before.singularApiId, after.singularApiId),
      renameTypeInEvents(evolution, before.singularApiId, after.singularApiId),
      ...renameTypeInWebhooks(evolution, before.singularApiId, after.singularApiId),
    ],
  };
});

export const createDraftsSteps = stepsForBoth(({ after }) => ({ grow: [startDrafts(after, sql`true`)] }));

/** Returns the renamed and removed attributes by former name; null for removed ones. */
const newNames = ({ pair: { attributes } }: TypeScope): NewNames =>
  Object.fromEntries(
    attributes.flatMap(({ before, after }) =>
      before === null || before.name === after?.name ? [] : [[before.name, after?.name ?? null]],
    ),
  );

/** Returns the renamed and removed stages by former name; null for removed ones. */
const newStages = ({ pair: { attributes } }: TypeScope): NewNames =>
  newValues(attributes.find((pair) => pair.before?.name === STAGE) ?? { before: null, after: null });

/** Returns the former names of attributes and stages that grants must not have any more. */
export const lostGrantNames = (scope: TypeScope): readonly string[] =>
  [newNames(scope), newStages(scope)].flatMap((names) => Object.keys(names));

export function renameInGrantsSteps(scope: TypeScope): Steps {
  const { after } = scope.pair;
  if (after === null) return {};
  const members = [
    { member: 'fields' as const, names: newNames(scope) },
    { member: 'stages' as const, names: newStages(scope) },
  ].filter(({ names }) => Object.keys(names).length > 0);
  return { fill: members.flatMap((one) => renameMembersInGrants(scope.evolution, after, one)) };
}

export const removedTypeGuards = guardForFormer((before, scope) => ({
  query: rowsWhere(before, sql`true`),
  description: 'is removed; these versions would be deleted',
  remedy: removedTypeRemedy(before),
  allowed: scope.evolution.removed.includes(idOf(scope)),
}));

/**
 * During a rolling update, processes of the previous release still read and write the table as another type.
 * They would show attributes that the new type hides.
 */
export function reusedTableGuards({ pair, evolution }: TypeScope): readonly Guard[] {
  const { before, after } = pair;
  const other = evolution.types.find((one) => one !== pair && one.before?.table === after?.table)?.before;
  if (after === null || other === null || other === undefined) return [];
  const rows = [other, ...(before === null ? [] : [before])].map((type) => rowsWhere(type, sql`true`));
  return [
    {
      query: union(rows),
      description:
        `uses the former table of ${other.singularApiId}, ` +
        'which processes of the previous release still read and write',
      remedy: `set tableName on ${after.singularApiId} to a name that no other type had`,
      allowed: false,
    },
  ];
}

export const singleTypeGuards = guardForFormer((before) => ({
  query: sql`select d.document_id as "row" from (select distinct t.document_id from ${quote(before.table)} t) d
    where (select count(distinct c.document_id) from ${quote(before.table)} c) > 1`,
  description: 'becomes a single type, which has at most one document; found several',
  remedy: 'delete all except one first',
  allowed: false,
}));

export const lostDraftsGuards = guardForFormer((before, scope) => ({
  query: rowsWhere(before, isUnpublished(before)),
  description: 'loses its drafts; these have unpublished content',
  remedy: `publish or discard them, or set removed: ['drafts'] on ${idOf(scope)}`,
  allowed: mayRemove(scope, 'drafts'),
}));

export function lostLocalesGuards(scope: TypeScope): readonly Guard[] {
  const { evolution, pair } = scope;
  if (pair.before === null) return [];
  const description = 'is no longer localized; these versions are in other locales';
  return [
    {
      query: rowsWhere(pair.before, isInLostLocale(pair.before, evolution)),
      description,
      remedy: `set removed: ['localizations'] on ${idOf(scope)} to keep only the default locale`,
      allowed: mayRemove(scope, 'localizations'),
    },
    // Equal versions, and the only ones of a document, need no setting, but their locales are not stored.
    {
      query: rowsWhere(pair.before, sql`t.locale <> ${constant(evolution.before.defaultLocale)}`),
      description,
      remedy: '',
      allowed: true,
    },
  ];
}
