/** Headers of tar files: ustar, with the records of pax. */

/** Size of headers in bytes. Each file is padded to a multiple of it. */
export const TAR_BLOCK = 512;

type Field = readonly [offset: number, length: number];

function textIn(block: Buffer, [start, length]: Field): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString('utf8');
}

const NAME: Field = [0, 100];
const SIZE: Field = [124, 12];
const CHECKSUM: Field = [148, 8];
const KIND = 156;
const MAGIC: Field = [257, 5];
const PREFIX: Field = [345, 155];

/** Whether a block is a header: its checksum is the sum of its bytes, with spaces for the checksum itself. */
export function isTarHeader(block: Buffer): boolean {
  if (block.length !== TAR_BLOCK) return false;
  const [start, length] = CHECKSUM;
  let sum = 0;
  for (const [at, byte] of block.entries()) sum += at >= start && at < start + length ? 0x20 : byte;
  return Number.parseInt(textIn(block, CHECKSUM).trim(), 8) === sum;
}

/** Returns the size of the file of a header in bytes; undefined if the field contains none. */
export function sizeIn(block: Buffer): number | undefined {
  const [start, length] = SIZE;
  // Numbers of more than 11 octal digits are binary, marked by the first bit.
  const isBinary = ((block[start] ?? 0) & 0x80) !== 0;
  const value = isBinary
    ? Number(block.readBigUInt64BE(start + length - 8))
    : Number.parseInt(textIn(block, SIZE).trim() || '0', 8);
  return isSize(value) ? value : undefined;
}

export const isSize = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

export const kindIn = (block: Buffer): string => String.fromCharCode(block[KIND] ?? 0);

export function nameIn(block: Buffer): string {
  const prefix = textIn(block, MAGIC) === 'ustar' ? textIn(block, PREFIX) : '';
  const name = textIn(block, NAME);
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Returns the records of a pax header: `<length> <key>=<value>\n`. */
export function paxRecords(bytes: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const length = space < 0 ? Number.NaN : Number(bytes.subarray(at, space).toString());
    if (!Number.isSafeInteger(length) || length < 1) break;
    const record = bytes.subarray(space + 1, at + length - 1).toString('utf8');
    const equals = record.indexOf('=');
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
}
