/** Grants in the form that the roles' routes speak (protocol 19.20, 19.21). */
import { ACTIONS, type Action, type Grants, type Permissions } from '../access/permissions.js';
import { validationError } from '../errors.js';
import { isObject } from '../json.js';
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
/** Other servers of the protocol name the type twice. */
const groupsOf = (type: ContentType): string[] => [groupOf(type), `${groupOf(type)}.${type.singularApiId}`];
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

/** Actions by their names; newer versions of the protocol say `readDraft`. */
const ACTION_NAMES: ReadonlyMap<string, Action> = new Map([
  ...ACTIONS.map((action) => [action, action] as const),
  ['readDraft', 'readDrafts'],
]);

/**
 * The grants of a tree. What is not enabled grants nothing, whatever its name: trees of other servers name
 * actions of theirs. Throws a ValidationError for something enabled that does not exist.
 */
export function grantsOfTree(tree: unknown, schema: Schema): Grants {
  if (Array.isArray(tree) && tree.length === 0) return {};
  if (!isObject(tree))
    throw validationError('permissions must be an object', {
      key: 'permissions',
      path: 'permissions',
      source: 'body',
    });
  const types = new Map(grantable(schema).map((type) => [type.singularApiId, type]));
  const grants = new Map<string, Set<Action>>();
  for (const { group, controller, action } of enabledIn(tree)) {
    const type = types.get(controller);
    if (type === undefined || !groupsOf(type).includes(group))
      refuse(controller, `permissions.${group}`, [...types.keys()]);
    const known = ACTION_NAMES.get(action);
    if (known === undefined) refuse(action, `permissions.${group}.controllers.${controller}`, ACTIONS);
    grants.set(controller, (grants.get(controller) ?? new Set()).add(known));
  }
  return Object.fromEntries([...grants].map(([name, actions]) => [name, [...actions]]));
}

const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

/** The leaves of a tree that are switched on. */
const enabledIn = (
  tree: Readonly<Record<string, unknown>>,
): { readonly group: string; readonly controller: string; readonly action: string }[] =>
  entriesOf(tree).flatMap(([group, value]) =>
    entriesOf(isObject(value) ? value['controllers'] : null).flatMap(([controller, actions]) =>
      entriesOf(actions)
        .filter(([, leaf]) => isObject(leaf) && leaf['enabled'] === true)
        .map(([action]) => ({ group, controller, action })),
    ),
  );

function refuse(key: string, path: string, known: readonly string[]): never {
  throw validationError(`Invalid key ${key} at ${path}${suggest(key, known)}`, { key, path, source: 'body' });
}
