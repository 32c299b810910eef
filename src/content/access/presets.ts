import { forbidden } from '../../kernel/errors.js';
import type { ContentType } from '../model/model.js';
import type { Caller } from './caller.js';
import { conditionFor } from './decide.js';
import type { Action } from './actions.js';

const applying = (caller: Caller, type: ContentType, action: Action): [string, unknown][] =>
  caller.permissions
    .limits(type.singularApiId, action)
    .filter((limit) => limit.preset !== null && conditionFor(limit, caller, type) !== null)
    .flatMap(({ preset }) => Object.entries(preset?.(caller) ?? {}));

/** Returns the names of attributes that the grants of an action set, so that the caller cannot. */
export const presetNames = (caller: Caller, type: ContentType, action: Action): ReadonlySet<string> =>
  new Set(applying(caller, type, action).map(([name]) => name));

/**
 * Returns the preset values of the grants of an action that apply to the caller, by attribute. Throws
 * ForbiddenError if a value is missing, or if two grants set an attribute to different values.
 */
export function presetsOf(caller: Caller, type: ContentType, action: Action): ReadonlyMap<string, unknown> {
  const presets = new Map<string, unknown>();
  for (const [name, value] of applying(caller, type, action)) {
    if (!type.attributes.has(name)) throw new Error(`${type.singularApiId} has no "${name}" to preset`);
    const isOther = presets.has(name) && JSON.stringify(presets.get(name)) !== JSON.stringify(value);
    if (value === undefined || isOther) throw forbidden();
    presets.set(name, value);
  }
  return presets;
}
