/** Bytes in a bucket of Amazon S3, or of anything that speaks its protocol. */
import type { ReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
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
}

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

  constructor({ bucket, prefix = '', client = {} }: S3StorageOptions) {
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
    // The bucket would wait for what is missing.
    const stop = new AbortController();
    body.once('error', (error) => stop.abort(error));
    const request = new PutObjectCommand({
      ...this.at(key),
      Body: body,
      ContentLength: file.size,
      ContentType: file.mime,
      ContentDisposition: SHOWN.test(file.mime) ? 'inline' : 'attachment',
      CacheControl: `public, max-age=${YEAR}, immutable`,
    });
    try {
      await this.client.send(request, { abortSignal: stop.signal });
    } finally {
      body.destroy();
    }
  }

  async get(key: string, range?: ByteRange): Promise<Readable | null> {
    const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
    const found = await unlessAbsent(this.client.send(new GetObjectCommand({ ...this.at(key), ...part })));
    return (found?.Body as Readable | undefined) ?? null;
  }

  async head(key: string): Promise<KeptBytes | null> {
    const found = await unlessAbsent(this.client.send(new HeadObjectCommand(this.at(key))));
    if (found === null) return null;
    return { key, size: found.ContentLength ?? 0, modified: found.LastModified ?? new Date(0) };
  }

  async delete(key: string): Promise<void> {
    await unlessAbsent(this.client.send(new DeleteObjectCommand(this.at(key))));
  }

  async *list(prefix: string): AsyncIterable<KeptBytes> {
    const { client } = this;
    const asked = { Bucket: this.bucket, Prefix: this.prefix + prefix };
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, asked))
      for (const { Key = '', Size = 0, LastModified = new Date(0) } of Contents)
        yield { key: Key.slice(this.prefix.length), size: Size, modified: LastModified };
  }

  signedUrl(key: string, seconds: number): Promise<string> {
    return getSignedUrl(this.client, new GetObjectCommand(this.at(key)), { expiresIn: seconds });
  }

  /** Closes the connections to the bucket. */
  close(): void {
    this.client.destroy();
  }

  private at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.bucket, Key: this.prefix + key };
  }
}
