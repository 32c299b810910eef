/** Registry of what features add to archives of the content. */
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ownValue } from '../../kernel/json.js';
import type { Identifier, Sql, Statement } from '../../kernel/sql.js';
import type { Runner } from '../../pool/runner.js';
import type { ContentType, Schema } from '../model/model.js';

export interface MovedContent {
  readonly key: string;
  readonly size: number;
  readonly mime: string;
}

export interface ArrivingContent {
  write(piece: Buffer): Promise<void>;
  /** Stores the content, once all of it has been written. */
  keep(): Promise<void>;
  close(): Promise<void>;
}

/** Content to export. The caller reads `stream` or destroys it. */
export interface StoredContent {
  readonly size: number;
  readonly mime: string;
  readonly stream: Readable;
}

/** File of another system, on local disk. `name` is that of its URL: hash and extension. */
export interface ForeignFile {
  readonly path: string;
  readonly name: string;
  readonly size: number;
  /** SHA-256 of the bytes in hexadecimal. */
  readonly sha256: string;
  /** Directory for the formats, which the caller removes. */
  readonly directory: string;
}

/** Values of the row of a foreign file, and the bytes of the file and its formats. */
export interface PreparedContent {
  readonly values: Readonly<Record<string, unknown>>;
  readonly bytes: readonly (MovedContent & { readonly path: string })[];
  /** Reason why a picture has no formats; null for ordinary files. */
  readonly unprocessed: string | null;
}

export interface ArchivedContents {
  readonly provider: string;
  read(key: string): Promise<StoredContent | null>;
  has(content: MovedContent): Promise<boolean>;
  missing(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Prevents removal of these contents until the transaction ends. */
  hold(keys: readonly string[], runner: Runner): Promise<void>;
  receive(content: MovedContent): Promise<ArrivingContent>;
  /** Checks a file and makes its formats, as an upload does. Returns the reason of a refusal as text. */
  prepare(file: ForeignFile): Promise<PreparedContent | string>;
  letGo(keys: readonly string[]): Promise<void>;
}

export type Replaceable = (row: Sql) => Sql;

/** Documents of a batch that an import has written. */
export interface ImportedDocuments {
  readonly documents: readonly ImportedDocument[];
  /** Attributes whose values the archive stores in another form than the model. */
  readonly unlike: readonly string[];
}

export interface ImportedDocument {
  readonly documentId: string;
  /** Whether the import has created it; false if it has replaced one. */
  readonly isNew: boolean;
  /** Line of the archive: a JSON text. */
  readonly line: string;
}

/** Returns the lines of the documents that have a member, as a JSON list; null if none has it. */
export function linesWith(member: Identifier, { documents }: ImportedDocuments): string | null {
  const lines = documents.map(({ line }) => line).filter((line) => line.includes(`"${member}"`));
  return lines.length === 0 ? null : `[${lines.join(',')}]`;
}

/** Column of the rows that a member of documents lists. */
export interface MemberColumn {
  readonly name: string;
  readonly type: string;
  readonly nullable?: boolean;
  /** Whether exports write a value that is not null. */
  readonly accepts?: (value: unknown) => boolean;
}

/** Member of the lines of documents in an archive: a list. */
export interface DocumentMember {
  readonly name: Identifier;
  /** Column of each value, or columns of each row. */
  readonly lists: MemberColumn | readonly MemberColumn[];
  /** Prints the JSON value for a document id; null for types without it. */
  readonly of: (type: ContentType, document: Sql) => Sql | null;
}

export interface ArchivePart {
  /** Returns the statements that follow a batch of imported documents, in its transaction. */
  readonly imported?: (type: ContentType, batch: ImportedDocuments) => readonly Statement[];
  readonly contents?: ArchivedContents;
  /** Member that every export writes. */
  readonly always?: DocumentMember;
  /** Member that an export writes if its name is requested. */
  readonly onRequest?: DocumentMember;
  readonly replaceable?: Readonly<Record<string, (schema: Schema) => Replaceable>>;
  /** Completes the values of documents of other systems, by `singularApiId`, as hooks do for requests. */
  readonly completes?: Readonly<Record<string, (values: ForeignValues) => ForeignValues>>;
}

/** Values of a document of another system, by attribute. */
export type ForeignValues = Readonly<Record<string, unknown>>;

@Injectable()
export class ArchiveParts {
  private readonly parts: ArchivePart[] = [];

  add(part: ArchivePart): void {
    this.parts.push(part);
  }

  get contents(): ArchivedContents | null {
    return this.parts.find(({ contents }) => contents !== undefined)?.contents ?? null;
  }

  get always(): readonly DocumentMember[] {
    return this.parts.flatMap(({ always }) => always ?? []);
  }

  /** Members that lines of documents may have. */
  get members(): readonly DocumentMember[] {
    return [...this.always, ...this.onRequest];
  }

  /** Members that an export can write on request. */
  get onRequest(): readonly DocumentMember[] {
    return this.parts.flatMap(({ onRequest }) => onRequest ?? []);
  }

  imported(type: ContentType, batch: ImportedDocuments): readonly Statement[] {
    if (batch.documents.length === 0) return [];
    return this.parts.flatMap(({ imported }) => imported?.(type, batch) ?? []);
  }

  completed(singularApiId: string, values: ForeignValues): ForeignValues {
    return this.parts.reduce(
      (all, { completes = {} }) => ownValue(completes, singularApiId)?.(all) ?? all,
      values,
    );
  }

  replaceable(schema: Schema, singularApiId: string): Replaceable | null {
    for (const { replaceable = {} } of this.parts) {
      const found = ownValue(replaceable, singularApiId);
      if (found !== undefined) return found(schema);
    }
    return null;
  }
}
