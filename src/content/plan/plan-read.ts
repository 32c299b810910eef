/** Plans a read from its query, type and caller. */
import type { Caller } from '../access/caller.js';
import { decideRead, type Rule, ruleOf, storesDraft } from '../access/decide.js';
import type { Action } from '../access/actions.js';
import { forbidden, notFound, validationError } from '../../kernel/errors.js';
import { mentions } from '../query/parse-filters.js';
import { parsePagination } from '../query/parse-query.js';
import type { Query } from '../query/query.js';
import { unstorable } from '../model/cast-value.js';
import type { ContentType, ScalarAttribute, Schema } from '../model/model.js';
import { scalarOf } from '../model/scalar-of.js';
import type { ContentSettings } from '../../kernel/settings.js';
import type { Condition, LimitsOf, LocalePick, ReadPlan, StatePlan, Version } from './plan.js';
import { coverageIn, revealsDrafts } from './coverage.js';
import { pickFallback } from './fallback.js';
import { planFilter } from './plan-filter.js';
import { planObject, type SelectContext } from './plan-select.js';
import { planSort } from './plan-sort.js';
import { answerFields, decideReadBack, decideRelated, oneOf, rightsOf } from './rights.js';

/** Key of a single document: its document id, or the id of one of its rows. */
export type DocumentKey = { readonly documentId: string } | { readonly id: number };

/** Returns null for a list and for the document of a single type. */
export const byDocumentId = (documentId: string | null): DocumentKey | null =>
  documentId === null ? null : { documentId };

const documentIdOf = (by: DocumentKey | null): string | null =>
  by !== null && 'documentId' in by ? by.documentId : null;

export interface ReadRequest {
  readonly kind: 'list' | 'one';
  readonly type: ContentType;
  readonly by: DocumentKey | null;
  readonly caller: Caller;
  readonly format: 'flat' | 'v4';
  /**
   * Action of the caller. The response to a write ignores filters, and omits unreadable attributes instead of
   * refusing them.
   */
  readonly action: Action;
}

export interface PlanBase {
  readonly schema: Schema;
  readonly settings: ContentSettings;
  /** See {@link ReadPlan.filePlaceholder}; omitted without signed URLs. */
  readonly filePlaceholder?: string | null;
}

const answersWrite = ({ action }: ReadRequest): boolean => action !== 'find' && action !== 'findOne';

/**
 * Returns false for `status=draft` only; other unknown values are a 400 for types with drafts (protocol 8.1,
 * 8.8).
 */
export function publishedState(status: unknown, type: ContentType): boolean {
  if (status === undefined || status === null || status === 'published') return true;
  if (status === 'draft') return false;
  if (!type.draftAndPublish) return true;
  throw validationError('Invalid status parameter. Expected "draft" or "published"', {
    key: 'status',
    path: null,
    source: 'query',
    param: 'status',
  });
}

const badLocale = (): Error =>
  validationError('Invalid locale parameter', {
    key: 'locale',
    path: null,
    source: 'query',
    param: 'locale',
  });

/** Parses `locale`: `*` is all locales, a list several, nothing the default (protocol section 9). */
export function pickLocale(raw: unknown, settings: ContentSettings): LocalePick {
  if (raw === undefined || raw === null || raw === '') return { kind: 'one', code: settings.defaultLocale };
  const valid = (code: unknown): code is string => typeof code === 'string' && !unstorable(code);
  if (Array.isArray(raw)) {
    if (!raw.every(valid)) throw badLocale();
    return { kind: 'several', codes: raw };
  }
  if (!valid(raw)) throw badLocale();
  return raw === '*' ? { kind: 'any' } : { kind: 'one', code: raw };
}

/** Error for several locales of one document. */
export const notOneLocale = (pick: LocalePick): Error =>
  validationError(
    `Invalid locale param ${pick.kind === 'several' ? pick.codes.join(',') : '*'} provided. ` +
      'Document locales must be strings.',
    { key: 'locale', path: null, source: 'query', param: 'locale' },
  );

/** Whether the documents of a type have several versions. */
export const hasStates = ({ draftAndPublish, localized }: ContentType): boolean =>
  draftAndPublish || localized;

function versionOf(query: Query, request: ReadRequest, settings: ContentSettings): Version {
  const { type } = request;
  const pick = pickLocale(query.locale, settings);
  const named = query.locale !== undefined && query.locale !== null;
  // In reads, a root filter on `locale` replaces the default locale. Writes have no filters.
  const chain = pickFallback(query.fallbackLocale, pick, settings);
  const hasFallback = chain !== null && chain.length > 0;
  const isOpen = !named && !hasFallback && !answersWrite(request) && type.localized;
  const open = isOpen && mentions(query.filters, 'locale');
  const locale: LocalePick = open ? { kind: 'any' } : pick;
  if (request.kind === 'one' && type.localized) {
    if (pick.kind === 'several') throw notOneLocale(pick);
    if (pick.kind === 'any' && !answersWrite(request)) throw notFound();
  }
  const published = publishedState(query.status, type);
  const isWithheld = published && storesDraft(request.caller, type, request.action);
  return {
    published: published && !isWithheld,
    storesDraft: isWithheld,
    locale,
    defaultLocale: settings.defaultLocale,
    fallback: { chain, atRoot: !answersWrite(request) },
    publication: answersWrite(request) ? null : query.publication,
    withState: query.withState && showsState(request),
  };
}

/**
 * Returns the rule of the documents if the caller may not read all of them. Throws 403 for unreadable drafts.
 */
