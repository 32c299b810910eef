/** The rows of users as signing in needs them: hidden attributes included, one statement each. */
import { createHash, randomBytes } from 'node:crypto';
import { publicCaller } from '../access/caller.js';
import { Permissions } from '../access/permissions.js';
import type { DocumentsBase } from '../documents/documents-base.js';
import type { Documents } from '../documents/documents.service.js';
import { neededType, Records } from '../documents/records.js';
import type { ContentType } from '../schema/model.js';
import { stateOfAccount } from './json-web-tokens.js';
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

const COLUMNS = [
  'id',
  'documentId',
  'username',
  'email',
  'password',
  'confirmed',
  'blocked',
  'role',
  'tokenVersion',
  'sessions',
  'resetPasswordExpires',
];
/** At most so many sign-ins of one user at a time; the one that was not used for longest goes. */
const MOST_SESSIONS = 20;

const READER = publicCaller(Permissions.of({ user: ['findOne'] }));

/** A random token for a mail or a session, and the hash that is kept of it. */
export function newToken(): { readonly token: string; readonly hash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

/** What voids a mailed code. */
export const NO_CODE = { resetPasswordToken: null, resetPasswordExpires: null } as const;

/** Without the letters that only look like others when they are folded. */
export const lowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

export class Accounts {
  readonly type: ContentType;
  private readonly records: Records;

  constructor(
    base: DocumentsBase,
    private readonly documents: Documents,
  ) {
    this.type = neededType(base.schema, 'user', '...userTypes()');
    this.records = new Records(base.database, this.type);
  }

  async find(...anyOf: readonly Readonly<Record<string, unknown>>[]): Promise<Account | null> {
    const [row] = await this.records.find(anyOf, COLUMNS);
    if (row === undefined) return null;
    const known = row as unknown as Account & {
      readonly tokenVersion: number | null;
      readonly sessions: string | null;
    };
    const stored: unknown = known.sessions === null ? null : JSON.parse(known.sessions);
    return {
      ...known,
      state: stateOfAccount(known),
      sessions: Array.isArray(stored) ? (stored as Session[]) : [],
    };
  }

  /**
   * By e-mail or by user name, both without case; the e-mail wins (protocol 19.1). A name that was stored
   * before names had keys is found as it is.
   */
  byIdentifier(identifier: string): Promise<Account | null> {
    return this.find(
      { email: lowerCase(identifier) },
      { nameKey: nameKey(identifier) },
      { username: identifier },
    );
  }

  /** Changes an account where it still matches; whether it did. */
  async set(
    match: Readonly<Record<string, unknown>>,
    values: Readonly<Record<string, unknown>>,
  ): Promise<boolean> {
    return (await this.records.set(match, values)) > 0;
  }

  /**
   * Keeps a session of a user as the one used last, in place of what is kept of it; with `from`, only where
   * that holds these values. Whether it did.
   */
  keepSession(userId: number, session: Session, from: Partial<Session> | null = null): Promise<boolean> {
    const change = { attribute: 'sessions', id: session.id, item: session, from, most: MOST_SESSIONS };
    return this.records.changeItem({ id: userId }, change);
  }

  /** Ends a session of a user. */
  async endSession(userId: number, id: string): Promise<void> {
    const change = { attribute: 'sessions', id, item: null, from: null, most: MOST_SESSIONS };
    await this.records.changeItem({ id: userId }, change);
  }

  /** The user as every route shows it: no private attribute, nothing populated (protocol 19.5). */
  async shown(documentId: string): Promise<Record<string, unknown>> {
    const plan = this.documents.planText('', {
      type: this.type,
      kind: 'one',
      by: { documentId },
      caller: READER,
      format: 'flat',
      action: 'findOne',
    });
    return JSON.parse((await this.documents.read(plan)).data) as Record<string, unknown>;
  }
}
