/** Receives a multipart form to local disk, with limits on all its parts. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyConfig, type BusboyEvents } from '@fastify/busboy';
import { ContentError, messageOf, validationError } from '../../kernel/errors.js';
import type { Arrived } from './file-gate.js';
import { UNKNOWN } from './file-kinds.js';

export interface ReceivedFile extends Arrived {
  readonly size: number;
  /** SHA-256 of the bytes in hexadecimal. */
  readonly sha256: string;
}

export interface UploadForm {
  /** Files in the order of the form, except those with neither a name nor bytes. */
  readonly files: readonly ReceivedFile[];
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

export interface FormLimits {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** Name of the field with files. */
const FILES = 'files';
const FIELDS = 100;
const FIELD_BYTES = 64 * 1024;
const NAME_BYTES = 200;
/** Bytes of a refused form that are still received, so that the client can read the response. */
const EXCESS = 16 * 1024 * 1024;
const HEADERS = { headerPairs: 20, headerSize: 8 * 1024 };

/** Returns the maximum size of a form in bytes: all parts and their headers at their limits. */
const largestForm = ({ maxBytes, maxFiles }: FormLimits): number =>
  maxFiles * maxBytes + FIELDS * FIELD_BYTES + (maxFiles + FIELDS) * HEADERS.headerSize;

/** Whether a part is a file, also without a file name. */
const isPartAFile: NonNullable<BusboyConfig['isPartAFile']> = (field, type, fileName) =>
  fileName !== undefined || type === UNKNOWN || (field === FILES && type !== 'text/plain');

const tooLarge = (): ContentError => new ContentError('PayloadTooLargeError', 'FileTooBig');

const formTooLarge = (allowed: number): ContentError =>
  new ContentError('PayloadTooLargeError', 'FormTooBig', { allowed });

const tooMany = (what: string, allowed: number): ContentError =>
  validationError(`The form has too many ${what}: ${allowed} are allowed`, { limit: what, allowed });

const malformed = (why: string): ContentError => validationError(`Invalid form: ${why}`);

const aborted = (): ContentError =>
  new ContentError('BadRequestError', 'The client disconnected during the upload');

const consumed = (): ContentError =>
  malformed(
    'another body parser of the application has read it. ' +
      'Exclude the routes of the content module from that parser',
  );

/** Arguments of the parser's `file` event. Its own types omit that the name may be missing. */
type PartFile = [
  name: string | undefined,
  stream: Readable,
  fileName?: string,
  encoding?: string,
  type?: string,
];
type PartField = [name: string | undefined, value: string, nameCut: boolean, isCut: boolean, ...string[]];

/** Counts the bytes of fields while they arrive: Busboy reports a field only at its end. */
class FormParser extends Busboy {
  private position = 0;
  /** Position of the first chunk after the one in which the current field begins; null outside fields. */
  private fieldStart: number | null = null;
  private onLongField = (): void => undefined;

  static make(config: BusboyConfig, isFile: typeof isPartAFile, onLongField: () => void): FormParser {
    const parser: FormParser = new FormParser({
      ...config,
      isPartAFile: (...part) => {
        const isOne = isFile(...part);
        parser.fieldStart = isOne ? null : parser.position;
        return isOne;
      },
    });
    parser.onLongField = onLongField;
    parser.on('field', () => (parser.fieldStart = null));
    return parser;
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, next: (error?: Error | null) => void): void {
    if (this.fieldStart !== null && this.position - this.fieldStart > FIELD_BYTES) this.onLongField();
    this.position += chunk.length;
    super._write(chunk, encoding, next);
  }
}

class FormReader {
  private readonly files: Promise<ReceivedFile>[] = [];
  private readonly open = new Set<Readable>();
  private readonly fields = new Map<string, string[]>();
  private fail: (error: ContentError) => void = () => undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly limits: FormLimits,
    private readonly directory: string,
  ) {}

  async read(): Promise<UploadForm> {
    const parser = this.parser();
    try {
      this.bound();
      await this.parsed(parser);
      const files = await Promise.all(this.files);
      return {
        files: files.filter(({ fileName, size }) => fileName !== '' || size > 0),
        fields: this.fields,
      };
    } finally {
      // After an error, the rest of the body is discarded and all writes stop.
      this.request.unpipe(parser);
      this.request.resume();
      for (const stream of this.open) stream.destroy(aborted());
      await Promise.allSettled(this.files);
    }
  }

