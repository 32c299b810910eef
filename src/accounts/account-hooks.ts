/** What holds for users whoever writes them: a route, the host's own service, another hook. */
import type { HookFunction, HookMetadata } from '../documents/hooks.js';

/** Addresses are kept in lower case, so that there is one account for each (protocol 19.1). */
const lowerCase: HookFunction = ({ data }) => {
  if (typeof data['email'] === 'string') data['email'] = data['email'].trim().toLowerCase();
};

/** Who is blocked has to sign in again when the block is lifted: what was issued before stays void. */
const voidTokens: HookFunction = ({ data }) => {
  if (data['blocked'] === true) Object.assign(data, { tokenVersion: Math.floor(Math.random() * 2 ** 31), sessions: [] });
};

export const accountHooks = (): readonly (readonly [HookMetadata, HookFunction])[] => [
  [{ moment: 'before', type: 'user', actions: ['create', 'update'] }, lowerCase],
  [{ moment: 'before', type: 'user', actions: ['update'] }, voidTokens],
];
