/** Callers of the seed, signed in through the product's own API: a JSON Web Token and API tokens. */
import type { INestApplication } from '@nestjs/common';
import { ApiTokens } from 'nestjs-content-api/accounts';
import pg from 'pg';
import type { Model, Seed, Token, User } from './cases.ts';
import { grantsFor } from './library.ts';
import { send } from './request.ts';

/** Name in `auth` of a case → token after `Bearer`. */
export type Bearers = ReadonlyMap<string, string>;

const REGISTERED = { username: 'conformance', email: 'conformance@example.com', password: 'Passw0rd!' };

async function post(port: number, path: string, body: object): Promise<string> {
  const answer = await send(port, { method: 'POST', path, headers: {}, body });
  const { jwt } = answer.body as { jwt?: unknown };
  if (typeof jwt !== 'string')
    throw new Error(`${path} returned no token: ${answer.status} ${JSON.stringify(answer.body)}`);
  return jwt;
}

/** Returns the token of the seed's first active user, or of one who registers. */
function jwtOf(port: number, users: readonly User[]): Promise<string> {
  const user = users.find(({ confirmed, blocked }) => confirmed && !blocked);
  return user === undefined
    ? post(port, '/api/auth/local/register', REGISTERED)
    : post(port, '/api/auth/local', { identifier: user.email, password: user.password });
}

const create = (tokens: ApiTokens, token: Token, model: Model): ReturnType<ApiTokens['create']> =>
  tokens.create({
    name: token.as,
    kind: token.type,
    ...(token.type === 'custom' ? { grants: grantsFor(token.permissions ?? {}, model) } : {}),
    ...(token.expiresAt === undefined ? {} : { days: 1 }),
  });

/**
 * The product creates no expired token, so SQL sets the recorded expiry. The first use of a token is recorded
 * by its own statement, so it is recorded here, before the count.
 */
const SETTLE = `update content_api_tokens set last_used_at = now(), expires_at = coalesce($2, expires_at) where name = $1`;

export async function signIn(
  { app, port }: { readonly app: INestApplication; readonly port: number },
  { seed, model, databaseUrl }: { seed: Seed; model: Model; databaseUrl: string },
): Promise<Bearers> {
  const { tokens, users = [] } = seed.access;
  const bearers = new Map([['jwt', await jwtOf(port, users)]]);
  const service = app.get(ApiTokens, { strict: false });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const token of tokens) {
      bearers.set(token.as, (await create(service, token, model)).token);
      await client.query(SETTLE, [token.as, token.expiresAt ?? null]);
    }
  } finally {
    await client.end();
  }
  return bearers;
}

/** Returns the `Authorization` header of a case; a placeholder such as `<jwt>` in a raw one is a token. */
export function authorization(auth: string, bearers: Bearers): Record<string, string> {
  if (auth === 'public') return {};
  const raw = auth.startsWith('raw:')
    ? auth.slice('raw:'.length).replace(/<([\w-]+)>/g, (text, name: string) => bearers.get(name) ?? text)
    : `Bearer ${bearers.get(auth) ?? auth}`;
  return { authorization: raw };
}
