/** Explains the permissions of a caller on a type, for developers: never sent over HTTP. */
import type { ContentType } from '../model/model.js';
import { type Caller, userOf } from './caller.js';
import { attributesIn, dataOf } from './data-conditions.js';
import { conditionFor, decide, decideMove, storesDraft } from './decide.js';
import { type GrantCondition, type GrantFilters, filterTextOf } from './grant-condition.js';
import { type Action, ACTIONS } from './actions.js';

/** Condition of a grant, with the values of the caller. */
export interface ExplainedCondition {
  /** Filters, `own` for the caller's own documents, or `all`. Null if the condition covers no document. */
  readonly where: GrantFilters | 'own' | 'all' | null;
  /** Values of created documents; null without a preset. */
  readonly preset: GrantFilters | null;
  /** Reason why the condition covers no document; null if it may cover some. */
  readonly reason: string | null;
}

/** Permission of one caller for one action on a type. */
export interface ExplainedAction {
  readonly action: Action;
  /** `all` documents, `some`, or `none`. */
  readonly documents: 'all' | 'some' | 'none';
  /** Attributes that the action can read or write; null for all. Empty if `documents` is `none`. */
  readonly attributes: readonly string[] | null;
  /** Conditions of limited grants. A grant on all documents has precedence over them. */
  readonly conditions: readonly ExplainedCondition[];
  /** Reasons of a refusal, and restrictions by other actions. */
  readonly notes: readonly string[];
}

function reasonOf({ where }: GrantCondition, caller: Caller, type: ContentType): string {
  if (where === 'own')
    return userOf(caller) === null ? 'only users own documents' : `${type.singularApiId} has no owner`;
  const data = typeof where === 'function' ? dataOf(where) : undefined;
  const missing = attributesIn(data).filter((name) => caller.attributes?.[name] === undefined);
  if (missing.length > 0)
    return `the caller has no attribute ${missing.map((name) => `"${name}"`).join(', ')}`;
  return 'the condition returned false, or filters with a missing value';
}

function filtersOf({ where }: GrantCondition, caller: Caller): ExplainedCondition['where'] {
  if (typeof where === 'string') return where;
  const text = filterTextOf(where, caller);
  return text === null ? null : (JSON.parse(text) as GrantFilters);
}

function explainCondition(condition: GrantCondition, caller: Caller, type: ContentType): ExplainedCondition {
  const covers = conditionFor(condition, caller, type) !== null;
  return {
    where: covers ? filtersOf(condition, caller) : null,
    preset: covers ? (condition.preset?.(caller) ?? null) : null,
    reason: covers ? null : reasonOf(condition, caller, type),
  };
}

interface ExplainRequest {
  readonly caller: Caller;
  readonly type: ContentType;
  readonly action: Action;
}

function notesOf(
  { caller, type, action }: ExplainRequest,
  conditions: readonly ExplainedCondition[],
): string[] {
  const name = type.singularApiId;
  const decision = decide(caller, type, action);
  if (decision === 'none' && conditions.length === 0) return [`no grant of "${action}" on "${name}"`];
  if (decision === 'none') return conditions.flatMap(({ reason }) => reason ?? []);
  const isRead = action === 'find' || action === 'findOne';
  const hasDrafts = isRead && type.draftAndPublish;
  return [
    ...(hasDrafts && decide(caller, type, 'readDrafts') === 'none'
      ? ['published versions only, without "readDrafts"']
      : []),
    ...(action === 'readDrafts' && decide(caller, type, 'find') === 'none'
      ? ['needs "find" or "findOne" too']
      : []),
    ...(storesDraft(caller, type, action)
      ? ['stores the draft instead of publishing, without "publish"']
      : []),
  ];
}

/** Documents that can move to each stage. */
function moveNotes({ caller, type }: ExplainRequest): string[] {
  return [...(type.stages?.states.keys() ?? [])].map((stage) => {
    const decision = decideMove(caller, type, stage);
    return `to "${stage}": ${typeof decision === 'object' ? 'some' : decision}`;
  });
}

function explainAction(request: ExplainRequest): ExplainedAction {
  const { caller, type, action } = request;
  const decision = decide(caller, type, action);
  const conditions = caller.permissions
    .limits(type.singularApiId, action)
    .map((condition) => explainCondition(condition, caller, type));
  const fields = caller.permissions.fields(type.singularApiId, action);
  const isDenied = decision === 'none';
  return {
    action,
    documents: typeof decision === 'object' ? 'some' : decision,
    attributes: isDenied ? [] : fields && [...fields].sort(),
    conditions,
    notes: [...notesOf(request, conditions), ...(action === 'move' ? moveNotes(request) : [])],
  };
}

export const explain = (caller: Caller, type: ContentType): readonly ExplainedAction[] =>
  ACTIONS.filter((action) => action !== 'move' || type.stages !== null).map((action) =>
    explainAction({ caller, type, action }),
  );