  /** Refuses a body over the total limit. Disconnects a client that continues to send. */
  private bound(): void {
    const { request, limits } = this;
    const maximum = largestForm(limits);
    let received = 0;
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > maximum) this.fail(formTooLarge(maximum));
      if (received > maximum + EXCESS) request.destroy();
    });
    if (Number(request.headers['content-length']) > maximum) throw formTooLarge(maximum);
  }

  private parser(): FormParser {
    const { maxBytes, maxFiles } = this.limits;
    const limits = { fileSize: maxBytes, files: maxFiles, fields: FIELDS, fieldSize: FIELD_BYTES };
    const headers = { ...this.request.headers, 'content-type': this.request.headers['content-type'] ?? '' };
    try {
      // Names keep their path, so that a name with a path is refused instead of shortened.
      const parts = maxFiles + FIELDS;
      const config = { headers, preservePath: true, limits: { ...limits, ...HEADERS, parts } };
      return FormParser.make(config, isPartAFile, () => this.fail(malformed('a field is too long')));
    } catch (error) {
      throw malformed(error instanceof Error ? error.message : 'not a multipart form');
    }
  }

  private parsed(parser: FormParser): Promise<void> {
    const { request, limits } = this;
    return new Promise((done, reject) => {
      this.fail = reject;
      parser.on('file', (...part: Parameters<BusboyEvents['file']>) => this.file(...part));
      parser.on('field', (...part: Parameters<BusboyEvents['field']>) => this.field(...part));
      parser.on('filesLimit', () => reject(tooMany('files', limits.maxFiles)));
      parser.on('fieldsLimit', () => reject(tooMany('fields', FIELDS)));
      parser.on('partsLimit', () => reject(tooMany('parts', limits.maxFiles + FIELDS)));
      parser.on('error', (error: unknown) => reject(malformed(messageOf(error))));
      parser.on('finish', () => done());
      request.on('error', () => reject(aborted()));
      request.on('close', () => {
        if (!request.complete) reject(aborted());
      });
      if (request.destroyed) reject(request.complete ? consumed() : aborted());
      else request.pipe(parser);
    });
  }

  private file(...part: Parameters<BusboyEvents['file']>): void {
    const [field, stream, fileName = '', , contentType = ''] = part as PartFile;
    // A truncated form also fails its files. The error of the form reports it.
    stream.on('error', () => undefined);
    stream.once('limit', () => this.fail(tooLarge()));
    if (field !== FILES) return void stream.resume();
    this.open.add(stream);
    stream.once('close', () => this.open.delete(stream));
    const received = this.receive(stream, { fileName, contentType });
    received.catch((error: unknown) => this.fail(error as ContentError));
    this.files.push(received);
  }

  /** Writes a file and computes its digest. */
  private async receive(
    stream: Readable,
    claims: Pick<Arrived, 'fileName' | 'contentType'>,
  ): Promise<ReceivedFile> {
    const path = join(this.directory, randomUUID());
    const digest = createHash('sha256');
    let size = 0;
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, next) => {
        digest.update(chunk);
        size += chunk.length;
        next(null, chunk);
      },
    });
    await pipeline(stream, counted, createWriteStream(path, { flags: 'wx', flush: true }));
    return { ...claims, path, size, sha256: digest.digest('hex') };
  }

  private field(...part: Parameters<BusboyEvents['field']>): void {
    const [name, value, , isCut] = part as PartField;
    if (name === undefined || name === '') return;
    if (isCut || Buffer.byteLength(name) > NAME_BYTES)
      return this.fail(malformed(`the field "${name.slice(0, NAME_BYTES)}" is too long`));
    this.fields.set(name, [...(this.fields.get(name) ?? []), value]);
  }
}

/**
 * Reads the form of a request, and its files into `directory`, which the caller removes in any case. Throws a
 * ValidationError for an invalid form or too many parts. Throws PayloadTooLargeError for a file over its
 * limit (20.11), BadRequestError if the client disconnects.
 */
export const receiveForm = (
  request: IncomingMessage,
  limits: FormLimits,
  directory: string,
): Promise<UploadForm> => new FormReader(request, limits, directory).read();
