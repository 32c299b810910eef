/**
 * What an archive looks like: gzip over lines of JSON. The first line says what it is; then parts follow,
 * each with a line before, its own lines, and a line after with their number and checksum; the last line says
 * that nothing is missing. Names in it are looked up in the model, and never are paths.
 */
import { createHash, type Hash } from 'node:crypto';
import { isDescription, type ModelDescription } from '../evolution/description.js';
import { isCount, isListOf, isRecordOf, isShape, isText, type Test } from '../json.js';

/** What archives say that they are, and which version of this format they have. */
export const ARCHIVE = 'nestjs-content-api';
export const VERSION = 1;

/** The first line. */
export interface ArchiveHeader {
  readonly archive: string;
  readonly version: number;
  /** Tells archives apart, so that an import that was interrupted goes on with the same one. */
  readonly id: string;
  /** An instant in ISO 8601. */
  readonly createdAt: string;
  /** How far instances and places were numbered; digits. */
  readonly instances: string;
  readonly counts: string;
  /** The model that the content was stored under; archives of earlier releases have none. */
  readonly model?: ModelDescription;
}

/** The bound of row numbers: sequences that are set to a higher one would soon run out. */
const MAX_ROWS = 2_000_000_000;
const isNumberUpTo =
  (bound: number): Test<string> =>
  (value): value is string =>
    isText(value) && /^\d{1,16}$/.test(value) && Number(value) <= bound;
export const isHeader: Test<ArchiveHeader> = isShape<ArchiveHeader>({
  archive: isText,
  version: isCount,
  id: isText,
  createdAt: isText,
  instances: isNumberUpTo(MAX_ROWS),
  counts: isNumberUpTo(Number.MAX_SAFE_INTEGER),
  model: (value): value is ModelDescription => value === undefined || isDescription(value),
});

/** The line before the documents of a type. */
export interface DocumentsPart {
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

/** The line before the bytes of files, which come before all rows that name them. */
interface ContentsPart {
  readonly part: 'contents';
}

/** The line before what belongs together. */
export type ArchivePart = DocumentsPart | ContentsPart;

const isNamed =
  <N extends string>(name: N): Test<N> =>
  (value): value is N =>
    value === name;

const isDocumentsPart: Test<DocumentsPart> = isShape<DocumentsPart>({
  part: isNamed('documents'),
  type: isText,
  columns: isRecordOf(isShape({ attribute: isText, type: isText })),
  links: isListOf(isText),
  lastId: (value): value is number => isCount(value) && value <= MAX_ROWS,
});
const isContentsPart: Test<ContentsPart> = isShape<ContentsPart>({ part: isNamed('contents') });

export const isPart: Test<ArchivePart> = (value): value is ArchivePart =>
  isDocumentsPart(value) || isContentsPart(value);

/** What a part is called in its last line, and in messages. */
export const nameOf = (part: ArchivePart): string => (part.part === 'documents' ? part.type : part.part);

/** What a part holds: which of its lines are counted, and which are its own at all. */
export const LINES: Readonly<
  Record<ArchivePart['part'], { readonly counted: RegExp; readonly own: RegExp }>
> = {
  documents: { counted: /^\{"documentId"/, own: /^\{"documentId"/ },
  contents: { counted: /^\{"content"/, own: /^\{"(content|bytes)"/ },
};

/** The line before the bytes of one content. */
export interface ArchivedContent {
  /** Its key in a storage, which names it by its SHA-256; formats are named after their original. */
  readonly content: string;
  /** In bytes. */
  readonly size: number;
  /** Media type. */
  readonly mime: string;
}

export const isContent: Test<ArchivedContent> = isShape<ArchivedContent>({
  content: isText,
  size: isCount,
  mime: isText,
});

/** A line of bytes in base64. */
interface BytesLine {
  readonly bytes: string;
}

export const isBytesLine: Test<BytesLine> = isShape<BytesLine>({ bytes: isText });

/** The line after a part; its number of documents, or contents, stands under the name of what they are. */
export interface PartEnd {
  readonly end: string;
  /** Of the lines from the part's own to its last one, in hexadecimal digits. */
  readonly sha256: string;
  /** Contents that files name and that were not there. */
  readonly missing?: readonly string[];
}

export const isPartEnd: Test<PartEnd> = isShape<PartEnd>({
  end: isText,
  sha256: isText,
  missing: (value): value is readonly string[] => value === undefined || isListOf(isText)(value),
});

/** The last line. */
interface ArchiveEnd {
  readonly complete: true;
  readonly parts: number;
}

/** Told how many documents of a type, or `contents` of files, have been dealt with: now and then. */
export type Progress = (what: string, count: number) => void;

/** What is wrong with an archive; its message is for whoever wants to import it. */
export class ArchiveError extends Error {}

/** The lines of an archive; whoever takes them is told of what stands in which part. */
export class ArchiveWriter {
  private hash: Hash = createHash('sha256');
  private parts = 0;
  private count = 0;
  private at: ArchivePart = { part: 'contents' };

  constructor(private readonly put: (line: string) => Promise<void>) {}

  begin(header: ArchiveHeader): Promise<void> {
    return this.put(JSON.stringify(header));
  }

  async part(part: ArchivePart): Promise<void> {
    this.hash = createHash('sha256');
    this.count = 0;
    this.at = part;
    await this.hashed(JSON.stringify(part));
  }

  async document(line: string): Promise<void> {
    this.count += 1;
    await this.hashed(line);
  }

  /** The beginning of a content, whose bytes follow. */
  content(content: ArchivedContent): Promise<void> {
    return this.document(JSON.stringify(content));
  }

  bytes(piece: Buffer): Promise<void> {
    return this.hashed(`{"bytes":"${piece.toString('base64')}"}`);
  }

  async endPart(more: Pick<PartEnd, 'missing'> = {}): Promise<void> {
    this.parts += 1;
    const sha256 = this.hash.digest('hex');
    const line: PartEnd = { end: nameOf(this.at), [this.at.part]: this.count, sha256, ...more };
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
