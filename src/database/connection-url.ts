/**
 * What the address of a database says about how it is connected to. MikroORM takes from it where the database
 * is and who asks; the driver of PostgreSQL knows what the rest means.
 */
import type { Options } from '@mikro-orm/core';
import { parseIntoClientConfig } from 'pg-connection-string';

/** Parameters that are taken, by the driver's names: how `sslmode` and its like come out is `ssl`. */
const TAKEN = ['ssl', 'sslnegotiation', 'application_name', 'fallback_application_name', 'options'] as const;

const POSTGRES = /^postgres(?:ql)?:\/\//i;

/** Options of the driver for a connection; `options` are those of the server. */
export interface ConnectionOptions {
  readonly options?: string;
  readonly [name: string]: unknown;
}

/**
 * Mistakes of the addresses of a primary and its replicas: MikroORM takes any scheme for PostgreSQL's. None
 * quotes its address, which may have a password.
 */
export function urlMistakes({ clientUrl, replicas = [] }: Pick<Options, 'clientUrl' | 'replicas'>): string[] {
  const urls = [
    { at: 'database.clientUrl', url: clientUrl },
    ...replicas.map((replica, i) => ({ at: `database.replicas[${i}].clientUrl`, url: replica.clientUrl })),
  ];
  return urls.flatMap(({ at, url }) => {
    if (url === undefined || POSTGRES.test(url)) return [];
    const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url) ?? [];
    const found = scheme === undefined ? 'the scheme is missing' : `the scheme is "${scheme}"`;
    return [`${at}: ${found}; give an address such as postgresql://user@localhost:5432/name`];
  });
}

/**
 * Options of the driver, from addresses such as `postgresql://…/news?sslmode=verify-full` or
 * `postgresql://localhost/news?host=/var/run/postgresql`. Throws what the driver says of one that it cannot
 * take, such as a certificate that is not there.
 */
function connectionOf(clientUrl: string): ConnectionOptions {
  const known = parseIntoClientConfig(clientUrl) as Readonly<Record<string, unknown>>;
  const taken = TAKEN.filter((name) => known[name] !== undefined);
  // A folder of sockets. Names of hosts are MikroORM's, which has an option of its own for them.
  const places = new URL(clientUrl).searchParams.has('host') ? (['host'] as const) : [];
  return Object.fromEntries([...taken, ...places].map((name) => [name, known[name]]));
}

/** The upper ones win, settings of the server one by one. */
function over(lower: ConnectionOptions, upper: ConnectionOptions): ConnectionOptions {
  const options = [lower.options, upper.options].filter((each) => each !== undefined).join(' ');
  return { ...lower, ...upper, ...(options === '' ? {} : { options }) };
}

/**
 * Options of MikroORM in which what the addresses of a primary and its replicas say is heeded, over
 * `defaults` and under what the options say themselves; a Kysely or a dialect of the host's is left alone.
 */
export function withConnections(options: Options, defaults: ConnectionOptions): Options {
  const driverOptions = (url: string | undefined, given: unknown): object => {
    const own: unknown = isMaker(given) ? given() : (given ?? {});
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
