/**
 * Imports an archive. The first pass checks it; the second one writes documents in batches and records the
 * progress.
 */
import { IMPORT_SETTINGS } from './compile-archive.js';
import {
  compileBeginImport,
  compileDropProgress,
  compileForgetImport,
  compileNoteProgress,
  compilePast,
  compilePastIds,
  compileProgress,
} from './compile-import-progress.js';
import {
  compileDocuments,
  compileHoldTables,
  compileReplaced,
  compileDropLeftovers,
  compileStatistics,
} from './compile-import.js';
import { isUniqueViolation } from '../../kernel/postgres-errors.js';
import type { Schema } from '../../content/model/model.js';
import { lockStatements } from '../../pool/locks.js';
import type { Runner } from '../../pool/runner.js';
import type { ArchivedType } from '../../content/model/archive.js';
import { mutexOf } from '../../content/plan/locks.js';
import { type DocumentRows, documentRows } from './document-rows.js';
import type { Source } from './export-archive.js';
import { type Checked, findConflicts } from './find-conflicts.js';
import { ArchiveError, type ArchiveHeader, documentIdOf } from './format.js';
import { BytesGone, contentsBefore, ContentsIntake } from './import-contents.js';
import {
  type Counts,
  DONE,
  type Import,
  type ImportOptions,
  type ImportResult,
  noCounts,
  type OpenArchive,
  refuse,
} from './import-options.js';
import { type Compared, type Extent, replaceableIn } from './compare-batch.js';
import {
  comparePiece,
  type BatchSource,
  type PreparedBatch,
  batchOf,
  NOTHING_COMPARED,
  refusedIn,
  refusing,
} from './compare-piece.js';
import { type Piece, walk } from './walk-archive.js';

const DEFAULT_BATCH_SIZE = 1000;
/** Maximum number of attempts while other processes remove contents that the import stored. */
const ATTEMPTS = 5;

interface Written {
  readonly compared: Compared;
  readonly loose: readonly string[];
}

const NOTHING: Written = { compared: NOTHING_COMPARED, loose: [] };

interface Writing extends BatchSource {
  readonly archive: string;
}

/** Batch of a type in the model, ready to be written. */
interface Prepared {
  readonly prepared: PreparedBatch;
  readonly rows: DocumentRows;
}

async function prepare(piece: Piece, task: BatchSource): Promise<Prepared | null> {
  const prepared = batchOf(piece, task);
  if (prepared === null) return null;
  const { archived, lines } = prepared.batch;
  return { prepared, rows: await documentRows(archived, lines) };
}

/** Acquires locks in the order of all writers: contents, as uploads do, then documents, then tables. */
async function acquireLocks(
  runner: Runner,
  { batch: { archived, lines }, files }: PreparedBatch,
): Promise<void> {
  await files?.contents.hold([...files.named.values()].flat(), runner);
  const names = lines.flatMap((line) => mutexOf(archived.type, documentIdOf(line)) ?? []);
  await runner.all(lockStatements(names.map((name) => ({ name, exclusive: true }))));
  await runner.run(compileHoldTables(archived));
}

interface Attempt {
  readonly task: Writing;
  readonly piece: Piece;
  readonly extent: Extent;
}

/** Writes the documents of a batch. Throws for conflicts that appeared since the check. */
async function writePiece(
  runner: Runner,
  { prepared, rows }: Prepared,
  { piece, task, extent }: Attempt,
): Promise<Written> {
  const { batch, files } = prepared;
  const { schema } = task.source;
  const replaceable = replaceableIn(task.source, batch.archived);
  const gone = (): never => {
    throw new BytesGone();
  };
  // With other options, a refused document has already stopped the import.
  const refused = task.onConflict === 'skip' ? refusedIn(prepared) : [];
  const compared = await comparePiece(runner, prepared, { ...task, refused, gone, extent });
  refuse({ conflicts: compared.conflicts, done: piece.first }, task.onConflict);
  const doneWith = (id: string): keyof Counts => DONE[task.onConflict][compared.verdicts.get(id) ?? 'new'];
  const idsOf = (done: keyof Counts): string[] =>
    batch.lines.map(documentIdOf).filter((id) => doneWith(id) === done);
  const skipped = idsOf('skipped').flatMap((id) => files?.named.get(id) ?? []);
  const before = files === null ? [] : await contentsBefore(runner, schema.file, idsOf('replaced'));
  const lines = batch.lines.filter((line) => ['imported', 'replaced'].includes(doneWith(documentIdOf(line))));
  if (replaceable !== null) await runner.run(compileReplaced(batch, replaceable));
  await runner.run(compilePastIds(batch.archived, piece.part.lastId));
  const stored = lines.filter((line) => compared.verdicts.get(documentIdOf(line)) !== 'new');
  const replacing = stored.length === 0 ? [] : compileDropLeftovers({ ...batch, lines: stored });
  for (const step of replacing) await runner.run(step);
  if (lines.length > 0) {
    const written = lines.length === batch.lines.length ? rows : await documentRows(batch.archived, lines);
    for (const step of compileDocuments(batch, written)) await runner.run(step);
  }
  const imported = lines.map((line) => {
    const documentId = documentIdOf(line);
    return { documentId, isNew: doneWith(documentId) === 'imported', line };
  });
  const arrived = { documents: imported, unlike: piece.compared.unlike };
  for (const step of task.source.parts.imported(batch.archived.type, arrived)) await runner.run(step);
  return { compared, loose: [...skipped, ...before] };
}

