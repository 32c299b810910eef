/** Hooks on users. They run for every write: a route, the host's service or another hook. */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { compileLocks } from '../../pool/locks.js';
import { compileFindRecords } from '../../content/compile/compile-record.js';
import { type Row, runnerOf } from '../../pool/runner.js';
import { type ContentEvent, type HookFunction, Hooks } from '../../content/documents/hooks.js';
import { issuesError } from '../../kernel/errors.js';
import type { ContentType } from '../../content/model/model.js';
import { AccountTables } from './account-tables.js';
import { unstorable } from '../../content/model/cast-value.js';
import { emailKey, NO_CODE } from './account-repository.js';
import { Roles } from './roles.js';
import { isTooLong, nameKey, userName } from './user-names.js';
import { type ResolvedUsersOptions, USERS_OPTIONS } from './users.options.js';

/**
 * Stores one spelling per name and address, so that each belongs to one account (protocol 19.1). Stored
 * spellings that are sent again stay: they may come from an import.
 */
function oneSpelling({ data }: ContentEvent, stored: Row): void {
  const { email, username } = data;
  if (typeof email === 'string' && email !== stored['email']) data['email'] = emailKey(email.trim());
  if (typeof username !== 'string' || username === stored['username']) return;
  data['username'] = userName(username);
  data['nameKey'] = nameKey(data['username'] as string);
}

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
async function oneOwner(type: ContentType, event: ContentEvent, claims: readonly Claim[]): Promise<void> {
  if (event.em === null || claims.length === 0) return;
  const runner = runnerOf(event.em);
  const locks = claims.map(({ name }) => ({ name: `${type.table} called ${name}`, exclusive: true }));
  await runner.run(compileLocks(locks));
  for (const { key, matches } of claims) {
    const holders = await runner.run(compileFindRecords(type, matches, ['documentId']));
    if (holders.some(({ documentId }) => documentId !== event.documentId))
      throw issuesError([{ path: [key], message: 'This attribute must be unique', name: 'ValidationError' }]);
  }
}

/** Voids mailed codes when the address, the password or the block changes. */
function voidCodes({ data }: ContentEvent, changed: ReadonlySet<string>): void {
  if (!['email', 'password', 'blocked'].some((key) => changed.has(key))) return;
  Object.assign(data, NO_CODE);
  if (changed.has('email')) data['confirmationToken'] = null;
}

/**
 * Voids all tokens and sessions of a user who is blocked or loses the password. They stay void after the
 * block is lifted.
 */
function voidTokens({ data }: ContentEvent, changed: ReadonlySet<string>): void {
  // Any value except a plain false may be cast to true.
  if ((changed.has('blocked') && data['blocked'] !== false) || data['password'] === null)
    Object.assign(data, { tokenVersion: newVersion(), sessions: [] });
}

/** Returns a random token version. Tokens of the previous version are refused. */
export const newVersion = (): number => Math.floor(Math.random() * 2 ** 31);

/** Attributes whose changes these hooks check or follow. */
const WATCHED = ['username', 'email', 'password', 'blocked'];

/** Returns the stored values of an existing user, with false for a missing block. */
async function storedValues(type: ContentType, { documentId, em }: ContentEvent): Promise<Row> {
  if (documentId === null || em === null) return {};
  const found = compileFindRecords(type, [{ documentId }], ['username', 'email', 'blocked']);
  const [row] = await runnerOf(em).run(found);
  return { ...row, blocked: row?.['blocked'] ?? false };
}

/** Returns the sent attributes with another value than the stored one (D4). A password is always another. */
const changesOf = ({ data }: ContentEvent, stored: Row): ReadonlySet<string> =>
  new Set(WATCHED.filter((key) => data[key] !== undefined && (data[key] ?? false) !== stored[key]));

const beforeWrite =
  (type: ContentType): HookFunction =>
  async (event) => {
    if (WATCHED.every((key) => event.data[key] === undefined)) return;
    const stored = await storedValues(type, event);
    oneSpelling(event, stored);
    const changed = changesOf(event, stored);
    const claims = claimsOf(event).filter(({ key }) => changed.has(key));
    await oneOwner(type, event, claims);
    if (event.action !== 'update') return;
    voidCodes(event, changed);
    voidTokens(event, changed);
  };

@Injectable()
export class AccountHooks implements OnModuleInit {
  constructor(
    @Inject(AccountTables) private readonly tables: AccountTables,
    @Inject(Hooks) private readonly hooks: Hooks,
    @Inject(Roles) private readonly roles: Roles,
    @Inject(USERS_OPTIONS) private readonly options: Pick<ResolvedUsersOptions, 'register'>,
  ) {}

  onModuleInit(): void {
    const hook = beforeWrite(this.tables.users.type);
    this.hooks.add({ moment: 'before', type: 'user', actions: ['create', 'update'] }, hook);
    this.hooks.add({ moment: 'before', type: 'user', actions: ['create'] }, (event) => this.addRole(event));
  }

  /** Gives a new user without a role that of registered users. The caller needs no grant for it. */
  private async addRole({ data, em }: ContentEvent): Promise<void> {
    if (data['role'] !== undefined || em === null) return;
    const type = this.options.register.role;
    const found = compileFindRecords(this.tables.roles.type, [{ type }], ['documentId']);
    const [role = await this.roles.named(type)] = await runnerOf(em).run(found);
    data['role'] = role.documentId;
  }
}
