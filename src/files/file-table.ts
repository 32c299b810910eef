/** The rows of files as their own room needs them: private attributes included. */
import { Inject, Injectable } from '@nestjs/common';
import { compileFindRecords } from '../compile/compile-record.js';
import { Database } from '../database/database.js';
import type { Row, Runner } from '../database/runner.js';
import { RepositoryWithoutHooks } from '../documents/repository-without-hooks.js';
import { isObject } from '../json.js';
import type { Condition } from '../plan/plan.js';
import { unstorable } from '../schema/cast-value.js';
import { CONTENT_SCHEMA, type ContentType, type ScalarAttribute, type Schema } from '../schema/model.js';

/** A file as it stands in its row. */
export interface FileRow {
  readonly documentId: string;
  readonly name: string;
  readonly hash: string;
  readonly ext: string | null;
  readonly mime: string;
  readonly url: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly focalPoint: { readonly x: number; readonly y: number } | null;
  /** Null for a file whose bytes are not kept by this room. */
  readonly storageKey: string | null;
  /** The keys of its formats, by their names. */
  readonly formatKeys: Readonly<Record<string, string>>;
}

const TEXTS = ['documentId', 'name', 'hash', 'ext', 'mime', 'url', 'storageKey'];
const COLUMNS = [...TEXTS, 'width', 'height', 'focalPoint', 'formatKeys'];

const parsed = (text: unknown): unknown => (typeof text === 'string' ? JSON.parse(text) : null);

const pointOf = (value: unknown): FileRow['focalPoint'] =>
  isObject(value) && typeof value['x'] === 'number' && typeof value['y'] === 'number'
    ? { x: value['x'], y: value['y'] }
    : null;

const fileRow = (row: Row): FileRow => {
  const keys = parsed(row['formatKeys']);
  return {
    ...(row as Row & Pick<FileRow, 'documentId' | 'name' | 'hash' | 'ext' | 'mime' | 'url' | 'storageKey'>),
    width: row['width'] === null ? null : Number(row['width']),
    height: row['height'] === null ? null : Number(row['height']),
    focalPoint: pointOf(parsed(row['focalPoint'])),
    formatKeys: isObject(keys) ? (keys as Readonly<Record<string, string>>) : {},
  };
};

/** Row ids as the database has them. */
const ROW_ID = /^[1-9]\d{0,8}$/;

/** How a file is addressed: by the id of its row, or by its document id. */
export const fileKeyOf = (id: string): { readonly id: number } | { readonly documentId: string } =>
  ROW_ID.test(id) ? { id: Number(id) } : { documentId: id };

@Injectable()
export class FileTable {
  readonly type: ContentType;
  private readonly records: RepositoryWithoutHooks;

  constructor(@Inject(CONTENT_SCHEMA) schema: Schema, @Inject(Database) database: Database) {
    this.type = schema.file;
    this.records = new RepositoryWithoutHooks(database, schema.file);
  }

  /** The file with a row id or a document id; null where there is none. */
  async one(id: string): Promise<FileRow | null> {
    if (unstorable(id)) return null;
    const [row] = await this.records.find([fileKeyOf(id)], COLUMNS);
    return row === undefined ? null : fileRow(row);
  }

  /** The files with one of these hashes, those of an earlier one first. */
  async withHash(hashes: readonly string[]): Promise<readonly FileRow[]> {
    const rows = await this.records.find(
      hashes.map((hash) => ({ hash })),
      COLUMNS,
    );
    return rows.map(fileRow);
  }

  /** The file whose content was replaced under another hash; null where it is none. */
  async replaced(hash: string): Promise<FileRow | null> {
    const [row] = await this.records.find([{ formerHash: hash }], COLUMNS);
    return row === undefined ? null : fileRow(row);
  }

  /** The values of a row with a hash that no other has, as far as the transaction sees (20.16). */
  async newValues({ values }: { readonly values: () => Row }, runner: Runner): Promise<Row> {
    for (;;) {
      const made = values();
      const taken = compileFindRecords(this.type, [{ hash: made['hash'] }], ['documentId']);
      if ((await runner.run(taken)).length === 0) return made;
    }
  }

  /** How many files each folder has, by its path; null is the root. */
  folders(): Promise<ReadonlyMap<unknown, number>> {
    return this.records.countBy('folderPath');
  }

  /** The condition that a file is in a folder, or at the root, which no request can say itself (20.3). */
  isIn(folder: string): Condition {
    const attribute = this.type.attributes.get('folderPath') as ScalarAttribute;
    const at = { kind: 'compare', attribute, negated: false } as const;
    return folder === '/' ? { ...at, op: '$null', operands: [] } : { ...at, op: '$eq', operands: [folder] };
  }

  /** Every file. */
  async all(): Promise<readonly FileRow[]> {
    return (await this.records.all(COLUMNS)).map(fileRow);
  }
}
