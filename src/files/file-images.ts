/** What looks at pictures: another room gives it, because it needs a library that hosts may do without. */
import type { FileStorage, LocalFile } from './file-storage.js';

/** A smaller version of a picture, made when the picture was uploaded: one of the `formats` (D7). */
export interface MadeFormat {
  /** `thumbnail`, `small`, `medium`, `large` or another name of lower-case letters and digits. */
  readonly name: string;
  /** Names in a key how it was made: lower-case letters, digits, `_`, `-`. Another result, another recipe. */
  readonly recipe: string;
  /** With its dot, `.png`. */
  readonly ext: string;
  readonly width: number;
  readonly height: number;
  /** In the scratch directory; who asked removes it. */
  readonly file: LocalFile;
}

/** What a picture is. */
export interface ImageFacts {
  /** As it is shown, orientation applied. */
  readonly width: number;
  readonly height: number;
  /** In the order of `formats`; none where the picture is smaller than every box. */
  readonly formats: readonly MadeFormat[];
  /** Kept in place of the upload: orientation applied, metadata stripped. */
  readonly rewritten?: LocalFile;
  /** 28 bytes in base64, where they are asked for. */
  readonly thumbhash?: string;
}

/** A file whose bytes are kept. */
export interface KeptFile {
  /** Key of the original. */
  readonly key: string;
  /** What stands for it in URLs, `tiny_up_a4fc03705b`. */
  readonly hash: string;
  readonly mime: string;
  /** In percent of width and height, from the upper left corner. */
  readonly focalPoint: { readonly x: number; readonly y: number } | null;
}

/** What is asked for below a file's own URL: `/uploads/<hash>/<rest>?<query>`. */
export interface VariantRequest {
  /** Without a slash at its start; may hold anything that a client can send. */
  readonly rest: string;
  readonly query: URLSearchParams;
  /** The header `Accept`. */
  readonly accept: string;
}

/** Bytes that can be served: their key and what they are. */
export interface ServedBytes {
  readonly key: string;
  readonly mime: string;
  /**
   * Whether the URL will never stand for other bytes. False where what it stands for depends on who asks, or
   * when: then caches have to ask again, and keep answers apart by `Accept`.
   */
  readonly isLasting: boolean;
}

/**
 * Looks at uploads and makes smaller versions of them. Throws a ContentError for a picture that is refused,
 * one with too many pixels for example.
 *
 * @publicApi
 */
export interface FileImages {
  /**
   * What an upload is, with its formats in `scratch`; null where it is no picture that can be read. What it
   * has written when it throws, it removes.
   */
  read(file: LocalFile, scratch: string): Promise<ImageFacts | null>;
  /**
   * The variant that a URL below a file asks for, made and kept beside the original (`variantKey`) unless it
   * is there. Null where the recipe is none that is allowed: a 404.
   */
  variant?(file: KeptFile, asked: VariantRequest, storage: FileStorage): Promise<ServedBytes | null>;
}
