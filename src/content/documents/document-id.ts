import { randomFillSync } from 'node:crypto';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const CHARACTERS = `${LETTERS}0123456789`;
const LENGTH = 24;
/** Limit for random bytes: larger ones would make the first characters more frequent. */
const UNBIASED = 256 - (256 % CHARACTERS.length);

const pool = new Uint8Array(4096);
let next = pool.length;

function randomByte(): number {
  if (next === pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  const byte = pool[next] as number;
  next += 1;
  return byte;
}

/** Returns 24 lower-case letters and digits that begin with a letter: 123 random bits (protocol 1.23). */
export function newDocumentId(): string {
  let id = '';
  while (id.length < LENGTH) {
    const byte = randomByte();
    if (byte >= UNBIASED) continue;
    const character = CHARACTERS[byte % CHARACTERS.length] as string;
    if (id !== '' || LETTERS.includes(character)) id += character;
  }
  return id;
}
