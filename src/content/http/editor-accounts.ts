/** Interface between the desk and the module that has accounts; both are features, and each may be absent. */
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
  /** Ends the session of a refresh token. Ignores invalid tokens. */
  end(refreshToken: string): Promise<void>;
  /** Mails a link with a code, after the response. Without `linkTo`, no mail is sent. */
  forgotPassword(attempt: EditorAttempt, linkTo: LinkTo | null): Promise<void>;
  /** Sets the password of an account with an invitation's or a mailed code, which works once. */
  setPassword(attempt: EditorAttempt): Promise<EditorSession>;
  /** Returns a code that sets the password of an account. Creates the account if there is none. */
  invite(invitation: EditorInvitation): Promise<string>;
  /** Whether an account may open the desk. */
  hasEditors(): Promise<boolean>;
}

/** Marks the provider of {@link EditorAccounts}. */
export const ProvidesEditorAccounts = providerMark<EditorAccounts>('ProvidesEditorAccounts', 'signIn');
