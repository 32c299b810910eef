/** Grants in the format of the role routes (protocol 19.20, 19.21). */
import { checkGrants } from '../../content/access/check-grants.js';
import { ACTIONS, type Action } from '../../content/access/actions.js';
import { type Grant, type Grants, Permissions } from '../../content/access/permissions.js';
import { validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import type { ContentType, Schema } from '../../content/model/model.js';
import { dataMistake } from '../../content/plan/check-condition.js';
import { AUDIT_GRANT, DESK_GRANT, RELEASES_GRANT } from '../../content/model/naming.js';
import { suggest } from '../../content/model/suggest.js';
import { type LeafLimits, limitsOf, sentLimits, storedLimits } from './tree-conditions.js';

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
        const enabled = all.every((action) => permissions.allows(subject, action));
        const limits = enabled || !withLimits ? null : limitsOf(permissions, subject, all);
        return [name, { enabled: enabled || limits !== null, policy: '', ...limits }];
      }),
    );
  }
  return tree;
}

/** Other spellings of actions; newer protocol versions use `readDraft`. */
const SYNONYMS: Readonly<Record<string, string>> = { readDraft: 'readDrafts' };

/**
 * Returns the grants of a tree. Disabled entries are ignored, because trees of other servers contain actions
 * of their own. Throws a ValidationError for an enabled entry that does not exist, and for a wrong condition.
 * An entry that names no condition keeps the one in `stored`: clients of the protocol do not know conditions.
 */
export function grantsOfTree(tree: unknown, schema: Schema, stored: Grants = {}): Grants {
  if (Array.isArray(tree) && tree.length === 0) return {};
  if (!isObject(tree))
    throw validationError('permissions must be an object', {
      key: 'permissions',
      path: 'permissions',
      source: 'body',
    });
  const known = branches(schema);
  const mayEnter = (type: ContentType): boolean =>
    known.some(({ subject }) => subject === type.singularApiId);
  const grants = new Map<string, Grant[]>();
  for (const { group, controller, action, leaf } of enabledIn(tree)) {
    const branch = known.find((one) => one.controller === controller && one.groups.includes(group));
    if (branch === undefined)
      refuse(
        controller,
        `permissions.${group}`,
        known.map((one) => one.controller),
      );
    const { subject, actions } = branch;
    const name = SYNONYMS[action] ?? action;
    const meant = Object.hasOwn(actions, name) ? actions[name] : undefined;
    const path = `permissions.${group}.controllers.${controller}`;
    if (meant === undefined) refuse(action, path, Object.keys(actions));
    const place = { type: limitable(subject, schema), path: `${path}.${action}`, mayEnter };
    const limits = sentLimits(leaf, place) ?? storedLimits(stored[subject], meant) ?? 'none';
    const granted = limits === 'none' ? meant : [{ actions: meant, ...limits }];
    grants.set(subject, [...(grants.get(subject) ?? []), ...granted]);
  }
  return Object.fromEntries([...grants].map(([name, list]) => [name, distinct(list)]));
}

/** Groups of one action can occur twice, under both names of a type. */
const distinct = (list: readonly Grant[]): readonly Grant[] => [
  ...new Map(list.map((grant) => [JSON.stringify(grant), grant])).values(),
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
  const fromTree = Permissions.of(grantsOfTree(treeOf(permissions, schema, true), schema));
  return fromTree.covers(permissions) && permissions.covers(fromTree);
}

const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

interface EnabledLeaf {
  readonly group: string;
  readonly controller: string;
  readonly action: string;
  readonly leaf: Readonly<Record<string, unknown>>;
}

const enabledIn = (tree: Readonly<Record<string, unknown>>): EnabledLeaf[] =>
  entriesOf(tree).flatMap(([group, value]) =>
    entriesOf(isObject(value) ? value['controllers'] : null).flatMap(([controller, actions]) =>
      entriesOf(actions).flatMap(([action, leaf]) =>
        isObject(leaf) && leaf['enabled'] === true ? [{ group, controller, action, leaf }] : [],
      ),
    ),
  );

function refuse(key: string, path: string, known: readonly string[]): never {
  throw validationError(`Invalid key ${key} at ${path}${suggest(key, known)}`, { key, path, source: 'body' });
}
