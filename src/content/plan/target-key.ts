/** Text form of targets in lists of links. */
import type { ContentType, LinkedAttribute } from '../model/model.js';

/** Separator of type and document id; type names do not contain it. */
export const BETWEEN = ':';

/** Returns the list entry of a target: its document id, prefixed by its type in polymorphic relations. */
export const keyOf = (
  { named }: LinkedAttribute,
  { singularApiId }: ContentType,
  documentId: string,
): string => (named ? `${singularApiId}${BETWEEN}${documentId}` : documentId);

/** Whether a list entry of a polymorphic relation has a target of a type. */
export const isKeyOf = ({ singularApiId }: ContentType, key: string): boolean =>
  key.startsWith(`${singularApiId}${BETWEEN}`);

/** Splits list entries of polymorphic relations into types and document ids. */
export function partsOf(keys: readonly string[]): {
  readonly types: readonly string[];
  readonly documentIds: readonly string[];
} {
  const at = (key: string): number => key.indexOf(BETWEEN);
  return {
    types: keys.map((key) => key.slice(0, at(key))),
    documentIds: keys.map((key) => key.slice(at(key) + 1)),
  };
}

export const documentIdsOf = ({ named }: LinkedAttribute, keys: readonly string[]): readonly string[] =>
  named ? partsOf(keys).documentIds : keys;
