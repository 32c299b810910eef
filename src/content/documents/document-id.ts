import { randomFillSync } from 'node:crypto';
import { checkedAs, isCount, isListOf, isShape, isText } from '../../kernel/json.js';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const CHARACTERS = `${LETTERS}0123456789`;
const LENGTH = 24;
/** Limit for random bytes: larger ones would make the first characters more frequent. */
const BIAS_LIMIT = 256 - (256 % CHARACTERS.length);

const pool = Buffer.alloc(4096);
let next = pool.length;

function randomByte(): number {
  if (next === pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  const byte = pool.readUInt8(next);
  next += 1;
  return byte;
}

/** Returns 24 lower-case letters and digits that begin with a letter: 123 random bits (protocol 1.23). */
export function newDocumentId(): string {
  let id = '';
  while (id.length < LENGTH) {
    const byte = randomByte();
    if (byte >= BIAS_LIMIT) continue;
    const character = CHARACTERS.charAt(byte % CHARACTERS.length);
    if (id !== '' || LETTERS.includes(character)) id += character;
  }
  return id;
}

export const isDocument = isShape({ documentId: isText });

const isDocuments = isListOf(isShape({ id: isCount, documentId: isText }));

export const documentIdIn = (text: string): string =>
  checkedAs(JSON.parse(text), isDocument, 'A document').documentId;

/** Returns the row id and the document id of each document in a list. */
export const documentsIn = (text: string): readonly { readonly id: number; readonly documentId: string }[] =>
  checkedAs(JSON.parse(text), isDocuments, 'A list of documents');
