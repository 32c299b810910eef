import type { Referrer } from './compile-write.js';
import type { ContentType, Schema } from '../schema/model.js';

/** The owning sides of relations that lead to a type: what names one of its documents that goes. */
export function referrersOf(schema: Schema, type: ContentType): Referrer[] {
  return [...schema.types.values()].flatMap((owner) =>
    [...owner.attributes.values()].flatMap((attribute): Referrer[] =>
      attribute.kind === 'relation' &&
      attribute.target === type &&
      (attribute.join.kind === 'link' || attribute.join.kind === 'column')
        ? [{ type: owner, attribute }]
        : [],
    ),
  );
}
