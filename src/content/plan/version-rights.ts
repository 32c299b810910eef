/** Rights on stored versions and on deleted documents (protocol section 25). */
import type { Caller } from '../access/caller.js';
import { decide, type Decision, decideRead } from '../access/decide.js';
import type { ContentType } from '../model/model.js';
import { oneOf } from './rights.js';

/** Caller of a request about versions of a type. */
export interface Viewer {
  readonly type: ContentType;
  readonly caller: Caller;
}

const reading = ({ caller, type }: Viewer, published: boolean): Decision =>
  decideRead(caller, type, { action: oneOf(type), published });

/** Decides the versions that a caller may read by their states. */
export const decideReading = (
  viewer: Viewer,
): { readonly published: Decision; readonly drafts: Decision } => ({
  published: reading(viewer, true),
  drafts: reading(viewer, false),
});

/**
 * Whether a caller may see stored versions of a type in a state: it reads and updates some documents.
 * A condition holds for the current document, and for the values of each version.
 */
export const mayLook = (viewer: Viewer, published: boolean): boolean =>
  decide(viewer.caller, viewer.type, 'update') !== 'none' && reading(viewer, published) !== 'none';

/** Whether a caller may list deleted documents of a type, and create them again. */
export const mayRestore = (viewer: Viewer): boolean =>
  decide(viewer.caller, viewer.type, 'create') !== 'none' && mayLook(viewer, !viewer.type.draftAndPublish);
