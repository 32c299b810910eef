/** What holds for users whoever writes them: a route, the host's own service, another hook. */
import type { HookFunction, HookMetadata } from '../documents/hooks.js';
import { lowerCase, NO_CODE } from './accounts.js';

/** Addresses are kept in lower case, so that there is one account for each (protocol 19.1). */
const oneSpelling: HookFunction = ({ data }) => {
  if (typeof data['email'] === 'string') data['email'] = lowerCase(data['email'].trim());
};

/** Codes that were mailed before belong to the account as it was. */
const voidCodes: HookFunction = ({ data }) => {
  if (!['email', 'password', 'blocked'].some((key) => data[key] !== undefined)) return;
  Object.assign(data, NO_CODE);
  if (data['email'] !== undefined) data['confirmationToken'] = null;
};

/** Who is blocked has to sign in again when the block is lifted: what was issued before stays void. */
const voidTokens: HookFunction = ({ data }) => {
  const { blocked } = data;
  // Anything but a plain false may be a spelling of true.
  if (blocked !== undefined && blocked !== false)
    Object.assign(data, { tokenVersion: newVersion(), sessions: [] });
};

/** Another version than before: tokens of the old one are refused. */
export const newVersion = (): number => Math.floor(Math.random() * 2 ** 31);

export const accountHooks = (): readonly (readonly [HookMetadata, HookFunction])[] => [
  [{ moment: 'before', type: 'user', actions: ['create', 'update'] }, oneSpelling],
  [{ moment: 'before', type: 'user', actions: ['update'] }, voidCodes],
  [{ moment: 'before', type: 'user', actions: ['update'] }, voidTokens],
];
