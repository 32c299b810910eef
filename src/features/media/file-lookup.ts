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
const NAMED = /^([^/]+?)(\.[A-Za-z0-9]{1,16})$/;

/** Parts of a path: an original or a format, or with `recipe` a variant of the file with the hash `stem`. */
type FilePath = Readonly<Record<'stem' | 'ext' | 'format' | 'hash' | 'recipe', string>>;

/** Returns null for a path that no file can have. */
function parsePath(path: string): FilePath | null {
  if (!path.isWellFormed() || path.includes('\0')) return null;
  const nothing = { ext: '', format: '', hash: '', recipe: '' };
  const [, former, recipe = ''] = VARIANT.exec(path) ?? [];
  if (former !== undefined) return { ...nothing, stem: former, recipe };
  const [, stem, ext = ''] = NAMED.exec(path) ?? [];
  if (stem === undefined) return null;
  const [, format = '', hash = ''] = FORMAT.exec(stem) ?? [];
  return { ...nothing, stem, ext, format, hash };
}

function formatOf({ formatKeys }: FileRow, name: string, ext: string): ServedBytes | null {
  const key = Object.hasOwn(formatKeys, name) ? formatKeys[name] : undefined;
  if (key === undefined || extensionOfKey(key) !== ext.toLowerCase()) return null;
  return { key, mime: kindOfExtension(extensionOfKey(key)) ?? UNKNOWN, isLasting: true };
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
    const place = parsePath(request.path);
    if (place === null) return null;
    const { stem, ext, format, hash, recipe } = place;
    if (recipe !== '') return this.variant(place, request);
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
    const place = parsePath(path);
    if (place === null) return null;
    const { stem, ext, format, hash, recipe } = place;
    // A signature is valid for one hash only.
    const original = recipe !== '' && query.size > 0 ? null : await this.files.replaced(stem);
    if (original !== null) return recipe === '' ? original.url : urlOf(`${original.hash}/${recipe}`, '');
    const row = hash === '' ? null : await this.files.replaced(hash);
    if (row === null) return null;
    return formatOf(row, format, ext) === null ? row.url : urlOf(`${format}_${row.hash}`, ext);
  }

  private async variant(place: FilePath, request: FileRequest): Promise<ServedBytes | null> {
    const { stem: hash, recipe: rest } = place;
    const { images, storage } = this.options;
    if (images?.variant === undefined) return null;
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
    const cached = this.rowCache.get(hash);
    if (cached !== undefined) return cached;
    const rows = await this.files.withHash(other === '' ? [hash] : [hash, other]);
    if (rows.length > 0) this.rowCache.set(hash, rows);
    return rows;
  }
}

const originalOf = ({ storageKey, ext, mime }: FileRow, extension: string): ServedBytes | null =>
  storageKey === null || ext !== extension ? null : { key: storageKey, mime, isLasting: true };
