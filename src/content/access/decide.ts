/** Decides which documents a caller may act on, for routes, plans, caches and writes (D16). */
import type { Column, ContentType } from '../model/model.js';
import { type Caller, userOf } from './caller.js';
import { filtersFor, type GrantCondition, type WhereCondition } from './grant-condition.js';
import { type Action, stageSubject } from './actions.js';

export interface OwnCondition {
  readonly kind: 'own';
  readonly owner: Column;
  readonly user: string;
}

/** Formula of conditions. Equal keys mean equal formulas. */
export type Formula =
  OwnCondition | WhereCondition | { readonly kind: 'all' | 'any'; readonly parts: readonly Formula[] };

/**
 * Condition with filters of a grant. In contrast to an owner condition, the versions of one document can
 * differ in it, and a write can change its result.
 */
export interface GrantedCondition {
  readonly kind: 'granted';
  readonly formula: Formula;
  readonly key: string;
}

export type Rule = OwnCondition | GrantedCondition;

/** Documents of a type on which a caller may act: all, none, or those that meet the rule. */
export type Decision = 'all' | 'none' | Rule;

/** Whether a decision is limited to the caller's own documents. */
export const isOwn = (decision: Decision): decision is OwnCondition => ruleOf(decision)?.kind === 'own';

/** Returns the rule of a decision; null for all documents or none. */
export const ruleOf = (decision: Decision): Rule | null => (typeof decision === 'object' ? decision : null);

/** Returns the rule of a decision if it has filters; null otherwise. */
export const grantedOf = (decision: Decision): GrantedCondition | null => {
  const rule = ruleOf(decision);
  return rule?.kind === 'granted' ? rule : null;
};

const keyOf = (formula: Formula): string => {
  if (formula.kind === 'own') return 'own';
  if (formula.kind === 'where') return `where ${formula.key}`;
  return JSON.stringify([formula.kind, ...formula.parts.map(keyOf)]);
};

const ruleKey = (rule: Rule): string => (rule.kind === 'own' ? keyOf(rule) : rule.key);

/** Whether two decisions about documents of a type are the same. */
export const isSame = (a: Decision, b: Decision): boolean => {
  const [one, other] = [ruleOf(a), ruleOf(b)];
  return one === null || other === null ? a === b : ruleKey(one) === ruleKey(other);
};

const formulaOf = (rule: Rule): Formula => (rule.kind === 'own' ? rule : rule.formula);

/** Returns the rule for a formula: conditions joined with `and` (all) or `or` (any). */
function joinRules(kind: 'all' | 'any', formulas: readonly Formula[]): Rule | null {
  const different = [...new Map(formulas.map((one) => [keyOf(one), one])).values()];
  const [first, ...others] = different;
  if (first === undefined) return null;
  const formula = others.length === 0 ? first : { kind, parts: different };
  return formula.kind === 'own' ? formula : { kind: 'granted', formula, key: keyOf(formula) };
}

function ownCondition(caller: Caller, type: ContentType): OwnCondition | null {
  const user = userOf(caller);
  const owner = type.storage.columnOf.get(type.owner ?? '');
  return user === null || owner === undefined ? null : { kind: 'own', owner, user };
}

/** Returns the condition of a grant for a caller; null if it covers no document. */
export function conditionFor(
  { where }: GrantCondition,
  caller: Caller,
  type: ContentType,
): 'all' | Formula | null {
  if (where === 'all') return where;
  return where === 'own' ? ownCondition(caller, type) : filtersFor(where, caller, type);
}

export function decide(caller: Caller, type: ContentType, action: Action): Decision {
  const { permissions } = caller;
  if (permissions.allows(type.singularApiId, action)) return 'all';
  return decisionOf(permissions.limits(type.singularApiId, action), caller, type);
}

/**
 * Decides which documents of a type a caller may move to a stage. They must meet the rule before the move.
 */
export function decideMove(caller: Caller, type: ContentType, stage: string): Decision {
  const { permissions } = caller;
  const subjects = [type.singularApiId, stageSubject(type.singularApiId, stage)];
  if (subjects.some((subject) => permissions.allows(subject, 'move'))) return 'all';
  return decisionOf(
    subjects.flatMap((subject) => permissions.limits(subject, 'move')),
    caller,
    type,
  );
}

/** Stages whose drafts can be published, and to which a caller may not move every document. */
export const unapprovable = (caller: Caller, type: ContentType): string[] =>
  [...(type.stages?.publishing ?? [])].filter((stage) => decideMove(caller, type, stage) !== 'all');

function decisionOf(limits: readonly GrantCondition[], caller: Caller, type: ContentType): Decision {
  const conditions = limits.flatMap((one) => conditionFor(one, caller, type) ?? []);
  if (conditions.includes('all')) return 'all';
  return (
    joinRules(
      'any',
      conditions.filter((one) => one !== 'all'),
    ) ?? 'none'
  );
}

function both(a: Decision, b: Decision): Decision {
  const [one, other] = [ruleOf(a), ruleOf(b)];
  if (one !== null && other !== null) return joinRules('all', [one, other].map(formulaOf)) ?? 'none';
  if (a === 'all') return b;
  return b === 'none' ? b : a;
}

/**
 * Decides the documents that a caller may read with `action` in a publication state. Drafts need `readDrafts`
 * (D17).
 */
export function decideRead(
  caller: Caller,
  type: ContentType,
  { action, published }: { readonly action: Action; readonly published: boolean },
): Decision {
  const reading = decide(caller, type, action);
  return published || !type.draftAndPublish ? reading : both(reading, decide(caller, type, 'readDrafts'));
}

/**
 * Decides the documents on whose published version a caller may act. Types with `publishBy: 'right'` also
 * require `publish`.
 */
export function decidePublished(caller: Caller, type: ContentType, action: Action): Decision {
  const acting = decide(caller, type, action);
  return type.publishBy === 'right' ? both(acting, decide(caller, type, 'publish')) : acting;
}

/**
 * Whether a write that would publish stores the draft instead, because the caller may not publish every
 * document that it may write. A created document is the caller's own.
 */
export function storesDraft(caller: Caller, type: ContentType, action: Action): boolean {
  if (action !== 'create' && action !== 'update') return false;
  const published = decidePublished(caller, type, action);
  if (isOwn(published)) return action === 'update' && !isOwn(decide(caller, type, action));
  if (ruleOf(published) !== null) return !isSame(published, decide(caller, type, action));
  return published === 'none';
}

const READING: readonly Action[] = ['find', 'findOne', 'readDrafts'];

/** Whether the plan of `action` may contain a condition, which makes it specific to this caller. */
export const isPersonal = (caller: Caller, type: ContentType, action: Action): boolean =>
  caller.permissions.hasWhere ||
  (type.owner !== null &&
    caller.kind === 'user' &&
    [action, ...READING, ...(type.publishBy === 'right' ? (['publish'] as const) : [])].some((each) =>
      isOwn(decide(caller, type, each)),
    ));
