import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ContentError } from '../errors.js';
import { nameKey } from './user-names.js';
import { type ResolvedUsersOptions, USERS_OPTIONS } from './users.options.js';

/** An IPv6 address stands for its network of 64 bits: whoever has one address there has them all. */
function network(address: string): string {
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

/** A request to a sign-in route. */
export interface Asked {
  /** The handler's name, never the path as it was sent. */
  readonly route: string;
  readonly address: string;
  /** The user name or e-mail that it is about; compared as names are, and kept as a hash. */
  readonly identifier: unknown;
}

/** Under which keys a request about an identifier is counted: of its address alone, and of all. */
interface Keys {
  readonly own: string;
  readonly all: string;
}

const NOT_COUNTED = (): Promise<void> => Promise.resolve();

/** The counters; none where there are no limits. */
interface Counters {
  readonly byAddress: RateLimiterAbstract;
  readonly byBoth: RateLimiterAbstract;
  readonly byIdentifier: RateLimiterAbstract;
  readonly perIdentifier: number;
}

/**
 * Limits the sign-in routes (protocol 19.13): so many requests from an address, and so many failures about an
 * identifier. Failures of others never keep out an address that has not failed itself, so that nobody can
 * lock the owner of an account out of it; guesses from many addresses are one each once there were too many.
 */
@Injectable()
export class RateLimits {
  private readonly counters: Counters | null;
  /** The last of those who wait for their turn, by key. */
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

  /** Counts a request, whatever comes of it. Throws RateLimitError when there were too many. */
  count(asked: Asked): Promise<void> {
    return this.limited(asked, async (failed) => failed());
  }

  /** Does what is asked for, and counts it when it fails. Throws RateLimitError when that was too often. */
  attempt<T>(asked: Asked, work: () => Promise<T>): Promise<T> {
    return this.limited(asked, async (failed) => {
      try {
        return await work();
      } catch (error) {
        // What the database could not do was no guess.
        if (error instanceof ContentError && error.status < 500) await failed();
        throw error;
      }
    });
  }

  private async limited<T>(asked: Asked, work: (failed: () => Promise<void>) => Promise<T>): Promise<T> {
    const { counters } = this;
    const { route, identifier } = asked;
    if (counters === null) return work(NOT_COUNTED);
    const address = network(asked.address);
    await spend(counters.byAddress, `${route} ${address}`);
    if (typeof identifier !== 'string') return work(NOT_COUNTED);
    const name = createHash('sha256').update(nameKey(identifier)).digest('base64url');
    const keys = { own: `${route} ${address} ${name}`, all: `${route} ${name}` };
    // One after another, so that guesses that come at once are counted like any others.
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

/** Refuses an address that has failed too often, or at all while too many others do. */
async function refuse({ byBoth, byIdentifier, perIdentifier }: Counters, { own, all }: Keys): Promise<void> {
  const [ours, everybodys] = await Promise.all([byBoth.get(own), byIdentifier.get(all)]);
  const failures = ours?.consumedPoints ?? 0;
  const reached = failures >= perIdentifier ? ours : everybodys;
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
