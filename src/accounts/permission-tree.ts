/** Grants in the form that the roles' routes speak (protocol 19.20, 19.21). */
import { ACTIONS, type Action, type Grants, type Permissions } from '../access/permissions.js';
import { validationError } from '../errors.js';
import { isObject } from '../query/read-raw.js';
import type { ContentType, Schema } from '../schema/model.js';
import { suggest } from '../schema/suggest.js';

/** `{ 'api::article': { controllers: { article: { find: { enabled: true, policy: '' } } } } }` */
export type PermissionTree = Readonly<
  Record<
    string,
    {
      readonly controllers: Readonly<
        Record<string, Readonly<Record<string, { readonly enabled: boolean; readonly policy: string }>>>
      >;
    }
  >
>;

const PLUGIN = 'plugin::users-permissions';
const IN_PLUGIN = ['user', 'role'];

const groupOf = (type: ContentType): string =>
  IN_PLUGIN.includes(type.singularApiId) ? PLUGIN : `api::${type.singularApiId}`;
const grantable = (schema: Schema): ContentType[] =>
  [...schema.types.values()].filter(
    (type) => !type.internal && (type.routes.length > 0 || IN_PLUGIN.includes(type.singularApiId)),
  );

/** What is granted, for every type and action. */
export function treeOf(permissions: Permissions, schema: Schema): PermissionTree {
  const tree: Record<
    string,
    { controllers: Record<string, Record<string, { enabled: boolean; policy: string }>> }
  > = {};
  for (const type of grantable(schema)) {
    const group = (tree[groupOf(type)] ??= { controllers: {} });
    group.controllers[type.singularApiId] = Object.fromEntries(
      ACTIONS.map((action) => [
        action,
        { enabled: permissions.allows(type.singularApiId, action), policy: '' },
      ]),
    );
  }
  return tree;
}

/** The grants of a tree. Throws a ValidationError for what does not exist. */
export function grantsOfTree(tree: unknown, schema: Schema): Grants {
  const types = new Map(grantable(schema).map((type) => [type.singularApiId, type]));
  const grants: Record<string, Action[]> = {};
  if (!isObject(tree))
    throw validationError('permissions must be an object', {
      key: 'permissions',
      path: 'permissions',
      source: 'body',
    });
  for (const [group, value] of Object.entries(tree)) {
    const controllers = isObject(value) && isObject(value['controllers']) ? value['controllers'] : {};
    for (const [name, actions] of Object.entries(controllers)) {
      const type = types.get(name);
      if (type === undefined || groupOf(type) !== group)
        refuse(name, `permissions.${group}`, [...types.keys()]);
      const enabled = Object.entries(isObject(actions) ? actions : {}).filter(
        ([, item]) => isObject(item) && item['enabled'] === true,
      );
      for (const [action] of enabled) {
        if (!(ACTIONS as readonly string[]).includes(action))
          refuse(action, `permissions.${group}.controllers.${name}`, ACTIONS);
        (grants[name] ??= []).push(action as Action);
      }
    }
  }
  return grants;
}

function refuse(key: string, path: string, known: readonly string[]): never {
  throw validationError(`Invalid key ${key} at ${path}${suggest(key, known)}`, { key, path, source: 'body' });
}
