/**
 * Where names are looked up: a row of a table, or an instance inside a JSON value; and the way to other rows.
 */
import type { Hop, Version } from '../plan/plan.js';
import type { Component, ContentType, RelationAttribute, ScalarAttribute } from '../schema/model.js';
import { alias, join, param, type Param, quote, type Sql, sql } from '../sql.js';

export interface RowScope {
  readonly kind: 'row';
  readonly type: ContentType;
  readonly alias: Sql;
}

export interface JsonScope {
  readonly kind: 'json';
  readonly component: Component;
  /** The instance, as jsonb. */
  readonly value: Sql;
  /** The row that the instance is embedded in. */
  readonly row: RowScope;
}

export type Scope = RowScope | JsonScope;

/** What a statement's parts share: its version rule as parameters, and a counter for aliases. */
export interface Context {
  readonly version: Version;
  readonly locale: Param;
  readonly defaultLocale: Param;
  readonly format: 'flat' | 'v4';
  readonly next: () => number;
  /**
   * Ends a sub-query of a condition; from the fifth on with a fence, because planning many semi-joins
   * together explodes.
   */
  readonly fence: () => Sql;
}

/** How many sub-queries of conditions the planner may weave into the rest of a statement. */
const UNFENCED = 4;

export function newContext(version: Version, format: 'flat' | 'v4'): Context {
  let n = 0;
  let conditions = 0;
  return {
    version,
    format,
    locale: param(
      version.locale.kind === 'one'
        ? version.locale.code
        : version.locale.kind === 'several'
          ? version.locale.codes
          : null,
    ),
    defaultLocale: param(version.defaultLocale),
    next: () => (n += 1),
    fence: () => ((conditions += 1) > UNFENCED ? sql` offset 0` : sql``),
  };
}

export const rowScope = (type: ContentType, name: Sql): RowScope => ({ kind: 'row', type, alias: name });

/** A member of an instance, as text. */
const text = (value: Sql, name: ScalarAttribute['name']): Sql => sql`${value}->>${quote(name, 'string')}`;

/** An attribute as a value that compares and sorts. */
export function comparable(scope: Scope, attribute: ScalarAttribute): Sql {
  if (scope.kind === 'row') return sql`${scope.alias}.${quote(attribute.column)}`;
  return attribute.type.fromJson(scope.value, quote(attribute.name, 'string'));
}

/** An attribute as the answer shows it. Instances hold their values in the answer's form already. */
export function shown(scope: Scope, attribute: ScalarAttribute): Sql {
  if (scope.kind === 'row') return attribute.type.toJson(comparable(scope, attribute));
  return sql`${scope.value}->${quote(attribute.name, 'string')}`;
}

const SYSTEM = {
  document_id: sql`.document_id`,
  published: sql`.published`,
  locale: sql`.locale`,
  id: sql`.id`,
};

/** A system column of a row. */
export const column = (row: RowScope, name: keyof typeof SYSTEM): Sql => sql`${row.alias}${SYSTEM[name]}`;

/** Whether another version of a row's document exists: of a state, in the same locale or in any. */
function versionExists(row: RowScope, state: 'published' | 'draft', sameLocale: boolean): Sql {
  const wanted = state === 'published' ? sql`v.published` : sql`not v.published`;
  const locale = sameLocale ? sql` and v.locale = ${column(row, 'locale')}` : sql``;
  return sql`exists (select 1 from ${quote(row.type.table)} v where v.document_id = ${column(row, 'document_id')} and ${wanted}${locale})`;
}

function changedSincePublishing(row: RowScope, changed: boolean): Sql {
  const compare = changed ? sql`d.updated_at > p.updated_at` : sql`d.updated_at <= p.updated_at`;
  const table = quote(row.type.table);
  return sql`exists (select 1 from ${table} d join ${table} p on p.document_id = d.document_id and p.locale = d.locale and p.published
    where d.document_id = ${column(row, 'document_id')} and d.locale = ${column(row, 'locale')} and not d.published and ${compare})`;
}

