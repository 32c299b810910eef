/** Writes a batch of an archive next to stored content. */
import { mutexOf } from '../../content/plan/locks.js';
import { lockStatements } from '../../pool/locks.js';
import type { Runner } from '../../pool/runner.js';
import { type Compared, type Extent, replaceableIn } from './compare-batch.js';
import { batchOf, type BatchSource, comparePiece, type PreparedBatch, refusedIn } from './compare-piece.js';
import { compilePastIds } from './compile-import-progress.js';
import {
  compileDocuments,
  compileDropLeftovers,
  compileHoldTables,
  compileReplaced,
} from './compile-import.js';
import { type DocumentRows, documentRows } from './document-rows.js';
import { documentIdOf } from './format.js';
import { BytesGone, contentsBefore } from './import-contents.js';
import { type Counts, DONE, refuse } from './import-options.js';
import type { Piece } from './walk-archive.js';

export interface Written {
  readonly compared: Compared;
  readonly loose: readonly string[];
}

/** Batch of a type in the model, ready to be written. */
export interface Prepared {
  readonly prepared: PreparedBatch;
  readonly rows: DocumentRows;
}

export async function prepare(piece: Piece, task: BatchSource): Promise<Prepared | null> {
  const prepared = batchOf(piece, task);
  if (prepared === null) return null;
  const { archived, lines } = prepared.batch;
  return { prepared, rows: await documentRows(archived, lines) };
}

/** Acquires locks in the order of all writers: contents, as uploads do, then documents, then tables. */
export async function acquireLocks(
  runner: Runner,
  { batch: { archived, lines }, files }: PreparedBatch,
): Promise<void> {
  await files?.contents.hold([...files.named.values()].flat(), runner);
  const names = lines.flatMap((line) => mutexOf(archived.type, documentIdOf(line)) ?? []);
  await runner.all(lockStatements(names.map((name) => ({ name, exclusive: true }))));
  await runner.run(compileHoldTables([archived]));
}

export interface Attempt {
  readonly task: BatchSource;
  readonly piece: Piece;
  readonly extent: Extent;
}

/** Writes the documents of a batch. Throws for conflicts that appeared since the check. */
export async function writePiece(
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
  const replaced = replaceable === null ? [] : compileReplaced({ ...batch, lines }, replaceable);
  for (const step of replaced) await runner.run(step);
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
