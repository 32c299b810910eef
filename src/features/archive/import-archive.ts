/**
 * Imports an archive. Unless one transaction can do all of it, the first pass checks the archive; the second
 * one writes documents in batches and records the progress.
 */
import type { ArchivedType } from '../../content/model/archive.js';
import type { Schema } from '../../content/model/model.js';
import { isUniqueViolation } from '../../kernel/postgres-errors.js';
import type { Runner } from '../../pool/runner.js';
import type { Extent } from './compare-batch.js';
import { type BatchSource, NOTHING_COMPARED, refusing } from './compare-piece.js';
import { IMPORT_SETTINGS } from './compile-archive.js';
import {
  compileBeginImport,
  compileDropProgress,
  compileForgetImport,
  compileNoteProgress,
  compilePast,
  compileProgress,
} from './compile-import-progress.js';
import { compileStatistics } from './compile-import.js';
import type { Source } from './export-archive.js';
import { type Checked, findConflicts } from './find-conflicts.js';
import { ArchiveError, type ArchiveHeader } from './format.js';
import { BytesGone, ContentsIntake } from './import-contents.js';
import { importIntoEmpty } from './import-into-empty.js';
import {
  type Counts,
  DONE,
  type Import,
  type ImportOptions,
  type ImportResult,
  MANY_DOCUMENTS,
  noCounts,
  type OpenArchive,
  refuse,
} from './import-options.js';
import { type Piece, walk } from './walk-archive.js';
import {
  acquireLocks,
  type Attempt,
  type Prepared,
  prepare,
  writePiece,
  type Written,
} from './write-piece.js';

const DEFAULT_BATCH_SIZE = 1000;
/** Maximum number of attempts while other processes remove contents that the import stored. */
const ATTEMPTS = 5;

const NOTHING: Written = { compared: NOTHING_COMPARED, loose: [] };

/** Imports a batch and records the progress in one transaction. Returns null for a batch imported before. */
async function importPiece(
  runner: Runner,
  ready: Prepared | null,
  { archive, ...attempt }: Attempt & { readonly archive: string },
): Promise<Written | null> {
  const { task, piece } = attempt;
  const { schema } = task.source;
  await runner.run(IMPORT_SETTINGS);
  if (ready !== null) await acquireLocks(runner, ready.prepared);
  const [row] = await runner.run(compileProgress(schema, archive, true));
  if (row === undefined) throw new ArchiveError('Another process has finished importing this archive');
  const done = piece.first + piece.lines.length;
  if (Number(row['done']) >= done) return null;
  const written = ready === null ? NOTHING : await writePiece(runner, ready, attempt);
  await runner.run(compileNoteProgress(schema, { archive, done }));
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
      inOne((runner) => importPiece(runner, ready, { archive, task, piece: one, extent }));
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
  found: () => undefined,
} as const;

/**
 * Imports an archive into an empty or a running system. Into empty tables, one transaction writes it while it
 * is verified. Otherwise the first pass verifies the archive and compares it with the stored content, and the
 * second one writes. Repeating the call resumes an interrupted import of the same archive.
 *
 * Throws an {@link ArchiveError} for an incomplete archive, and an `ArchiveConflictError` for conflicts.
 */
export async function importArchive(
  source: Source,
  open: OpenArchive,
  { dryRun = false, ...options }: ImportOptions,
): Promise<ImportResult> {
  const task: Import = { ...DEFAULTS, ...options, source, open };
  const isPlain = !dryRun && options.atOnce === undefined;
  const whole = isPlain ? await importIntoEmpty(task) : null;
  if (whole !== null) return whole;
  const check = (runner: Runner): Promise<Checked> => findConflicts(task, runner);
  const { found: all, brought } = await source.database.runAlone(check, { snapshot: true });
  const { done, ...found } = all;
  if (dryRun) return { ...noCounts(), ...found };
  refuse({ ...found, done }, task.onConflict);
  return { ...(await importWhole({ ...task, brought })), ...found };
}
