import {
  checkModuleOptions,
  group,
  objectWith,
  option,
  type OptionsOf,
  required,
  whole,
} from '../../content/model/option-table.js';
import { ContentModelError } from '../../content/model/content-model-error.js';
import { isListOf, isObject, isText } from '../../kernel/json.js';
import type { FileImages } from './file-images.js';
import { type FileStorage, scratchOf } from './file-storage.js';

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
   * Image processing, which makes the formats. With null, images are stored like other files. Default:
   * `new SharpImages()`.
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
/** Default of `private.seconds`. */
const SECONDS = 900;

const isMediaType = (value: unknown): value is string =>
  isText(value) && /^(\*|[\w.+-]+\/(\*|[\w.+-]+))$/.test(value);

const OPTIONS: OptionsOf<FilesOptions> = {
  storage: required({ ...objectWith('put'), expected: "a storage, such as new LocalStorage('uploads')" }),
  images: option('null or an object that makes images', (value) => value === null || isObject(value)),
  maxBytes: whole(1),
  maxFiles: whole(1),
  allowed: option('a list of media types', isListOf(isMediaType)),
  private: group<PrivateFiles>({ secret: option('a string', isText), seconds: whole(1) }),
};

/** Returns mistakes of private files, which depend on the storage. */
function privateMistakes({ storage, private: hidden }: FilesOptions): string[] {
  if (hidden === undefined) return [];
  const signs = typeof storage.signedUrl === 'function';
  const secret = Buffer.byteLength(hidden.secret ?? '');
  // URLs expire after at most two periods.
  const most = (storage.maxSignedSeconds ?? Infinity) / 2;
  return [
    ...(signs || secret >= 32 ? [] : ['FilesModule: private.secret must have at least 32 bytes']),
    ...((hidden.seconds ?? SECONDS) <= most
      ? []
      : [`FilesModule: private.seconds must be at most ${most} with this storage`]),
  ];
}

/** Adds the defaults. Throws a ContentModelError that names every invalid option. */
export function resolveFilesOptions(options: FilesOptions): ResolvedFilesOptions {
  checkModuleOptions('FilesModule', options, OPTIONS);
  const mistakes = privateMistakes(options);
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  const { storage, images = null, private: hidden } = options;
  return {
    storage,
    images,
    scratch: scratchOf(storage),
    maxBytes: options.maxBytes ?? 200 * MEGABYTE,
    maxFiles: options.maxFiles ?? 20,
    allowed: options.allowed ?? ['*'],
    private:
      hidden === undefined ? null : { secret: hidden.secret ?? '', seconds: hidden.seconds ?? SECONDS },
  };
}
