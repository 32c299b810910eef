/** References of a caller in values that a hook has changed: they keep the rights of the caller. */
import type { Attribute, ContentType, LinkedAttribute } from '../model/model.js';
import type { SentReferences } from './given.js';
import type { Reference } from './relation-input.js';
import type { WriteRights } from './write-rights.js';

/** Body before the hooks. */
interface Former {
  readonly references: ReadonlyMap<ContentType, { readonly references: readonly Reference[] }>;
  readonly isNamed: (attribute: Attribute) => boolean;
}

interface ReferencePlace {
  /** Null before the hooks. */
  readonly former: Former | null;
  /** Attribute of the document that contains the relation; null for values that no caller chooses. */
  readonly root: Attribute | null;
  /** Attributes that hooks have changed. */
  readonly changed: ReadonlySet<string>;
  /** Rights of the caller. */
  readonly asked: WriteRights;
}

const isSame = (one: Reference, other: Reference): boolean =>
  'id' in one
    ? 'id' in other && one.id === other.id
    : 'documentId' in other && one.documentId === other.documentId;

/**
 * Returns the references that the caller sent, if a hook has changed the attribute in which it sent them. A
 * hook may add references without permissions, but its changes give the caller none. `shown` is whether the
 * relation is readable within its attribute.
 */
export function sentReferences(
  attribute: LinkedAttribute,
  shown: boolean,
  { former, root, changed, asked }: ReferencePlace,
): SentReferences | null {
  if (former === null || root === null || !changed.has(root.name) || !former.isNamed(root)) return null;
  const scope = asked.links(attribute, shown && asked.isShown(root));
  if ('grant' in scope) return null;
  const has = (reference: Reference): boolean =>
    former.references.get(reference.type)?.references.some((one) => isSame(one, reference)) === true;
  return { scope, has };
}
