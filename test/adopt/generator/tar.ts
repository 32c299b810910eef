/** Tar files as `strapi export` writes them: ustar, with an extended header for long names; gzip; encryption. */
import { createCipheriv, scryptSync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Dice } from '../../evolution/pairs/dice.ts';

export interface Entry {
  readonly name: string;
  readonly body: Buffer;
}

const BLOCK = 512;
/** Longest name in a header, in bytes. */
const NAME = 100;

const padded = (body: Buffer): Buffer =>
  Buffer.concat([body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)]);

function header(name: string, size: number, type: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number): string => value.toString(8).padStart(length - 1, '0');
  block.write(name, 0, NAME);
  block.write(octal(0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(1_700_000_000, 12), 136);
  block.write(' '.repeat(8), 148);
  block.write(type, 156);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148);
  return block;
}

/** Record of an extended header; its length counts its own digits. */
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  const digits = String(rest + String(rest).length).length;
  return `${rest + digits} ${key}=${value}\n`;
}

export function entryBytes({ name, body }: Entry): Buffer {
  const own = [header(name, body.length, '0'), padded(body)];
  // eslint-disable-next-line no-control-regex
  if (Buffer.byteLength(name) <= NAME && /^[\u0000-\u007f]*$/.test(name)) return Buffer.concat(own);
  const extended = Buffer.from(record('path', name));
  return Buffer.concat([header('PaxHeader', extended.length, 'x'), padded(extended), ...own]);
}

/** Names of entries as other tools write them, after an export was unpacked and packed again. */
const STYLES: readonly ((name: string) => string)[] = [
  (name) => `./${name}`,
  (name) => `export_20260101/${name}`,
  // Strapi up to 4.9 writes these on Windows.
  (name) => name.replaceAll('/', '\\'),
];

/** Returns the entries with other names, or in another order, in some archives. */
export function styled(entries: readonly Entry[], dice: Dice): readonly Entry[] {
  const style = dice.chance(60) ? null : dice.pick(STYLES);
  const ordered = dice.chance(70) ? entries : dice.shuffled(entries);
  return style === null ? ordered : ordered.map(({ name, body }) => ({ name: style(name), body }));
}

export const tarOf = (entries: Iterable<Entry>): Buffer =>
  Buffer.concat([...Array.from(entries, entryBytes), Buffer.alloc(2 * BLOCK)]);

/** Forms of an archive, by the end of its file name. */
export const FORMS = ['.tar', '.tar.gz', '.tar.enc', '.tar.gz.enc'] as const;
export type Form = (typeof FORMS)[number];

export function sealed(tar: Buffer, form: Form, key: string): Buffer {
  const packed = form.includes('.gz') ? gzipSync(tar) : tar;
  if (!form.endsWith('.enc')) return packed;
  const cipher = createCipheriv('aes-128-ecb', scryptSync(key, '', 16), null);
  return Buffer.concat([cipher.update(packed), cipher.final()]);
}
