/** Bytes in a bucket of Amazon S3, or of anything that speaks its protocol. */
import type { ReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
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
import type { ByteRange, FileStorage, KeptBytes, LocalFile } from './file-storage.js';

/**
 * Where an {@link S3Storage} keeps bytes.
 *
 * @publicApi
 */
export interface S3StorageOptions {
  /** The bucket. It has to be there. */
  readonly bucket: string;
  /** Before every key, `site/` for example. Default: nothing. */
  readonly prefix?: string;
  /** How to reach the bucket: `region`, `credentials`, `endpoint`, `forcePathStyle` and whatever else. */
  readonly client?: S3ClientConfig;
  /** Longest waits for a response of the bucket. Default: see {@link S3Timeouts}. */
  readonly timeouts?: Partial<S3Timeouts>;
}

/**
 * Longest waits for a response of the bucket, in milliseconds; beyond them the operation fails.
 *
 * @publicApi
 */
export interface S3Timeouts {
  /** Of one HEAD. Default 5,000. */
  readonly head: number;
  /** From a GET to the first byte. Default 10,000. */
  readonly get: number;
  /** Without progress of a PUT. Default 30,000. */
  readonly put: number;
  /** Of one page of a LIST. Default 20,000. */
  readonly list: number;
  /** Of one DELETE. Default 60,000: a delete that the bucket carries out later can meet a new upload. */
  readonly delete: number;
}

const DEFAULT_TIMEOUTS: S3Timeouts = { head: 5000, get: 10_000, put: 30_000, list: 20_000, delete: 60_000 };

/** What a read says when there are no bytes. */
const ABSENT: readonly unknown[] = ['NoSuchKey', 'NotFound'];

const isAbsent = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && ABSENT.includes(error.name);

/** What `promise` gives, or null where there are no bytes. */
const unlessAbsent = <T>(promise: Promise<T>): Promise<T | null> =>
  promise.catch((error: unknown) => {
    if (isAbsent(error)) return null;
    throw error;
  });

/** Types that a browser shows and cannot run; whatever else a signed URL gives is saved, and not opened. */
const SHOWN = /^image\/(?:png|jpeg|gif|webp|avif)$/;
const YEAR = 365 * 24 * 60 * 60;

/** The bytes of a file that is as long as it should be. */
async function openWhole({ path, size }: LocalFile): Promise<ReadStream> {
  const handle = await open(path);
  const found = await handle.stat();
  if (found.isFile() && found.size === size) return handle.createReadStream();
  await handle.close();
  throw new Error(`${path} is no file of ${size} bytes`);
}

/**
 * Keeps files in a bucket, each by one request that carries all of it, so that it is there wholly or not at
 * all; the limit of 5 GiB for that is the protocol's. Needs `@aws-sdk/client-s3` and
 * `@aws-sdk/s3-request-presigner`. Signed URLs lead to the bucket itself.
 *
 * @publicApi
 */
export class S3Storage implements FileStorage {
  readonly name = 's3';
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly prefix: string;
  private readonly timeouts: S3Timeouts;

  /** Throws an Error for a timeout that is no positive number. */
  constructor({ bucket, prefix = '', client = {}, timeouts = {} }: S3StorageOptions) {
    this.timeouts = { ...DEFAULT_TIMEOUTS, ...timeouts };
    for (const [name, value] of Object.entries(this.timeouts))
      if (!(value > 0)) throw new Error(`S3Storage: "timeouts.${name}" must be a number above 0`);
    this.bucket = bucket;
    this.prefix = prefix;
    // Checksums beyond what a request needs are unknown to many who speak the protocol.
    this.client = new S3Client({
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...client,
    });
  }

  async put(key: string, file: LocalFile): Promise<void> {
    // A key names its content: what is there already, and as long, is the same.
    if ((await this.head(key))?.size === file.size) return;
    const body = await openWhole(file);
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
    return (found?.Body as Readable | undefined) ?? null;
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
    const asked = { Bucket: this.bucket, Prefix: this.prefix + prefix };
    let after: string | undefined;
    do {
      const request = new ListObjectsV2Command({ ...asked, ContinuationToken: after });
      const page = await this.within('list', (stop) =>
        this.client.send(request, { abortSignal: stop.signal }),
      );
      for (const { Key = '', Size = 0, LastModified = new Date(0) } of page.Contents ?? [])
        yield { key: Key.slice(this.prefix.length), size: Size, modified: LastModified };
      after = page.NextContinuationToken;
    } while (after !== undefined);
  }

  signedUrl(key: string, seconds: number): Promise<string> {
    return getSignedUrl(this.client, new GetObjectCommand(this.at(key)), { expiresIn: seconds });
  }

  /** Closes the connections to the bucket. */
  close(): void {
    this.client.destroy();
  }

  /** Sends a request, and aborts it when the bucket neither responds nor accepts more bytes in time. */
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
