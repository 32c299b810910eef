/** Rows of files, private attributes included. */
import { Inject, Injectable } from '@nestjs/common';
import { compileFindRecords, type Countable } from '../../content/compile/compile-record.js';
import { compileVersionRights } from '../../content/compile/compile-version-rights.js';
import { Database } from '../../content/store/database.js';
import type { Row, Runner } from '../../pool/runner.js';
import { RepositoryWithoutHooks } from '../../content/documents/repository-without-hooks.js';
import { isObject, parsedOrNull } from '../../kernel/json.js';
import type { Identifier } from '../../kernel/sql.js';
import type { Condition } from '../../content/plan/plan.js';
import { unstorable } from '../../content/model/cast-value.js';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../content/model/model.js';
import { formerFileTableOf } from '../../content/model/former-file-table.js';
import { scalarOf } from '../../content/model/scalar-of.js';
import { compileFormer } from './compile-former-files.js';

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
  readonly storageKey: string | null;
  readonly formatKeys: Readonly<Record<string, string>>;
}

const TEXTS = ['documentId', 'name', 'hash', 'ext', 'mime', 'url', 'storageKey'];
const COLUMNS = [...TEXTS, 'width', 'height', 'focalPoint', 'formatKeys'];

const pointOf = (value: unknown): FileRow['focalPoint'] =>
  isObject(value) && typeof value['x'] === 'number' && typeof value['y'] === 'number'
    ? { x: value['x'], y: value['y'] }
    : null;

const fileRow = (row: Row): FileRow => {
  const keys = parsedOrNull(row['formatKeys']);
  return {
    ...(row as Row & Pick<FileRow, 'documentId' | 'name' | 'hash' | 'ext' | 'mime' | 'url' | 'storageKey'>),
    width: row['width'] === null ? null : Number(row['width']),
    height: row['height'] === null ? null : Number(row['height']),
    focalPoint: pointOf(parsedOrNull(row['focalPoint'])),
    formatKeys: isObject(keys) ? (keys as Readonly<Record<string, string>>) : {},
  };
};

const ROW_ID = /^[1-9]\d{0,8}$/;

export const fileKeyOf = (id: string): { readonly id: number } | { readonly documentId: string } =>
  ROW_ID.test(id) ? { id: Number(id) } : { documentId: id };

@Injectable()
export class FileTable {
  readonly type: ContentType;
  readonly formers: Identifier;
  private readonly records: RepositoryWithoutHooks;

  constructor(
    @Inject(CONTENT_SCHEMA) schema: Schema,
    @Inject(Database) private readonly database: Database,
  ) {
    this.type = schema.file;
    this.formers = formerFileTableOf(schema.file);
    this.records = new RepositoryWithoutHooks(database, schema.file);
  }

  async one(id: string): Promise<FileRow | null> {
    if (unstorable(id)) return null;
    const [row] = await this.records.find([fileKeyOf(id)], COLUMNS);
    return row === undefined ? null : fileRow(row);
  }

  async withHash(hashes: readonly string[]): Promise<readonly FileRow[]> {
    const rows = await this.records.find(
      hashes.map((hash) => ({ hash })),
      COLUMNS,
    );
    return rows.map(fileRow);
  }

  /** Returns the file whose URL had a hash before its content was replaced. */
  async replaced(hash: string): Promise<FileRow | null> {
    const [former] = await this.database.run(compileFormer(this.formers, this.type, hash));
    if (former === undefined) return null;
    const [row] = await this.records.find([{ documentId: former['document_id'] }], COLUMNS);
    return row === undefined ? null : fileRow(row);
  }

  /** Returns the values of a row with a hash that no row visible to the transaction has (20.16). */
  async newValues({ values }: { readonly values: () => Row }, runner: Runner): Promise<Row> {
    for (;;) {
      const row = values();
      const sameHash = compileFindRecords(this.type, [{ hash: row['hash'] }], ['documentId']);
      if ((await runner.run(sameHash)).length === 0) return row;
    }
  }

  /** Whether a file is one that a caller may act on. */
  async isAmong({ documentId }: FileRow, { decision, defaultLocale }: Countable): Promise<boolean> {
    if (decision === 'all') return true;
    const shown = { published: decision, drafts: decision };
    const request = { type: this.type, documentId, defaultLocale, written: decision, live: decision, shown };
    const [row] = await this.database.run(compileVersionRights(request));
    return row?.['written'] === true;
  }

  /** Counts the files in each folder, of those that a caller may read. */
  folders(among: Countable): Promise<ReadonlyMap<unknown, number>> {
    return this.records.countBy('folderPath', among);
  }

  /** Returns the condition that a file is in a folder, or at the root. No request can filter by it (20.3). */
  isIn(folder: string): Condition {
    const attribute = scalarOf(this.type, 'folderPath');
    const at = { kind: 'compare', attribute, negated: false } as const;
    return folder === '/' ? { ...at, op: '$null', operands: [] } : { ...at, op: '$eq', operands: [folder] };
  }

  async all(): Promise<readonly FileRow[]> {
    return (await this.records.all(COLUMNS)).map(fileRow);
  }
}
