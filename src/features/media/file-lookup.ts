/** Finds the bytes of a URL: an original, a format or a variant. */
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { KeptFile, ServedBytes, VariantRequest } from './file-images.js';
import { extensionOfKey } from '../../content/model/content-keys.js';
import { kindOfExtension, UNKNOWN } from './file-kinds.js';
import { urlOf } from './file-names.js';
import { FileSweeps } from './file-sweeps.js';
import { type FileRow, FileTable } from './file-table.js';
import { FILES_OPTIONS, type ResolvedFilesOptions } from './files.options.js';

export interface FileRequest extends Pick<VariantRequest, 'query' | 'accept'> {
  readonly path: string;
}

/** Maximum number of cached lookups, and their lifetime in milliseconds. */
export const CACHE_LIMITS = { max: 2000, ttl: 5000 };

/** Format name and file hash: `small_big_up_5e44584d2c`. */
const FORMAT = /^([a-z0-9]+)_(.+)$/;
/** Hash and recipe of a variant: `big_up_5e44584d2c/card`. */
const VARIANT = /^([^/]+)\/([a-z0-9_.-]+)$/;
const NAMED = /^(.+?)(\.[a-z0-9]{1,16})$/;

const isNoHash = (text: string): boolean => text === '' || !text.isWellFormed() || text.includes('\0');

function partsOf(name: string): Readonly<Record<'stem' | 'ext' | 'format' | 'hash', string>> {
  const [, stem = '', ext = ''] = NAMED.exec(name) ?? [];
  const [, format = '', hash = ''] = FORMAT.exec(stem) ?? [];
  return { stem, ext, format, hash };
}

function formatOf({ formatKeys }: FileRow, name: string, ext: string): ServedBytes | null {
  const key = Object.hasOwn(formatKeys, name) ? formatKeys[name] : undefined;
  if (key === undefined || extensionOfKey(key) !== ext) return null;
  return { key, mime: kindOfExtension(ext) ?? UNKNOWN, isLasting: true };
}

@Injectable()
export class FileLookup {
  private readonly rowCache = new LRUCache<string, readonly FileRow[]>(CACHE_LIMITS);

  constructor(
    @Inject(FILES_OPTIONS) private readonly options: ResolvedFilesOptions,
    @Inject(FileTable) private readonly files: FileTable,
    @Inject(FileSweeps) private readonly sweeps: FileSweeps,
  ) {}

  async find(request: FileRequest): Promise<ServedBytes | null> {
    const [first = '', ...below] = request.path.split('/');
    if (below.length > 0) return this.variant(first, below.join('/'), request);
    const { stem, ext, format, hash } = partsOf(first);
    for (const row of await this.rows(stem, hash)) {
      const bytes = row.hash === stem ? originalOf(row, ext) : formatOf(row, format, ext);
      if (bytes !== null) return bytes;
    }
    return null;
  }

  /**
   * Returns the current URL of a file or variant whose content was replaced, so that links in old pages work.
   * Null for an unknown URL.
   */
  async movedTo({ path, query }: FileRequest): Promise<string | null> {
    if (isNoHash(path)) return null;
    const [, former, recipe] = VARIANT.exec(path) ?? [];
    if (former !== undefined) {
      // A signature is valid for one hash only.
      const row = query.size > 0 ? null : await this.files.replaced(former);
      return row === null ? null : urlOf(`${row.hash}/${recipe}`, '');
    }
    if (path.includes('/')) return null;
    const { stem, ext, format, hash } = partsOf(path);
    const original = await this.files.replaced(stem);
    if (original !== null) return original.url;
    const row = hash === '' ? null : await this.files.replaced(hash);
    if (row === null) return null;
    return formatOf(row, format, ext) === null ? row.url : urlOf(`${format}_${row.hash}`, ext);
  }

  private async variant(hash: string, rest: string, request: FileRequest): Promise<ServedBytes | null> {
    const { images, storage } = this.options;
    if (images?.variant === undefined || isNoHash(hash)) return null;
    // The focal point of the row may change, so it is not cached.
    const [row] = await this.files.withHash([hash]);
    if (row?.storageKey === undefined || row.storageKey === null) return null;
    const file: KeptFile = { ...row, key: row.storageKey };
    const asked = { rest, query: request.query, accept: request.accept };
    const variant = await images.variant(file, asked, storage);
    return variant?.isNew === true && (await this.isGone(hash, row.storageKey)) ? null : variant;
  }

  /** Whether a file has been deleted or replaced. The sweep of its bytes may have missed a new variant. */
  private async isGone(hash: string, storageKey: string): Promise<boolean> {
    const rows = await this.files.withHash([hash]);
    if (rows.some((row) => row.storageKey === storageKey)) return false;
    this.sweeps.soon(storageKey);
    return true;
  }

  /**
   * Returns the files with one of two hashes. Rows are cached, because a hash always names the same content.
   */
  private async rows(hash: string, other: string): Promise<readonly FileRow[]> {
    if (isNoHash(hash)) return [];
    const cached = this.rowCache.get(hash);
    if (cached !== undefined) return cached;
    const rows = await this.files.withHash(other === '' ? [hash] : [hash, other]);
    if (rows.length > 0) this.rowCache.set(hash, rows);
    return rows;
  }
}

const originalOf = ({ storageKey, ext, mime }: FileRow, extension: string): ServedBytes | null =>
  storageKey === null || ext !== extension ? null : { key: storageKey, mime, isLasting: true };
