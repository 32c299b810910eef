/** Interface of image processing. The implementation is separate, because it needs an optional dependency. */
import type { FileStorage, LocalFile } from './file-storage.js';

/** Smaller version of an image, made at upload: one of the `formats` (D7). */
export interface MadeFormat {
  /** `thumbnail`, `small`, `medium`, `large` or another name of lower-case letters and digits. */
  readonly name: string;
  /** Recipe in the key: lower-case letters, digits, `_`, `-`. Different results need different recipes. */
  readonly recipe: string;
  /** Extension with its dot, `.png`. */
  readonly ext: string;
  readonly width: number;
  readonly height: number;
  /** File in the scratch directory; the caller removes it. */
  readonly file: LocalFile;
}

/** Result of reading an image. */
export interface ImageFacts {
  /** Width in pixels, orientation applied. */
  readonly width: number;
  readonly height: number;
  /** Formats in the order of `formats`; empty if the image is smaller than every format. */
  readonly formats: readonly MadeFormat[];
  /** Stored instead of the upload: orientation applied, metadata removed. */
  readonly rewritten?: LocalFile;
  /** Thumbhash of 28 bytes in base64, if the options request it. */
  readonly thumbhash?: string;
}

/** File with stored bytes. */
export interface KeptFile {
  /** Key of the original. */
  readonly key: string;
  /** Hash in URLs, `tiny_up_a4fc03705b`. */
  readonly hash: string;
  readonly mime: string;
  /** Focal point in percent of width and height, from the upper left corner. */
  readonly focalPoint: { readonly x: number; readonly y: number } | null;
}

/** Request below the URL of a file: `/uploads/<hash>/<rest>?<query>`. */
export interface VariantRequest {
  /** Path without a leading slash, unchecked. */
  readonly rest: string;
  readonly query: URLSearchParams;
  /** Value of the `Accept` header. */
  readonly accept: string;
}

/** Bytes to serve: key and media type. */
export interface ServedBytes {
  readonly key: string;
  readonly mime: string;
  /**
   * Whether the URL always serves the same bytes. If false, because they depend on the request or the time,
   * caches must revalidate and vary by `Accept`.
   */
  readonly isLasting: boolean;
  /** Whether these bytes were stored just now, so that they can be of a deleted file. Default false. */
  readonly isNew?: boolean;
}

/**
 * Reads images and makes smaller versions of them. Throws a ContentError for a refused image, for example one
 * with too many pixels.
 *
 * @publicApi
 */
export interface FileImages {
  /**
   * Reads an upload and writes its formats to `scratch`. Returns null if it is not a readable image. If it
   * throws, it removes the files that it has written. `isUnchanged` makes no new original: the file is stored
   * byte for byte. Default `false`.
   */
  read(file: LocalFile, scratch: string, isUnchanged?: boolean): Promise<ImageFacts | null>;
  /**
   * Returns the variant that a URL requests, and makes it if it is not stored yet (`variantKey`). Returns
   * null for a recipe that is not allowed, which becomes a 404.
   */
  variant?(file: KeptFile, asked: VariantRequest, storage: FileStorage): Promise<ServedBytes | null>;
}
