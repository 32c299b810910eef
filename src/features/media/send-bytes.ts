/** Sends large files from local disk to a client through a small pool of buffers. */
import { ServerResponse } from 'node:http';
import type { ByteRange, OpenBytes } from './file-storage.js';

const CHUNK = 128 * 1024;
const MAX_POOLED = 32;

const buffers: Buffer[] = [];

/**
 * Whether the response sends bytes unchanged and reports their completion. Compressing middleware replaces
 * `write`.
 */
export const isPlain = (response: object): response is ServerResponse =>
  response instanceof ServerResponse && response.write === ServerResponse.prototype.write;

/** Resolves once the buffer can be reused; rejects if the client disconnects. */
const sent = (response: ServerResponse, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const disconnected = (): void => reject(new Error('The client disconnected'));
    response.once('close', disconnected);
    response.write(bytes, (error) => {
      response.off('close', disconnected);
      if (error) reject(error);
      else resolve();
    });
  });

async function copy(response: ServerResponse, source: OpenBytes, range: ByteRange): Promise<void> {
  const { start, end } = range;
  const buffer = buffers.pop() ?? Buffer.allocUnsafeSlow(CHUNK);
  for (let at = start; at <= end;) {
    const read = await source.read(buffer.subarray(0, Math.min(CHUNK, end - at + 1)), at);
    if (read === 0) throw new Error('The file is shorter than expected');
    at += read;
    await sent(response, buffer.subarray(0, read));
  }
  // Returned to the pool only after everything was sent: an aborted write may still read the buffer.
  if (buffers.length < MAX_POOLED) buffers.push(buffer);
}

/**
 * Sends a range of bytes and closes the source. Streams allocate a buffer per chunk, and in a large process
 * their garbage collection takes longer than the sending. An error closes the connection, because the status
 * was already sent.
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
