/** Checks of the conditions of grants on the versions of documents, before and after a write. */
import type { Decision } from '../access/decide.js';
import type { ContentType } from '../model/model.js';
import { isVersionOf } from './version-sql.js';
import {
  fill,
  join,
  param,
  type Param,
  quote,
  type Sql,
  sql,
  type Statement,
  template,
} from '../../kernel/sql.js';
import { compileRule } from './compile-filter.js';
import { type Context, currentRows, hasVersion, newContext, type RowScope, rowScope } from './scope.js';

/** Prints a statement whose conditions have no values of a query. */
export const compileWithoutValues = (root: Sql): Statement => fill(template(root), { operands: null });

/** Decision for published versions, and for drafts. */
export interface StateDecisions {
  readonly published: Decision;
  readonly drafts: Decision;
}

interface RuleScope {
  readonly row: RowScope;
  readonly context: Context;
}

export const ruleContext = (defaultLocale: string): Context =>
  newContext({
    version: {
      published: true,
      locale: { kind: 'any' },
      defaultLocale,
      publication: null,
      storesDraft: false,
      withState: false,
    },
    format: 'flat',
    filePlaceholder: null,
  });

function meets(decision: Decision, published: boolean, { row, context }: RuleScope): Sql {
  if (decision === 'all') return sql`true`;
  if (decision === 'none') return sql`false`;
  return sql`coalesce(${compileRule(decision, { row, published }, context)}, false)`;
}

/** Condition that a version, whatever its state, meets the decision for its state. */
export function isMet({ published, drafts }: StateDecisions, scope: RuleScope): Sql {
  const { row } = scope;
  const state = sql`${row.alias}.published`;
  if (!row.type.draftAndPublish) return meets(published, true, scope);
  return sql`case when ${state} then ${meets(published, true, scope)} else ${meets(drafts, false, scope)} end`;
}

const inBoth = (decision: Decision): StateDecisions => ({ published: decision, drafts: decision });

/** Decisions about the versions of a written document. */
export interface VersionRightsRequest {
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly defaultLocale: string;
  readonly written: Decision;
  readonly live: Decision;
  readonly shown: StateDecisions;
  /** Locale in which the write adds a version; null or omitted for none. */
  readonly addedLocale?: string | null;
}

const idOf = (documentId: string | null): Param | null => (documentId === null ? null : param(documentId));

/** Version `v`, and as `added` its copy in a locale. */
const withAdded = (type: ContentType, locale: string): Sql =>
  sql`${quote(type.table)} v, jsonb_populate_record(v, jsonb_build_object('locale', ${param(locale)}::text)) added`;

/**
 * Condition that a version which the caller may read meets a decision as the copy in another locale. A write
 * that adds this locale changes no stored version.
 */
const isMetByCopy = (decision: Decision, shown: StateDecisions, scope: RuleScope): Sql =>
  sql`${isMet(shown, scope)}
    and ${isMet(inBoth(decision), { ...scope, row: rowScope(scope.row.type, sql`added`) })}`;

/** Selects each version's `id`, and whether it meets each decision: `written`, `live`, `shown`. */
export function compileVersionRights(request: VersionRightsRequest): Statement {
  const { type, documentId, defaultLocale, written, live, shown, addedLocale = null } = request;
  const scope = { row: rowScope(type, sql`v`), context: ruleContext(defaultLocale) };
  const met = (decision: Decision): Sql => {
    const stored = isMet(inBoth(decision), scope);
    return addedLocale === null ? stored : sql`(${stored} or ${isMetByCopy(decision, shown, scope)})`;
  };
  const versions = addedLocale === null ? sql`${quote(type.table)} v` : withAdded(type, addedLocale);
  return compileWithoutValues(sql`select v.id, ${met(written)} as written, ${met(live)} as live,
      ${isMet(shown, scope)} as shown
    from ${versions} where ${isVersionOf(sql`v`, { documentId: idOf(documentId), locale: null })}`);
}

interface ActionsRequest extends Pick<
  VersionRightsRequest,
  'type' | 'documentId' | 'defaultLocale' | 'shown'
> {
  readonly locale: string;
}

/** Decisions about actions on one document. */
export type ActionDecisions = Readonly<Record<'update' | 'live' | 'publish' | 'delete', Decision>>;

/**
 * Selects the `locale` and `published` of each version of the current model, and whether it meets each
 * decision, by its name. `added`: whether an update may add its copy in the given locale.
 */
export function compileActionRights(
  { type, documentId, defaultLocale, locale, shown }: ActionsRequest,
  decisions: ActionDecisions,
): Statement {
  const scope = { row: rowScope(type, sql`v`), context: ruleContext(defaultLocale) };
  const met = (name: keyof ActionDecisions): Sql => isMet(inBoth(decisions[name]), scope);
  const where = [
    isVersionOf(sql`v`, { documentId: idOf(documentId), locale: null }),
    ...currentRows(type, sql`v`, scope.context.defaultLocale),
  ];
  return compileWithoutValues(sql`select v.locale, v.published, ${met('update')} as update,
      ${met('live')} as live, ${met('publish')} as publish, ${met('delete')} as delete,
      ${isMetByCopy(decisions.update, shown, scope)} as added
    from ${withAdded(type, locale)} where ${join(where, ' and ')}`);
}

/** Versions that a write has changed, and the decision that they must meet. */
export interface ResultRequest extends Pick<VersionRightsRequest, 'type' | 'defaultLocale'> {
  readonly documentIds: readonly string[] | null;
  /** Null for all locales. */
  readonly locale: string | null;
  readonly draftsOnly: boolean;
  readonly decision: Decision;
}

/** Selects whether a written version does not meet the decision: `refused`. */
export function compileResult(request: ResultRequest): Statement {
  const { type, documentIds, locale, draftsOnly, decision, defaultLocale } = request;
  const scope = { row: rowScope(type, sql`v`), context: ruleContext(defaultLocale) };
  const conditions = [
    ...(documentIds === null ? [] : [sql`v.document_id = any(${param(documentIds)}::text[])`]),
    ...(locale === null ? [] : [sql`v.locale = ${param(locale)}::text`]),
    ...(draftsOnly ? [sql`not v.published`] : []),
    sql`not (${isMet(inBoth(decision), scope)})`,
  ];
  return compileWithoutValues(
    sql`select exists (select 1 from ${quote(type.table)} v where ${join(conditions, ' and ')}) as refused`,
  );
}

export interface TargetsRequest extends Pick<VersionRightsRequest, 'type' | 'defaultLocale' | 'shown'> {
  readonly documentIds: readonly string[];
  readonly written: Decision;
}

/**
 * Selects the rows of the documents. `visible`: some version may be read. `written`: all versions may be
 * updated. `live`: the row itself may be read.
 */
export function compileTargetRights(request: TargetsRequest): Statement {
  const { type, documentIds, shown, written, defaultLocale } = request;
  const context = ruleContext(defaultLocale);
  const of = (name: Sql): RuleScope => ({ row: rowScope(type, name), context });
  const visible = hasVersion(type, sql`x.document_id`, isMet(shown, of(sql`v`)));
  const refused = hasVersion(type, sql`x.document_id`, sql`not (${isMet(inBoth(written), of(sql`v`))})`);
  return compileWithoutValues(sql`select x.id, x.document_id, ${visible} as visible, not ${refused} as written,
      ${isMet(shown, of(sql`x`))} as live
    from ${quote(type.table)} x where x.document_id = any(${param(documentIds)}::text[])`);
}
