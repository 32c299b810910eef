/** Password hashing: argon2id with the parameters that OWASP recommends (protocol 14.16, D3). */
import { hash, verify } from '@node-rs/argon2';
import { codeOf, overLimit } from '../../kernel/errors.js';
import { areAcceptable } from '../plan/acceptable.js';
import type { Body } from '../plan/body.js';
import { MAX_PASSWORD_BYTES } from '../model/cast-value.js';

/** Memory in KiB, iterations and lanes: about 20 ms on a server core. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, COST);

/** Hash that no password matches, so that a login of an unknown user takes equally long. */
let decoy: Promise<string> | undefined;

/** Hash of another system: bcrypt, which Strapi uses. */
const BCRYPT = /^\$2[abxy]?\$\d\d\$/;

/** Whether a hash is of another system. Replace it with a new one when its password is known. */
export const isForeignHash = (hash: string | null): boolean => BCRYPT.test(hash ?? '');

/** Compares with a bcrypt hash by the optional package `bcryptjs`; false without it. */
async function matchesBcrypt(password: string, stored: string): Promise<boolean> {
  try {
    const { default: bcrypt } = await import('bcryptjs');
    return await bcrypt.compare(password, stored);
  } catch (error) {
    if (codeOf(error) === 'ERR_MODULE_NOT_FOUND') return false;
    throw error;
  }
}

/**
 * Bcrypt hash that no password matches, as expensive as the last one that was compared. With it, all refused
 * sign-ins take equally long, once the process has compared a hash of another system.
 */
let foreignDecoy: string | null = null;

/** Keeps the prefix with the cost, such as `$2b$10$`. */
const decoyOf = (stored: string): string => stored.slice(0, 7).padEnd(60, '.');

/**
 * Whether the password matches the hash. Null, for an unknown user or one without a password, takes equally
 * long.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const hash =
    stored?.startsWith('$argon2') === true
      ? stored
      : await (decoy ??= hashPassword(`decoy ${Math.random()}`));
  const possible = password.isWellFormed() && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES;
  const matches = await verify(hash, possible ? password : '');
  if (!possible) return false;
  if (stored !== null && isForeignHash(stored)) {
    foreignDecoy = decoyOf(stored);
    return matchesBcrypt(password, stored);
  }
  const isRight = matches && hash === stored;
  if (!isRight && foreignDecoy !== null) await matchesBcrypt(password, foreignDecoy);
  return isRight;
}

/** Number of passwords that the writes of one request may hash. */
export interface PasswordLimit {
  readonly allowed: number;
  left: number;
}

export const passwordLimit = (allowed: number): PasswordLimit => ({ allowed, left: allowed });

/**
 * Hashes all passwords of a body before its transaction begins, and counts them. Hashes none
 * if a value or key is refused anyway, which the write reports with all other problems. Throws a 400 for too
 * many passwords.
 */
export async function hashPasswords(
  { passwords, values, refusals }: Body,
  draft: boolean,
  limit: PasswordLimit,
): Promise<ReadonlyMap<string, string>> {
  if (passwords.length > limit.left)
    throw overLimit('passwords', limit.allowed, 'Too many passwords in the request body');
  limit.left -= passwords.length;
  const hashed = passwords.length > 0 && refusals.length === 0 && areAcceptable(values, draft);
  const distinct = hashed ? [...new Set(passwords)] : [];
  return new Map(
    await Promise.all(
      distinct.map(async (password): Promise<[string, string]> => [password, await hashPassword(password)]),
    ),
  );
}
