import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileImages } from './file-images.js';
import type { FileStorage } from './file-storage.js';

/** Private files: clients need a signed URL to read them. */
export interface PrivateFiles {
  /** Secret that signs the URLs, at least 32 bytes. Not needed if the storage signs its own URLs. */
  readonly secret?: string;
  /** Lifetime of a URL in seconds. Default 900. */
  readonly seconds?: number;
}

/** Options of `FilesModule.forRoot`. */
export interface FilesOptions {
  /** Storage of the bytes: `new LocalStorage('uploads')`, or your own provider. */
  readonly storage: FileStorage;
  /**
   * Image processing, which makes the formats. With null, images are stored like other files. Default: `new
   * SharpImages()`.
   */
  readonly images?: FileImages | null;
  /** Maximum size of a file in bytes; the response to a larger one is 413. Default 200 MB. */
  readonly maxBytes?: number;
  /** Maximum number of files per request. Default 20. */
  readonly maxFiles?: number;
  /**
   * Allowed media types: `image/png`, or wildcards such as `image/*` and `*`. A type that a browser could run
   * (HTML, SVG and other XML, scripts) needs its exact name. Default `['*']`.
   */
  readonly allowed?: readonly string[];
  /** Requires a signed URL to read a file. Default: every client with the URL can read it. */
  readonly private?: PrivateFiles;
}

/**
 * Provider of the options, for `useClass` and `useExisting` of `FilesModule.forRootAsync`.
 *
 * @publicApi
 */
export interface FilesOptionsFactory {
  createFilesOptions(): FilesOptions | Promise<FilesOptions>;
}

export const FILES_OPTIONS = Symbol('ResolvedFilesOptions');

export interface ResolvedFilesOptions {
  readonly storage: FileStorage;
  readonly images: FileImages | null;
  /** Directory on local disk for incoming uploads. */
  readonly scratch: string;
  readonly maxBytes: number;
  readonly maxFiles: number;
  readonly allowed: readonly string[];
  readonly private: { readonly secret: string; readonly seconds: number } | null;
}

const MEGABYTE = 1024 * 1024;

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value > 0;

function mistakesOf({ storage, allowed = ['*'], ...options }: FilesOptions): string[] {
  const { maxBytes = 1, maxFiles = 1, private: hidden } = options;
  const given = storage as FileStorage | undefined;
  const signs = typeof given?.signedUrl === 'function';
  const secret = Buffer.byteLength(hidden?.secret ?? '');
  // URLs expire after at most two periods.
  const most = (given?.maxSignedSeconds ?? Infinity) / 2;
  return [
    ...(typeof given?.put === 'function'
      ? []
      : ['"storage" is required, for example new LocalStorage(\'uploads\')']),
    ...(isCount(maxBytes) ? [] : ['"maxBytes" must be a whole number, 1 or more']),
    ...(isCount(maxFiles) ? [] : ['"maxFiles" must be a whole number, 1 or more']),
    ...(allowed.every((type) => /^(\*|[\w.+-]+\/(\*|[\w.+-]+))$/.test(type))
      ? []
      : ['"allowed" must be a list of media types']),
    ...(hidden === undefined || signs || secret >= 32 ? [] : ['"private.secret" needs at least 32 bytes']),
    ...(isCount(hidden?.seconds ?? 1) ? [] : ['"private.seconds" must be a whole number, 1 or more']),
    ...((hidden?.seconds ?? 1) <= most
      ? []
      : [`"private.seconds" must be at most ${most} with this storage`]),
  ];
}

/** Adds the defaults. Throws an Error that names every invalid option. */
export function resolveFilesOptions(options: FilesOptions): ResolvedFilesOptions {
  const mistakes = mistakesOf(options);
  if (mistakes.length > 0) throw new Error(`FilesModule: ${mistakes.join('; ')}`);
  const { storage, images = null, private: hidden } = options;
  return {
    storage,
    images,
    scratch: storage.scratch ?? join(tmpdir(), 'nestjs-content-api-uploads'),
    maxBytes: options.maxBytes ?? 200 * MEGABYTE,
    maxFiles: options.maxFiles ?? 20,
    allowed: options.allowed ?? ['*'],
    private: hidden === undefined ? null : { secret: hidden.secret ?? '', seconds: hidden.seconds ?? 900 },
  };
}
