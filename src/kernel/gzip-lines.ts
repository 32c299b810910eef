import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Gzipped lines on their way to a stream. */
export interface GzipLines {
  /** Waits while the stream is full. Rejects with the error of the stream. */
  readonly put: (line: string) => Promise<void>;
  /** Resolves when the stream has received everything. Rejects with its error. */
  readonly end: () => Promise<void>;
  readonly destroy: () => void;
}

/** Compresses lines into a stream. `level` is that of zlib. */
export function gzipLines(destination: Writable, level?: number): GzipLines {
  const gzip = createGzip({ level });
  const failed = new AbortController();
  const written = pipeline(gzip, destination);
  // Prevents an unhandled rejection: `put` and `end` report the error.
  written.catch((error: unknown) => failed.abort(error));
  return {
    put: async (line) => {
      if (!gzip.write(`${line}\n`)) await once(gzip, 'drain', { signal: failed.signal }).catch(() => written);
    },
    end: () => {
      gzip.end();
      return written;
    },
    destroy: () => {
      gzip.destroy();
      destination.destroy();
    },
  };
}
