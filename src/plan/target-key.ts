/** How lists of links name their targets. */
import type { ContentType, LinkedAttribute } from '../schema/model.js';

/** Between a type and a document id: no type has it in its name. */
export const BETWEEN = ':';

/** A target in a list: its document id, with its type before it where there may be several. */
export const keyOf = (
  { named }: LinkedAttribute,
  { singularApiId }: ContentType,
  documentId: string,
): string => (named ? `${singularApiId}${BETWEEN}${documentId}` : documentId);