/** Imports a batch and records the progress in one transaction. Returns null for a batch imported before. */
async function importPiece(
  runner: Runner,
  ready: Prepared | null,
  attempt: Attempt,
): Promise<Written | null> {
  const { task, piece } = attempt;
  const { schema } = task.source;
  await runner.run(IMPORT_SETTINGS);
  if (ready !== null) await acquireLocks(runner, ready.prepared);
  const [row] = await runner.run(compileProgress(schema, task.archive, true));
  if (row === undefined) throw new ArchiveError('Another process has finished importing this archive');
  const done = piece.first + piece.lines.length;
  if (Number(row['done']) >= done) return null;
  const written = ready === null ? NOTHING : await writePiece(runner, ready, attempt);
  await runner.run(compileNoteProgress(schema, { archive: task.archive, done }));
  return written;
}

/**
 * Returns the receiver of the archive's contents, which counts the stored ones; null if none are imported.
 */
function intakeOf({ source: { parts }, files, progress }: Import, counts: Counts): ContentsIntake | null {
  const { contents } = parts;
  if (!files || contents === null) return null;
  return new ContentsIntake(contents, () => progress('contents', (counts.contents += 1)));
}

/** Begins or resumes an import. Returns the number of documents that an interrupted one has written. */
async function begin(runner: Runner, schema: Schema, { id, ...last }: ArchiveHeader): Promise<number> {
  for (const step of compileBeginImport(schema, id)) await runner.run(step);
  await runner.run(compilePast(schema, last));
  const [row] = await runner.run(compileProgress(schema, id, false));
  return Number(row?.['done'] ?? 0);
}

/** Minimum number of documents of a type whose tables get statistics after the import. */
const MANY_DOCUMENTS = 1000;

async function importAll(task: BatchSource, counts: Counts): Promise<void> {
  const { database, schema, parts } = task.source;
  const { contents } = parts;
  let archive = '';
  let past = 0;
  const inOne = <T>(work: (runner: Runner) => Promise<T>): Promise<T> =>
    database.runAlone(work, { snapshot: false });
  let documents = 0;
  let at: ArchivedType | null = null;
  const intake = intakeOf(task, counts);
  const write = async (one: Piece, ready: Prepared | null): Promise<void> => {
    const attempt = (extent: Extent): Promise<Written | null> =>
      inOne((runner) => importPiece(runner, ready, { task: { ...task, archive }, piece: one, extent }));
    const written = await refusing(one.part.type, () =>
      // Constraints report rivals that appeared since the check; the second attempt names them.
      attempt('documents').catch((error: unknown) => {
        if (!isUniqueViolation(error)) throw error;
        return attempt('values');
      }),
    );
    for (const verdict of written?.compared.verdicts.values() ?? [])
      counts[DONE[task.onConflict][verdict]] += 1;
    if (written !== null && one.compared.archived === null) counts.skipped += one.lines.length;
    await contents?.letGo(written?.loose ?? []);
    task.progress(one.part.type, (documents += one.lines.length));
  };
  const walking = walk(task, {
    header: async (header): Promise<void> => {
      archive = header.id;
      past = await inOne((runner) => begin(runner, schema, header));
    },
    part: ({ archived }) => {
      [documents, at] = [0, archived];
    },
    piece: async (one) => {
      const isPast = one.first + one.lines.length <= past;
      const ready = isPast ? null : await prepare(one, task);
      return () => write(one, ready);
    },
    contents: intake,
    end: async () => {
      if (at === null || documents < MANY_DOCUMENTS) return;
      const statistics = compileStatistics(at);
      await inOne((runner) => runner.run(statistics));
    },
  });
  try {
    await walking;
  } finally {
    await intake?.close();
  }
  await inOne(async (runner) => {
    const [row] = await runner.run(compileForgetImport(schema, archive));
    if (row?.['last'] === true) await runner.run(compileDropProgress(schema));
  });
}

/** Imports all documents; resumes if another process removes contents that the import stored. */
async function importWhole(task: BatchSource): Promise<Counts> {
  const counts = noCounts();
  for (let attempt = 1; ; attempt += 1) {
    try {
      await importAll(task, counts);
      return counts;
    } catch (error) {
      if (!(error instanceof BytesGone) || attempt >= ATTEMPTS) throw error;
    }
  }
}

const DEFAULTS = {
  onConflict: 'refuse',
  files: true,
  allowPublic: false,
  trusted: false,
  atOnce: DEFAULT_BATCH_SIZE,
  progress: () => undefined,
} as const;

/**
 * Imports an archive into an empty or a running system. The first pass verifies the archive and compares
 * it with the stored content; the second one writes. Repeating the call resumes an interrupted import of the
 * same archive.
 *
 * Throws an {@link ArchiveError} for an incomplete archive, and an `ArchiveConflictError` for conflicts.
 */
export async function importArchive(
  source: Source,
  open: OpenArchive,
  { dryRun = false, ...options }: ImportOptions,
): Promise<ImportResult> {
  const task: Import = { ...DEFAULTS, ...options, source, open };
  const check = (runner: Runner): Promise<Checked> => findConflicts(task, runner);
  const { found: all, brought } = await source.database.runAlone(check, { snapshot: true });
  const { done, ...found } = all;
  if (dryRun) return { ...noCounts(), ...found };
  refuse({ ...found, done }, task.onConflict);
  return { ...(await importWhole({ ...task, brought })), ...found };
}
