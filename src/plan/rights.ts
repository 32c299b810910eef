/** The one rule about related content: what a caller may see of another type (D16). */
import type { Permissions } from '../access/permissions.js';
import type { ContentLimits } from '../settings.js';
import type { Attribute, ContentType, Model, RelationAttribute } from '../schema/model.js';

/** Rights as the plan asks for them. Populate leaves out, filters, sorts and writes refuse; all by this answer. */
export interface Rights {
  readonly canFollow: (attribute: RelationAttribute) => boolean;
  /** What filters and sorts of one request may still step through. */
  readonly budget: { hops: number; readonly allowed: Pick<ContentLimits, 'hops' | 'hopDepth'> };
}

/** Whether documents of a type may be shown in this publication state: `find`, and `readDrafts` for drafts (D17). */
export const canShow = (permissions: Permissions, type: ContentType, published: boolean): boolean =>
  permissions.allows(type.singularApiId, 'find') &&
  (published || !type.draftAndPublish || permissions.allows(type.singularApiId, 'readDrafts'));

export const rightsOf = (permissions: Permissions, published: boolean, limits: ContentLimits): Rights => ({
  budget: { hops: limits.hops, allowed: limits },
  canFollow: (attribute) => attribute.media || attribute.join.kind === 'locales' || canShow(permissions, attribute.target, published),
});

/** Names that exist in the protocol but can never be read, filtered or sorted (protocol 4.29, 5.40). */
const CREATORS = ['createdBy', 'updatedBy'];

/** An attribute by name: itself, `hidden` when it exists but must not be used, undefined when it does not exist. */
export function lookUp(model: Model, key: string): Attribute | 'hidden' | undefined {
  const attribute = model.attributes.get(key);
  if (attribute === undefined) return model.model === 'type' && CREATORS.includes(key) ? 'hidden' : undefined;
  if (attribute.private || (attribute.kind === 'scalar' && !attribute.type.readable)) return 'hidden';
  return attribute;
}
