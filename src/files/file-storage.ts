/** Where bytes are kept: what a provider of files does. */
import type { Readable } from 'node:stream';

/** A file on the disk of this process, whole and closed. */
export interface LocalFile {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Media type, `image/png`. */
  readonly mime: string;
}

/** What is known of kept bytes without reading them. */
export interface KeptBytes {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  readonly modified: Date;
}

/** A part of some bytes: from the first to the last, both included, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes that are open to be read from anywhere. */
export interface OpenBytes {
  /** Fills a buffer from a position on; how many bytes there were. */
  read(into: Buffer, position: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * Keeps bytes under keys. Keys are made by the library alone: lower-case hexadecimal digits, `/`, `.`, `_`,
 * `-` and lower-case letters, never a client's text. A key names its content: what is written twice under one
 * key, also at the same time, is the same bytes. Errors that are thrown become a 503. Every operation
 * must end: one that gets no response in time throws.
 *
 * @publicApi
 */
export interface FileStorage {
  /** What the `provider` of a file says, `local` for example. */
  readonly name: string;
  /**
   * Directory on local disk into which uploads are written first; give one from which `put` can link.
   * Default: the system's directory for temporary files.
   */
  readonly scratch?: string;
  /**
   * Keeps the bytes of a local file under the key, all or nothing: until the promise is fulfilled the key may
   * have the old bytes or none, never a part. The file stays where it is; who calls removes it.
   */
  put(key: string, file: LocalFile): Promise<void>;
  /** The bytes, or a range of them; null where there are none. Who calls reads the stream or destroys it. */
  get(key: string, range?: ByteRange): Promise<Readable | null>;
  /**
   * The same for bytes that are at hand, on local disk: what is large is then read into buffers that are used
   * again. Optional.
   */
  open?(key: string): Promise<OpenBytes | null>;
  /** What is known of the bytes; null where there are none. Opens no stream (S25). */
  head(key: string): Promise<KeptBytes | null>;
  /** Removes the bytes; none there is no error. */
  delete(key: string): Promise<void>;
  /** All keys that begin with a text, in any order; all with `''`. */
  list(prefix: string): AsyncIterable<KeptBytes>;
  /**
   * A URL at which anybody can read the bytes until it expires. Without it the library serves private files
   * itself, under its own signature.
   */
  signedUrl?(key: string, seconds: number): Promise<string>;
}
