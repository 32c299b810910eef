/** R15: limits stop guesses, and an attacker cannot use them to lock out the owner of an account (19.13). */
import type { INestApplication } from '@nestjs/common';
import { ContentModule } from 'nestjs-content-api';
import { type RateLimitOptions, UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { type Host, startHost } from '../http/helpers.ts';
import { adaptersFor } from '../support/adapters.ts';
import { ADAPTERS } from '../support/app.ts';
import { Outbox, usersOptions } from './helpers.ts';

const OWNER = { username: 'owner', email: 'owner@example.com', password: 'correct horse' };

describe.each(adaptersFor('fastify'))('limits on %s', (adapter) => {
  let host: Host;
  const start = (rateLimit: RateLimitOptions): Promise<Host> =>
    startHost(
      ({ url }) => ({
        imports: [
          ContentModule.forRoot({ contentTypes: userTypes(), database: { clientUrl: url } }),
          UsersModule.forRoot(usersOptions(new Outbox(), { rateLimit })),
        ],
      }),
      {
        adapter,
        // The proxy that sets the addresses is trusted.
        fastify: { trustProxy: true },
        prepare: (app: INestApplication) =>
          void (adapter === 'express' && app.getHttpAdapter().getInstance().set('trust proxy', true)),
        tables: true,
      },
    );
  const post = async (path: string, body: object, address: string, token?: string) => {
    const response = await fetch(`${host.url}/api/auth/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': address,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as any };
  };
  const signIn = async (address: string, password = OWNER.password, identifier = OWNER.username) =>
    (await post('local', { identifier, password }, address)).status;
  const times = async (n: number, work: (i: number) => Promise<number>): Promise<number[]> => {
    const statuses: number[] = [];
    for (let i = 0; i < n; i += 1) statuses.push(await work(i));
    return statuses;
  };

  beforeEach(async () => {
    host = await start({ perAddress: 1000, perIdentifier: 3, seconds: 60 });
    expect((await post('local/register', OWNER, '10.9.9.9')).status).toBe(200);
  });
  afterEach(() => host.close());

  it('R15: guesses from other addresses do not lock out the owner', async () => {
    expect(await times(6, () => signIn('10.0.0.1', 'wrong'))).toEqual([400, 400, 400, 429, 429, 429]);
    // After too many guesses from an address, even the right password is rejected.
    expect(await signIn('10.0.0.1')).toBe(429);
    expect(await times(3, () => signIn('10.0.0.2'))).toEqual([200, 200, 200]);
    expect(await signIn('10.0.0.2', OWNER.password, OWNER.email)).toBe(200);
  });

  it('R15: guesses from many addresses have separate limits', async () => {
    expect(await times(3, (i) => signIn(`10.0.1.${i}`, 'wrong'))).toEqual([400, 400, 400]);
    expect(await times(5, (i) => signIn(`10.0.2.${i}`, 'wrong'))).toEqual([400, 400, 400, 400, 400]);
    expect(await times(5, (i) => signIn(`10.0.2.${i}`))).toEqual([429, 429, 429, 429, 429]);
    // An IPv6 address counts as its network, because one user can have a whole network.
    expect(await signIn('2001:db8:1:1::1', 'wrong')).toBe(400);
    expect(await signIn('2001:db8:1:1::2')).toBe(429);
    expect(await signIn('2001:db8:1:2::1')).toBe(200);
  });

  it.each([
    ['IPv4', (port: number) => `10.0.0.3:${port}`, '10.0.0.3'],
    ['IPv6', (port: number) => `[2001:db8:5::${port}]:${port}`, '2001:db8:5::9'],
    ['IPv6 in no brackets', (port: number) => `2001:db8:6::1:${50_000 + port}`, '2001:db8:6::9'],
  ])('R15: ports that a proxy adds to an %s address are not part of it', async (_name, at, bare) => {
    expect(await times(4, (i) => signIn(at(4000 + i), 'wrong'))).toEqual([400, 400, 400, 429]);
    expect(await signIn(bare)).toBe(429);
    expect(await signIn('10.0.0.4')).toBe(200);
  });

  it('R15: successful requests do not count as failures, also concurrent ones', async () => {
    const right = await Promise.all(Array.from({ length: 12 }, () => signIn('10.0.3.1')));
    expect(right).toEqual(Array<number>(12).fill(200));
    expect(await times(3, () => signIn('10.0.3.1', 'wrong'))).toEqual([400, 400, 400]);
    expect(await signIn('10.0.3.1')).toBe(429);
  });

  it('R15: concurrent guesses count', async () => {
    const guesses = await Promise.all(Array.from({ length: 12 }, (_, i) => signIn('10.0.4.1', `wrong ${i}`)));
    expect(guesses.filter((status) => status === 400)).toHaveLength(3);
    expect(guesses.filter((status) => status === 429)).toHaveLength(9);
  });

  it('R15: another spelling counts as the same name', async () => {
    const spellings = ['owner', 'OWNER', ' owner', 'ｏｗｎｅｒ', 'Owner\u00a0', 'oWner'];
    const statuses = await times(6, (i) => signIn('10.0.5.1', 'wrong', spellings[i]));
    expect(statuses).toEqual([400, 400, 400, 429, 429, 429]);
  });

  it('19.2 no request normalises a text that is too long for a name or an address', async () => {
    // NFKC writes this letter as 18.
    const long = '\ufdfa'.repeat(30_000);
    const normalize = jest.spyOn(String.prototype, 'normalize');
    const answers = [
      await post('local', { identifier: long, password: 'wrong' }, '10.0.8.1'),
      await post('local/register', { ...OWNER, username: long, email: 'long@example.com' }, '10.0.8.1'),
      await post('local/register', { ...OWNER, email: long }, '10.0.8.1'),
      await post('forgot-password', { email: long }, '10.0.8.1'),
      await post('send-email-confirmation', { email: long }, '10.0.8.1'),
      await post('reset-password', { code: long, password: 'x', passwordConfirmation: 'x' }, '10.0.8.1'),
    ];
    const lengths = normalize.mock.contexts.map((text) => String(text).length);
    normalize.mockRestore();
    expect(answers.map(({ status, body }) => [status, body.error.message])).toEqual([
      [400, 'Invalid identifier or password'],
      [400, 'username must be at most 255 characters'],
      [400, 'email must be a valid email'],
      [400, 'email must be a valid email'],
      [400, 'email must be a valid email'],
      [400, 'Incorrect code provided'],
    ]);
    expect(Math.max(...lengths)).toBeLessThan(30_000);
    // Spaces around a name make no other name, however many there are.
    const spaces = ['', ' '.repeat(2000), ' '.repeat(3000), ' '.repeat(4000)];
    const statuses = await times(4, (i) => signIn('10.0.8.2', 'wrong', `${spaces[i]}owner`));
    expect(statuses).toEqual([400, 400, 400, 429]);
  });

  it('R15: a token allows no faster guesses of the password', async () => {
    const { body } = await post('local', { identifier: 'owner', password: OWNER.password }, '10.0.6.1');
    const change = (currentPassword: string, address: string) =>
      post(
        'change-password',
        { currentPassword, password: 'another horse', passwordConfirmation: 'another horse' },
        address,
        body.jwt,
      );
    const guesses = await times(5, async () => (await change('wrong', '10.0.6.1')).status);
    expect(guesses).toEqual([400, 400, 400, 429, 429]);
    expect((await change(OWNER.password, '10.0.6.2')).status).toBe(200);
  });

  it('19.13 mails are limited per client address, and the error has retryAfter', async () => {
    const forgot = (address: string) => post('forgot-password', { email: OWNER.email }, address);
    expect(await times(4, async () => (await forgot('10.0.7.1')).status)).toEqual([200, 200, 200, 429]);
    expect(await times(2, async () => (await forgot('10.0.7.2')).status)).toEqual([200, 429]);
    const { body } = await forgot('10.0.7.1');
    expect(body.error).toMatchObject({ status: 429, name: 'RateLimitError' });
    const { retryAfter } = body.error.details;
    expect([Number.isInteger(retryAfter), retryAfter > 0, retryAfter <= 60]).toEqual([true, true, true]);
  });
});

describe.each(ADAPTERS)('behind one proxy on %s', (adapter) => {
  it('a client cannot claim an address, as the documentation sets it up', async () => {
    const host = await startHost(
      ({ url }) => ({
        imports: [
          ContentModule.forRoot({ contentTypes: userTypes(), database: { clientUrl: url } }),
          UsersModule.forRoot(usersOptions(new Outbox(), { rateLimit: { perAddress: 2 } })),
        ],
      }),
      {
        adapter,
        fastify: { trustProxy: '127.0.0.0/8' },
        prepare: (app: INestApplication) =>
          void (adapter === 'express' && app.getHttpAdapter().getInstance().set('trust proxy', 1)),
        tables: true,
      },
    );
    // The proxy adds the last address; the client has sent the others.
    const signIn = async (claimed: string, real: string): Promise<number> => {
      const headers = {
        'content-type': 'application/json',
        'x-forwarded-for': `${claimed}, ${real}`,
        forwarded: `for=${claimed}`,
        'x-real-ip': claimed,
      };
      const body = JSON.stringify({ identifier: 'none', password: 'none' });
      return (await fetch(`${host.url}/api/auth/local`, { method: 'POST', headers, body })).status;
    };
    const statuses: number[] = [];
    for (let i = 0; i < 4; i += 1) statuses.push(await signIn(`198.51.100.${i}`, '203.0.113.1'));
    expect(statuses).toEqual([400, 400, 429, 429]);
    expect(await signIn('198.51.100.1', '203.0.113.2')).toBe(400);
    await host.close();
  });
});
