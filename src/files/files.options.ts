/** What `FilesModule.forRoot` takes. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileImages } from './file-images.js';
import type { FileStorage } from './file-storage.js';

/** Private files: nobody reads their bytes without a URL that was signed for them. */
export interface PrivateFiles {
  /** Signs the URLs: at least 32 bytes. Not needed where the storage signs its own. */
  readonly secret?: string;
  /** How long a URL is good for, in seconds. Default 900. */
  readonly seconds?: number;
}

/** Options of `FilesModule.forRoot`. */
export interface FilesOptions {
  /** Where the bytes are kept: `new LocalStorage('uploads')`, or a provider of your own. */
  readonly storage: FileStorage;
  /**
   * What looks at pictures and makes their formats; null keeps them as any other file. Default:
   * `new SharpImages()`.
   */
  readonly images?: FileImages | null;
  /** The largest file, in bytes; beyond it the answer is 413. Default 200 MB. */
  readonly maxBytes?: number;
  /** Files of one request. Default 20. */
  readonly maxFiles?: number;
  /**
   * Media types that may be uploaded: `image/png`, or `image/*` and `*` for many. What a browser could run
   * (HTML, SVG and other XML, scripts) is covered by its exact name alone. Default `['*']`.
   */
  readonly allowed?: readonly string[];
  /** Have a URL signed before a file can be read. Default: everybody who knows a URL can read it. */
  readonly private?: PrivateFiles;
}

/**
 * A provider that makes the options, for `useClass` and `useExisting` of `FilesModule.forRootAsync`.
 *
 * @publicApi
 */
export interface FilesOptionsFactory {
  createFilesOptions(): FilesOptions | Promise<FilesOptions>;
}

/** Injection token of the {@link ResolvedFilesOptions}. */
export const FILES_OPTIONS = Symbol('ResolvedFilesOptions');

/** Options with their defaults. */
export interface ResolvedFilesOptions {
  readonly storage: FileStorage;
  readonly images: FileImages | null;
  /** Where uploads are written first. */
  readonly scratch: string;
  readonly maxBytes: number;
  readonly maxFiles: number;
  readonly allowed: readonly string[];
  readonly private: { readonly secret: string; readonly seconds: number } | null;
}

const MEGABYTE = 1024 * 1024;

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value > 0;

/** Options that no upload could be served with, each with what it must be. */
function mistakesOf({ storage, allowed = ['*'], ...options }: FilesOptions): string[] {
  const { maxBytes = 1, maxFiles = 1, private: hidden } = options;
  const signs = typeof (storage as FileStorage | undefined)?.signedUrl === 'function';
  const secret = Buffer.byteLength(hidden?.secret ?? '');
  return [
    ...(typeof (storage as FileStorage | undefined)?.put === 'function'
      ? []
      : ['"storage" is needed, new LocalStorage(\'uploads\') for example']),
    ...(isCount(maxBytes) ? [] : ['"maxBytes" must be a whole number, 1 or more']),
    ...(isCount(maxFiles) ? [] : ['"maxFiles" must be a whole number, 1 or more']),
    ...(allowed.every((type) => /^(\*|[\w.+-]+\/(\*|[\w.+-]+))$/.test(type))
      ? []
      : ['"allowed" must be a list of media types']),
    ...(hidden === undefined || signs || secret >= 32 ? [] : ['"private.secret" needs at least 32 bytes']),
    ...(isCount(hidden?.seconds ?? 1) ? [] : ['"private.seconds" must be a whole number, 1 or more']),
  ];
}

/** Throws an Error that names every option that is wrong. */
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
