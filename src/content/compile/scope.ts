/** Scopes of names: a table row, or an instance inside a JSON value; and the version rule. */
import { localeChain } from '../plan/fallback.js';
import type { Coverage } from '../plan/coverage.js';
import type { ReadPlan, Version } from '../plan/plan.js';
import type { Component, ContentType, ScalarAttribute } from '../model/model.js';
import { alias, constant, join, param, type Param, quote, type Sql, sql } from '../../kernel/sql.js';
import { hasSameCoveredContent } from './covered-revision.js';

export interface RowScope {
  readonly kind: 'row';
  readonly type: ContentType;
  readonly alias: Sql;
  /** Whether the row is one of the root's documents, in this or another version. */
  readonly root?: boolean;
}

export interface JsonScope {
  readonly kind: 'json';
  readonly component: Component;
  readonly value: Sql;
  readonly row: RowScope;
}

export type Scope = RowScope | JsonScope;

/** State that the parts of a statement share: the version rule as parameters, and a counter for aliases. */
export interface Context {
  readonly version: Version;
  readonly locale: Param;
  readonly defaultLocale: Sql;
  /** Locales in which a read shows documents of a type, best first; null if there is only one. */
  readonly chain: (type: ContentType, atRoot: boolean) => Param | null;
  readonly format: 'flat' | 'v4';
  /** Prefix of file URLs that are signed later; null for none. */
  readonly filePlaceholder: Sql | null;
  readonly next: () => number;
  /** Conditions on a version in this state, which exclude those that do not exist for the caller. */
  readonly limited: (row: RowScope, published: boolean) => readonly Sql[];
  /** Ends a condition's sub-query. After four, `offset 0` limits the exponential planning time. */
  readonly optimizationFence: () => Sql;
}

type ResponseOptions = Pick<ReadPlan, 'version' | 'format' | 'filePlaceholder'>;

/** Maximum number of sub-queries that the planner may flatten into the statement. */
const MAX_UNFENCED = 4;

function codesOf(locale: Version['locale']): string | readonly string[] | null {
  if (locale.kind === 'one') return locale.code;
  return locale.kind === 'several' ? locale.codes : null;
}

/** Locale chains as parameters. Equal chains share one. */
function chainsOf(version: Version): Context['chain'] {
  const params = new Map<string, Param>();
  return (type, atRoot) => {
    const codes = localeChain(type, version, atRoot);
    if (codes === null) return null;
    const key = codes.join(' ');
    const found = params.get(key) ?? param(codes);
    params.set(key, found);
    return found;
  };
}

export function newContext({ version, format, filePlaceholder }: ResponseOptions): Context {
  let n = 0;
  let conditions = 0;
  return {
    version,
    format,
    filePlaceholder: filePlaceholder === null ? null : constant(filePlaceholder),
    locale: param(codesOf(version.locale)),
    defaultLocale: constant(version.defaultLocale),
    chain: chainsOf(version),
    next: () => (n += 1),
    limited: () => [],
    optimizationFence: () => ((conditions += 1) > MAX_UNFENCED ? sql` offset 0` : sql``),
  };
}

export const rowScope = (type: ContentType, name: Sql): RowScope => ({ kind: 'row', type, alias: name });

/** Scope of the root's documents. */
export const rootScope = (type: ContentType): RowScope => ({ ...rowScope(type, alias('t', 0)), root: true });

export function comparable(scope: Scope, attribute: ScalarAttribute): Sql {
  if (scope.kind === 'row') return sql`${scope.alias}.${quote(attribute.column)}`;
  return attribute.type.member.value(scope.value, quote(attribute.name, 'string'));
}

/** Prints an attribute in the form of responses, in which JSON instances already store their values. */
export function answered(scope: Scope, attribute: ScalarAttribute): Sql {
  if (scope.kind === 'row') return attribute.type.toJson(comparable(scope, attribute));
  return sql`${scope.value}->${quote(attribute.name, 'string')}`;
}

export function asText(scope: Scope, attribute: ScalarAttribute): Sql {
  if (scope.kind === 'json') return attribute.type.member.text(scope.value, quote(attribute.name, 'string'));
  const value = comparable(scope, attribute);
  return attribute.type.column === 'text' ? value : sql`(${attribute.type.toJson(value)})::text`;
}

