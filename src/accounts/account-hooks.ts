/** What holds for users whoever writes them: a route, the host's own service, another hook. */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { compileLocks } from '../compile/compile-locks.js';
import { compileFindRecords } from '../compile/compile-record.js';
import { runnerOf } from '../database/runner.js';
import { type ContentEvent, type HookFunction, type HookMetadata, Hooks } from '../documents/hooks.js';
import { issuesError } from '../errors.js';
import type { ContentType } from '../schema/model.js';
import { AccountTables } from './account-tables.js';
import { emailKey, NO_CODE } from './account-repository.js';
import { nameKey, userName } from './user-names.js';

/** Names and addresses have one spelling each, so that there is one account for each (protocol 19.1). */
const oneSpelling: HookFunction = ({ data }) => {
  if (typeof data['email'] === 'string') data['email'] = emailKey(data['email'].trim());
  if (typeof data['username'] !== 'string') return;
  data['username'] = userName(data['username']);
  data['nameKey'] = nameKey(data['username'] as string);
};

/** A name or an address that a body gives, and whoever else can sign in with it. */
interface Claim {
  readonly key: 'username' | 'email';
  readonly name: string;
  readonly others: readonly Readonly<Record<string, unknown>>[];
}

/** What a body gives and its caller may write; the rest is refused later, whoever else has it. */
function claimsOf({ data, action, caller }: ContentEvent): Claim[] {
  const fields = caller.permissions.fields('user', action === 'create' ? 'create' : 'update');
  const { username, email } = data;
  const claims: Claim[] = [];
  if (typeof username === 'string') {
    const name = nameKey(username);
    const others = [{ nameKey: name }, { email: name }, { email: emailKey(username) }];
    claims.push({ key: 'username', name, others });
  }
  // Who else has the address itself is for its unique index to say.
  if (typeof email === 'string')
    claims.push({ key: 'email', name: nameKey(email), others: [{ nameKey: nameKey(email) }] });
  return claims.filter(({ key }) => fields === null || fields.has(key));
}

/**
 * Names and addresses are one set, because people sign in with either: nobody's name is another's name in
 * other letters, nor another's address. Writers of the same one wait for each other.
 */
const oneOwner =
  (type: ContentType): HookFunction =>
  async (event) => {
    const claims = claimsOf(event);
    if (event.em === null || claims.length === 0) return;
    const runner = runnerOf(event.em);
    const locks = claims.map(({ name }) => ({ name: `${type.table} called ${name}`, exclusive: true }));
    await runner.run(compileLocks(locks));
    for (const { key, others } of claims) {
      const holders = await runner.run(compileFindRecords(type, others, ['documentId']));
      if (holders.some(({ documentId }) => documentId !== event.documentId))
        throw issuesError([
          { path: [key], message: 'This attribute must be unique', name: 'ValidationError' },
        ]);
    }
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

/** The hooks on the type of users. */
const hooksOn = (type: ContentType): readonly (readonly [HookMetadata, HookFunction])[] => [
  [{ moment: 'before', type: 'user', actions: ['create', 'update'] }, oneSpelling],
  [{ moment: 'before', type: 'user', actions: ['create', 'update'] }, oneOwner(type)],
  [{ moment: 'before', type: 'user', actions: ['update'] }, voidCodes],
  [{ moment: 'before', type: 'user', actions: ['update'] }, voidTokens],
];

/** Adds them to the host's own. */
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
