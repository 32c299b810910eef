/**
 * Whether the caller may act on this very document; asked under its lock, before any code of the host's runs.
 */
import { type Caller, scopeOf, userOf } from '../access/caller.js';
import type { Action } from '../access/permissions.js';
import { compileStanding } from '../compile/compile-load.js';
import type { Runner } from '../database/runner.js';
import { forbidden } from '../errors.js';
import type { ContentType } from '../schema/model.js';

/** Who is about to do what, to which document. */
export interface Target {
  readonly type: ContentType;
  /** Null for a new document, and for a single type's. */
  readonly documentId: string | null;
  /** The locale that must be there; null where any version will do. */
  readonly locale: string | null;
  readonly caller: Caller;
  readonly action: Action;
}

/**
 * A document that may be created has nothing to be looked at; a single type's is created when it is absent.
 */
const mayBeNew = ({ type, documentId, action }: Target): boolean =>
  documentId === null && (type.kind === 'collectionType' || action === 'update');

/**
 * Whether the document is there for the caller. One that is not theirs, where only their own may be written,
 * counts as absent, or throws ForbiddenError where they may read it. Asks the database only where something
 * depends on it that comes before the write itself: rights on own documents alone, or hooks (`asked`).
 */
export async function isThere(runner: Runner, target: Target, asked: boolean): Promise<boolean> {
  const { type, documentId, locale, caller, action } = target;
  const ownOnly = scopeOf(caller, type, action) === 'own';
  if (mayBeNew(target) || !(ownOnly || asked)) return true;
  const [row] = await runner.run(compileStanding({ type, documentId, locale, user: userOf(caller) }));
  if (row?.['there'] !== true) return false;
  if (!ownOnly || row['own'] === true) return true;
  if (mayKnow(target, row['published'] === true)) throw forbidden();
  return false;
}

/** Whether the caller may know of a document that is not theirs: a draft is absent without a right to it. */
const mayKnow = ({ type, caller: { permissions } }: Target, isPublished: boolean): boolean =>
  permissions.allows(type.singularApiId, 'findOne') &&
  (isPublished || permissions.allows(type.singularApiId, 'readDrafts'));
