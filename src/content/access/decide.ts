/** Decides which documents a caller may act on, for routes, plans, caches and writes (D16). */
import type { Column, ContentType } from '../model/model.js';
import { type Caller, userOf } from './caller.js';
import type { Action } from './permissions.js';

export interface OwnCondition {
  readonly kind: 'own';
  readonly owner: Column;
  readonly user: string;
}

/** Documents of a type on which a caller may act: all, none, or those that meet the condition. */
export type Decision = 'all' | 'none' | OwnCondition;

export const isOwn = (decision: Decision): decision is OwnCondition => typeof decision === 'object';

/** Returns the owner condition of a decision; null for all documents or none. */
export const ownPartOf = (decision: Decision): OwnCondition | null => (isOwn(decision) ? decision : null);

function ownCondition(caller: Caller, type: ContentType): OwnCondition | null {
  const user = userOf(caller);
  const owner = type.storage.columnOf.get(type.owner ?? '');
  return user === null || owner === undefined ? null : { kind: 'own', owner, user };
}

export function decide(caller: Caller, type: ContentType, action: Action): Decision {
  const { permissions } = caller;
  if (permissions.allows(type.singularApiId, action)) return 'all';
  if (!permissions.allowsOwn(type.singularApiId, action)) return 'none';
  return ownCondition(caller, type) ?? 'none';
}

function both(a: Decision, b: Decision): Decision {
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
  return published === 'none';
}

const READING: readonly Action[] = ['find', 'findOne', 'readDrafts'];

/** Whether the plan of `action` may contain an owner condition, which makes it specific to this user. */
export const isPersonal = (caller: Caller, type: ContentType, action: Action): boolean =>
  type.owner !== null &&
  caller.kind === 'user' &&
  [action, ...READING, ...(type.publishBy === 'right' ? (['publish'] as const) : [])].some((each) =>
    isOwn(decide(caller, type, each)),
  );
