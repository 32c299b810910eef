import { localeChain } from './fallback.js';
import type { ObjectPlan, OrderKey, ReadPlan } from './plan.js';

/** Pages that begin later make the database walk past what it does not show. */
const FAR = 10_000;

/** Whether an object leads to any number of others. */
const isWide = ({ children }: ObjectPlan): boolean =>
  children.some((child) => {
    const many = child.attribute.linked && child.attribute.many;
    if (many || child.kind === 'count') return true;
    const objects = child.kind === 'items' ? [child] : [...child.items.values()];
    return objects.some(({ object }) => isWide(object));
  });

/** The order in which rows are found anyway. */
const isById = ({ hops, attribute }: OrderKey): boolean => hops.length === 0 && attribute.name === 'id';

/**
 * Whether a read may take long, by its shape alone: it looks for rows, sorts them, counts
 * those whose locale it picks, or shows any number of others with each. How long it takes is only known once
 * it has run.
 */
export function isHeavy({ type, version, page, where, search, order, object }: ReadPlan): boolean {
  if (isWide(object)) return true;
  if (page === null) return false;
  const counts = page.withCount && localeChain(type, version, true) !== null;
  return counts || where !== null || search !== null || !order.every(isById) || page.start > FAR;
}
