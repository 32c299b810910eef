/** Conditions of actions in the tree of a role, as JSON. */
import { dataOf } from '../../content/access/data-conditions.js';
import type { GrantFilters } from '../../content/access/grant-condition.js';
import type { Action } from '../../content/access/actions.js';
import type { Permissions } from '../../content/access/permissions.js';
import { ContentError, validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import type { ContentType } from '../../content/model/model.js';
import { checkCondition, checkPreset } from '../../content/plan/check-condition.js';

export interface LeafLimits {
  readonly where?: GrantFilters;
  readonly preset?: GrantFilters;
}

interface Place {
  /** Type of the action; undefined if its routes have no conditions. */
  readonly type: ContentType | undefined;
  readonly path: string;
  /** Whether conditions may name a related type: only those that a tree can grant. */
  readonly mayEnter: (type: ContentType) => boolean;
}

const PARTS = ['where', 'preset'] as const;

/** Returns the condition that an entry contains; null without one, or if it removes the stored one. */
export function sentLimits(
  leaf: Readonly<Record<string, unknown>>,
  { type, path, mayEnter }: Place,
): LeafLimits | 'none' | null {
  const named = PARTS.filter((part) => leaf[part] !== undefined);
  if (named.length === 0) return null;
  const given = named.filter((part) => leaf[part] !== null);
  const limits = given.map((part): [string, GrantFilters] => {
    const [data, at] = [leaf[part], `${path}.${part}`];
    const wrong = (message: string): ContentError =>
      validationError(`${at}: ${message}`, { key: part, path: at, source: 'body' });
    if (type === undefined) throw wrong('only content types have conditions');
    if (!isObject(data) || Object.keys(data).length === 0)
      throw wrong('expected an object, or null for none');
    try {
      if (part === 'where') checkCondition(type, data, mayEnter);
      else checkPreset(type, data, mayEnter);
    } catch (error) {
      throw error instanceof ContentError ? below(error, at) : error;
    }
    return [part, data];
  });
  return limits.length === 0 ? 'none' : Object.fromEntries(limits);
}

/** Returns an error of a condition with its place in the body. */
function below({ message, details }: ContentError, at: string): ContentError {
  const { key, path } = details;
  const inside = typeof path === 'string' && path !== '' ? `.${path}` : '';
  return validationError(`${at}: ${message}`, {
    key: typeof key === 'string' ? key : 'where',
    path: `${at}${inside}`,
    source: 'body',
  });
}

const limitsIn = ({
  where,
  preset,
}: {
  readonly where?: unknown;
  readonly preset?: unknown;
}): LeafLimits => ({
  ...(isObject(where) ? { where } : {}),
  ...(isObject(preset) ? { preset } : {}),
});

/** Returns the only condition as JSON under which the actions are granted; null for others. */
export function limitsOf(
  permissions: Permissions,
  subject: string,
  actions: readonly Action[],
): LeafLimits | null {
  const all = actions.map((action) => permissions.limits(subject, action));
  const [first] = all[0] ?? [];
  if (first === undefined || all.some((limits) => limits.length !== 1 || limits[0]?.key !== first.key))
    return null;
  const where = typeof first.where === 'function' ? dataOf(first.where) : undefined;
  const preset = first.preset === null ? undefined : dataOf(first.preset);
  const isShown =
    (first.where === 'all' || where !== undefined) && (first.preset === null || preset !== undefined);
  return isShown ? limitsIn({ where, preset }) : null;
}
