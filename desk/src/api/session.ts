/**
 * Session of the editor. The access token is in memory only. The refresh token is in a cookie that scripts
 * cannot read. Tabs share one session: one tab at a time renews it, and tells the others.
 */
import { ApiError, OfflineError } from './errors.ts';
import { settings } from '../settings.ts';

interface User {
  readonly id: number;
  readonly documentId: string;
  readonly username: string;
  readonly email: string;
}

interface Token {
  readonly jwt: string;
  /** Time in milliseconds since 1970. */
  readonly until: number;
  readonly user: User;
}

interface Issued {
  readonly jwt: string;
  readonly expiresIn: number;
  readonly user: User;
}

/** State of the session. `expired`: it has ended under an open page, which stays until the next sign-in. */
type SessionState = 'starting' | 'out' | 'in' | 'expired';

type Message = { readonly kind: 'token'; readonly token: Token } | { readonly kind: 'end' };

/** A token is renewed when it is valid for less than this many milliseconds. */
const MARGIN = 30_000;
/** Pause in milliseconds before another attempt to start. */
const RETRY = 2000;

const LOCK = `content-desk ${settings.base}`;

type Headers = Readonly<Record<string, string>>;

interface Call {
  readonly method: 'POST' | 'DELETE';
  readonly body?: object;
  readonly headers?: Headers;
}

async function call(path: string, { method, body, headers = {} }: Call): Promise<Response> {
  const init: RequestInit = { method, headers, credentials: 'same-origin' };
  if (body !== undefined) {
    init.headers = { ...headers, 'Content-Type': 'application/json' };
    init.body = JSON.stringify(body);
  }
  try {
    return await fetch(`${settings.base}/session${path}`, init);
  } catch (error) {
    throw new OfflineError(error);
  }
}

class Session {
  state: SessionState = settings.session ? 'starting' : 'in';
  user: User | null = null;
  private token: Token | null = null;
  /** Document id of the last user, also after a sign-out: the page has that user's work and data. */
  private owner: string | null = null;
  private readonly listeners = new Set<() => void>();
  private readonly channel = new BroadcastChannel(`content-desk ${settings.base}`);
  private renewal: Promise<boolean> | null = null;

  constructor() {
    this.channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.kind === 'token') this.accept(data.token);
      else this.end();
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly snapshot = (): SessionState => this.state;

  /** Signs in by the cookie, if there is one. Tries again while the server cannot be reached. */
  async begin(): Promise<void> {
    while (this.state === 'starting')
      try {
        await this.renew();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, RETRY));
      }
  }

  /** Signs in, or accepts an invitation, or sets a new password by a code. Throws an ApiError. */
  async enter(path: '' | '/invitation' | '/reset', body: object): Promise<void> {
    const response = await call(path, { method: 'POST', body });
    if (!response.ok) throw await errorOf(response);
    this.publish((await response.json()) as Issued);
  }

  /** Sets another password of the editor, which ends all other sessions. Throws an ApiError. */
  async changePassword(body: object): Promise<void> {
    const headers = await this.headers();
    // The present token is void at once: renewals wait for the new one.
    await navigator.locks.request(LOCK, async () => {
      const response = await call('/password', { method: 'POST', body, headers });
      if (!response.ok) throw await errorOf(response);
      this.publish((await response.json()) as Issued);
    });
  }

  async forgot(email: string): Promise<void> {
    const response = await call('/forgot', { method: 'POST', body: { email } });
    if (!response.ok) throw await errorOf(response);
  }

  /** Ends the session. Throws an ApiError or an OfflineError if it goes on. */
  async leave(): Promise<void> {
    const response = await call('', { method: 'DELETE' });
    if (!response.ok) throw await errorOf(response);
    this.channel.postMessage({ kind: 'end' } satisfies Message);
    this.token = null;
    this.user = null;
    this.become('out');
  }

  /** Returns the header of a request. Waits for the editor to sign in again if the session has ended. */
  async headers(): Promise<Headers> {
    if (!settings.session) return {};
    if (this.token === null || this.token.until - Date.now() < MARGIN) await this.renew();
    if (this.token === null) await this.signedIn();
    return this.token === null ? {} : { Authorization: `Bearer ${this.token.jwt}` };
  }

  /**
   * Reports that a request was refused with 401. Returns whether to send it again: with a newer token, or
   * after the editor has signed in at the host's page.
   */
  async refused(headers: Headers): Promise<boolean> {
    if (settings.signIn !== null) {
      this.become('expired');
      await this.signedIn();
      return true;
    }
    if (!settings.session) return false;
    if (headers['Authorization'] === `Bearer ${this.token?.jwt}`) this.token = null;
    return true;
  }

  /** Renews the access token. Returns false if there is no session. Throws an OfflineError. */
  private renew(): Promise<boolean> {
    this.renewal ??= navigator.locks
      .request(LOCK, () => this.ask())
      .finally(() => {
        this.renewal = null;
      });
    return this.renewal;
  }

  private async ask(): Promise<boolean> {
    // Another tab may have renewed it while this one waited for the lock.
    if (this.token !== null && this.token.until - Date.now() >= MARGIN) return true;
    const response = await call('/refresh', { method: 'POST' });
    if (response.ok) {
      this.publish((await response.json()) as Issued);
      return true;
    }
    if (response.status !== 401 && response.status !== 403) throw await errorOf(response);
    this.end();
    return false;
  }

  private publish({ jwt, expiresIn, user }: Issued): void {
    const token: Token = { jwt, user, until: Date.now() + expiresIn * 1000 };
    this.channel.postMessage({ kind: 'token', token } satisfies Message);
    this.accept(token);
  }

  private accept(token: Token): void {
    // Unsaved work belongs to a user. The page of another user starts again, without a code that is used now.
    this.owner ??= token.user.documentId;
    if (this.owner !== token.user.documentId)
      return location.hash === '' ? location.reload() : location.replace(`${settings.base}/`);
    this.token = token;
    this.user = token.user;
    this.become('in');
  }

  private end(): void {
    this.token = null;
    this.become(this.user === null ? 'out' : 'expired');
  }

  /** Continues after the editor has signed in at the host's page. */
  resume(): void {
    this.become('in');
  }

  private signedIn(): Promise<void> {
    if (this.state === 'in') return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.subscribe(() => {
        if (this.state !== 'in') return;
        stop();
        resolve();
      });
    });
  }

  private become(state: SessionState): void {
    this.state = state;
    for (const listener of [...this.listeners]) listener();
  }
}

/** Reads the error of a response; a response that is not in the error shape keeps its status. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as { error?: object };
  return new ApiError(response.status, body.error ?? {});
}

export const session = new Session();
