/** Reads an archive. Checks each line by its schema, each part and content by its checksum. */
import { codeOf } from '../../kernel/errors.js';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { isOtherFormat } from '../../content/model/description.js';
import { contentOf, digestIn } from '../../content/model/content-keys.js';
import { isObject, type Test } from '../../kernel/json.js';
import { linesOf } from '../../kernel/lines.js';
import {
  ARCHIVE,
  type ArchivedContent,
  ArchiveError,
  type ArchiveHeader,
  type ArchivePart,
  isBytesLine,
  isContent,
  isHeader,
  isPart,
  isPartEnd,
  LINES,
  nameOf,
  type PartEnd,
  VERSION,
} from './format.js';

/** Items of an archive, in the order of reading. */
export type ArchiveItem =
  | { readonly kind: 'header'; readonly header: ArchiveHeader }
  | { readonly kind: 'part'; readonly part: ArchivePart }
  | { readonly kind: 'document'; readonly line: string }
  | { readonly kind: 'content'; readonly content: ArchivedContent }
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  /** All bytes of the content have arrived and match its key. */
  | { readonly kind: 'contentEnd'; readonly content: ArchivedContent }
  | { readonly kind: 'end'; readonly part: ArchivePart; readonly end: PartEnd };

const LINE_ERRORS = {
  tooLong: () => new ArchiveError('The archive is damaged: one of its lines is too long'),
  unended: () => new ArchiveError('The archive is not complete: it ends within a line'),
};

const invalidArchive = (): ArchiveError =>
  new ArchiveError('This is not a content archive, or it is damaged');

const incompleteArchive = (): ArchiveError => new ArchiveError('The archive is not complete');

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {
    // The error below applies to every line that is not a JSON object.
  }
  throw invalidArchive();
}

/** Returns a value of the expected shape. Throws an ArchiveError for any other value. */
function as<T>(value: unknown, isOne: Test<T>): T {
  if (!isOne(value)) throw invalidArchive();
  return value;
}

function headerOf(line: string): ArchiveHeader {
  const header = parsed(line);
  if (header['archive'] !== ARCHIVE) throw new ArchiveError('This is not a content archive');
  if (header['version'] !== VERSION)
    throw new ArchiveError(
      `The archive has format version ${String(header['version'])}; this library reads version ${VERSION}`,
    );
  if (isOtherFormat(header['model']))
    throw new ArchiveError('A newer version of the library wrote the archive: update the library');
  return as(header, isHeader);
}

function partOf(item: Readonly<Record<string, unknown>>): ArchivePart {
  const { part } = item;
  if (typeof part !== 'string') throw invalidArchive();
  if (!Object.hasOwn(LINES, part))
    throw new ArchiveError(`The archive has a part "${part}", unknown to this library: update the library`);
  return as(item, isPart);
}

class PartCheck {
  private readonly hash = createHash('sha256');
  private count = 0;

  constructor(readonly part: ArchivePart) {}

  has(line: string): boolean {
    return LINES[this.part.part].own.test(line);
  }

  add(line: string): void {
    this.hash.update(line).update('\n');
    this.count += LINES[this.part.part].counted.test(line) ? 1 : 0;
  }

  /** Parses the end line. Throws an ArchiveError if the number or the checksum differs. */
  end(line: string): PartEnd {
    const end = parsed(line);
    const { part } = this.part;
    const isWhole = end['end'] === nameOf(this.part) && end[part] === this.count;
    if (!isWhole || end['sha256'] !== this.hash.digest('hex'))
      throw new ArchiveError(
        `The archive is damaged: its part "${nameOf(this.part)}" does not match its count or checksum`,
      );
    return as(end, isPartEnd);
  }
}

/** Checks the bytes of a content against its size and its key. */
class ContentCheck {
  private readonly hash = createHash('sha256');
  private size = 0;

  constructor(readonly content: ArchivedContent) {
    if (contentOf(content.content) === null) throw invalidArchive();
  }

  add(bytes: Buffer): void {
    this.hash.update(bytes);
    this.size += bytes.length;
  }

  end(): ArchiveItem {
    const { content, size } = this.content;
    const named = digestIn(content);
    const isNamed = named === null || named === this.hash.digest('hex');
    if (this.size !== size || !isNamed)
      throw new ArchiveError(
        `The archive is damaged: the bytes of ${content} do not match its size or checksum`,
      );
    return { kind: 'contentEnd', content: this.content };
  }
}

class Lines {
  private content: ContentCheck | null = null;

  /** Returns the items of a line. The first line of a content also ends the content before it. */
  read(line: string, { part }: ArchivePart): Iterable<ArchiveItem> {
    if (part === 'documents') return [{ kind: 'document', line }];
    const value = parsed(line);
    return isContent(value) ? this.begin(value) : [this.bytes(as(value, isBytesLine).bytes)];
  }

  private *begin(content: ArchivedContent): Generator<ArchiveItem> {
    yield* this.end();
    this.content = new ContentCheck(content);
    yield { kind: 'content', content };
  }

  private bytes(base64: string): ArchiveItem {
    if (this.content === null) throw invalidArchive();
    const bytes = Buffer.from(base64, 'base64');
    this.content.add(bytes);
    return { kind: 'bytes', bytes };
  }

  *end(): Generator<ArchiveItem> {
    if (this.content !== null) yield this.content.end();
    this.content = null;
  }
}

async function* itemsOf(lines: AsyncIterable<string>): AsyncGenerator<ArchiveItem> {
  let header: ArchiveHeader | null = null;
  let part = null as PartCheck | null;
  let parts = 0;
  let isComplete = false;
  const inside = new Lines();
  for await (const line of lines) {
    if (header === null) {
      header = headerOf(line);
      yield { kind: 'header', header };
    } else if (part?.has(line) === true) {
      part.add(line);
      yield* inside.read(line, part.part);
    } else if (part !== null) {
      const end = part.end(line);
      yield* inside.end();
      yield { kind: 'end', part: part.part, end };
      [part, parts] = [null, parts + 1];
    } else {
      const item = parsed(line);
      isComplete = item['complete'] === true;
      if (isComplete && item['parts'] !== parts) throw incompleteArchive();
      if (isComplete) continue;
      part = new PartCheck(partOf(item));
      part.add(line);
      yield { kind: 'part', part: part.part };
    }
  }
  if (!isComplete) throw incompleteArchive();
}

/** Bytes of a decompressed piece. Each piece costs a turn of the event loop. */
const CHUNK_BYTES = 128 * 1024;

/**
 * Reads an archive. Throws an {@link ArchiveError} at the first problem; items before it may be invalid as
 * well.
 */
export async function* readArchive(source: Readable): AsyncGenerator<ArchiveItem> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  const piped = pipeline(source, gunzip).catch(() => undefined);
  try {
    yield* itemsOf(linesOf(gunzip, LINE_ERRORS));
  } catch (error) {
    const code = codeOf(error);
    if (code === 'Z_BUF_ERROR') throw incompleteArchive();
    throw code.startsWith('Z_') ? invalidArchive() : error;
  } finally {
    source.destroy();
    await piped;
  }
}
