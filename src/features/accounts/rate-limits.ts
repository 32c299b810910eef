import { createHash } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ContentError } from '../../kernel/errors.js';
import { nameKey } from './user-names.js';
import { type ResolvedUsersOptions, USERS_OPTIONS } from './users.options.js';

/**
 * Returns an address without the port that some proxies add, `203.0.113.7:4711` or `[2001:db8::1]:4711`. A
 * client has another one for each connection.
 */
function withoutPort(address: string): string {
  if (isIP(address) !== 0) return address;
  const [, bracketed] = /^\[([^\]]+)\]/.exec(address) ?? [];
  return bracketed ?? address.replace(/:\d{1,5}$/, '');
}

/** Returns the 64-bit network of an IPv6 address, because a client usually controls all of it. */
function network(given: string): string {
  const address = withoutPort(given);
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail = ''] = new URL(`http://[${address.split('%', 1)[0] ?? ''}]`).hostname
    .slice(1, -1)
    .split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  return [
    ...left,
    ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'),
    ...right,
  ]
    .slice(0, 4)
    .join(':');
}

export interface LimitedRequest {
  /** Name of the handler, never the path of the request. */
  readonly route: string;
  readonly address: string;
  /** User name or e-mail of the request. It is compared as user names are, and stored as a hash. */
  readonly identifier: unknown;
}

interface Keys {
  readonly own: string;
  readonly all: string;
}

const NOT_COUNTED = (): Promise<void> => Promise.resolve();

interface Counters {
  readonly byAddress: RateLimiterAbstract;
  readonly byBoth: RateLimiterAbstract;
  readonly byIdentifier: RateLimiterAbstract;
  readonly perIdentifier: number;
}

/**
 * Limits requests to the sign-in routes per address, and failures per identifier (protocol 19.13). An address
 * without failures is never refused for an identifier. So an attacker cannot lock the owner out, and an
 * attack from many addresses gets one guess per address.
 */
@Injectable()
export class RateLimits {
  private readonly counters: Counters | null;
  /** Last queued request by key. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(@Inject(USERS_OPTIONS) { rateLimit }: Pick<ResolvedUsersOptions, 'rateLimit'>) {
    if (rateLimit === null) {
      this.counters = null;
      return;
    }
    const { perAddress, perIdentifier, seconds: duration, store } = rateLimit;
    const make = (keyPrefix: string, points: number): RateLimiterAbstract =>
      (store ?? ((options) => new RateLimiterMemory(options)))({ keyPrefix, points, duration });
    this.counters = {
      byAddress: make('content-address', perAddress),
      byBoth: make('content-address-identifier', perIdentifier),
      byIdentifier: make('content-identifier', perIdentifier),
      perIdentifier,
    };
  }

  /** Counts a request, whether it succeeds or fails. Throws RateLimitError above the limit. */
  count(request: LimitedRequest): Promise<void> {
    return this.withLimits(request, async (failed) => failed());
  }

  /** Runs `work`, and counts a failure. Throws RateLimitError above the limit. */
  attempt<T>(request: LimitedRequest, work: () => Promise<T>): Promise<T> {
    return this.withLimits(request, async (failed) => {
      try {
        return await work();
      } catch (error) {
        // A server error, for example of the database, is not a guess.
        if (error instanceof ContentError && error.status < 500) await failed();
        throw error;
      }
    });
  }

  private async withLimits<T>(
    request: LimitedRequest,
    work: (failed: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const { counters } = this;
    const { route, identifier } = request;
    if (counters === null) return work(NOT_COUNTED);
    const address = network(request.address);
    await spend(counters.byAddress, `${route} ${address}`);
    if (typeof identifier !== 'string') return work(NOT_COUNTED);
    const name = createHash('sha256').update(nameKey(identifier)).digest('base64url');
    const keys = { own: `${route} ${address} ${name}`, all: `${route} ${name}` };
    // Requests of one key run in turn, so that concurrent guesses are counted before the next one.
    return this.oneAtATime(keys.own, async () => {
      await refuse(counters, keys);
      return work(async () => {
        await Promise.all([counters.byBoth.penalty(keys.own), counters.byIdentifier.penalty(keys.all)]);
      });
    });
  }

  private async oneAtATime<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.turns.get(key) ?? Promise.resolve()).then(work);
    const over = turn.catch(() => undefined);
    this.turns.set(key, over);
    try {
      return await turn;
    } finally {
      if (this.turns.get(key) === over) this.turns.delete(key);
    }
  }
}

/**
 * Refuses an address at its own limit. At the limit of all addresses, it refuses each address with a failure.
 */
async function refuse({ byBoth, byIdentifier, perIdentifier }: Counters, keys: Keys): Promise<void> {
  const [own, total] = await Promise.all([byBoth.get(keys.own), byIdentifier.get(keys.all)]);
  const failures = own?.consumedPoints ?? 0;
  const reached = failures >= perIdentifier ? own : total;
  if (failures > 0 && reached !== null && reached.consumedPoints >= perIdentifier) throw tooMany(reached);
}

const tooMany = ({ msBeforeNext }: RateLimiterRes): ContentError =>
  new ContentError('RateLimitError', 'Too many requests, please try again later.', {
    retryAfter: Math.max(1, Math.ceil(msBeforeNext / 1000)),
  });

async function spend(limiter: RateLimiterAbstract, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (error) {
    throw error instanceof RateLimiterRes ? tooMany(error) : error;
  }
}
