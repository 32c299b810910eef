/** Interface of a storage provider for file contents. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** Complete, closed file on local disk. */
export interface LocalFile {
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  /** Media type, `image/png`. */
  readonly mime: string;
}

/** Metadata of stored bytes. */
export interface KeptBytes {
  readonly key: string;
  /** Size in bytes. */
  readonly size: number;
  readonly modified: Date;
}

/** Byte range. Both positions are included and count from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface OpenBytes {
  read(into: Buffer, position: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * Stores bytes under keys.
 *
 * The library makes all keys, of lower-case letters, digits, `/`, `.`, `_` and `-`; they contain no client
 * text. A key names its content: several writes of one key, also concurrent ones, have the same bytes. An
 * error that a method throws becomes a 503. Every method must settle: it throws if it gets no response in
 * time.
 *
 * @publicApi
 */
export interface FileStorage {
  /** Value of `provider` of the files, for example `local`. */
  readonly name: string;
  /**
   * Directory on local disk for incoming uploads, and for originals of variants. Choose one from which `put`
   * can link. Default: one in the system's temporary directory.
   */
  readonly scratch?: string;
  /**
   * Stores the bytes of a local file under the key, all or nothing. Until the promise fulfils, the key has
   * the old bytes or none, never a part. The caller removes the file.
   */
  put(key: string, file: LocalFile): Promise<void>;
  /**
   * Returns the bytes or a range of them; null if there are none. The caller reads the stream or destroys it.
   */
  get(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Opens bytes on local disk, so that large files are read into reused buffers. Optional. */
  open?(key: string): Promise<OpenBytes | null>;
  /** Returns the metadata of the bytes; null if there are none. Opens no stream. */
  head(key: string): Promise<KeptBytes | null>;
  /** Removes the bytes. Missing bytes are not an error. */
  delete(key: string): Promise<void>;
  /** Lists all keys with a prefix, in any order; all keys for `''`. */
  list(prefix: string): AsyncIterable<KeptBytes>;
  /** Maximum lifetime of a signed URL in seconds. Default: no limit. */
  readonly maxSignedSeconds?: number;
  /**
   * Returns a URL that serves the bytes to any client until it expires. Without this method the library
   * serves private files itself, under its own signature.
   */
  signedUrl?(key: string, seconds: number): Promise<string>;
}

/** Returns the directory on local disk for files in progress. `files check` finds abandoned ones in it. */
export const scratchOf = ({ scratch }: Pick<FileStorage, 'scratch'>): string =>
  scratch ?? join(tmpdir(), 'nestjs-content-api-uploads');
