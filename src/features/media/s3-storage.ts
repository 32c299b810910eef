/** Storage in a bucket of Amazon S3 or a compatible service. */
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import {
  checkModuleOptions,
  group,
  option,
  type OptionsOf,
  required,
  TEXT,
} from '../../content/model/option-table.js';
import { isObject, isText, withDefaults } from '../../kernel/json.js';
import { openWhole, timed } from './checked-bytes.js';
import type { ByteRange, FileStorage, KeptBytes, LocalFile } from './file-storage.js';

/**
 * Options of {@link S3Storage}.
 *
 * @publicApi
 */
export interface S3StorageOptions {
  /** Name of an existing bucket. */
  readonly bucket: string;
  /** Prefix of every key, for example `site/`. Default: none. */
  readonly prefix?: string;
  /** Configuration of the S3 client: `region`, `credentials`, `endpoint`, `forcePathStyle` and others. */
  readonly client?: S3ClientConfig;
  /** Timeouts of requests to the bucket. Default: see {@link S3Timeouts}. */
  readonly timeouts?: Partial<S3Timeouts>;
}

/**
 * Timeouts of requests to the bucket in milliseconds. A request over its timeout fails.
 *
 * @publicApi
 */
export interface S3Timeouts {
  /** Timeout of a HEAD. Default 5,000. */
  readonly head: number;
  /** Time from a GET to the first byte, and from each piece of the bytes to the next. Default 10,000. */
  readonly get: number;
  /** Time without progress of a PUT. Default 30,000. */
  readonly put: number;
  /** Timeout of one page of a LIST. Default 20,000. */
  readonly list: number;
  /**
   * Timeout of a DELETE. Default 60,000, because a delete that the bucket executes later could remove a new
   * upload.
   */
  readonly delete: number;
}

const DEFAULT_TIMEOUTS: S3Timeouts = { head: 5000, get: 10_000, put: 30_000, list: 20_000, delete: 60_000 };

const TIMEOUT = option('a number above 0', (value) => typeof value === 'number' && value > 0);
const OPTIONS: OptionsOf<S3StorageOptions> = {
  bucket: required(TEXT),
  prefix: option('a string', isText),
  client: option('an object of options for the S3 client', isObject),
  timeouts: group<S3Timeouts>({ head: TIMEOUT, get: TIMEOUT, put: TIMEOUT, list: TIMEOUT, delete: TIMEOUT }),
};

/** Names of errors for missing bytes. */
const ABSENT: readonly unknown[] = ['NoSuchKey', 'NotFound'];

const isAbsent = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && ABSENT.includes(error.name);

const unlessAbsent = <T>(promise: Promise<T>): Promise<T | null> =>
  promise.catch((error: unknown) => {
    if (isAbsent(error)) return null;
    throw error;
  });

/** Types that browsers show and cannot run. A signed URL of any other type downloads the file. */
const SHOWN = /^image\/(?:png|jpeg|gif|webp|avif)$/;
const DAY = 24 * 60 * 60;
const YEAR = 365 * DAY;

/**
 * Stores files in a bucket. One request carries a whole file, so an upload is all or nothing; S3 limits it to
 * 5 GiB. Needs `@aws-sdk/client-s3` and `@aws-sdk/s3-request-presigner`. Signed URLs point to the bucket
 * itself.
 *
 * @publicApi
 */
export class S3Storage implements FileStorage {
  readonly name = 's3';
  /** Limit of S3 for signed URLs. */
  readonly maxSignedSeconds = 7 * DAY;
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly prefix: string;
  private readonly timeouts: S3Timeouts;

  /** Throws a ContentModelError for unknown and invalid options. */
  constructor(options: S3StorageOptions) {
    checkModuleOptions('S3Storage', options, OPTIONS);
    const { bucket, prefix = '', client = {}, timeouts } = options;
    this.timeouts = withDefaults(DEFAULT_TIMEOUTS, timeouts);
    this.bucket = bucket;
    this.prefix = prefix;
    // Many compatible services do not support optional checksums.
    this.client = new S3Client({
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...client,
    });
  }

