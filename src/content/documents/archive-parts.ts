/** Registry of what features add to archives of the content. */
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Sql, Statement } from '../../kernel/sql.js';
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

export interface ArchivedContents {
  readonly provider: string;
  read(key: string): Promise<StoredContent | null>;
  has(content: MovedContent): Promise<boolean>;
  missing(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Prevents removal of these contents until the transaction ends. */
  hold(keys: readonly string[], runner: Runner): Promise<void>;
  receive(content: MovedContent): Promise<ArrivingContent>;
  letGo(keys: readonly string[]): Promise<void>;
}

export type Replaceable = (row: Sql) => Sql;

export interface ImportedDocument {
  readonly documentId: string;
  /** Whether the import has created it; false if it has replaced one. */
  readonly isNew: boolean;
}

export interface ArchivePart {
  /** Returns the statements that follow a batch of imported documents, in its transaction. */
  readonly imported?: (type: ContentType, documents: readonly ImportedDocument[]) => readonly Statement[];
  readonly contents?: ArchivedContents;
  readonly replaceable?: Readonly<Record<string, (schema: Schema) => Replaceable>>;
}

@Injectable()
export class ArchiveParts {
  private readonly parts: ArchivePart[] = [];

  add(part: ArchivePart): void {
    this.parts.push(part);
  }

  get contents(): ArchivedContents | null {
    return this.parts.find(({ contents }) => contents !== undefined)?.contents ?? null;
  }

  imported(type: ContentType, documents: readonly ImportedDocument[]): readonly Statement[] {
    if (documents.length === 0) return [];
    return this.parts.flatMap(({ imported }) => imported?.(type, documents) ?? []);
  }

  replaceable(schema: Schema, singularApiId: string): Replaceable | null {
    for (const { replaceable } of this.parts) {
      const found = replaceable?.[singularApiId];
      if (found !== undefined) return found(schema);
    }
    return null;
  }
}
