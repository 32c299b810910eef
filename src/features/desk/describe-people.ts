/** Permissions of one caller on users, roles and API tokens, as the desk shows them. */
import type { Caller } from '../../content/access/caller.js';
import type { Action } from '../../content/access/actions.js';
import { keysOf } from '../../kernel/json.js';
import type { DeskModel, DeskPeople } from './desk-model.js';

const USER = 'user';
const ROLE = 'role';
const TOKEN = 'api-token';

/** Parts that the application has. */
export interface PeopleParts {
  readonly accounts: boolean;
  /** Whether users sign in at the desk, so that they can be invited. */
  readonly signsIn: boolean;
  readonly tokens: boolean;
}

/** Whether a body may contain an attribute of users. */
export function mayWriteUser(
  { permissions }: Caller,
  action: 'create' | 'update',
  ...attributes: readonly string[]
): boolean {
  const fields = permissions.fields(USER, action);
  return permissions.allows(USER, action) && (fields === null || attributes.every((one) => fields.has(one)));
}

const allowed = <T extends Action>({ permissions }: Caller, type: string, actions: readonly T[]): T[] =>
  actions.filter((action) => permissions.allowsWhole(type, action));

function usersFor(caller: Caller, signsIn: boolean): DeskPeople['users'] {
  const isRoleShown = caller.permissions.allowsWhole(ROLE, 'find');
  const mayInvite = signsIn && mayWriteUser(caller, 'update', 'password');
  const abilities: Readonly<Record<DeskPeople['users'][number], boolean>> = {
    find: caller.permissions.allows(USER, 'find'),
    create: mayInvite && isRoleShown && mayWriteUser(caller, 'create', 'username', 'email', 'role'),
    invite: mayInvite,
    changeRole: isRoleShown && mayWriteUser(caller, 'update', 'role'),
    block: mayWriteUser(caller, 'update', 'blocked'),
    delete: caller.permissions.allows(USER, 'delete'),
  };
  return keysOf(abilities).filter((one) => abilities[one]);
}

/** Permissions on webhooks, if the application serves their routes. */
export const describeWebhooks = (caller: Caller, isServed: boolean): DeskModel['webhooks'] =>
  isServed ? allowed(caller, 'webhook', ['find', 'findOne', 'create', 'update', 'delete']) : [];

export function describePeople(caller: Caller, { accounts, signsIn, tokens }: PeopleParts): DeskPeople {
  return {
    users: accounts ? usersFor(caller, signsIn) : [],
    roles: accounts ? allowed(caller, ROLE, ['find', 'findOne', 'create', 'update', 'delete']) : [],
    tokens: tokens ? allowed(caller, TOKEN, ['find', 'create', 'update', 'delete']) : [],
  };
}
