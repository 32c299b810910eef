/** Signs URLs of private files, which work until they expire. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type LinkSigner, SignedLinks, type Window } from '../../content/documents/signed-links.js';
import { isObject } from '../../kernel/json.js';
import { FILES_OPTIONS, type ResolvedFilesOptions } from './files.options.js';

/** Maximum number of cached URLs of storages that sign their own. */
const REMEMBERED = 10_000;

const digestOf = (text: string, secret: string): Buffer => createHmac('sha256', secret).update(text).digest();

const signatureOf = (path: string, expires: string, secret: string): Buffer =>
  digestOf(`${path}\n${expires}`, secret);

/**
 * Signs the file URLs in responses if files are private. Time is divided into windows of the URL lifetime.
 * URLs of one window expire at the end of the next, so that equal responses stay equal within a window.
 */
@Injectable()
export class SignedUrls implements LinkSigner, OnModuleInit {
  readonly placeholder: string;
  private readonly urlCache = new LRUCache<string, Promise<string>>({ max: REMEMBERED });

  constructor(
    @Inject(FILES_OPTIONS) private readonly options: ResolvedFilesOptions,
    @Inject(SignedLinks) private readonly links: SignedLinks,
  ) {
    const secret = options.private?.secret ?? '';
    // Equal in all processes that share the secret, because ETags depend on it.
    const name =
      secret === '' ? randomBytes(16) : digestOf('the placeholder of files', secret).subarray(0, 16);
    this.placeholder = `file.${name.toString('hex')}.`;
  }

  onModuleInit(): void {
    if (this.options.private !== null) this.links.use(this);
  }

  get seconds(): number {
    return this.options.private?.seconds ?? 0;
  }

  window(): Window {
    const length = this.seconds * 1000;
    const number = Math.floor(Date.now() / length);
    return { number, until: (number + 1) * length };
  }

  sign(key: string, url: string): Promise<string> {
    const { storage, private: hidden } = this.options;
    // A file in another system has no key. This library cannot know whether it is private there.
    if (key === '' || hidden === null) return Promise.resolve(url);
    const { number } = this.window();
    const ends = (number + 2) * this.seconds;
    if (storage.signedUrl !== undefined) return this.ofStorage(`${number} ${key}`, key, ends);
    const signature = signatureOf(url, String(ends), hidden.secret).toString('base64url');
    return Promise.resolve(`${url}?expires=${ends}&signature=${signature}`);
  }

  /** Returns the JSON of files as the upload routes return it: with `isUrlSigned` last. */
  shown(text: string): string {
    const isUrlSigned = this.options.private !== null;
    const one = (value: unknown): unknown => (isObject(value) ? { ...value, isUrlSigned } : value);
    const value: unknown = JSON.parse(text);
    return JSON.stringify(Array.isArray(value) ? value.map(one) : one(value));
  }

  /**
   * Whether a request may read the file at a URL now. Always true if files are not private. False for private
   * files in a storage that signs its own URLs: there is no other URL, and possibly no secret.
   */
  admits(path: string, query: URLSearchParams): boolean {
    const { private: hidden, storage } = this.options;
    if (hidden === null) return true;
    if (storage.signedUrl !== undefined) return false;
    const expires = query.get('expires') ?? '';
    const signature = Buffer.from(query.get('signature') ?? '', 'base64url');
    const expected = signatureOf(path, expires, hidden.secret);
    const isSigned = signature.length === expected.length && timingSafeEqual(signature, expected);
    return isSigned && Number(expires) * 1000 > Date.now();
  }

  private ofStorage(name: string, key: string, ends: number): Promise<string> {
    const cached = this.urlCache.get(name);
    if (cached !== undefined) return cached;
    const seconds = Math.max(1, Math.floor(ends - Date.now() / 1000));
    const signing = this.options.storage.signedUrl?.(key, seconds) ?? Promise.resolve('');
    signing.catch(() => this.urlCache.delete(name));
    this.urlCache.set(name, signing);
    return signing;
  }
}
