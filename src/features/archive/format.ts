/**
 * Archive format: gzip over lines of JSON. A header line comes first, then the parts.
 *
 * Each part has an opening line, its own lines, and an end line with their number and checksum. The last line
 * confirms that the archive is complete. Names are looked up in the model and never used as paths.
 */
import { createHash, type Hash } from 'node:crypto';
import { isDescription, type ModelDescription } from '../../content/model/description.js';
import { isCount, isListOf, isRecordOf, isShape, isText, type Test } from '../../kernel/json.js';
import { MAX_LINE_BYTES } from '../../kernel/lines.js';

/** Name and version of the format, as the header contains them. */
export const ARCHIVE = 'nestjs-content-api';
export const VERSION = 1;

export interface ArchiveHeader {
  readonly archive: string;
  readonly version: number;
  /** Identifies the archive, so that an interrupted import resumes with the same one. */
  readonly id: string;
  /** ISO 8601 date-time. */
  readonly createdAt: string;
  /** Last values of the sequences of instance ids and link positions, in decimal digits. */
  readonly instances: string;
  readonly counts: string;
  /** Model of the exporting application; archives of earlier releases have none. */
  readonly model?: ModelDescription;
}

/** Maximum row id: setting a sequence higher would soon exhaust it. */
const MAX_ROWS = 2_000_000_000;
const isNumberUpTo =
  (bound: number): Test<string> =>
  (value): value is string =>
    isText(value) && /^\d{1,16}$/.test(value) && Number(value) <= bound;
/** An id is a key of the table of interrupted imports. */
const isArchiveId: Test<string> = (value): value is string =>
  isText(value) && /^[\x20-\x7e]{1,255}$/.test(value);
export const isHeader: Test<ArchiveHeader> = isShape<ArchiveHeader>({
  archive: isText,
  version: isCount,
  id: isArchiveId,
  createdAt: isText,
  instances: isNumberUpTo(MAX_ROWS),
  counts: isNumberUpTo(Number.MAX_SAFE_INTEGER),
  model: (value): value is ModelDescription => value === undefined || isDescription(value),
});

export interface DocumentsPart {
  readonly part: 'documents';
  /** By `singularApiId`. */
  readonly type: string;
  /** Columns of its versions in addition to the system columns: attribute and database type. */
  readonly columns: Readonly<Record<string, { readonly attribute: string; readonly type: string }>>;
  /** Relations whose links the documents contain. */
  readonly links: readonly string[];
  /** Last value of the sequence of its row ids. */
  readonly lastId: number;
}

/** Opening line of the bytes of files, which come before all rows that reference them. */
interface ContentsPart {
  readonly part: 'contents';
}

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

export const nameOf = (part: ArchivePart): string => (part.part === 'documents' ? part.type : part.part);

/** Patterns of a part's lines: all of its own, and those that its end line counts. */
export const LINES: Readonly<
  Record<ArchivePart['part'], { readonly counted: RegExp; readonly own: RegExp }>
> = {
  documents: { counted: /^\{"documentId"/, own: /^\{"documentId"/ },
  contents: { counted: /^\{"content"/, own: /^\{"(content|bytes)"/ },
};

const DOCUMENT = /^\{"documentId"\s*:\s*("(?:[^"\\]|\\.)*")/;

/** Returns the document id of a line; an empty string for an invalid line. */
export const documentIdOf = (line: string): string => {
  const [, quoted] = DOCUMENT.exec(line) ?? [];
  if (quoted === undefined) return '';
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
};

export interface ArchivedContent {
  /** Storage key, which contains the SHA-256 of the bytes; image formats are named after their original. */
  readonly content: string;
  readonly size: number;
  readonly mime: string;
}

export const isContent: Test<ArchivedContent> = isShape<ArchivedContent>({
  content: isText,
  size: isCount,
  mime: isText,
});

interface BytesLine {
  readonly bytes: string;
}

export const isBytesLine: Test<BytesLine> = isShape<BytesLine>({ bytes: isText });

export interface PartEnd {
  readonly end: string;
  /** SHA-256 of the lines from the opening line to the one before this line, in hexadecimal digits. */
  readonly sha256: string;
  /** Keys of contents that files reference but the storage did not have. */
  readonly missing?: readonly string[];
}

export const isPartEnd: Test<PartEnd> = isShape<PartEnd>({
  end: isText,
  sha256: isText,
  missing: (value): value is readonly string[] => value === undefined || isListOf(isText)(value),
});

interface ArchiveEnd {
  readonly complete: true;
  readonly parts: number;
}

/** Callback that receives a type, or `contents`, and the number of items processed so far. */
export type Progress = (what: string, count: number) => void;

/** Problem of an archive; its message is meant for the user of the import. */
export class ArchiveError extends Error {}

/** Writes the lines of an archive, with the number and checksum of each part's lines. */
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

  /** Begins a content, whose bytes follow. */
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
    if (Buffer.byteLength(line) > MAX_LINE_BYTES) {
      const start = `${line.slice(0, 80)}…`;
      throw new ArchiveError(
        `A line of "${nameOf(this.at)}" is longer than 256 MiB, which no import reads: ${start}`,
      );
    }
    this.hash.update(line).update('\n');
    return this.put(line);
  }
}
