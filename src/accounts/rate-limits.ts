import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ContentError } from '../errors.js';
import type { ResolvedUsersOptions } from './users.options.js';

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

/**
 * Counts requests to the sign-in routes by route and address, and by route and identifier (protocol 19.13).
 */
export class RateLimits {
  private readonly byAddress: RateLimiterAbstract | null;
  private readonly byIdentifier: RateLimiterAbstract | null;

  constructor({ rateLimit }: ResolvedUsersOptions) {
    const make = (keyPrefix: string, points: number): RateLimiterAbstract | null => {
      if (rateLimit === null) return null;
      const options = { keyPrefix, points, duration: rateLimit.seconds };
      return rateLimit.store === undefined ? new RateLimiterMemory(options) : rateLimit.store(options);
    };
    this.byAddress = make('content-address', rateLimit?.perAddress ?? 0);
    this.byIdentifier = make('content-identifier', rateLimit?.perIdentifier ?? 0);
  }

  /**
   * Counts one request. `route` is the handler's name, never the path as it was sent; an identifier is
   * compared without case and outer space and kept as a hash. Throws RateLimitError when there were too many.
   */
  async count(route: string, address: string, identifier: unknown): Promise<void> {
    await spend(this.byAddress, `${route} ${network(address)}`);
    if (typeof identifier !== 'string') return;
    await spend(
      this.byIdentifier,
      `${route} ${createHash('sha256').update(identifier.trim().toLowerCase()).digest('base64url')}`,
    );
  }
}

async function spend(limiter: RateLimiterAbstract | null, key: string): Promise<void> {
  if (limiter === null) return;
  try {
    await limiter.consume(key);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    throw new ContentError('RateLimitError', 'Too many requests, please try again later.', {
      retryAfter: Math.ceil(error.msBeforeNext / 1000),
    });
  }
}
