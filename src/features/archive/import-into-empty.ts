/**
 * Imports an archive into empty tables in one transaction, which writes documents while it verifies the
 * archive. Anything unusual rolls it back, and then the import in two passes decides.
 */
import { type ArchivedType, archivedTypes } from '../../content/model/archive.js';
import { driverError, isDataError, isRetryable } from '../../kernel/postgres-errors.js';
import type { Runner } from '../../pool/runner.js';
import type { Database } from '../../content/store/database.js';
import { runUnlimited } from '../../content/store/run-unlimited.js';
import { documentCheck, refuseTwice } from './check-document.js';
import { isVacant, replaceableIn } from './compare-batch.js';
import { modelConflicts } from './compare-models.js';
import { batchOf, type BatchSource, type PreparedBatch, refusedIn } from './compare-piece.js';
import { IMPORT_SETTINGS } from './compile-archive.js';
import { compileImportTable, compilePast, compilePastIds } from './compile-import-progress.js';
import {
  type Batch,
  compileCopy,
  compileDocumentCount,
  compileDocuments,
  compileHoldTables,
  compileStatistics,
} from './compile-import.js';
import { collectRows, documentRows, eachWithPauses, TableRows, TableText } from './document-rows.js';
import { ArchiveError, type ArchiveHeader, documentIdOf } from './format.js';
import { ImportNotes } from './import-notes.js';
import { DONE, type Import, type ImportResult, MANY_DOCUMENTS, noCounts } from './import-options.js';
import { type ContentsVisitor, type Piece, walk } from './walk-archive.js';
import { acquireLocks, writePiece } from './write-piece.js';

type Work = () => Promise<void>;

/** The import needs two passes. */
class NeedsTwoPasses extends ArchiveError {}

/** Stops the import at an archive, or at stored content, that it does not handle. */
function assertUsual(isUsual: boolean, reason: string): void {
  if (!isUsual) throw new NeedsTwoPasses(reason);
}

/** Stops the import at the bytes of a file, which are stored outside the transaction. */
const NO_BYTES: ContentsVisitor = {
  begin: () => Promise.reject(new NeedsTwoPasses('bytes of files')),
  bytes: () => Promise.resolve(),
  end: () => Promise.resolve(),
};

interface Connection {
  readonly runner: Runner;
  /** Null if the driver lacks it. */
  readonly copy: Awaited<ReturnType<Database['copyOn']>>;
}

/** Parses and checks documents. Returns the work that writes them, by COPY if the driver has it. */
async function prepareRows(
  { runner, copy }: Connection,
  batch: Batch,
  check: (line: string) => void,
): Promise<Work> {
  const { archived, lines } = batch;
  if (copy === null || batch.set !== undefined) {
    const { rows, add } = collectRows(archived, TableRows);
    await eachWithPauses(lines, check, add);
    return async () => {
      for (const step of compileDocuments(batch, rows)) await runner.run(step);
    };
  }
  const { rows, add } = collectRows(archived, TableText);
  await eachWithPauses(lines, check, add);
  const texts = [rows.versions, ...rows.others]
    .filter(({ count }) => count > 0)
    .map((one) => ({ statement: compileCopy(one), bytes: Buffer.from(one.text) }));
  return async () => {
    for (const { statement, bytes } of texts) await copy(statement, bytes);
  };
}

/** Type whose documents the archive has. */
interface FilledType {
  readonly archived: ArchivedType;
  readonly lastId: number;
  /** Whether the tables were empty before, and are locked. */
  readonly isEmpty: boolean;
  documents: number;
}

class ImportIntoEmpty {
  private readonly counts = noCounts();
  private readonly notes = new ImportNotes();
  private header: ArchiveHeader | null = null;
  private type: FilledType | null = null;
  readonly types: FilledType[] = [];

  constructor(
    private readonly task: BatchSource,
    /** Types whose tables are empty. */
    private readonly empty: readonly ArchivedType[],
    private readonly connection: Connection,
  ) {}

  async run(): Promise<ImportResult> {
    const { task, notes } = this;
    await walk(task, {
      header: (header, comparison) => {
        assertUsual(modelConflicts(comparison).length === 0, 'another model');
        notes.begin(comparison);
        this.header = header;
        return Promise.resolve();
      },
      part: ({ conflicts }) => {
        assertUsual(conflicts.length === 0, 'another type');
        this.type = null;
      },
      piece: (piece) => this.piece(piece),
      contents: task.files ? NO_BYTES : null,
      end: async (part) => {
        const hasStorage = task.source.parts.contents !== null;
        if (part.part === 'contents') return assertUsual(!task.files || hasStorage, 'no storage');
        notes.end(part);
        await this.end();
      },
    });
    await this.advanceSequences();
    return { ...this.counts, conflicts: [], notes: notes.all };
  }

