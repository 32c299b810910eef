/** Grants suggested from the permission strings of roles. */
import type { Action } from '../../content/access/actions.js';
import type { Grants } from '../../content/access/permissions.js';
import type { Names } from './names.js';
import type { Remark } from './remark.js';

/** Suggested `access` of the content module. */
export interface SuggestedAccess {
  readonly public?: Grants;
  readonly roles?: Readonly<Record<string, Grants>>;
}

const PERMISSION = /^(api::[^.]+\.[^.]+|plugin::[^.]+)\.(.+)$/;

const ACTIONS: readonly Action[] = ['find', 'findOne', 'create', 'update', 'delete'];
const isAction = (word: string): word is Action => ACTIONS.some((one) => one === word);

/** Grants of routes of Strapi's own plugins: subject and actions. */
const OF_PLUGINS: Readonly<Record<string, readonly [string, readonly Action[]]>> = {
  'plugin::upload.content-api.find': ['file', ['find']],
  'plugin::upload.content-api.findOne': ['file', ['findOne']],
  'plugin::upload.content-api.upload': ['file', ['create', 'update']],
  'plugin::upload.content-api.destroy': ['file', ['delete']],
  'plugin::upload.upload.find': ['file', ['find']],
  'plugin::upload.upload.findOne': ['file', ['findOne']],
  'plugin::upload.upload.upload': ['file', ['create', 'update']],
  'plugin::upload.upload.destroy': ['file', ['delete']],
  'plugin::i18n.locales.listLocales': ['locale', ['find']],
  'plugin::users-permissions.user.find': ['user', ['find']],
  'plugin::users-permissions.user.findOne': ['user', ['findOne']],
  'plugin::users-permissions.user.create': ['user', ['create']],
  'plugin::users-permissions.user.update': ['user', ['update']],
  'plugin::users-permissions.user.destroy': ['user', ['delete']],
  'plugin::users-permissions.role.find': ['role', ['find']],
  'plugin::users-permissions.role.findOne': ['role', ['findOne']],
  'plugin::users-permissions.role.createRole': ['role', ['create']],
  'plugin::users-permissions.role.updateRole': ['role', ['update']],
  'plugin::users-permissions.role.deleteRole': ['role', ['delete']],
};

/** Routes that need no grant here. */
const OPEN = /^plugin::users-permissions\.(auth\.|user\.me$|permissions\.)/;

function grantOf(action: string, names: Names): readonly [string, readonly Action[]] | null {
  const known = Object.hasOwn(OF_PLUGINS, action) ? OF_PLUGINS[action] : undefined;
  if (known !== undefined) return known;
  const [, uid = '', verb = ''] = PERMISSION.exec(action) ?? [];
  const name = names.get(uid)?.name;
  return name !== undefined && isAction(verb) ? [name, [verb]] : null;
}

function grantsOf(
  role: string,
  actions: readonly string[],
  { names, remarks }: { readonly names: Names; readonly remarks: Remark[] },
): Grants {
  const found = new Map<string, Set<Action>>();
  for (const action of actions) {
    const grant = grantOf(action, names);
    if (grant === null) {
      remarks.push({
        list: OPEN.test(action) ? 'changed' : 'none',
        subject: `role ${role}`,
        key: action,
        text: OPEN.test(action)
          ? 'The routes of accounts need no grant'
          : 'The permission has no counterpart',
      });
      continue;
    }
    const [subject, verbs] = grant;
    const allowed = found.get(subject) ?? new Set<Action>();
    verbs.forEach((verb) => allowed.add(verb));
    found.set(subject, allowed);
  }
  return Object.fromEntries([...found].map(([subject, verbs]) => [subject, [...verbs]]));
}

/** Returns grants for the roles of the source, with a remark for each permission without a counterpart. */
export function accessOf(
  actions: ReadonlyMap<string, readonly string[]>,
  names: Names,
): { readonly access: SuggestedAccess; readonly remarks: readonly Remark[] } {
  const remarks: Remark[] = [];
  const granted = [...actions].map(
    ([role, list]) => [role, grantsOf(role, list, { names, remarks })] as const,
  );
  const open = granted.find(([role]) => role === 'public')?.[1];
  const roles = granted.filter(([role]) => role !== 'public');
  return {
    access: {
      ...(open === undefined ? {} : { public: open }),
      ...(roles.length === 0 ? {} : { roles: Object.fromEntries(roles) }),
    },
    remarks,
  };
}
