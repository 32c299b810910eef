/** Large bytes from local disk to a client, through a few buffers that are used again and again. */
import { ServerResponse } from 'node:http';
import type { ByteRange, OpenBytes } from '../files/file-storage.js';

/** Bytes that are read at a time. */
const CHUNK = 128 * 1024;
/** Buffers that are kept for the next one. */
const KEPT = 32;

const buffers: Buffer[] = [];

/**
 * Whether a response takes what is written as it is, and says when it has been sent. Middlewares that
 * compress put a `write` of their own in its place.
 */
export const isPlain = (response: object): response is ServerResponse =>
  response instanceof ServerResponse && response.write === ServerResponse.prototype.write;

/** Fulfilled once the bytes may be written over; rejected where the client has gone. */
const sent = (response: ServerResponse, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const gone = (): void => reject(new Error('The client has gone'));
    response.once('close', gone);
    response.write(bytes, (error) => {
      response.off('close', gone);
      if (error) reject(error);
      else resolve();
    });
  });

async function copy(response: ServerResponse, source: OpenBytes, range: ByteRange): Promise<void> {
  const { start, end } = range;
  const buffer = buffers.pop() ?? Buffer.allocUnsafeSlow(CHUNK);
  for (let at = start; at <= end;) {
    const read = await source.read(buffer.subarray(0, Math.min(CHUNK, end - at + 1)), at);
    if (read === 0) throw new Error('The bytes end before their end');
    at += read;
    await sent(response, buffer.subarray(0, read));
  }
  // Given back by who has sent all of it: what broke off may still be read from.
  if (buffers.length < KEPT) buffers.push(buffer);
}

/**
 * Sends a range of bytes and closes them. Streams make a new buffer for each part: in a process as large as
 * an application, collecting those takes longer than sending them. What goes wrong on the way breaks the
 * connection off, as the head has been sent.
 */
export async function sendBytes(
  response: ServerResponse,
  source: OpenBytes,
  range: ByteRange,
): Promise<void> {
  try {
    await copy(response, source, range);
    response.end();
  } catch {
    response.destroy();
  } finally {
    await source.close();
  }
}
