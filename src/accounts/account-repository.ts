/** Users as signing in needs them: hidden attributes included. */
import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { publicCaller } from '../access/caller.js';
import { Permissions } from '../access/permissions.js';
import { notFound } from '../errors.js';
import { checkedAs, isCount, isFlag, isNullOr, isShape, isText, type Tests } from '../json.js';
import type { ContentType } from '../schema/model.js';
import { AccountTables } from './account-tables.js';
import { stateOfAccount } from './json-web-tokens.js';
import { Roles } from './roles.js';
import { nameKey } from './user-names.js';

/** One sign-in with refresh tokens. */
export interface Session {
  readonly id: string;
  /** How often it was refreshed: the refresh token with this number is the one that is good now. */
  readonly uses: number;
  /** The account's state when it began: another password ends it. */
  readonly state: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** What signing in knows of a user. */
export interface Account {
  readonly id: number;
  readonly documentId: string;
  readonly username: string;
  readonly email: string;
  readonly password: string | null;
  readonly confirmed: boolean | null;
  readonly blocked: boolean | null;
  readonly role: string | null;
  readonly state: string;
  readonly sessions: readonly Session[];
  readonly resetPasswordExpires: string | null;
}

/** An account as it is stored. */
interface AccountRow extends Omit<Account, 'state' | 'sessions'> {
  readonly tokenVersion: number | null;
  readonly sessions: string | null;
}

const STORED: Tests<AccountRow> = {
  id: isCount,
  documentId: isText,
  username: isText,
  email: isText,
  password: isNullOr(isText),
  confirmed: isNullOr(isFlag),
  blocked: isNullOr(isFlag),
  role: isNullOr(isText),
  tokenVersion: isNullOr(isCount),
  sessions: isNullOr(isText),
  resetPasswordExpires: isNullOr(isText),
};
const COLUMNS = Object.keys(STORED);
const isAccountRow = isShape(STORED);
/** At most so many sign-ins of one user at a time; the one that was not used for longest goes. */
const MOST_SESSIONS = 20;

/** Sees a user as every route shows it. */
const READER = publicCaller(Permissions.of({ user: ['findOne'] }));

/** A random token for a mail or a session, and the hash that is kept of it. */
export function newToken(): { readonly token: string; readonly hash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

/** What voids a mailed code. */
export const NO_CODE = { resetPasswordToken: null, resetPasswordExpires: null } as const;

/** Without the letters that only look like others when they are folded. */
const lowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The spelling of an e-mail address that is stored and looked up: NFKC, with ASCII letters in lower case. */
export const emailKey = (text: string): string => lowerCase(text.normalize('NFKC'));

export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

@Injectable()
export class AccountRepository {
  constructor(
    @Inject(AccountTables) private readonly tables: AccountTables,
    @Inject(Roles) private readonly roles: Roles,
  ) {}

  get type(): ContentType {
    return this.tables.users.type;
  }

  /** Makes a user with a role, by its grant name, through hooks and checks; answers its document id. */
  async create(values: Readonly<Record<string, unknown>>, role: string): Promise<string> {
    const { documentId } = await this.roles.named(role);
    const made = await this.tables.users.documents.create({ ...values, role: { documentId } });
    return (made as { readonly documentId: string }).documentId;
  }

  /** The grant name of an account's role; null for an account without one. */
  roleOf({ role }: Account): Promise<string | null> {
    return this.roles.typeOf(role);
  }

  async find(...anyOf: readonly Readonly<Record<string, unknown>>[]): Promise<Account | null> {
    const [row] = await this.tables.users.records.find(anyOf, COLUMNS);
    if (row === undefined) return null;
    const known = checkedAs(row, isAccountRow, 'A stored account');
    const stored: unknown = known.sessions === null ? null : JSON.parse(known.sessions);
    return {
      ...known,
      state: stateOfAccount(known),
      sessions: Array.isArray(stored) ? (stored as Session[]) : [],
    };
  }

  byEmail(email: string): Promise<Account | null> {
    return this.find({ email: lowerCase(email) }, { email: emailKey(email) });
  }

  /**
   * By e-mail or by user name, both without case; the e-mail wins (protocol 19.1). An address or a name that
   * an earlier release stored in another spelling is found as it is.
   */
  byIdentifier(identifier: string): Promise<Account | null> {
    return this.find(
      { email: lowerCase(identifier) },
      { email: emailKey(identifier) },
      { nameKey: nameKey(identifier) },
      { username: identifier },
    );
  }

  /**
   * Changes an account where it still matches; whether it did. Hooks are not run: what is matched is a code
   * or a hash, which has to be good for one change alone, see `RepositoryWithoutHooks`.
   */
  async set(
    match: Readonly<Record<string, unknown>>,
    values: Readonly<Record<string, unknown>>,
  ): Promise<boolean> {
    return (await this.tables.users.records.set(match, values)) > 0;
  }

  /**
   * Keeps a session of a user as the one used last, in place of what is kept of it; with `from`, only where
   * that holds these values. Whether it did.
   */
  keepSession(userId: number, session: Session, from: Partial<Session> | null = null): Promise<boolean> {
    const change = { attribute: 'sessions', id: session.id, item: session, from, most: MOST_SESSIONS };
    return this.tables.users.records.changeItem({ id: userId }, change);
  }

  /** Ends a session of a user. */
  async endSession(userId: number, id: string): Promise<void> {
    const change = { attribute: 'sessions', id, item: null, from: null, most: MOST_SESSIONS };
    await this.tables.users.records.changeItem({ id: userId }, change);
  }

  /** The user as every route shows it: no private attribute, nothing populated (protocol 19.5). */
  async asAnswered(documentId: string): Promise<Readonly<Record<string, unknown>>> {
    const user = await this.tables.users.documents.findOne(documentId, {}, { as: READER });
    if (user === null) throw notFound();
    return { ...user };
  }
}