const COLUMNS = {
  document_id: sql`.document_id`,
  published: sql`.published`,
  created_at: sql`.created_at`,
  locale: sql`.locale`,
  id: sql`.id`,
};

export const column = (row: RowScope, name: keyof typeof COLUMNS): Sql => sql`${row.alias}${COLUMNS[name]}`;

export const hasVersion = (type: ContentType, documentId: Sql, condition: Sql): Sql =>
  sql`exists (select 1 from ${quote(type.table)} v where v.document_id = ${documentId} and ${condition})`;

/** Another version of a row's document, for which the same limits apply. */
const versionScope = (row: RowScope, name: Sql): RowScope => ({ ...row, alias: name });

type OtherVersion = readonly [state: 'published' | 'draft', sameLocale: boolean];

function versionExists(row: RowScope, [state, sameLocale]: OtherVersion, context: Context): Sql {
  const isPublished = state === 'published';
  const conditions = [
    isPublished ? sql`v.published` : sql`not v.published`,
    ...(sameLocale || !row.type.localized ? [sql`v.locale = ${column(row, 'locale')}`] : []),
    ...context.limited(versionScope(row, sql`v`), isPublished),
  ];
  return hasVersion(row.type, column(row, 'document_id'), join(conditions, ' and '));
}

function compared({ row, coverage }: PublicationCheck, operator: '=' | '<>', context: Context): Sql {
  const table = quote(row.type.table);
  const isSame = hasSameCoveredContent(row.type, [sql`d`, sql`p`], coverage);
  const compare = operator === '=' ? isSame : sql`not ${isSame}`;
  const limits = [
    ...context.limited(versionScope(row, sql`d`), false),
    ...context.limited(versionScope(row, sql`p`), true),
  ];
  return sql`exists (select 1 from ${table} d join ${table} p on p.document_id = d.document_id
    and p.locale = d.locale and p.published
    where d.document_id = ${column(row, 'document_id')} and d.locale = ${column(row, 'locale')}
      and ${join([sql`not d.published`, ...limits, compare], ' and ')})`;
}

interface PublicationCheck {
  readonly filter: NonNullable<Version['publication']>;
  readonly row: RowScope;
  readonly coverage: Coverage | null;
}

/**
 * Prints `publicationFilter` as a condition on a row (protocol 8.18). The filters about versions of the same
 * locale require both states. Filters with the prefix `published-` match published rows only, so they never
 * find a draft.
 */
function publicationCondition(check: PublicationCheck, context: Context): Sql {
  const { filter, row } = check;
  const exists = (...wanted: OtherVersion): Sql => versionExists(row, wanted, context);
  switch (filter) {
    case 'never-published':
      return sql`not ${exists('published', true)}`;
    case 'has-published-version':
      return sql`${exists('published', true)} and ${exists('draft', true)}`;
    case 'never-published-document':
      return sql`not ${exists('published', false)}`;
    case 'has-published-version-document':
      return exists('published', false);
    case 'modified':
      return compared(check, '<>', context);
    case 'unmodified':
      return compared(check, '=', context);
    case 'published-without-draft':
      return sql`${column(row, 'published')} and not ${exists('draft', true)}`;
    case 'published-with-draft':
      return sql`${column(row, 'published')} and ${exists('draft', true)}`;
  }
}

/** Condition on the state of a row or link. Types without drafts have published rows only. */
export const stateCondition = (type: ContentType, row: Sql, { version }: Context): Sql =>
  version.published || !type.draftAndPublish ? sql`${row}.published` : sql`not ${row}.published`;

const amongChain = (row: RowScope, codes: Param): Sql =>
  sql`${column(row, 'locale')} = any(${codes}::text[])`;

/**
 * Conditions for rows in the best locale that their document has in this state. They apply to each row
 * separately, so that a page can use an index and stop early, and filters see only shown rows.
 */
function bestLocale(row: RowScope, codes: Param, context: Context): Sql[] {
  const [own, chain] = [column(row, 'locale'), sql`${codes}::text[]`];
  const isPublished = context.version.published || !row.type.draftAndPublish;
  const state = join(
    [stateCondition(row.type, sql`v`, context), ...context.limited(versionScope(row, sql`v`), isPublished)],
    ' and ',
  );
  const better = sql`select 1 from ${quote(row.type.table)} v
    where v.document_id = ${column(row, 'document_id')} and ${state}
    and v.locale = any(${chain}) and array_position(${chain}, v.locale) < array_position(${chain}, ${own})`;
  return [amongChain(row, codes), sql`not exists (${better})`];
}

