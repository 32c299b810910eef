/** Options of `UsersModule.forRoot`. */
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import {
  checkModuleOptions,
  FLAG,
  FUNCTION,
  group,
  objectWith,
  option,
  type OptionsOf,
  orFlag,
  required,
  TEXT,
  TEXTS,
  WEB_URL,
  whole,
} from '../../content/model/option-table.js';
import { withDefaults } from '../../kernel/json.js';

/** Mail to a user. The address is always the stored one. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/**
 * Sends mail. Requests do not wait for it, and its errors are logged.
 *
 * @publicApi
 */
export interface MailSender {
  send(mail: Mail): Promise<void>;
}

/** Limits of the sign-in routes, per `seconds`. */
export interface RateLimitOptions {
  /** Requests per route and address. Default 20. */
  readonly perAddress?: number;
  /**
   * Failures per route and user name or e-mail: from one address, and from all addresses together. The total
   * refuses only addresses that have failed themselves. Default 10.
   */
  readonly perIdentifier?: number;
  /** Default 60. */
  readonly seconds?: number;
  /**
   * Creates a store of counters. Default: in memory, per process. Use a shared `rate-limiter-flexible` store
   * if the application has several processes.
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
   * Secret that signs the tokens, at least 32 bytes. Pass a list to rotate it: the first one signs, all are
   * accepted.
   */
  readonly secret: string | readonly string[];
  /** Algorithm that signs tokens; no other is accepted. Default `HS256`. */
  readonly algorithm?: 'HS256' | 'HS384' | 'HS512';
  /** Lifetime of a token in seconds. Default 30 days, with `refresh` 10 minutes. */
  readonly expiresIn?: number;
  readonly issuer?: string;
  readonly audience?: string;
  /**
   * Issues short-lived tokens and single-use refresh tokens. A sign-in lasts `expiresIn` seconds, default 30
   * days. Default off.
   */
  readonly refresh?: boolean | { readonly expiresIn?: number };
  /** Enables sign-in and registration with a password, and mailed codes that set one. Default true. */
  readonly local?: boolean;
  readonly register?: {
    /** Whether unauthenticated callers can register. Default true. */
    readonly enabled?: boolean;
    /** Role of new users. Default `authenticated`. */
    readonly role?: string;
    /** Additional user attributes that a registration may set. Default none. */
    readonly fields?: readonly string[];
    /** Requires new users to confirm their address before they sign in. Default false. */
    readonly confirm?: boolean;
  };
  /**
   * Sends mails for password resets and confirmations. Default: the provider marked by
   * `@ContentMailSender()`. Without either, no mail is sent, and a message at start reports it.
   */
  readonly mail?: MailSender;
  /** Page of your front end that sets a new password: an http(s) URL. The link adds `?code=`. */
  readonly resetPasswordUrl?: string;
  /** Page that a confirmed user is redirected to. Default `/`. */
  readonly confirmedUrl?: string;
  /** Public URL of this API, for links in mails: `https://example.com/api`. */
  readonly apiUrl?: string;
  /** Limits of the sign-in routes; `false` turns them off. */
  readonly rateLimit?: RateLimitOptions | false;
}

/**
 * Provider of the options, for `useClass` and `useExisting` of `UsersModule.forRootAsync`.
 *
 * @publicApi
 */
export interface UsersOptionsFactory {
  createUsersOptions(): UsersOptions | Promise<UsersOptions>;
}

const DAYS_30 = 30 * 86_400;
const LIMITS = { perAddress: 20, perIdentifier: 10, seconds: 60 };
const ALGORITHMS: readonly unknown[] = ['HS256', 'HS384', 'HS512'];

const secretsOf = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : [given]);
const isSecret = (value: unknown): boolean => typeof value === 'string' && Buffer.byteLength(value) >= 32;

const OPTIONS: OptionsOf<UsersOptions> = {
  secret: required(
    option(
      'a string of at least 32 bytes, for example from `openssl rand -base64 32`, or a list of such strings',
      (value) => secretsOf(value).length > 0 && secretsOf(value).every(isSecret),
    ),
  ),
  algorithm: option(ALGORITHMS.join(', '), (value) => ALGORITHMS.includes(value)),
  expiresIn: whole(1),
  issuer: TEXT,
  audience: TEXT,
  refresh: orFlag([true, false], group<{ expiresIn?: number }>({ expiresIn: whole(1) })),
  local: FLAG,
  register: group<NonNullable<UsersOptions['register']>>({
    enabled: FLAG,
    role: TEXT,
    fields: TEXTS,
    confirm: FLAG,
  }),
  mail: objectWith('send'),
  resetPasswordUrl: WEB_URL,
  confirmedUrl: TEXT,
  apiUrl: WEB_URL,
  rateLimit: orFlag(
    [false],
    group<RateLimitOptions>({
      perAddress: whole(1),
      perIdentifier: whole(1),
      seconds: whole(1),
      store: FUNCTION,
    }),
  ),
};

/** Adds the defaults. Throws a ContentModelError for unknown and invalid options. */
export function resolveUsersOptions(options: UsersOptions): ResolvedUsersOptions {
  checkModuleOptions('UsersModule', options, OPTIONS);
  const refresh =
    options.refresh === undefined || options.refresh === false
      ? null
      : ((options.refresh === true ? {} : options.refresh).expiresIn ?? DAYS_30);
  const { enabled = true, role = 'authenticated', fields = [], confirm = false } = options.register ?? {};
  return {
    secrets: [options.secret].flat(),
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
    apiUrl: options.apiUrl?.replace(/\/+$/, '') ?? null,
    rateLimit:
      options.rateLimit === false
        ? null
        : withDefaults<NonNullable<ResolvedUsersOptions['rateLimit']>>(LIMITS, options.rateLimit),
  };
}

/** Injection token of the {@link ResolvedUsersOptions}. */
export const USERS_OPTIONS = Symbol('ResolvedUsersOptions');

export interface ResolvedUsersOptions {
  readonly secrets: readonly string[];
  readonly algorithm: 'HS256' | 'HS384' | 'HS512';
  readonly expiresIn: number;
  readonly claims: { readonly issuer?: string; readonly audience?: string };
  /** Lifetime of a sign-in in seconds; null if refresh tokens are off. */
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
