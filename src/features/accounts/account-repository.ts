/** Users with their hidden attributes, as sign-in needs them. */
import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { publicCaller } from '../../content/access/caller.js';
import type { Identity } from '../../content/access/auth-strategy.js';
import { Permissions } from '../../content/access/permissions.js';
import { notFound } from '../../kernel/errors.js';
import { isDocument } from '../../content/documents/document-id.js';
import { checkedAs, isCount, isFlag, isNullOr, isShape, isText, type Tests } from '../../kernel/json.js';
import type { ContentType } from '../../content/model/model.js';
import { AccountTables } from './account-tables.js';
import { callerAttributes } from './caller-attributes.js';
import { stateOfAccount } from './json-web-tokens.js';
import { Roles } from './roles.js';
import { isTooLong, nameKey } from './user-names.js';

export interface Session {
  readonly id: string;
  /** Number of refreshes so far. Only the refresh token with this number is valid. */
  readonly uses: number;
  /** State of the account at sign-in. A new password changes it, which ends the session. */
  readonly state: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** Time of the last refresh or sign-in. Only sessions of the desk have it. */
  readonly deskUsedAt?: string;
}

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
  /** Attributes of the application, for the conditions of grants. A relation has its document id. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface AccountRow extends Omit<Account, 'state' | 'sessions' | 'attributes'> {
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
/** Maximum number of sessions of a user. A new one replaces the one least recently used. */
const MAX_SESSIONS = 20;

/** Caller that reads a user as every route returns it. */
const READER = publicCaller(Permissions.of({ user: ['findOne'] }));

/** Returns a random token for a mail or a session, and the hash to store. */
export function newToken(): { readonly token: string; readonly hash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

export const NO_CODE = { resetPasswordToken: null, resetPasswordExpires: null } as const;

/** Folds only ASCII letters: Unicode folding would map look-alike letters to ASCII. */
const lowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Returns the stored spelling of an e-mail address: NFKC, ASCII letters in lower case. */
export const emailKey = (text: string): string => lowerCase(isTooLong(text) ? text : text.normalize('NFKC'));

export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

@Injectable()
export class AccountRepository {
  private attributeNames: readonly string[] | null = null;

  constructor(
    @Inject(AccountTables) private readonly tables: AccountTables,
    @Inject(Roles) private readonly roles: Roles,
  ) {}

  get type(): ContentType {
    return this.tables.users.type;
  }

  /** Names of the attributes that the conditions of grants can use. */
  get attributes(): readonly string[] {
    return (this.attributeNames ??= callerAttributes(this.type));
  }

  /** Returns the identity of an account, as every sign-in gives it. */
  async identityOf({ documentId, attributes, role: named }: Account): Promise<Identity> {
    const role = await this.roles.typeOf(named);
    return { kind: 'user', id: documentId, roles: role === null ? [] : [role], attributes };
  }

  /** Creates a user with a role, given by its grant name. Hooks and checks run. Returns the document id. */
  async create(values: Readonly<Record<string, unknown>>, role: string): Promise<string> {
    const { documentId } = await this.roles.named(role);
    const user = await this.tables.users.documents.create({ ...values, role: { documentId } });
    return checkedAs(user, isDocument, 'A new user').documentId;
  }

  /** Gives a user another role and removes the password, which ends all sessions. Hooks and checks run. */
  async adopt(documentId: string, role: string): Promise<void> {
    await this.tables.users.documents.update(documentId, { role: { documentId: role }, password: null });
  }

  roleOf({ role }: Account): Promise<string | null> {
    return this.roles.typeOf(role);
  }

  async find(...anyOf: readonly Readonly<Record<string, unknown>>[]): Promise<Account | null> {
    const [row] = await this.tables.users.records.find(anyOf, [...COLUMNS, ...this.attributes]);
    if (row === undefined) return null;
    const account = checkedAs(row, isAccountRow, 'A stored account');
    const stored: unknown = account.sessions === null ? null : JSON.parse(account.sessions);
    return {
      ...account,
      state: stateOfAccount(account),
      attributes: Object.fromEntries(
        this.attributes.flatMap((name) => (row[name] === null ? [] : [[name, row[name]]])),
      ),
      sessions: Array.isArray(stored) ? (stored as Session[]) : [],
    };
  }

  byEmail(email: string): Promise<Account | null> {
    return this.find({ email: lowerCase(email) }, { email: emailKey(email) });
  }

  /**
   * Finds an account by e-mail or user name, without case; the e-mail takes precedence (protocol 19.1). It
   * also finds the spelling that an earlier release stored.
   */
  async byIdentifier(identifier: string): Promise<Account | null> {
    if (isTooLong(identifier)) return null;
    return this.find(
      { email: lowerCase(identifier) },
      { email: emailKey(identifier) },
      { nameKey: nameKey(identifier) },
      { username: identifier },
    );
  }

  /**
   * Changes the account if it still matches, and returns whether it did. Runs no hooks: the match is a code
   * or a hash that must work once, see `RepositoryWithoutHooks`.
   */
  async set(
    match: Readonly<Record<string, unknown>>,
    values: Readonly<Record<string, unknown>>,
  ): Promise<boolean> {
    return (await this.tables.users.records.set(match, values)) > 0;
  }

  /**
   * Stores a session as the most recently used, and replaces its stored state. With `from`, it does so only
   * if the stored state has these values. Returns whether it was stored.
   */
  keepSession(userId: number, session: Session, from: Partial<Session> | null = null): Promise<boolean> {
    const change = { attribute: 'sessions', id: session.id, item: session, from, most: MAX_SESSIONS };
    return this.tables.users.records.changeItem({ id: userId }, change);
  }

  async endSession(userId: number, id: string): Promise<void> {
    const change = { attribute: 'sessions', id, item: null, from: null, most: MAX_SESSIONS };
    await this.tables.users.records.changeItem({ id: userId }, change);
  }

  /** Returns the user as every route does: no private attribute, nothing populated (protocol 19.5). */
  async asAnswered(documentId: string): Promise<Readonly<Record<string, unknown>>> {
    const user = await this.tables.users.documents.findOne(documentId, {}, { as: READER });
    if (user === null) throw notFound();
    return { ...user };
  }
}