  async put(key: string, file: LocalFile): Promise<void> {
    // A key names its content: stored bytes of the same size are the same.
    if ((await this.head(key))?.size === file.size) return;
    const body = (await openWhole(file)).createReadStream();
    const request = new PutObjectCommand({
      ...this.at(key),
      Body: body,
      ContentLength: file.size,
      ContentType: file.mime,
      ContentDisposition: SHOWN.test(file.mime) ? 'inline' : 'attachment',
      CacheControl: `public, max-age=${YEAR}, immutable`,
    });
    const progress = (): number => body.bytesRead;
    try {
      await this.within(
        'put',
        (stop) => {
          // The bucket would wait for the missing bytes.
          body.once('error', (error) => stop.abort(error));
          return this.client.send(request, { abortSignal: stop.signal });
        },
        progress,
      );
    } finally {
      body.destroy();
    }
  }

  async get(key: string, range?: ByteRange): Promise<Readable | null> {
    const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
    const request = new GetObjectCommand({ ...this.at(key), ...part });
    const found = await unlessAbsent(
      this.within('get', (stop) => this.client.send(request, { abortSignal: stop.signal })),
    );
    const body = found?.Body as Readable | undefined;
    if (body === undefined) return null;
    return timed(body, this.timeouts.get);
  }

  async head(key: string): Promise<KeptBytes | null> {
    const request = new HeadObjectCommand(this.at(key));
    const found = await unlessAbsent(
      this.within('head', (stop) => this.client.send(request, { abortSignal: stop.signal })),
    );
    if (found === null) return null;
    return { key, size: found.ContentLength ?? 0, modified: found.LastModified ?? new Date(0) };
  }

  async delete(key: string): Promise<void> {
    const request = new DeleteObjectCommand(this.at(key));
    await unlessAbsent(
      this.within('delete', (stop) => this.client.send(request, { abortSignal: stop.signal })),
    );
  }

  async *list(prefix: string): AsyncIterable<KeptBytes> {
    const listing = { Bucket: this.bucket, Prefix: this.prefix + prefix };
    let after: string | undefined;
    do {
      const request = new ListObjectsV2Command({ ...listing, ContinuationToken: after });
      const page = await this.within('list', (stop) =>
        this.client.send(request, { abortSignal: stop.signal }),
      );
      for (const { Key = '', Size = 0, LastModified = new Date(0) } of page.Contents ?? [])
        yield { key: Key.slice(this.prefix.length), size: Size, modified: LastModified };
      if (page.NextContinuationToken !== undefined && page.NextContinuationToken === after)
        throw new Error('The bucket repeated a page of its list');
      after = page.NextContinuationToken;
    } while (after !== undefined);
  }

  signedUrl(key: string, seconds: number): Promise<string> {
    // Shared caches would serve the bytes after the URL expires.
    const ResponseCacheControl = `private, max-age=${seconds}`;
    const request = new GetObjectCommand({ ...this.at(key), ResponseCacheControl });
    return getSignedUrl(this.client, request, { expiresIn: seconds });
  }

  /** Closes the connections to the bucket. */
  close(): void {
    this.client.destroy();
  }

  /** Sends a request, and aborts it if the bucket neither responds nor accepts more bytes in time. */
  private async within<T>(
    operation: keyof S3Timeouts,
    send: (stop: AbortController) => Promise<T>,
    progress = (): number => 0,
  ): Promise<T> {
    const stop = new AbortController();
    const milliseconds = this.timeouts[operation];
    const late = new Error(`The bucket did not respond to ${operation.toUpperCase()} in ${milliseconds} ms`);
    let before = 0;
    const timer = setTimeout(() => {
      const now = progress();
      if (now > before) timer.refresh();
      else stop.abort(late);
      before = now;
    }, milliseconds);
    try {
      return await send(stop);
    } catch (error) {
      throw stop.signal.reason === late ? late : error;
    } finally {
      clearTimeout(timer);
    }
  }

  private at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.bucket, Key: this.prefix + key };
  }
}