/**
 * `publicationFilter` as a condition on a row (protocol 8.18). Those about a version of the same locale look
 * at both states; the two that begin with `published-` are about published rows alone, so that they find no
 * draft.
 */
function publicationCondition(row: RowScope, filter: NonNullable<Version['publication']>): Sql {
  switch (filter) {
    case 'never-published':
      return sql`not ${versionExists(row, 'published', true)}`;
    case 'has-published-version':
      return sql`${versionExists(row, 'published', true)} and ${versionExists(row, 'draft', true)}`;
    case 'never-published-document':
      return sql`not ${versionExists(row, 'published', false)}`;
    case 'has-published-version-document':
      return versionExists(row, 'published', false);
    case 'modified':
      return changedSincePublishing(row, true);
    case 'unmodified':
      return changedSincePublishing(row, false);
    case 'published-without-draft':
      return sql`${column(row, 'published')} and not ${versionExists(row, 'draft', true)}`;
    case 'published-with-draft':
      return sql`${column(row, 'published')} and ${versionExists(row, 'draft', true)}`;
  }
}

function localeCondition(row: RowScope, parent: RowScope | null, context: Context): Sql[] {
  const { locale } = context.version;
  const own = column(row, 'locale');
  if (locale.kind === 'one') return [sql`${own} = ${context.locale}::text`];
  if (parent === null) return locale.kind === 'any' ? [] : [sql`${own} = any(${context.locale}::text[])`];
  return [
    parent.type.localized
      ? sql`${own} = ${column(parent, 'locale')}`
      : sql`${own} = ${context.defaultLocale}::text`,
  ];
}

/** The conditions that pick a row's version: the request's one state and one locale (D13). */
export function versionConditions(row: RowScope, parent: RowScope | null, context: Context): Sql[] {
  const { published, publication } = context.version;
  const conditions: Sql[] = [];
  if (row.type.draftAndPublish) {
    conditions.push(published ? column(row, 'published') : sql`not ${column(row, 'published')}`);
    if (publication !== null) conditions.push(publicationCondition(row, publication));
  }
  if (row.type.localized) conditions.push(...localeCondition(row, parent, context));
  return conditions;
}

/** The rows or instances that a hop leads to. */
export interface Targets {
  readonly from: Sql;
  readonly conditions: readonly Sql[];
  readonly scope: Scope;
  /** The stored order; null for at most one. */
  readonly position: Sql | null;
}

/** The row that a scope is, or is embedded in. */
export const rowOf = (scope: Scope): RowScope => (scope.kind === 'row' ? scope : scope.row);

function componentTargets(scope: Scope, hop: Extract<Hop, { kind: 'component' }>, context: Context): Targets {
  const instance = alias('c', context.next());
  const held = heldJson(scope, hop);
  const from = hop.many
    ? sql`jsonb_array_elements(${held}) with ordinality ${instance}(v, n)`
    : sql`(select ${held} as v) ${instance}`;
  return {
    from,
    conditions: hop.many ? [] : [sql`${instance}.v is not null`],
    scope: { kind: 'json', component: hop.component, value: sql`${instance}.v`, row: rowOf(scope) },
    position: hop.many ? sql`${instance}.n` : null,
  };
}

/** The JSON value that a component or zone attribute holds. */
export function heldJson(
  scope: Scope,
  attribute: { readonly name: ScalarAttribute['name']; readonly column: ScalarAttribute['column'] },
): Sql {
  return scope.kind === 'row'
    ? sql`${scope.alias}.${quote(attribute.column)}`
    : sql`${scope.value}->${quote(attribute.name, 'string')}`;
}

/** A single component needs no sub-query: its instance, in place. */
export function inPlace(scope: Scope, hop: Hop): JsonScope | null {
  if (hop.kind !== 'component' || hop.many) return null;
  return { kind: 'json', component: hop.component, value: heldJson(scope, hop), row: rowOf(scope) };
}

interface Linking {
  readonly context: Context;
  /** The version conditions, where targets are looked up one by one. */
  readonly version: readonly Sql[] | null;
}

interface Linked {
  readonly from: Sql;
  readonly conditions: readonly Sql[];
  readonly position: Sql | null;
}

