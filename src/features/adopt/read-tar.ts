/** Reads tar files: ustar, with the long names of pax and GNU tar. */
import { AdoptError } from './adopt-error.js';
import { ByteReader } from './byte-reader.js';

export interface TarFile {
  /** Path inside the archive, with `/` between its parts. */
  readonly name: string;
  readonly size: number;
  readonly bytes: AsyncIterable<Buffer>;
}

const BLOCK = 512;
/** Maximum size of a header with a long name, in bytes. */
const MAX_HEADER_BYTES = 1024 * 1024;

const damaged = (): AdoptError => new AdoptError('The tar file is damaged, or the key is wrong');

const textIn = (block: Buffer, [start, length]: readonly [number, number]): string => {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString('utf8');
};

/** Fields of a header: offset and length. */
const NAME = [0, 100] as const;
const SIZE = [124, 12] as const;
const CHECKSUM = [148, 8] as const;
const KIND = 156;
const PREFIX = [345, 155] as const;

function numberIn(block: Buffer, [start, length]: readonly [number, number]): number {
  // Numbers of more than 11 octal digits are binary, marked by the first bit.
  const isBinary = ((block[start] ?? 0) & 0x80) !== 0;
  const value = isBinary
    ? Number(block.readBigUInt64BE(start + length - 8))
    : Number.parseInt(textIn(block, [start, length]).trim() || '0', 8);
  if (!Number.isSafeInteger(value) || value < 0) throw damaged();
  return value;
}

/** Whether the checksum of a header is right: the sum of its bytes, with spaces for the checksum itself. */
function isHeader(block: Buffer): boolean {
  const [start, length] = CHECKSUM;
  let sum = 0;
  for (const [at, byte] of block.entries()) sum += at >= start && at < start + length ? 0x20 : byte;
  return Number.parseInt(textIn(block, CHECKSUM).trim(), 8) === sum;
}

/** Returns the records of a pax header: `<length> <key>=<value>\n`. */
function paxRecords(bytes: Buffer): ReadonlyMap<string, string> {
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

const isFile = (kind: string): boolean => kind === '0' || kind === '\0' || kind === '7';

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

interface Longer {
  readonly path?: string | undefined;
  readonly size?: number | undefined;
}

async function longerOf(kind: string, size: number, reader: ByteReader): Promise<Longer> {
  if (size > MAX_HEADER_BYTES) throw damaged();
  const bytes = await reader.read(size);
  if (kind === 'L') return { path: bytes.toString('utf8').replace(/\0+$/, '') };
  const records = paxRecords(bytes);
  const long = Number(records.get('size') ?? Number.NaN);
  return { path: records.get('path'), size: Number.isSafeInteger(long) ? long : undefined };
}

/** Header kinds that describe the next file: its name by GNU tar, its records by pax. */
const DESCRIBING: readonly string[] = ['L', 'x'];

const nameOf = (block: Buffer): string => {
  const prefix = textIn(block, [257, 5]) === 'ustar' ? textIn(block, PREFIX) : '';
  const name = textIn(block, NAME);
  return prefix === '' ? name : `${prefix}/${name}`;
};

/**
 * Yields the files of a tar file. Bytes that the caller does not read are skipped. Throws an AdoptError for
 * anything else than a complete tar file.
 */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarFile> {
  const reader = new ByteReader(source);
  try {
    yield* filesOf(reader);
  } finally {
    await reader.close();
  }
}

async function* filesOf(reader: ByteReader): AsyncGenerator<TarFile> {
  let longer: Longer = {};
  for (let first = true; ; first = false) {
    const block = await reader.read(BLOCK);
    if (block.length === 0 && !first) return;
    if (block.length === BLOCK && block.every((byte) => byte === 0)) return;
    if (block.length < BLOCK || !isHeader(block)) throw damaged();
    const kind = String.fromCharCode(block[KIND] ?? 0);
    const size = longer.size ?? numberIn(block, SIZE);
    if (DESCRIBING.includes(kind)) {
      longer = { ...longer, ...(await longerOf(kind, size, reader)) };
      await reader.skip(padding(size));
      continue;
    }
    let unread = size;
    if (isFile(kind)) {
      const bytes = (async function* (): AsyncGenerator<Buffer> {
        for await (const piece of reader.stream(size)) {
          unread -= piece.length;
          yield piece;
        }
      })();
      yield { name: longer.path ?? nameOf(block), size, bytes };
    }
    const rest = unread + padding(size);
    if ((await reader.skip(rest)) < rest && unread > 0) throw damaged();
    longer = {};
  }
}
