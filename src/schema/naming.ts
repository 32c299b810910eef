/** Names of tables, columns and indexes: deterministic, at most 63 bytes, and never two for one. */
import { createHash } from 'node:crypto';
import { type Identifier, identifier, MAX_IDENTIFIER_BYTES } from '../sql.js';
import { SYSTEM_COLUMNS } from './model.js';

const snake = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();

/** Joins words into one name; a name that would be too long keeps its start and ends in a hash of the whole. */
export function name(...words: readonly string[]): Identifier {
  const full = words.map(snake).join('_');
  if (Buffer.byteLength(full) <= MAX_IDENTIFIER_BYTES) return identifier(full);
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 10);
  return identifier(`${full.slice(0, MAX_IDENTIFIER_BYTES - hash.length - 1)}_${hash}`);
}

/** The column of an attribute; one that would meet a system column gets a trailing underscore. */
export function columnName(attribute: string, suffix?: string): Identifier {
  const plain = suffix === undefined ? name(attribute) : name(attribute, suffix);
  return (SYSTEM_COLUMNS as readonly string[]).includes(plain) ? identifier(`${plain}_`) : plain;
}

export const linkTableName = (table: string, attribute: string): Identifier => name(table, attribute, 'links');

/** Keys that the answer has beside attributes. */
export const ATTRIBUTES = identifier('attributes');
export const COMPONENT = identifier('__component');
