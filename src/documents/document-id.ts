import { randomFillSync } from 'node:crypto';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const CHARACTERS = `${LETTERS}0123456789`;
const LENGTH = 24;
/** Larger bytes would make the first characters likelier than the last. */
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

/** 24 lower-case letters and digits, a letter first: 123 bits by chance (protocol 1.23). */
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
