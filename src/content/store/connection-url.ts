/**
 * Connection options in the URL of a database. MikroORM reads host, database and user; the PostgreSQL driver
 * reads the parameters.
 */
import type { Options } from '@mikro-orm/core';
import { parseIntoClientConfig } from 'pg-connection-string';

/** Supported options, by the driver's names: `sslmode` and similar parameters become `ssl`. */
const DRIVER_OPTIONS = [
  'ssl',
  'sslnegotiation',
  'application_name',
  'fallback_application_name',
  'options',
] as const;

const POSTGRES = /^postgres(?:ql)?:\/\//i;

/** Options of the driver for a connection; `options` are those of the server. */
export interface ConnectionOptions {
  readonly options?: string;
  readonly [name: string]: unknown;
}

/** Returns the mistake in a URL; null for none. MikroORM accepts any scheme. */
function mistakeIn(url: string | undefined): string | null {
  if (url === undefined) return 'the URL is undefined (is an environment variable missing?)';
  if (POSTGRES.test(url)) return null;
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url) ?? [];
  return scheme === undefined ? 'the scheme is missing' : `the scheme is "${scheme}"`;
}

type Server = Pick<Options, 'clientUrl' | 'dbName' | 'host'>;

const isWithoutUrl = (options: Server): boolean =>
  !('clientUrl' in options) || (options.clientUrl === undefined && Boolean(options.dbName ?? options.host));

/**
 * Returns mistakes in the URLs of a primary and its replicas. A URL that is not given at all is none: other
 * options can name the database. Messages do not quote a URL, which may contain a password.
 */
export function urlMistakes(database: Server & Pick<Options, 'replicas'>): string[] {
  const { replicas = [] } = database;
  const servers = [
    { at: 'database.clientUrl', options: database },
    ...replicas.map((options, i) => ({ at: `database.replicas[${i}].clientUrl`, options })),
  ];
  return servers.flatMap(({ at, options }) => {
    const mistake = isWithoutUrl(options) ? null : mistakeIn(options.clientUrl);
    if (mistake === null) return [];
    return [`${at}: ${mistake}; give an address such as postgresql://user@localhost:5432/name`];
  });
}

/**
 * Returns options of the driver for URLs such as `postgresql://…/news?sslmode=verify-full` or
 * `postgresql://localhost/news?host=/var/run/postgresql`. Throws the driver's error, for example for a
 * missing certificate.
 */
function connectionOf(clientUrl: string): ConnectionOptions {
  const config = parseIntoClientConfig(clientUrl) as Readonly<Record<string, unknown>>;
  const names = DRIVER_OPTIONS.filter((name) => config[name] !== undefined);
  // The folder of a Unix socket. MikroORM has its own option for host names.
  const places = new URL(clientUrl).searchParams.has('host') ? (['host'] as const) : [];
  return Object.fromEntries([...names, ...places].map((name) => [name, config[name]]));
}

/** Merges options: those of `upper` take precedence, also for single server settings. */
function over(lower: ConnectionOptions, upper: ConnectionOptions): ConnectionOptions {
  const options = [lower.options, upper.options].filter((each) => each !== undefined).join(' ');
  return { ...lower, ...upper, ...(options === '' ? {} : { options }) };
}

/**
 * Returns options of MikroORM that include those in the URLs of the primary and its replicas. Explicit
 * options take precedence over a URL, and a URL over `defaults`. A Kysely or a dialect of the host stays as
 * it is.
 */
export function withConnections(options: Options, defaults: ConnectionOptions): Options {
  const driverOptions = (url: string | undefined, option: unknown): object => {
    const own: unknown = isMaker(option) ? option() : (option ?? {});
    if (!isPlain(own)) return own as object;
    return over(over(defaults, url === undefined ? {} : connectionOf(url)), own);
  };
  const replicas = options.replicas?.map((replica) => ({
    ...replica,
    driverOptions: driverOptions(
      replica.clientUrl ?? options.clientUrl,
      replica.driverOptions ?? options.driverOptions,
    ),
  }));
  return {
    ...options,
    driverOptions: driverOptions(options.clientUrl, options.driverOptions),
    ...(replicas === undefined ? {} : { replicas }),
  };
}

const isMaker = (value: unknown): value is () => unknown => typeof value === 'function';
const isPlain = (value: unknown): value is ConnectionOptions =>
  Object.getPrototypeOf(value) === Object.prototype;
