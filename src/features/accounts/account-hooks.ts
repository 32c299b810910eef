/** Hooks on users. They run for every write: a route, the host's service or another hook. */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { compileLocks } from '../../pool/locks.js';
import { compileFindRecords } from '../../content/compile/compile-record.js';
import { runnerOf } from '../../pool/runner.js';
import {
  type ContentEvent,
  type HookFunction,
  type HookMetadata,
  Hooks,
} from '../../content/documents/hooks.js';
import { issuesError } from '../../kernel/errors.js';
import type { ContentType } from '../../content/model/model.js';
import { AccountTables } from './account-tables.js';
import { unstorable } from '../../content/model/cast-value.js';
import { emailKey, NO_CODE } from './account-repository.js';
import { isTooLong, nameKey, userName } from './user-names.js';

/** Stores one spelling per name and address, so that each belongs to one account (protocol 19.1). */
const oneSpelling: HookFunction = ({ data }) => {
  if (typeof data['email'] === 'string') data['email'] = emailKey(data['email'].trim());
  if (typeof data['username'] !== 'string') return;
  data['username'] = userName(data['username']);
  data['nameKey'] = nameKey(data['username'] as string);
};

/**
 * Completes a user of another system: the stored spelling of the address, and the form of the name that
 * comparisons use. A name that no request could send stays as it is.
 */
export function foreignUser(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { username, email } = values;
  return {
    ...values,
    ...(typeof username === 'string' ? { nameKey: nameKey(username) } : {}),
    ...(typeof email === 'string' ? { email: emailKey(email.trim()) } : {}),
  };
}

interface Claim {
  readonly key: 'username' | 'email';
  readonly name: string;
  readonly matches: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Returns the names that the body sets and the caller may write. Other names are skipped: they are refused
 * later, whether or not they are taken.
 */
function claimsOf({ data, action, caller }: ContentEvent): Claim[] {
  const fields = caller.permissions.fields('user', action === 'create' ? 'create' : 'update');
  const { username, email } = data;
  const claims: Claim[] = [];
  if (typeof username === 'string') {
    const name = nameKey(username);
    const matches = [{ nameKey: name }, { email: name }, { email: emailKey(username) }];
    claims.push({ key: 'username', name, matches });
  }
  // The unique index of `email` covers addresses equal to this one.
  if (typeof email === 'string')
    claims.push({ key: 'email', name: nameKey(email), matches: [{ nameKey: nameKey(email) }] });
  return claims.filter(
    ({ key, name }) => !unstorable(name) && !isTooLong(name) && (fields === null || fields.has(key)),
  );
}

/**
 * Refuses a name that equals another user's name or address, because a user signs in with either. Comparison
 * ignores case. Concurrent writers of the same name wait for each other.
 */
const oneOwner =
  (type: ContentType): HookFunction =>
  async (event) => {
    const claims = claimsOf(event);
    if (event.em === null || claims.length === 0) return;
    const runner = runnerOf(event.em);
    const locks = claims.map(({ name }) => ({ name: `${type.table} called ${name}`, exclusive: true }));
    await runner.run(compileLocks(locks));
    for (const { key, matches } of claims) {
      const holders = await runner.run(compileFindRecords(type, matches, ['documentId']));
      if (holders.some(({ documentId }) => documentId !== event.documentId))
        throw issuesError([
          { path: [key], message: 'This attribute must be unique', name: 'ValidationError' },
        ]);
    }
  };

/** Voids mailed codes when the address, the password or the block changes. */
const voidCodes: HookFunction = ({ data }) => {
  if (!['email', 'password', 'blocked'].some((key) => data[key] !== undefined)) return;
  Object.assign(data, NO_CODE);
  if (data['email'] !== undefined) data['confirmationToken'] = null;
};

/** Voids all tokens and sessions of a blocked user, so that they stay void after the block is lifted. */
const voidTokens: HookFunction = ({ data }) => {
  const { blocked } = data;
  // Any value except a plain false may be cast to true.
  if (blocked !== undefined && blocked !== false)
    Object.assign(data, { tokenVersion: newVersion(), sessions: [] });
};

/** Returns a random token version. Tokens of the previous version are refused. */
export const newVersion = (): number => Math.floor(Math.random() * 2 ** 31);

const hooksOn = (type: ContentType): readonly (readonly [HookMetadata, HookFunction])[] => [
  [{ moment: 'before', type: 'user', actions: ['create', 'update'] }, oneSpelling],
  [{ moment: 'before', type: 'user', actions: ['create', 'update'] }, oneOwner(type)],
  [{ moment: 'before', type: 'user', actions: ['update'] }, voidCodes],
  [{ moment: 'before', type: 'user', actions: ['update'] }, voidTokens],
];

@Injectable()
export class AccountHooks implements OnModuleInit {
  constructor(
    @Inject(AccountTables) private readonly tables: AccountTables,
    @Inject(Hooks) private readonly hooks: Hooks,
  ) {}

  onModuleInit(): void {
    for (const [metadata, hook] of hooksOn(this.tables.users.type)) this.hooks.add(metadata, hook);
  }
}
