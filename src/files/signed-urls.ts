/** URLs of private files: good for a while, for whoever has them. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { isObject } from '../json.js';
import { FileTable } from './file-table.js';
import { FILES_OPTIONS, type ResolvedFilesOptions } from './files.options.js';

type Shown = Readonly<Record<string, unknown>>;

const signatureOf = (path: string, expires: string, secret: string): Buffer =>
  createHmac('sha256', secret).update(`${path}\n${expires}`).digest();

@Injectable()
export class SignedUrls {
  constructor(
    @Inject(FILES_OPTIONS) private readonly options: ResolvedFilesOptions,
    @Inject(FileTable) private readonly files: FileTable,
  ) {}

  /** Files as the routes of uploads answer them: `isUrlSigned` last, URLs signed where files are private. */
  async shown(text: string): Promise<string> {
    const value: unknown = JSON.parse(text);
    const shown = Array.isArray(value)
      ? await Promise.all(value.map((one: unknown) => this.file(one)))
      : await this.file(value);
    return JSON.stringify(shown);
  }

  /** Whether a private file may be read at a URL now; one that is not private may be read at any. */
  admits(path: string, query: URLSearchParams): boolean {
    const { private: hidden } = this.options;
    if (hidden === null) return true;
    const expires = query.get('expires') ?? '';
    const given = Buffer.from(query.get('signature') ?? '', 'base64url');
    const expected = signatureOf(path, expires, hidden.secret);
    const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
    return isSigned && Number(expires) * 1000 > Date.now();
  }

  private async file(value: unknown): Promise<unknown> {
    if (!isObject(value)) return value;
    const { private: hidden } = this.options;
    if (hidden === null) return { ...value, isUrlSigned: false };
    const keys = await this.keysOf(value);
    const formats = isObject(value['formats']) ? Object.entries(value['formats']) : [];
    const signed = await Promise.all(
      formats.map(async ([name, format]) => [name, await this.signed(format, keys.get(name))] as const),
    );
    const own = await this.signed(value, keys.get(''));
    return {
      ...own,
      ...(formats.length > 0 ? { formats: Object.fromEntries(signed) } : {}),
      isUrlSigned: true,
    };
  }

  /** Where the bytes are, for storages that sign URLs of their own: the original's under no name. */
  private async keysOf({ documentId }: Shown): Promise<ReadonlyMap<string, string>> {
    if (this.options.storage.signedUrl === undefined) return new Map();
    const row = await this.files.one(String(documentId));
    if (row === null) return new Map();
    return new Map([['', row.storageKey ?? ''], ...Object.entries(row.formatKeys)]);
  }

  private async signed(value: unknown, key = ''): Promise<Shown> {
    const { storage, private: hidden } = this.options;
    if (!isObject(value) || typeof value['url'] !== 'string' || hidden === null) return value as Shown;
    if (key !== '' && storage.signedUrl !== undefined)
      return { ...value, url: await storage.signedUrl(key, hidden.seconds) };
    const expires = String(Math.floor(Date.now() / 1000) + hidden.seconds);
    const signature = signatureOf(value['url'], expires, hidden.secret).toString('base64url');
    return { ...value, url: `${value['url']}?expires=${expires}&signature=${signature}` };
  }
}
