/** URLs of private files: good for a while, for whoever has them. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import QuickLRU from 'quick-lru';
import { type LinkSigner, SignedLinks, type Window } from '../documents/signed-links.js';
import { isObject } from '../json.js';
import { FILES_OPTIONS, type ResolvedFilesOptions } from './files.options.js';

/** How many URLs of storages that sign their own are remembered. */
const REMEMBERED = 10_000;

const digestOf = (text: string, secret: string): Buffer => createHmac('sha256', secret).update(text).digest();

const signatureOf = (path: string, expires: string, secret: string): Buffer =>
  digestOf(`${path}\n${expires}`, secret);

/**
 * Signs URLs in all answers where files are private. Time is divided into stretches as long as a URL has to
 * be good for: all URLs of one stretch end with the next, so that equal answers stay equal meanwhile.
 */
@Injectable()
export class SignedUrls implements LinkSigner, OnModuleInit {
  readonly placeholder: string;
  private readonly known = new QuickLRU<string, Promise<string>>({ maxSize: REMEMBERED });

  constructor(
    @Inject(FILES_OPTIONS) private readonly options: ResolvedFilesOptions,
    @Inject(SignedLinks) private readonly links: SignedLinks,
  ) {
    const secret = options.private?.secret ?? '';
    // The same in all processes that share the secret, because it is part of what tags are made of.
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
    // Kept elsewhere: whether it is private there is not ours to say.
    if (key === '' || hidden === null) return Promise.resolve(url);
    const { number } = this.window();
    const ends = (number + 2) * this.seconds;
    if (storage.signedUrl !== undefined) return this.ofStorage(`${number} ${key}`, key, ends);
    const signature = signatureOf(url, String(ends), hidden.secret).toString('base64url');
    return Promise.resolve(`${url}?expires=${ends}&signature=${signature}`);
  }

  /** Files as the routes of uploads answer them: with `isUrlSigned` last. */
  shown(text: string): string {
    const isUrlSigned = this.options.private !== null;
    const one = (value: unknown): unknown => (isObject(value) ? { ...value, isUrlSigned } : value);
    const value: unknown = JSON.parse(text);
    return JSON.stringify(Array.isArray(value) ? value.map(one) : one(value));
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

  /** A URL that the storage signs; the same as long as it is remembered. */
  private ofStorage(name: string, key: string, ends: number): Promise<string> {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const seconds = Math.max(1, Math.floor(ends - Date.now() / 1000));
    const made = this.options.storage.signedUrl?.(key, seconds) ?? Promise.resolve('');
    made.catch(() => this.known.delete(name));
    this.known.set(name, made);
    return made;
  }
}