/**
 * Joins targets to links. With the version inside, each link looks its target up by index; without, the
 * planner may also start from the targets, which filters need.
 */
function lookUp(target: RowScope, on: Sql, version: readonly Sql[] | null): Sql {
  const table = sql`${quote(target.type.table)} ${target.alias}`;
  if (version === null) return sql`join ${table} on ${on}`;
  return sql`cross join lateral (select * from ${table} where ${join([on, ...version], ' and ')} limit 1) ${target.alias}`;
}

/** Targets that an instance inside a JSON value names. */
function embedded(scope: JsonScope, hop: RelationAttribute, target: RowScope, linking: Linking): Linked {
  const documentId = column(target, 'document_id');
  if (!hop.many) {
    const only = sql`${documentId} = (${text(scope.value, hop.name)})`;
    return { from: sql`${quote(target.type.table)} ${target.alias}`, conditions: [only], position: null };
  }
  const link = alias('l', linking.context.next());
  const list = sql`jsonb_array_elements_text(${scope.value}->${quote(hop.name, 'string')}) with ordinality ${link}(id, n)`;
  const from = sql`${list} ${lookUp(target, sql`${documentId} = ${link}.id`, linking.version)}`;
  return { from, conditions: [], position: sql`${link}.n` };
}

function linked(scope: Scope, hop: RelationAttribute, target: RowScope, linking: Linking): Linked {
  const way = hop.join;
  const { context, version } = linking;
  const table = sql`${quote(target.type.table)} ${target.alias}`;
  const documentId = column(target, 'document_id');
  if (way.kind === 'embedded' || scope.kind === 'json') {
    return embedded(scope as JsonScope, hop, target, linking);
  }
  const owner = column(scope, 'document_id');
  switch (way.kind) {
    case 'column':
      return {
        from: table,
        conditions: [sql`${documentId} = ${scope.alias}.${quote(way.column)}`],
        position: null,
      };
    case 'inverseColumn': {
      const position =
        way.position === null ? column(target, 'id') : sql`${target.alias}.${quote(way.position)}`;
      return { from: table, conditions: [sql`${target.alias}.${quote(way.column)} = ${owner}`], position };
    }
    case 'link': {
      const link = alias('l', context.next());
      const from = sql`${quote(way.table)} ${link} ${lookUp(target, sql`${documentId} = ${link}.target_document_id`, version)}`;
      return {
        from,
        conditions: [sql`${link}.owner_id = ${column(scope, 'id')}`],
        position: sql`${link}.position`,
      };
    }
    case 'inverseLink': {
      const link = alias('l', context.next());
      const from = sql`${quote(way.table)} ${link} join ${table} on ${column(target, 'id')} = ${link}.owner_id`;
      return {
        from,
        conditions: [sql`${link}.target_document_id = ${owner}`],
        position: sql`${link}.inverse_position`,
      };
    }
    case 'locales': {
      const other = sql`${column(target, 'locale')} <> ${column(scope, 'locale')}`;
      const state = sql`${column(target, 'published')} = ${column(scope, 'published')}`;
      return {
        from: table,
        conditions: [sql`${documentId} = ${owner}`, other, state],
        position: column(target, 'id'),
      };
    }
  }
}

/** The targets of a hop, in the version that the request shows: to be searched, or to be shown one by one. */
export function targetsOf(
  scope: Scope,
  hop: Hop,
  context: Context,
  use: 'search' | 'show' = 'search',
): Targets {
  if (hop.kind === 'component') return componentTargets(scope, hop, context);
  const target = rowScope(hop.target, alias('t', context.next()));
  const version = hop.join.kind === 'locales' ? [] : versionConditions(target, rowOf(scope), context);
  const inside = use === 'show' && (hop.join.kind === 'link' || (hop.join.kind === 'embedded' && hop.many));
  const { from, conditions, position } = linked(scope, hop, target, {
    context,
    version: inside ? version : null,
  });
  return { from, conditions: inside ? conditions : [...conditions, ...version], scope: target, position };
}
