/** Registry of what features add to archives of the content. */
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Sql } from '../../kernel/sql.js';
import type { Runner } from '../../pool/runner.js';
import type { Schema } from '../model/model.js';

/** Content of a file or of a format of it: key, size in bytes and media type. */
export interface MovedContent {
  readonly key: string;
  readonly size: number;
  readonly mime: string;
}

/** Content that is being received. */
export interface ArrivingContent {
  write(piece: Buffer): Promise<void>;
  /** Stores the content, once all of it has been written. */
  keep(): Promise<void>;
  /** Removes the temporary file, whether the content was stored or not. */
  close(): Promise<void>;
}

/** Content to export. The caller reads `stream` or destroys it. */
export interface StoredContent {
  readonly size: number;
  /** Media type by the extension of the key. */
  readonly mime: string;
  readonly stream: Readable;
}

/** Storage of the bytes that rows of the file type reference by key. */
export interface ArchivedContents {
  /** Value of `provider` for files stored here. */
  readonly provider: string;
  /** Returns a content; null if there are no bytes. */
  read(key: string): Promise<StoredContent | null>;
  /** Whether this content is stored. */
  has(content: MovedContent): Promise<boolean>;
  /** Returns the keys without stored bytes. */
  missing(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Prevents removal of these contents until the transaction ends. */
  hold(keys: readonly string[], runner: Runner): Promise<void>;
  receive(content: MovedContent): Promise<ArrivingContent>;
  /** Removes the contents that no file uses. */
  letGo(keys: readonly string[]): Promise<void>;
}

/** Condition for stored rows that an import may replace by documents with other ids. */
export type Replaceable = (row: Sql) => Sql;

/** Part of an archive that a feature is responsible for. */
export interface ArchivePart {
  readonly contents?: ArchivedContents;
  /** Replaceable rows by `singularApiId`. */
  readonly replaceable?: Readonly<Record<string, (schema: Schema) => Replaceable>>;
}

/** Features register their parts while their modules start. */
@Injectable()
export class ArchiveParts {
  private readonly parts: ArchivePart[] = [];

  add(part: ArchivePart): void {
    this.parts.push(part);
  }

  /** Storage of file contents; null in an application without the module for files. */
  get contents(): ArchivedContents | null {
    return this.parts.find(({ contents }) => contents !== undefined)?.contents ?? null;
  }

  /** Returns the condition for replaceable rows of a type; null if an import replaces none. */
  replaceable(schema: Schema, singularApiId: string): Replaceable | null {
    for (const { replaceable } of this.parts) {
      const found = replaceable?.[singularApiId];
      if (found !== undefined) return found(schema);
    }
    return null;
  }
}
