/** Checks of the options `access` and `auth`, whose types JavaScript does not guarantee. */
import { isObject } from '../kernel/json.js';
import type { AccessOptions, AuthOptions } from './content.options.js';

const has = (value: unknown, method: string): boolean =>
  isObject(value) && typeof value[method] === 'function';

const areStrategies = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => has(one, 'authenticate'));

const isTime = (value: unknown): boolean => typeof value === 'number' && value >= 0;

/** Returns a message for each option of the wrong kind. Grants are checked later. */
export function checkAccess(access: AccessOptions, auth: AuthOptions): string[] {
  if (!isObject(access)) return ['access must be an object with public, roles, source and maxAge'];
  if (!isObject(auth)) return ['auth must be an object with strategies'];
  const { roles = {}, source, maxAge = 0 } = access;
  const { strategies = [] } = auth;
  const rules: readonly (readonly [boolean, string])[] = [
    [isObject(roles), 'access.roles must be an object with the grants of each role'],
    [source === undefined || has(source, 'load'), 'access.source must be an object with a method "load"'],
    [isTime(maxAge), 'access.maxAge must be a number of milliseconds, 0 or more'],
    [areStrategies(strategies), 'auth.strategies must be a list of objects with a method "authenticate"'],
  ];
  return rules.flatMap(([isRight, message]) => (isRight ? [] : [message]));
}
