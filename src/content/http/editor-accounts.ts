/** Interface between the desk and the module that has accounts; both are features, and each may be absent. */
import type { Identity } from '../access/auth-strategy.js';
import type { Grants } from '../access/permissions.js';
import { providerMark } from '../documents/decorated-providers.js';

/** Address of the client and body of its request. */
export interface EditorAttempt {
  readonly address: string;
  readonly body: unknown;
}

/** Session of a user who may open the desk. */
export interface EditorSession {
  readonly jwt: string;
  /** Lifetime of the access token in seconds. */
  readonly expiresIn: number;
  readonly user: {
    readonly id: number;
    readonly documentId: string;
    readonly username: string;
    readonly email: string;
  };
  readonly refreshToken: string;
  /** Seconds until the session ends. */
  readonly lifetime: number;
}

/** Returns the page of the desk that uses a code. */
export type LinkTo = (code: string) => string;

export interface EditorInvitation {
  readonly email: string;
  /** Role of the account; null for the only one that may open the desk. */
  readonly role: string | null;
}

/**
 * Sessions and invitations of users with the grant `desk: ['open']`. Every method throws a ContentError for
 * credentials that are wrong, and ForbiddenError for users without the grant.
 */
export interface EditorAccounts {
  /** Whether users sign in with a password. */
  readonly signsIn: boolean;
  /** Whether a mail sender is configured. */
  readonly sendsMail: boolean;
  signIn(attempt: EditorAttempt): Promise<EditorSession>;
  refresh(refreshToken: string, address: string): Promise<EditorSession>;
  /** Ends the session of a refresh token. Returns the id of its user; null for an invalid token. */
  end(refreshToken: string): Promise<string | null>;
  /** Mails a link with a code, after the response. Without `linkTo`, no mail is sent. */
  forgotPassword(attempt: EditorAttempt, linkTo: LinkTo | null): Promise<void>;
  /** Sets another password by the old one. All sessions of the account end, and a new one begins. */
  changePassword(documentId: string, attempt: EditorAttempt): Promise<EditorSession>;
  /** Sets the password of an account with an invitation's or a mailed code, which works once. */
  setPassword(attempt: EditorAttempt): Promise<EditorSession>;
  /** Returns a code that sets the password of an account. Creates the account if there is none. */
  invite(invitation: EditorInvitation): Promise<string>;
  /** Returns a user as its next request would be authenticated; null if it is blocked or deleted. */
  identityOf(documentId: string): Promise<Identity | null>;
  /** Returns the name of a user as other editors see it; null if there is no such user. */
  nameOf(documentId: string): Promise<string | null>;
  /** Secrets for tokens of the desk, each with its own prefix; the first one signs. */
  readonly secrets: readonly string[];
  /** Whether an account may open the desk. */
  hasEditors(): Promise<boolean>;
}

/** Marks the provider of {@link EditorAccounts}. */
export const ProvidesEditorAccounts = providerMark<EditorAccounts>('ProvidesEditorAccounts', 'signIn');

/** Session, as its user sees it in a list. */
export interface ListedSession {
  readonly id: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** Time of the last refresh or sign-in; null for sessions of the API. */
  readonly usedAt: string | null;
  /** Whether the present request belongs to this session. */
  readonly current: boolean;
}

/** Role with its grants, those of the code and those of the database. */
export interface ListedRole {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly description: string | null;
  readonly type: string;
  /** Number of users with this role. */
  readonly users: number;
  readonly inCode: Grants;
  readonly stored: Grants;
  /** Whether the role routes can change its grants without losing one. */
  readonly editable: boolean;
}

/** Other accounts, and sessions of the caller. Unknown users and sessions are a NotFoundError. */
export interface EditorPeople {
  /** Returns a code that sets the password of an account. Throws a ContentError if it cannot sign in. */
  inviteAgain(documentId: string): Promise<string>;
  /** Ends all sessions, and voids all tokens. */
  endSessions(documentId: string): Promise<void>;
  sessionsOf(documentId: string, bearer: string | null): Promise<readonly ListedSession[]>;
  endSession(documentId: string, id: string): Promise<void>;
  roles(): Promise<readonly ListedRole[]>;
}

/** Marks the provider of {@link EditorPeople}. */
export const ProvidesEditorPeople = providerMark<EditorPeople>('ProvidesEditorPeople', 'inviteAgain');