function ownOnly({ caller, type, action }: ReadRequest, version: Version): Rule | null {
  const published = !revealsDrafts(version);
  const reading = decideRead(caller, type, { action, published });
  if (reading === 'none' && !published && type.draftAndPublish) throw forbidden();
  return ruleOf(reading);
}

/** Whether `withState` applies. The response to a write omits the state if the caller may not read it. */
function showsState(request: ReadRequest): boolean {
  const { caller, type, action } = request;
  if (!hasStates(type)) return false;
  if (!answersWrite(request)) return true;
  return (
    action !== 'delete' && decideRead(caller, type, { action: oneOf(type), published: false }) !== 'none'
  );
}

function statePlan(request: ReadRequest): StatePlan {
  const { caller, type } = request;
  const stamps = answersWrite(request);
  const action = stamps ? oneOf(type) : request.action;
  const ownOf = (published: boolean): Rule | null => ruleOf(decideRead(caller, type, { action, published }));
  return { drafts: ownOf(false), published: ownOf(true), stamps };
}

const both = (a: Condition | null, b: Condition | null): Condition | null =>
  a === null || b === null ? (a ?? b) : { kind: 'all', parts: [a, b] };

const equals = (attribute: ScalarAttribute, value: unknown): Condition => ({
  kind: 'compare',
  attribute,
  op: '$eq',
  operands: [value],
  negated: false,
});

const rowIs = ({ type, by }: ReadRequest): Condition | null =>
  by !== null && 'id' in by ? equals(scalarOf(type, 'id'), by.id) : null;

/** Limits of callers with conditions. Without any, the permissions for types decide. */
function limitsOf(request: ReadRequest): { readonly limits?: LimitsOf } {
  const { caller, type } = request;
  if (!caller.permissions.hasWhere) return {};
  const action = answersWrite(request) ? oneOf(type) : request.action;
  return {
    limits: (of, { root, published }) => {
      if (root) return decideRead(caller, type, { action, published });
      const related = decideRelated(caller, of, published);
      // Files need no grant to be populated; a condition of `find` limits them.
      return of.internal && related === 'none' ? 'all' : related;
    },
  };
}

interface Root {
  readonly request: ReadRequest;
  readonly version: Version;
  readonly own: Rule | null;
  readonly echoes: boolean;
}

/**
 * Plans a read, or the response to a write. Throws the 400 of the protocol for invalid names and values, and
 * 403 for drafts without `readDrafts`. Omits from `populate` the types that the caller may not `find`.
 */
export function planRead(query: Query, request: ReadRequest, base: PlanBase): ReadPlan {
  const { caller, type, action, by } = request;
  const documentId = documentIdOf(by);
  const answers = answersWrite(request);
  if (request.kind === 'one' && by === null && type.kind === 'collectionType' && !answers) throw notFound();
  // Such a document id cannot exist, and PostgreSQL would reject it.
  if (documentId !== null && unstorable(documentId)) throw notFound();
  const version = { ...versionOf(query, request, base.settings), ...limitsOf(request) };
  const root = { request, version, own: null, echoes: false };
  if (!answers) return planRoot(query, { ...root, own: ownOnly(request, version) }, base);
  const readBack = action === 'update' || action === 'publish';
  const { published } = version;
  const reading = readBack ? decideReadBack(caller, { type, action, published }) : 'all';
  if (reading === 'all') return planRoot(query, root, base);
  // The owner is known only after the read: owners get the full response, other callers only the values that
  // they sent.
  const rule = ruleOf(reading);
  const read = rule === null ? null : planRoot(query, { ...root, own: rule }, base);
  const echo = planRoot(query, { ...root, echoes: true }, base);
  return read === null ? echo : Object.freeze({ ...read, otherwise: echo });
}

function planRoot(query: Query, { request, version, own, echoes }: Root, base: PlanBase): ReadPlan {
  const { type, caller } = request;
  const { schema, settings } = base;
  const fields = answerFields(caller, request, echoes);
  const covered = { fields, published: !revealsDrafts(version) };
  // The state shows drafts of the root only, so related documents need no `readDrafts` for it.
  const scope = { fields, published: !revealsDrafts({ ...version, withState: false }) };
  const rights = rightsOf(caller, scope, settings.limits);
  const context: SelectContext = {
    rights,
    limits: settings.limits,
    schema,
    budget: { nodes: settings.limits.populateNodes },
  };
  const source = { source: 'query', param: 'filters' } as const;
  const where =
    query.filters === null
      ? null
      : planFilter(query.filters, {
          model: type,
          attribute: null,
          open: true,
          path: [],
          negated: false,
          rights,
          source,
        });
  const order = planSort(query.sort, type, { ...context, source: { source: 'query', param: 'sort' } });
  const object = planObject(query, type, context);
  const answers = answersWrite(request);
  return Object.freeze({
    kind: request.kind,
    type,
    documentId: documentIdOf(request.by),
    version: { ...version, ...coverageIn({ caller, root: covered, limits: settings.limits }) },
    where: both(rowIs(request), both(answers ? null : where, own)),
    operands: null,
    search:
      answers || query.search === null
        ? null
        : { text: query.search, among: type.shown.filter((attribute) => rights.mayRead(type, attribute)) },
    order,
    page: request.kind === 'list' ? parsePagination(query.pagination, settings) : null,
    object,
    state: version.withState && !echoes ? statePlan(request) : null,
    format: request.format,
    echoes,
    otherwise: null,
    filePlaceholder: base.filePlaceholder ?? null,
    shared: null,
  });
}