function localeCondition(row: RowScope, parent: RowScope | null, context: Context): Sql[] {
  const { locale } = context.version;
  const own = column(row, 'locale');
  const chain = context.chain(row.type, parent === null);
  if (chain !== null) return bestLocale(row, chain, context);
  if (locale.kind === 'one') return [sql`${own} = ${context.locale}::text`];
  if (parent === null) return locale.kind === 'any' ? [] : [sql`${own} = any(${context.locale}::text[])`];
  return [
    parent.type.localized
      ? sql`${own} = ${column(parent, 'locale')}`
      : sql`${own} = ${context.defaultLocale}`,
  ];
}

/**
 * Conditions that exclude rows of an older model (D29). A type without drafts has published versions only; a
 * type that is not localized has the default locale only. Files never had other rows.
 */
export function currentRows(type: ContentType, row: Sql, defaultLocale: Sql): Sql[] {
  if (type.internal) return [];
  return [
    ...(type.draftAndPublish ? [] : [sql`${row}.published`]),
    ...(type.localized ? [] : [sql`${row}.locale = ${defaultLocale}`]),
  ];
}

function stateConditions(row: RowScope, context: Context, atRoot: boolean): Sql[] {
  const { publication: filter, coverage } = context.version;
  const conditions: Sql[] = currentRows(row.type, row.alias, context.defaultLocale);
  if (row.type.draftAndPublish) {
    conditions.push(stateCondition(row.type, row.alias, context));
    if (filter !== null)
      conditions.push(
        publicationCondition({ filter, row, coverage: coverage?.(row.type, atRoot) ?? null }, context),
      );
  }
  return conditions;
}

/** Conditions on a row in the state that is read, which exclude those that do not exist for the caller. */
export const limitedIn = (row: RowScope, { version, limited }: Context): readonly Sql[] =>
  limited(row, version.published || !row.type.draftAndPublish);

/** Conditions that select a row's version: the one state and locale of the request (D13). */
export function versionConditions(row: RowScope, parent: RowScope | null, context: Context): Sql[] {
  const locale = row.type.localized ? localeCondition(row, parent, context) : [];
  // The rule of the root's documents is part of the plan's conditions.
  const limits = parent === null ? [] : limitedIn(row, context);
  return [...stateConditions(row, context, parent === null), ...locale, ...limits];
}

/**
 * Conditions that leave at least one row of every shown document. Counting distinct documents among them is
 * cheaper than finding the shown rows. Null if rows are documents, or not all documents count.
 */
export function documentConditions(row: RowScope, context: Context): Sql[] | null {
  const chain = context.chain(row.type, true);
  if (chain === null || context.version.publication !== null) return null;
  return [...stateConditions(row, context, true), amongChain(row, chain)];
}

/** Conditions on counted versions `t` that are shown; null if not all of a state and locale are. */
export function totalConditions({ type }: RowScope, context: Context): Sql[] | null {
  const { locale, publication } = context.version;
  if (type.draftAndPublish && publication !== null) return null;
  if (type.localized && context.chain(type, true) !== null) return null;
  const counted = sql`t`;
  const current = currentRows(type, counted, context.defaultLocale);
  const state = type.draftAndPublish ? [stateCondition(type, counted, context)] : [];
  if (!type.localized || locale.kind === 'any') return [...current, ...state];
  const own = sql`t.locale`;
  const wanted =
    locale.kind === 'one'
      ? sql`${own} = ${context.locale}::text`
      : sql`${own} = any(${context.locale}::text[])`;
  return [...current, ...state, wanted];
}

export const rowOf = (scope: Scope): RowScope => (scope.kind === 'row' ? scope : scope.row);

/** JSON value of a component or dynamic zone. */
export function nestedJson(
  scope: Scope,
  attribute: { readonly name: ScalarAttribute['name']; readonly column: ScalarAttribute['column'] },
): Sql {
  return scope.kind === 'row'
    ? sql`${scope.alias}.${quote(attribute.column)}`
    : sql`${scope.value}->${quote(attribute.name, 'string')}`;
}
