/** Passwords at rest: argon2id with the parameters that OWASP recommends (protocol 14.16, D3). */
import { hash, verify } from '@node-rs/argon2';
import { overLimit } from '../errors.js';
import { areAcceptable } from '../plan/acceptable.js';
import type { Body } from '../plan/body.js';
import { MAX_PASSWORD_BYTES } from '../schema/cast-value.js';
import type { ContentLimits } from '../settings.js';

/** Memory in KiB, passes, lanes: some 20 ms on a server's core. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A salted argon2id hash in PHC form. */
export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** A hash that no password has, to spend the same time on users that do not exist. */
let nobody: Promise<string> | undefined;

/**
 * Whether a password belongs to a hash; null for a user that does not exist or has none, which takes as long.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const known =
    stored?.startsWith('$argon2') === true
      ? stored
      : await (nobody ??= hashPassword(`nobody ${Math.random()}`));
  const possible = password.isWellFormed() && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES;
  const matches = await verify(known, possible ? password : '');
  return matches && known === stored;
}

/**
 * The hashes of all passwords of a body, made before its transaction begins; none where a value of the body
 * or a key is refused anyway, which the write reports with all other problems. Throws a 400 for more
 * passwords than one body may have.
 */
export async function hashPasswords(
  { passwords, values, refusals }: Body,
  draft: boolean,
  { passwords: most }: Pick<ContentLimits, 'passwords'>,
): Promise<ReadonlyMap<string, string>> {
  if (passwords.length > most) throw overLimit('passwords', most, 'Too many passwords in the request body');
  const hashed = passwords.length > 0 && refusals.length === 0 && areAcceptable(values, draft);
  const distinct = hashed ? [...new Set(passwords)] : [];
  return new Map(
    await Promise.all(
      distinct.map(async (password): Promise<[string, string]> => [password, await hashPassword(password)]),
    ),
  );
}
