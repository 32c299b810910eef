/** Reads tar files: ustar, with the long names of pax and GNU tar. */
import { ByteReader } from './byte-reader.js';
import { isSize, isTarHeader, kindIn, nameIn, paxRecords, sizeIn, TAR_BLOCK } from './tar-header.js';

export interface TarFile {
  /** Path inside the archive, with `/` between its parts. */
  readonly name: string;
  readonly size: number;
  readonly bytes: AsyncIterable<Buffer>;
}

/** Errors of files that are not a complete tar file. `last` is the last file that could be read, or empty. */
export interface TarErrors {
  /** The file does not begin with a header; `head` contains its first bytes. */
  readonly foreign: (head: Buffer) => Error;
  readonly damaged: (last: string) => Error;
  readonly early: (last: string) => Error;
}

/** Maximum size of a header with a long name, in bytes. */
const MAX_HEADER_BYTES = 1024 * 1024;

const isFile = (kind: string): boolean => kind === '0' || kind === '\0' || kind === '7';

const padding = (size: number): number => (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK;

interface Longer {
  readonly path?: string | undefined;
  readonly size?: number | undefined;
}

function longerOf(kind: string, bytes: Buffer): Longer {
  if (kind === 'L') return { path: bytes.toString('utf8').replace(/\0+$/, '') };
  const records = paxRecords(bytes);
  const long = Number(records.get('size') ?? Number.NaN);
  return { path: records.get('path'), size: isSize(long) ? long : undefined };
}

/** Header kinds that describe the next file: its name by GNU tar, its records by pax. */
const DESCRIBING: readonly string[] = ['L', 'x'];

/** Yields the files of a tar file. Bytes that the caller does not read are skipped. */
export async function* readTar(source: AsyncIterable<Buffer>, errors: TarErrors): AsyncGenerator<TarFile> {
  const reader = new ByteReader(source);
  try {
    yield* filesOf(reader, errors);
  } finally {
    await reader.close();
  }
}

async function* filesOf(reader: ByteReader, errors: TarErrors): AsyncGenerator<TarFile> {
  let longer: Longer = {};
  let last = '';
  for (let first = true; ; first = false) {
    const block = await reader.read(TAR_BLOCK);
    // Every writer of tar files ends them with blocks of zeros.
    if (block.length === TAR_BLOCK && block.every((byte) => byte === 0)) return;
    if (first && !isTarHeader(block)) throw errors.foreign(block);
    if (block.length < TAR_BLOCK) throw errors.early(last);
    const size = longer.size ?? sizeIn(block);
    const kind = kindIn(block);
    const isDescribing = DESCRIBING.includes(kind);
    if (!isTarHeader(block) || size === undefined || (isDescribing && size > MAX_HEADER_BYTES))
      throw errors.damaged(last);
    if (isDescribing) {
      longer = { ...longer, ...longerOf(kind, await reader.read(size)) };
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
      const name = longer.path ?? nameIn(block);
      yield { name, size, bytes };
      if ((await reader.skip(unread)) < unread) throw errors.early(last);
      last = name;
    } else await reader.skip(size);
    await reader.skip(padding(size));
    longer = {};
  }
}
