/** Files and streams that fail if their source stalls, or has another length than expected. */
import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { LocalFile } from './file-storage.js';

/** Opens a file for reading, after a check of its size. */
export async function openWhole({ path, size }: LocalFile): Promise<FileHandle> {
  const handle = await open(path);
  const found = await handle.stat();
  if (found.isFile() && found.size === size) return handle;
  await handle.close();
  throw new Error(`${path} is not a file of ${size} bytes`);
}

/** Destroying the returned stream destroys the source, too. */
const streamOf = (pieces: AsyncIterable<Buffer>, source: Readable): Readable =>
  Readable.from(pieces, { objectMode: false }).once('close', () => source.destroy());

async function* readTimed(source: Readable, milliseconds: number): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  for (;;) {
    const late = new Error(`The next bytes did not arrive in ${milliseconds} ms`);
    const timer = setTimeout(() => source.destroy(late), milliseconds);
    const { done, value } = await pieces.next().finally(() => clearTimeout(timer));
    if (done === true) return;
    yield value;
  }
}

/** Returns the bytes of the source; the stream fails if the next bytes take longer than the timeout. */
export const timed = (source: Readable, milliseconds: number): Readable =>
  streamOf(readTimed(source, milliseconds), source);

async function* readExactly(source: Readable, length: number): AsyncGenerator<Buffer> {
  let rest = length;
  for await (const piece of source as AsyncIterable<Buffer>) {
    rest -= piece.length;
    if (rest < 0) break;
    yield piece;
  }
  if (rest !== 0) throw new Error(`The storage did not send ${length} bytes as expected`);
}

/** Returns the bytes of the source, never more than `length`; the stream fails if there are fewer or more. */
export const exactly = (source: Readable, length: number): Readable =>
  streamOf(readExactly(source, length), source);

/** Waits until the first bytes or the end can be read. Rejects if the stream fails before. */
export async function begun(stream: Readable): Promise<Readable> {
  await once(stream, 'readable');
  return stream;
}
