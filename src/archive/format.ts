/**
 * What an archive looks like: gzip over lines of JSON. The first line says what it is; then parts follow,
 * each with a line before, a line for every document, and a line after with their number and checksum; the
 * last line says that nothing is missing. Names in it are looked up in the model, and never are paths.
 */
import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** What archives say that they are, and which version of this format they have. */
export const ARCHIVE = 'nestjs-content-api';
export const VERSION = 1;

/** The first line. */
export interface ArchiveHeader {
  readonly archive: typeof ARCHIVE;
  readonly version: typeof VERSION;
  /** Tells archives apart, so that an import that was interrupted goes on with the same one. */
  readonly id: string;
  /** An instant in ISO 8601. */
  readonly createdAt: string;
  /** How far instances and places were numbered; digits. */
  readonly instances: string;
  readonly counts: string;
}

/** The line before the documents of a type. */
export interface ArchivePart {
  readonly part: 'documents';
  /** By `singularApiId`. */
  readonly type: string;
  /** The columns of its versions beside those that every type has: the attribute and the type of each. */
  readonly columns: Readonly<Record<string, { readonly attribute: string; readonly type: string }>>;
  /** The relations whose links its lines have lists of. */
  readonly links: readonly string[];
  /** How far its rows are numbered. */
  readonly lastId: number;
}

/** The line after them. */
interface PartEnd {
  readonly end: string;
  readonly documents: number;
  /** Of the lines from the part's own to its last document's, in hexadecimal digits. */
  readonly sha256: string;
}

/** The last line. */
interface ArchiveEnd {
  readonly complete: true;
  readonly parts: number;
}

/** What is wrong with an archive; its message is for whoever wants to import it. */
export class ArchiveError extends Error {}

/** The lines of an archive; whoever takes them is told of what stands in which part. */
export class ArchiveWriter {
  private hash: Hash = createHash('sha256');
  private parts = 0;
  private documents = 0;
  private type = '';

  constructor(private readonly put: (line: string) => Promise<void>) {}

  begin(header: ArchiveHeader): Promise<void> {
    return this.put(JSON.stringify(header));
  }

  async part(part: ArchivePart): Promise<void> {
    this.hash = createHash('sha256');
    this.documents = 0;
    this.type = part.type;
    await this.hashed(JSON.stringify(part));
  }

  async document(line: string): Promise<void> {
    this.documents += 1;
    await this.hashed(line);
  }

  async endPart(): Promise<void> {
    this.parts += 1;
    const { type: end, documents } = this;
    const line: PartEnd = { end, documents, sha256: this.hash.digest('hex') };
    await this.put(JSON.stringify(line));
  }

  end(): Promise<void> {
    const line: ArchiveEnd = { complete: true, parts: this.parts };
    return this.put(JSON.stringify(line));
  }

  private hashed(line: string): Promise<void> {
    this.hash.update(line).update('\n');
    return this.put(line);
  }
}

/** Where a reader stands. */
export type ArchiveItem =
  | { readonly kind: 'header'; readonly header: ArchiveHeader }
  | { readonly kind: 'part'; readonly part: ArchivePart }
  | { readonly kind: 'document'; readonly line: string }
  | { readonly kind: 'end'; readonly type: string };

/** No line may be longer than a text can be. */
const LONGEST = 256 * 1024 * 1024;
const NEW_LINE = 0x0a;

/** The lines of a stream, whatever pieces it comes in. Throws for the beginning of one that does not end. */
async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(NEW_LINE); end >= 0; end = piece.indexOf(NEW_LINE, start)) {
      yield Buffer.concat([...rest, piece.subarray(start, end)]).toString('utf8');
      [rest, size, start] = [[], 0, end + 1];
    }
    rest.push(piece.subarray(start));
    size += piece.length - start;
    if (size > LONGEST) throw new ArchiveError('The archive is damaged: one of its lines is too long');
  }
  if (size > 0) throw new ArchiveError('The archive is not complete: it ends within a line');
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // What follows holds for any line that is none of an archive.
  }
  throw new ArchiveError('This is no archive of content, or it is damaged');
}

function headerOf(line: string): ArchiveHeader {
  const header = parsed(line);
  if (header['archive'] !== ARCHIVE) throw new ArchiveError('This is no archive of content');
  if (header['version'] !== VERSION)
    throw new ArchiveError(
      `The archive has version ${String(header['version'])} of the format, and this library reads version ${VERSION}`,
    );
  return header as unknown as ArchiveHeader;
}

const isDocument = (line: string): boolean => line.startsWith('{"documentId"');

/** Checks what a part says at its end. */
class PartCheck {
  private readonly hash = createHash('sha256');
  private documents = 0;

  constructor(readonly part: ArchivePart) {}

  add(line: string): void {
    this.hash.update(line).update('\n');
    this.documents += isDocument(line) ? 1 : 0;
  }

  end({ end, documents, sha256 }: Partial<PartEnd>): void {
    const isWhole = end === this.part.type && documents === this.documents;
    if (!isWhole || sha256 !== this.hash.digest('hex'))
      throw new ArchiveError(`The archive is damaged: its part "${this.part.type}" is not as it was written`);
  }
}

function partOf(line: string, item: Readonly<Record<string, unknown>>): PartCheck {
  if (item['part'] !== 'documents')
    throw new ArchiveError(
      `The archive has a part "${String(item['part'])}", which a newer version of the library reads`,
    );
  const check = new PartCheck(item as unknown as ArchivePart);
  check.add(line);
  return check;
}

async function* itemsOf(lines: AsyncIterable<string>): AsyncGenerator<ArchiveItem> {
  let header: ArchiveHeader | null = null;
  let part: PartCheck | null = null;
  let parts = 0;
  let isComplete = false;
  for await (const line of lines) {
    if (header === null) {
      header = headerOf(line);
      yield { kind: 'header', header };
    } else if (part !== null && isDocument(line)) {
      part.add(line);
      yield { kind: 'document', line };
    } else if (part !== null) {
      part.end(parsed(line));
      yield { kind: 'end', type: part.part.type };
      [part, parts] = [null, parts + 1];
    } else {
      const item = parsed(line);
      isComplete = item['complete'] === true && item['parts'] === parts;
      if (isComplete) continue;
      part = partOf(line, item);
      yield { kind: 'part', part: part.part };
    }
  }
  if (!isComplete) throw new ArchiveError('The archive is not complete');
}

/**
 * Reads an archive from beginning to end. Throws an {@link ArchiveError} as soon as something is wrong with
 * it: what has been read until then may be wrong as well.
 */
export async function* readArchive(source: Readable): AsyncGenerator<ArchiveItem> {
  const gunzip = createGunzip();
  const piped = pipeline(source, gunzip).catch(() => undefined);
  try {
    yield* itemsOf(linesOf(gunzip));
  } catch (error) {
    const { code } = error as { code?: string };
    throw code?.startsWith('Z_') === true ? new ArchiveError(`The archive is damaged: ${code}`) : error;
  } finally {
    source.destroy();
    await piped;
  }
}
