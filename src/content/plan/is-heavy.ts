import { localeChain } from './fallback.js';
import type { ObjectPlan, OrderKey, ReadPlan } from './plan.js';

/** Offset at which a page begins to count as slow: the database scans the skipped rows. */
const FAR = 10_000;

const isWide = ({ children }: ObjectPlan): boolean =>
  children.some((child) => {
    const many = child.attribute.linked && child.attribute.many;
    if (many || child.kind === 'count') return true;
    const objects = child.kind === 'items' ? [child] : [...child.items.values()];
    return objects.some(({ object }) => isWide(object));
  });

const isById = ({ hops, attribute }: OrderKey): boolean => hops.length === 0 && attribute.name === 'id';

/**
 * Whether a read may be slow: it filters, searches, sorts, skips many rows, populates lists, or counts with a
 * locale fallback. Only its plan is considered.
 */
export function isHeavy({ type, version, page, where, search, order, object }: ReadPlan): boolean {
  if (isWide(object)) return true;
  if (page === null) return false;
  const counts = page.withCount && localeChain(type, version, true) !== null;
  return counts || where !== null || search !== null || !order.every(isById) || page.start > FAR;
}
