/** What `UsersModule.forRoot` takes. */
import type { RateLimiterAbstract } from 'rate-limiter-flexible';

/** One message. The address is always the one that is stored with the user. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/**
 * Sends mail. Nothing waits for it: what it throws is logged.
 *
 * @publicApi
 */
export interface MailSender {
  send(mail: Mail): Promise<void>;
}

/** Limits of the sign-in routes, per `seconds`. */
export interface RateLimitOptions {
  /** Requests to one route from one address. Default 20. */
  readonly perAddress?: number;
  /**
   * Failures on one route about one user name or e-mail from one address; from everywhere for an address that
   * has failed itself. Default 10.
   */
  readonly perIdentifier?: number;
  /** Default 60. */
  readonly seconds?: number;
  /**
   * Where counts are kept. Default: in memory, per process; give a `rate-limiter-flexible` store to share
   * them.
   */
  readonly store?: (options: {
    readonly keyPrefix: string;
    readonly points: number;
    readonly duration: number;
  }) => RateLimiterAbstract;
}

/** Options of `UsersModule.forRoot`. */
export interface UsersOptions {
  /**
   * Signs the tokens: at least 32 bytes. A list lets a secret be replaced: the first signs, all are accepted.
   */
  readonly secret: string | readonly string[];
  /** The one algorithm that is signed with and accepted. Default `HS256`. */
  readonly algorithm?: 'HS256' | 'HS384' | 'HS512';
  /** How long a token is good for, in seconds. Default 30 days, with `refresh` 10 minutes. */
  readonly expiresIn?: number;
  readonly issuer?: string;
  readonly audience?: string;
  /**
   * Short tokens and refresh tokens that change with every use; sign-in lasts `expiresIn` seconds, default 30
   * days. Default off.
   */
  readonly refresh?: boolean | { readonly expiresIn?: number };
  /** Sign-in with a password. Default true. */
  readonly local?: boolean;
  readonly register?: {
    /** Whether anybody can register. Default true. */
    readonly enabled?: boolean;
    /** Role of new users. Default `authenticated`. */
    readonly role?: string;
    /** Further attributes of a user that a registration may set. Default none. */
    readonly fields?: readonly string[];
    /** New users have to confirm their address before they sign in. Default false. */
    readonly confirm?: boolean;
  };
  /**
   * Sends the mails about passwords and confirmations. Without it the provider that is marked by
   * `@ContentMailSender()` does; without either they cannot be had, and the start says so.
   */
  readonly mail?: MailSender;
  /** Page of the front end for a new password; `?code=` is added to it. */
  readonly resetPasswordUrl?: string;
  /** Page to which a confirmed user is sent. Default `/`. */
  readonly confirmedUrl?: string;
  /** Public address of this API, for the link in the mail: `https://example.com/api`. */
  readonly apiUrl?: string;
  /** Limits of the sign-in routes; `false` turns them off. */
  readonly rateLimit?: RateLimitOptions | false;
}

/**
 * A provider that makes the options, for `useClass` and `useExisting` of `UsersModule.forRootAsync`.
 *
 * @publicApi
 */
export interface UsersOptionsFactory {
  createUsersOptions(): UsersOptions | Promise<UsersOptions>;
}

const DAYS_30 = 30 * 86_400;

/** Options with their defaults. Throws for a secret that is too short to be one. */
export function resolveUsersOptions(options: UsersOptions): ResolvedUsersOptions {
  const secrets =
    typeof options.secret === 'string'
      ? [options.secret]
      : [...((options.secret as readonly string[] | undefined) ?? [])];
  if (secrets.length === 0 || secrets.some((secret) => Buffer.byteLength(secret) < 32)) {
    throw new Error(
      'UsersModule: "secret" needs at least 32 bytes, for example from `openssl rand -base64 32`',
    );
  }
  const refresh =
    options.refresh === undefined || options.refresh === false
      ? null
      : ((options.refresh === true ? {} : options.refresh).expiresIn ?? DAYS_30);
  const { enabled = true, role = 'authenticated', fields = [], confirm = false } = options.register ?? {};
  return {
    secrets,
    algorithm: options.algorithm ?? 'HS256',
    expiresIn: options.expiresIn ?? (refresh === null ? DAYS_30 : 600),
    claims: {
      ...(options.issuer === undefined ? {} : { issuer: options.issuer }),
      ...(options.audience === undefined ? {} : { audience: options.audience }),
    },
    refresh,
    local: options.local ?? true,
    register: { enabled, role, fields, confirm },
    mail: options.mail ?? null,
    resetPasswordUrl: options.resetPasswordUrl ?? null,
    confirmedUrl: options.confirmedUrl ?? '/',
    apiUrl: options.apiUrl ?? null,
    rateLimit:
      options.rateLimit === false
        ? null
        : { perAddress: 20, perIdentifier: 10, seconds: 60, ...options.rateLimit },
  };
}

/** Injection token of the {@link ResolvedUsersOptions}. */
export const USERS_OPTIONS = Symbol('ResolvedUsersOptions');

export interface ResolvedUsersOptions {
  readonly secrets: readonly string[];
  readonly algorithm: 'HS256' | 'HS384' | 'HS512';
  readonly expiresIn: number;
  readonly claims: { readonly issuer?: string; readonly audience?: string };
  /** Seconds that a sign-in lasts with refresh tokens; null without them. */
  readonly refresh: number | null;
  readonly local: boolean;
  readonly register: {
    readonly enabled: boolean;
    readonly role: string;
    readonly fields: readonly string[];
    readonly confirm: boolean;
  };
  readonly mail: MailSender | null;
  readonly resetPasswordUrl: string | null;
  readonly confirmedUrl: string;
  readonly apiUrl: string | null;
  readonly rateLimit:
    | (Required<Pick<RateLimitOptions, 'perAddress' | 'perIdentifier' | 'seconds'>> &
        Pick<RateLimitOptions, 'store'>)
    | null;
}
