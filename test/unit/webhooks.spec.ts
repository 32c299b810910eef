/** Retries, addresses and signatures of webhooks. */
import { sign, verify } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { RETRIES, retryAfter } from '../../src/features/events/backoff.ts';
import { isNetwork, PublicAddresses } from '../../src/features/events/webhooks/public-addresses.ts';
import { checkEndpoint } from '../../src/features/events/webhooks/endpoint.ts';
import { secondsOf, send } from '../../src/features/events/webhooks/send.ts';
import {
  isSecret,
  newSecret,
  newSigningKey,
  signingKeyOf,
} from '../../src/features/events/webhooks/signatures.ts';

describe('retries of events', () => {
  it('wait longer each time, with up to a tenth more, and end', () => {
    expect(RETRIES.map((_, i) => retryAfter(i + 1, null, 0))).toEqual(RETRIES);
    expect(retryAfter(1, null, 1)).toBe(5.5);
    expect(retryAfter(RETRIES.length + 1, null)).toBeNull();
  });

  it('wait as long as the receiver asks, a day at most', () => {
    expect(retryAfter(1, 60, 0)).toBe(60);
    expect(retryAfter(1, 10_000_000, 0)).toBe(86_400);
    expect(retryAfter(4, 60, 0)).toBe(7200);
  });

  it.each([
    ['120', 120],
    ['Wed, 25 Nov 2026 10:00:30 GMT', 30],
    ['Wed, 25 Nov 2026 09:00:00 GMT', 0],
    ['soon', null],
    ['-5', null],
    [undefined, null],
  ])('read Retry-After %p as %p seconds', (header, seconds) => {
    expect(secondsOf(header, Date.parse('2026-11-25T10:00:00Z'))).toBe(seconds);
  });
});

describe('headers of webhooks', () => {
  it.each(['Trailer', 'host', 'Content-Length', 'TE', 'Webhook-Id', 'a b', ''])('cannot be "%s"', (name) => {
    const endpoint = { name: 'a', url: 'https://example.org', headers: { [name]: 'x' } };
    expect(() => checkEndpoint(endpoint)).toThrow('headers must be an object of strings');
  });

  it('fail the attempt if Node refuses them', async () => {
    const post = { url: new URL('http://127.0.0.1:1/'), body: '{}', timeout: 1000 };
    const sent = await send({ ...post, headers: { Trailer: 'x' } }, new PublicAddresses(['127.0.0.1']));
    expect(sent).toMatchObject({
      kind: 'failed',
      failure: 'The endpoint cannot be reached (ERR_HTTP_TRAILER_INVALID)',
    });
  });
});

describe('addresses of webhooks', () => {
  const addresses = new PublicAddresses(['10.1.0.0/16', 'inside.example']);

  it.each([
    ['127.0.0.1', false],
    ['10.0.0.1', false],
    ['10.1.2.3', true],
    ['169.254.169.254', false],
    ['172.31.255.255', false],
    ['192.168.1.1', false],
    ['100.64.0.1', false],
    ['0.0.0.0', false],
    ['224.0.0.1', false],
    ['8.8.8.8', true],
    ['::1', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:8.8.8.8', false],
    ['64:ff9b::7f00:1', false],
    ['fd00::1', false],
    ['fe80::1', false],
    ['::127.0.0.1', false],
    ['::ffff:0:127.0.0.1', false],
    ['5f00::1', false],
    ['3fff::1', false],
    ['2002:7f00:1::', false],
    ['fec0::1', false],
    ['ff02::1', false],
    ['2606:4700:4700::1111', true],
  ])('%s is allowed: %p', (address, allowed) => {
    expect(addresses.allows(address)).toBe(allowed);
  });

  it.each([
    'http://127.0.0.1/',
    'http://[::1]:80/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://0177.0.0.1/',
    'http://0/',
    'http://①②⑦.0.0.1/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[0:0:0:0:0:0:0:1]/',
  ])('refuses the URL %s before it connects', (url) => {
    expect(() => addresses.check(new URL(url))).toThrow('not a public address');
  });

  it('refuses a name that resolves to a private address, when it connects', async () => {
    const found = (host: string): Promise<string> =>
      new Promise((done) => {
        addresses.lookup(host, { all: true }, (error, list) => {
          done(error?.message ?? (list as LookupAddress[]).map(({ address }) => address).join());
        });
      });
    expect(await found('localhost')).toBe('localhost has no public address');
    await expect(
      new Promise((done) => {
        new PublicAddresses(['localhost']).lookup('localhost', {}, (error, address) =>
          done([error, address]),
        );
      }),
    ).resolves.toEqual([null, expect.stringMatching(/^127\.0\.0\.1$|^::1$/)]);
  });

  it.each([
    ['10.0.0.0/8', true],
    ['fd00::/8', true],
    ['10.0.0.0/33', false],
    ['10.0.0.0', false],
    ['host/8', false],
  ])('%s is a network: %p', (text, expected) => {
    expect(isNetwork(text)).toBe(expected);
  });
});

describe('keys of webhooks', () => {
  it('are made in the form that is accepted', () => {
    expect(isSecret(newSecret())).toBe(true);
    expect(isSecret('whsec_c2hvcnQ=')).toBe(false);
    expect(isSecret('secret')).toBe(false);
    const { privateKey, publicKey } = newSigningKey();
    const key = signingKeyOf(privateKey);
    if (key === null) throw new Error('The key is not accepted');
    const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
    const shown = { key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' } as const;
    const text = Buffer.from('text');
    expect(verify(null, text, shown, sign(null, text, key))).toBe(true);
    expect(signingKeyOf('whsk_c2hvcnQ=')).toBeNull();
  });
});