  private async piece(piece: Piece): Promise<Work> {
    const { archived } = piece.compared;
    const prepared = batchOf(piece, this.task);
    if (archived === null || prepared === null) throw new NeedsTwoPasses('an unknown type');
    const keys = [...(prepared.files?.named.values() ?? [])].flat();
    assertUsual(keys.length === 0, 'files with bytes');
    this.notes.add(piece);
    const type = (this.type ??= await this.begin(archived, piece.part.lastId));
    const work = type.isEmpty ? await this.fill(piece, prepared) : await this.join(piece, prepared);
    return async () => {
      await work();
      type.documents += piece.lines.length;
      this.task.progress(piece.part.type, type.documents);
    };
  }

  private async begin(archived: ArchivedType, lastId: number): Promise<FilledType> {
    const { types, empty } = this;
    const { runner } = this.connection;
    // All at once, before the first write: other writers may lock the tables of two types in another order.
    if (types.length === 0) await runner.run(compileHoldTables(empty));
    const isEmpty = empty.some(({ type }) => type === archived.type);
    // Another writer may have filled them before they were locked.
    assertUsual(!isEmpty || (await isVacant(runner, [archived])), 'stored documents');
    const type: FilledType = { archived, lastId, isEmpty, documents: 0 };
    types.push(type);
    return type;
  }

  /** Prepares documents for empty tables. */
  private async fill({ compared: { unlike } }: Piece, { batch, rules }: PreparedBatch): Promise<Work> {
    const { archived, lines } = batch;
    const documents = lines.map((line) => ({ documentId: documentIdOf(line), isNew: true, line }));
    refuseTwice(lines, archived);
    const { connection, counts } = this;
    const conflictsOf = documentCheck(rules);
    const check = (line: string): void => assertUsual(conflictsOf(line).length === 0, 'refused values');
    const write = await prepareRows(connection, batch, check);
    return async () => {
      await write();
      const imported = { documents, unlike };
      for (const step of this.task.source.parts.imported(archived.type, imported))
        await connection.runner.run(step);
      counts.imported += lines.length;
    };
  }

  /** Prepares documents for tables with rows that an import may replace. */
  private async join(piece: Piece, prepared: PreparedBatch): Promise<Work> {
    const { task, counts } = this;
    const { runner } = this.connection;
    assertUsual(refusedIn(prepared).length === 0, 'refused values');
    const { archived, lines } = prepared.batch;
    const ready = { prepared, rows: await documentRows(archived, lines) };
    return async () => {
      await acquireLocks(runner, prepared);
      const { compared } = await writePiece(runner, ready, { task, piece, extent: 'values' });
      assertUsual(compared.conflicts.length === 0, 'conflicts');
      for (const verdict of compared.verdicts.values()) counts[DONE[task.onConflict][verdict]] += 1;
    };
  }

  /** Checks that no two batches of a type have the same document. */
  private async end(): Promise<void> {
    const { type, connection } = this;
    if (type?.isEmpty !== true) return;
    const [row] = await connection.runner.run(compileDocumentCount(type.archived));
    assertUsual(row?.['documents'] === type.documents, 'a document twice');
  }

  /** Advances the sequences once the archive is verified, because a rollback does not set them back. */
  private async advanceSequences(): Promise<void> {
    const { header, task, types } = this;
    const { runner } = this.connection;
    if (header !== null) await runner.run(compilePast(task.source.schema, header));
    for (const { archived, lastId } of types) await runner.run(compilePastIds(archived, lastId));
  }
}

/** SQLSTATE of a statement that the table does not support, such as COPY with security policies for rows. */
const NOT_SUPPORTED = '0A000';

const leavesItToTwoPasses = (error: unknown): boolean =>
  error instanceof ArchiveError ||
  isDataError(error) ||
  isRetryable(error) ||
  driverError(error)?.code === NOT_SUPPORTED;

/** Collects statistics. The content is stored, so that the import has succeeded without them, too. */
async function analyse(database: Database, archived: ArchivedType): Promise<void> {
  const statistics = compileStatistics(archived);
  await runUnlimited(database, (runner) => runner.run(statistics)).catch(() => undefined);
}

/**
 * Imports an archive without bytes of files into empty tables. Rows that an import may replace can already be
 * there. Returns null, and stores nothing, for other stored documents, conflicts and damaged archives.
 */
export async function importIntoEmpty(task: Import): Promise<ImportResult | null> {
  const { database, schema } = task.source;
  const types = archivedTypes(schema.types).filter((one) => replaceableIn(task.source, one) === null);
  let filled: readonly FilledType[] = [];
  const work = async (runner: Runner): Promise<ImportResult | null> => {
    await runner.run(IMPORT_SETTINGS);
    const [table] = await runner.run(compileImportTable(schema));
    if (table?.['there'] === true || !(await isVacant(runner, types))) return null;
    const brought = { any: false, missing: new Set<string>() };
    const copy = await database.copyOn(runner);
    const whole = new ImportIntoEmpty({ ...task, brought }, types, { runner, copy });
    const result = await whole.run();
    filled = whole.types;
    return result;
  };
  const result = await database.runAlone(work, { snapshot: false }).catch((error: unknown) => {
    if (leavesItToTwoPasses(error)) return null;
    throw error;
  });
  if (result === null) return null;
  for (const { archived, documents } of filled)
    if (documents >= MANY_DOCUMENTS) await analyse(database, archived);
  return result;
}
