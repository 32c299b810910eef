import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number }, Buffer>(scrypt);
const COST = { N: 16_384, r: 8, p: 1 };
const BYTES = 32;

/** A salted scrypt hash, `scrypt$N$r$p$salt$hash` in base64 (protocol 14.16, D3). */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, BYTES, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), hash.toString('base64')].join('$');
}

/** The hashes of all passwords of a body, made before its transaction begins. */
export async function hashPasswords(passwords: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const distinct = [...new Set(passwords)].filter((password) => Buffer.byteLength(password) <= 72);
  return new Map(await Promise.all(distinct.map(async (password): Promise<[string, string]> => [password, await hashPassword(password)])));
}
