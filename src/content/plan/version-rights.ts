/** Rights on stored versions and on deleted documents (protocol section 25). */
import type { Caller } from '../access/caller.js';
import { decide, decideRead } from '../access/decide.js';
import type { ContentType } from '../model/model.js';
import { oneOf } from './rights.js';

/** Caller of a request about versions of a type. */
export interface Viewer {
  readonly type: ContentType;
  readonly caller: Caller;
}

/**
 * Whether a caller may see stored versions of a type: it reads and updates every document. Conditions on
 * documents hold for their present versions only.
 */
export const mayLook = ({ caller, type }: Viewer, published: boolean): boolean =>
  decide(caller, type, 'update') === 'all' &&
  decideRead(caller, type, { action: oneOf(type), published }) === 'all';

/** Whether a caller may list deleted documents of a type, and create them again. */
export const mayRestore = (viewer: Viewer): boolean =>
  decide(viewer.caller, viewer.type, 'create') === 'all' && mayLook(viewer, !viewer.type.draftAndPublish);
