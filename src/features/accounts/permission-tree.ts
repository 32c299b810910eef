/** Grants in the format of the role routes (protocol 19.20, 19.21). */
import { isDeepStrictEqual } from 'node:util';
import { checkGrants } from '../../content/access/check-grants.js';
import { ACTIONS, type Action } from '../../content/access/actions.js';
import { type Grants, Permissions } from '../../content/access/permissions.js';
import { type ContentError, validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import type { ContentType, Schema } from '../../content/model/model.js';
import { dataMistake } from '../../content/plan/check-condition.js';
import { AUDIT_GRANT, DESK_GRANT, RELEASES_GRANT } from '../../content/model/naming.js';
import { suggest } from '../../content/model/suggest.js';
import { type ChangedGrants, changedGrants, type GrantChange } from './changed-grants.js';
import { type LeafLimits, limitsOf, sentLimits } from './tree-conditions.js';

/** Action in a tree. With `where` or `preset`, it is granted on the documents that meet the condition. */
interface TreeLeaf extends LeafLimits {
  readonly enabled: boolean;
  readonly policy: string;
}

/** `{ 'api::article': { controllers: { article: { find: { enabled: true, policy: '' } } } } }` */
export type PermissionTree = Readonly<
  Record<string, { readonly controllers: Readonly<Record<string, Readonly<Record<string, TreeLeaf>>>> }>
>;

const PLUGIN = 'plugin::users-permissions';
const IN_PLUGIN = ['user', 'role'];

/** Actions of a type by their names in the tree. */
type ActionNames = Readonly<Record<string, readonly Action[]>>;

const OWN_NAMES: ActionNames = Object.fromEntries(ACTIONS.map((action) => [action, [action]]));

/** `upload` grants both new files and replacements (20.12). */
const OF_FILES: ActionNames = {
  find: ['find'],
  findOne: ['findOne'],
  upload: ['create', 'update'],
  destroy: ['delete'],
};

interface Branch {
  /** Subject of the grants. */
  readonly subject: string;
  /** Accepted group names; responses use the first. Other servers of the protocol name types twice. */
  readonly groups: readonly string[];
  readonly controller: string;
  readonly actions: ActionNames;
}

function branchOf(type: ContentType): Branch {
  const { singularApiId: name, internal } = type;
  if (internal)
    return { subject: name, groups: ['plugin::upload'], controller: 'content-api', actions: OF_FILES };
  const group = IN_PLUGIN.includes(name) ? PLUGIN : `api::${name}`;
  return { subject: name, groups: [group, `${group}.${name}`], controller: name, actions: OWN_NAMES };
}

/** Grants without a content type. */
const OTHERS: readonly Branch[] = [
  {
    subject: 'locale',
    groups: ['plugin::i18n'],
    controller: 'locales',
    actions: { listLocales: ['find'] },
  },
  { subject: DESK_GRANT, groups: ['plugin::desk'], controller: 'desk', actions: { open: ['open'] } },
  { subject: AUDIT_GRANT, groups: ['plugin::audit'], controller: 'audit', actions: { open: ['open'] } },
  {
    subject: RELEASES_GRANT,
    groups: ['plugin::releases'],
    controller: 'releases',
    actions: { open: ['open'] },
  },
];

const branches = (schema: Schema): Branch[] => [
  ...[...schema.types.values()]
    .filter(
      ({ internal, routes, singularApiId }) =>
        internal || routes.length > 0 || IN_PLUGIN.includes(singularApiId),
    )
    .map(branchOf),
  ...OTHERS,
];

/**
 * Returns the tree of all types and actions, with the granted ones enabled. `withLimits` also enables those
 * that are granted under a condition as JSON, and shows it.
 */
export function treeOf(permissions: Permissions, schema: Schema, withLimits = false): PermissionTree {
  const tree: Record<string, { controllers: Record<string, Record<string, TreeLeaf>> }> = {};
  for (const { subject, groups, controller, actions } of branches(schema)) {
    const group = (tree[groups[0] ?? ''] ??= { controllers: {} });
    group.controllers[controller] = Object.fromEntries(
      Object.entries(actions).map(([name, all]) => {
        const enabled = isOnAll(permissions, subject, all);
        return [name, withLimits ? leafOf(permissions, subject, all) : { enabled, policy: '' }];
      }),
    );
  }
  return tree;
}

const isOnAll = (permissions: Permissions, subject: string, actions: readonly Action[]): boolean =>
  actions.every((action) => permissions.allows(subject, action));

function leafOf(permissions: Permissions, subject: string, actions: readonly Action[]): TreeLeaf {
  const limits = isOnAll(permissions, subject, actions) ? null : limitsOf(permissions, subject, actions);
  return { enabled: limits !== null || isOnAll(permissions, subject, actions), policy: '', ...limits };
}

/** Other spellings of actions; newer protocol versions use `readDraft`. */
const SYNONYMS: Readonly<Record<string, string>> = { readDraft: 'readDrafts' };

/** Grants before a tree is applied, and the permissions that clients see in the tree of the role. */
export interface TreeBase {
  readonly stored: Grants;
  readonly shown: Permissions;
}

/**
 * Applies a tree to stored grants. Only actions that the tree changes get other grants, because a tree shows
 * neither attributes nor every condition and type. An entry that names no condition keeps the shown one:
 * clients of the protocol do not know conditions. An empty list removes all grants.
 *
 * Disabled entries that do not exist are ignored, because trees of other servers contain actions of their
 * own. Throws a ValidationError for an enabled one, and for a wrong condition.
 */
export function applyTree(tree: unknown, schema: Schema, { stored, shown }: TreeBase): ChangedGrants {
  if (Array.isArray(tree) && tree.length === 0) return { grants: {}, added: {} };
  if (!isObject(tree))
    throw validationError('permissions must be an object', {
      key: 'permissions',
      path: 'permissions',
      source: 'body',
    });
  const sent = sentIn(tree, schema);
  const changes = branches(schema).flatMap(({ subject, actions }) =>
    Object.entries(actions).flatMap(([name, all]): GrantChange[] => {
      const { enabled, policy: _policy, ...limits } = leafOf(shown, subject, all);
      const leaves = sent.get(`${subject} ${name}`) ?? [];
      const leafLimits = distinct(leaves.map((one) => (one === 'none' ? {} : (one ?? limits))));
      const same = enabled
        ? leafLimits.length === 1 && isDeepStrictEqual(leafLimits[0], limits)
        : leafLimits.length === 0;
      return same ? [] : [{ subject, actions: all, leafLimits, isNew: !enabled }];
    }),
  );
  return changedGrants(stored, changes, [...schema.types.keys()]);
}

/** Returns the conditions of enabled entries, by subject and action. */
function sentIn(
  tree: Readonly<Record<string, unknown>>,
  schema: Schema,
): ReadonlyMap<string, readonly ReturnType<typeof sentLimits>[]> {
  const schemaBranches = branches(schema);
  const mayEnter = (type: ContentType): boolean =>
    schemaBranches.some(({ subject }) => subject === type.singularApiId);
  const sent = new Map<string, ReturnType<typeof sentLimits>[]>();
  for (const { group, controller, action, leaf } of enabledIn(tree)) {
    const branch = schemaBranches.find((one) => one.controller === controller && one.groups.includes(group));
    if (branch === undefined)
      refuse(
        controller,
        `permissions.${group}`,
        schemaBranches.map((one) => one.controller),
      );
    const { subject, actions } = branch;
    const name = SYNONYMS[action] ?? action;
    const path = `permissions.${group}.controllers.${controller}`;
    if (!Object.hasOwn(actions, name)) refuse(action, path, Object.keys(actions));
    const place = { type: limitable(subject, schema), path: `${path}.${action}`, mayEnter };
    const key = `${subject} ${name}`;
    sent.set(key, [...(sent.get(key) ?? []), sentLimits(leaf, place)]);
  }
  return sent;
}

/** Groups of one action can occur twice, under both names of a type. */
const distinct = (list: readonly LeafLimits[]): readonly LeafLimits[] => [
  ...new Map(list.map((limits) => [JSON.stringify(limits), limits])).values(),
];

/** Content type whose actions can have conditions; undefined for the subjects of other routes. */
function limitable(subject: string, schema: Schema): ContentType | undefined {
  const type = schema.types.get(subject);
  return type?.internal === true || IN_PLUGIN.includes(subject) ? undefined : type;
}

/** Whether a tree expresses all grants: grants of attributes, of own documents and of `*` do not fit in. */
export function isTree(grants: Grants, schema: Schema): boolean {
  if (checkGrants(grants, { schema, check: dataMistake }, 'grants').length > 0) return false;
  const permissions = Permissions.of(grants);
  const none = { stored: {}, shown: Permissions.of({}) };
  const fromTree = Permissions.of(applyTree(treeOf(permissions, schema, true), schema, none).grants);
  return fromTree.covers(permissions) && permissions.covers(fromTree);
}

/** Returns the members of a part of a tree; none if it is omitted. Throws a ValidationError for others. */
function entriesOf(value: unknown, path: string): [string, unknown][] {
  if (value === undefined) return [];
  if (!isObject(value)) throw wrongPart(path, 'an object');
  return Object.entries(value);
}

function wrongPart(path: string, expected: string): ContentError {
  const key = path.slice(path.lastIndexOf('.') + 1);
  return validationError(`${path} must be ${expected}`, { key, path, source: 'body' });
}

interface EnabledLeaf {
  readonly group: string;
  readonly controller: string;
  readonly action: string;
  readonly leaf: Readonly<Record<string, unknown>>;
}

const enabledIn = (tree: Readonly<Record<string, unknown>>): EnabledLeaf[] =>
  Object.entries(tree).flatMap(([group, value]) => {
    const parts = new Map(entriesOf(value, `permissions.${group}`));
    const path = `permissions.${group}.controllers`;
    return entriesOf(parts.get('controllers'), path).flatMap(([controller, actions]) =>
      entriesOf(actions, `${path}.${controller}`).flatMap(([action, leaf]) =>
        isEnabled(leaf, `${path}.${controller}.${action}`) ? [{ group, controller, action, leaf }] : [],
      ),
    );
  });

function isEnabled(leaf: unknown, path: string): leaf is Readonly<Record<string, unknown>> {
  const enabled = isObject(leaf) ? leaf['enabled'] : undefined;
  if (typeof enabled !== 'boolean') throw wrongPart(path, 'an object with "enabled": true or false');
  return enabled;
}

function refuse(key: string, path: string, allowed: readonly string[]): never {
  throw validationError(`Invalid key ${key} at ${path}${suggest(key, allowed)}`, {
    key,
    path,
    source: 'body',
  });
}
