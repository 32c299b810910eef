/** May a caller do this? The one answer, for routes, plans, the cache of plans and writes (D16). */
import type { Column, ContentType } from '../schema/model.js';
import { type Caller, userOf } from './caller.js';
import type { Action } from './permissions.js';

/** The condition that a document is a user's own: its owner attribute names that user. */
export interface OwnCondition {
  readonly kind: 'own';
  /** The column that says whose a document is. */
  readonly owner: Column;
  readonly user: string;
}

/** The documents of a type on which a caller may act: all, none, or those that meet the condition. */
export type Decision = 'all' | 'none' | OwnCondition;

export const isOwn = (decision: Decision): decision is OwnCondition => typeof decision === 'object';

/** The condition under which documents are a caller's own; null where none can be. */
function ownCondition(caller: Caller, type: ContentType): OwnCondition | null {
  const user = userOf(caller);
  const owner = type.storage.columnOf.get(type.owner ?? '');
  return user === null || owner === undefined ? null : { kind: 'own', owner, user };
}

/** On which documents of a type a caller may act. */
export function decide(caller: Caller, type: ContentType, action: Action): Decision {
  const { permissions } = caller;
  if (permissions.allows(type.singularApiId, action)) return 'all';
  if (!permissions.allowsOwn(type.singularApiId, action)) return 'none';
  return ownCondition(caller, type) ?? 'none';
}

/** Where two actions of one caller on one type are needed together. */
function both(a: Decision, b: Decision): Decision {
  if (a === 'all') return b;
  return b === 'none' ? b : a;
}

/** Which documents a caller may read with `action` in a publication state: drafts need `readDrafts` (D17). */
export function decideRead(
  caller: Caller,
  type: ContentType,
  { action, published }: { readonly action: Action; readonly published: boolean },
): Decision {
  const reading = decide(caller, type, action);
  return published || !type.draftAndPublish ? reading : both(reading, decide(caller, type, 'readDrafts'));
}

const READING: readonly Action[] = ['find', 'findOne', 'readDrafts'];

/** Whether the plan of `action` on a type may hold such a condition, so that it serves this user alone. */
export const isPersonal = (caller: Caller, type: ContentType, action: Action): boolean =>
  type.owner !== null &&
  caller.kind === 'user' &&
  [action, ...READING].some((each) => isOwn(decide(caller, type, each)));
