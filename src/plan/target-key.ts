/** How lists of links name their targets. */
import type { ContentType, LinkedAttribute } from '../schema/model.js';

/** Between a type and a document id; no type has it in its name. */
export const BETWEEN = ':';

/** A target in a list: its document id, with its type before it where there may be several. */
export const keyOf = (
  { named }: LinkedAttribute,
  { singularApiId }: ContentType,
  documentId: string,
): string => (named ? `${singularApiId}${BETWEEN}${documentId}` : documentId);

/** The types and document ids of targets that lists name with both. */
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

/** The document ids alone of the targets in a list. */
export const documentIdsOf = ({ named }: LinkedAttribute, keys: readonly string[]): readonly string[] =>
  named ? partsOf(keys).documentIds : keys;
