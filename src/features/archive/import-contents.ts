/**
 * Imports the bytes of files. They are stored before the rows that reference them, and removed if no row
 * does.
 */
import { present } from '../../kernel/present.js';
import type { Batch } from './compile-import.js';
import { compileFindRecords } from '../../content/compile/compile-record.js';
import type { Runner } from '../../pool/runner.js';
import type { ArchivedContents, ArrivingContent } from '../../content/documents/archive-parts.js';
import { isListOf, isObject, isRecordOf, isShape, isText, type Test } from '../../kernel/json.js';
import type { Column, ContentType, Schema } from '../../content/model/model.js';
import { param, quote, type Sql, sql } from '../../kernel/sql.js';
import { ArchiveError, type ArchivedContent, documentIdOf } from './format.js';
import type { ArchiveConflict, Compared, Verdict } from './compare-batch.js';
import type { ContentsVisitor } from './walk-archive.js';

export interface Brought {
  readonly any: boolean;
  /** Keys of contents that the storage did not have during the export. */
  readonly missing: ReadonlySet<string>;
}

/**
 * Another process removed contents that the import stored, before their rows were written. The import
 * resumes.
 */
export class BytesGone extends ArchiveError {
  constructor() {
    super('File contents were removed during the import: run the import again');
  }
}

export class ContentsIntake implements ContentsVisitor {
  private arriving: ArrivingContent | null = null;

  constructor(
    private readonly contents: ArchivedContents,
    private readonly stored: () => void,
  ) {}

  async begin({ content: key, size, mime }: ArchivedContent): Promise<void> {
    const moved = { key, size, mime };
    if (!(await this.contents.has(moved))) this.arriving = await this.contents.receive(moved);
  }

  async bytes(piece: Buffer): Promise<void> {
    await this.arriving?.write(piece);
  }

  async end(): Promise<void> {
    if (this.arriving === null) return;
    await this.arriving.keep();
    await this.close();
    this.stored();
  }

  async close(): Promise<void> {
    const { arriving } = this;
    this.arriving = null;
    await arriving?.close();
  }
}

const column = ({ storage }: ContentType, name: string): Column => present(storage.columnOf.get(name), name);

const isDocument: Test<{ readonly versions: readonly object[] }> = isShape<{
  readonly versions: readonly object[];
}>({ versions: isListOf((one): one is object => isObject(one)) });

/** Returns the content keys of documents of the file type, by document id. */
export function contentsNamed(
  lines: readonly string[],
  file: ContentType,
): ReadonlyMap<string, readonly string[]> {
  const [own, formats] = ['storageKey', 'formatKeys'].map((name) => column(file, name).name);
  const keysOf = (version: object): string[] => {
    const [key, others] = [own, formats].map((name): unknown => Reflect.get(version, name ?? ''));
    return isText(key) ? [key, ...(isRecordOf(isText)(others) ? Object.values(others) : [])] : [];
  };
  return new Map(
    lines.map((line) => {
      const document: unknown = JSON.parse(line);
      return [documentIdOf(line), isDocument(document) ? document.versions.flatMap(keysOf) : []];
    }),
  );
}

/** Sets `provider` of imported files to the storage of this application; comparisons ignore that column. */
export function storedContents({ file }: Schema, { provider }: ArchivedContents): NonNullable<Batch['set']> {
  const { name } = column(file, 'provider');
  const key = quote(column(file, 'storageKey').name);
  const value = (row: Sql): Sql =>
    sql`case when ${row}.${key} is null then ${row}.${quote(name)} else ${param(provider)}::text end`;
  return new Map([[name, value]]);
}

const isWritten = (verdict: Verdict | undefined): boolean => verdict === 'new' || verdict === 'differs';

/** Files of a batch, the contents they reference, and the contents in the archive. */
export interface NamedContents {
  readonly named: ReadonlyMap<string, readonly string[]>;
  readonly contents: ArchivedContents;
  readonly brought: Brought;
}

/**
 * Adds conflicts for files whose contents are neither stored nor in the archive. Calls `gone` if the archive
 * has a content that the storage lacks.
 */
export async function compareContents(
  { verdicts, conflicts }: Compared,
  { named, contents, brought }: NamedContents,
  gone: () => void,
): Promise<Compared> {
  const wanted = [...named].filter(([id]) => isWritten(verdicts.get(id)));
  const missing = await contents.missing(wanted.flatMap(([, keys]) => keys));
  const isBrought = (key: string): boolean => brought.any && !brought.missing.has(key);
  const compared = new Map(verdicts);
  const found: ArchiveConflict[] = [];
  for (const [documentId, keys] of wanted) {
    const lacking = keys.filter((key) => missing.has(key));
    if (lacking.some(isBrought)) gone();
    const other = lacking.find((key) => !isBrought(key));
    if (other === undefined) continue;
    compared.set(documentId, 'rivalled');
    found.push({ kind: 'bytes', type: 'file', documentId, other });
  }
  return { verdicts: compared, conflicts: [...conflicts, ...found] };
}

/** Returns the content keys in stored rows of these files, before an import replaces the rows. */
export async function contentsBefore(
  runner: Runner,
  file: ContentType,
  documentIds: readonly string[],
): Promise<readonly string[]> {
  if (documentIds.length === 0) return [];
  const matches = documentIds.map((documentId) => ({ documentId }));
  const rows = await runner.run(compileFindRecords(file, matches, ['storageKey']));
  return rows.flatMap(({ storageKey }) => (isText(storageKey) ? [storageKey] : []));
}
