/** Filters of grants as conditions: they see all content, whatever the caller may read. */
import { LRUCache } from 'lru-cache';
import type { WhereCondition } from '../access/grant-condition.js';
import type { ContentType } from '../model/model.js';
import { ContentError, messageOf, unmetGrant } from '../../kernel/errors.js';
import { parseFilters } from '../query/parse-filters.js';
import { openFilter } from '../query/text-shape.js';
import type { Condition } from './plan.js';
import { withPlaceholders } from './open-conditions.js';
import { planFilter } from './plan-filter.js';
import type { Rights } from './rights.js';

/** Maximum number of cached conditions of a type (LRU). */
const MOST = 1000;

const SOURCE = { source: 'query', param: 'where' } as const;

const unlimitedRights = (): Rights => {
  const rights: Rights = {
    budget: { hops: Infinity, allowed: { hops: Infinity, hopDepth: Infinity } },
    mayEnter: () => true,
    seesAll: () => true,
    mayRead: () => true,
    seesPrivate: true,
    enter: () => rights,
  };
  return rights;
};

const plannedConditions = new WeakMap<ContentType, LRUCache<string, Condition>>();

/**
 * Returns the condition of a grant's filters. Throws an Error for names that the model does not have, and a
 * ForbiddenError for a value that does not fit. A value may come from the caller, a name does not.
 */
export function planWhere({ type, key }: WhereCondition): Condition {
  const ofType = plannedConditions.get(type) ?? new LRUCache<string, Condition>({ max: MOST });
  plannedConditions.set(type, ofType);
  const cached = ofType.get(key);
  if (cached !== undefined) return cached;
  const condition = plan(type, JSON.parse(key));
  ofType.set(key, condition);
  return condition;
}

function plan(type: ContentType, filters: unknown): Condition {
  try {
    return conditionOf(type, filters);
  } catch (error) {
    const message = messageOf(error);
    const reason = `A grant on ${type.singularApiId} has a wrong condition: ${message}`;
    if (error instanceof ContentError && isOfModel(type, filters)) throw unmetGrant(reason);
    throw new Error(reason, { cause: error });
  }
}

/** Whether filters fit the model with other values. */
function isOfModel(type: ContentType, filters: unknown): boolean {
  try {
    conditionOf(type, withPlaceholders(filters));
    return true;
  } catch {
    return false;
  }
}

function conditionOf(type: ContentType, filters: unknown): Condition {
  const budget = { left: Infinity, allowed: Infinity };
  const filter = parseFilters(filters, { source: SOURCE, budget });
  if (filter === null) throw new Error('There are no filters');
  return planFilter(openFilter(filter), {
    model: type,
    attribute: null,
    open: true,
    path: [],
    negated: false,
    rights: unlimitedRights(),
    source: SOURCE,
  });
}
