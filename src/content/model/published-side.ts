/** Published side of a type with drafts: the same type, as if it had no drafts. */
import type { ContentType } from './model.js';

const sides = new WeakMap<ContentType, ContentType>();
const isSide = new WeakSet<ContentType>();

/**
 * Returns the type whose only versions are the published ones of a type. A write to it leaves drafts, their
 * stages and their times as they are.
 */
export function publishedSideOf(type: ContentType): ContentType {
  const known = sides.get(type);
  if (known !== undefined) return known;
  const side: ContentType = Object.freeze({ ...type, draftAndPublish: false, stages: null });
  sides.set(type, side);
  isSide.add(side);
  return side;
}

export const isPublishedSide = (type: ContentType): boolean => isSide.has(type);
