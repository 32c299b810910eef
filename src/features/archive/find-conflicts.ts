/** First pass of an import: verifies the archive, and compares it with the model and the stored content. */
import type { Schema } from '../../content/model/model.js';
import type { Runner } from '../../pool/runner.js';
import { modelConflicts } from './compare-models.js';
import { IMPORT_SETTINGS } from './compile-archive.js';
import { compileImportTable, compileProgress } from './compile-import-progress.js';
import type { Brought } from './import-contents.js';
import type { Found, Import, ImportResult } from './import-options.js';
import { type ArchiveConflict, type Extent, isVacant } from './compare-batch.js';
import { comparePiece, batchOf, refusedIn, refusing } from './compare-piece.js';
import { ImportNotes } from './import-notes.js';
import { walk } from './walk-archive.js';

/** Maximum number of listed conflicts of each kind, so that one kind hides no other. */
const MAX_CONFLICTS = 1000;

/**
 * Returns the number of documents that an interrupted import has processed. Later changes of them are no
 * conflicts.
 */
export async function doneBefore(runner: Runner, schema: Schema, archive: string): Promise<number> {
  const [table] = await runner.run(compileImportTable(schema));
  if (table?.['there'] !== true) return 0;
  const [row] = await runner.run(compileProgress(schema, archive, false));
  return Number(row?.['done'] ?? 0);
}

export interface Checked {
  readonly found: Found & Pick<ImportResult, 'notes'>;
  readonly brought: Brought;
}

/**
 * Reads a whole archive. Returns its conflicts, and a note for each comparison that was not possible. Throws
 * an {@link ArchiveError} for a damaged archive.
 */
export async function findConflicts(task: Import, runner: Runner): Promise<Checked> {
  const { schema } = task.source;
  const notes = new ImportNotes();
  const conflicts: ArchiveConflict[] = [];
  let brought: Brought = { any: false, missing: new Set() };
  const counts = new Map<ArchiveConflict['kind'], number>();
  const add = (more: readonly ArchiveConflict[]): void => {
    for (const conflict of more) {
      task.found(conflict);
      const count = (counts.get(conflict.kind) ?? 0) + 1;
      counts.set(conflict.kind, count);
      if (count <= MAX_CONFLICTS) conflicts.push(conflict);
    }
  };
  await runner.run(IMPORT_SETTINGS);
  let done = 0;
  let isEmpty: boolean | null = null;
  await walk(task, {
    header: async ({ id }, comparison) => {
      done = await doneBefore(runner, schema, id);
      add(modelConflicts(comparison));
      notes.begin(comparison);
    },
    part: (compared) => {
      isEmpty = null;
      add(compared.conflicts);
    },
    contents: null,
    piece: (piece) => {
      const prepared = batchOf(piece, { ...task, brought });
      notes.add(piece);
      if (prepared === null || piece.first + piece.lines.length <= done) return () => Promise.resolve();
      const refused = refusedIn(prepared);
      return async () => {
        isEmpty ??= await isVacant(runner, [prepared.batch.archived]);
        const extent: Extent = isEmpty ? 'nothing' : 'values';
        const comparing = { ...task, refused, gone: () => undefined, extent };
        add((await refusing(piece.part.type, () => comparePiece(runner, prepared, comparing))).conflicts);
      };
    },
    end: (ended, { missing }) => {
      if (ended.part === 'documents') {
        notes.end(ended);
        return;
      }
      brought = { any: true, missing: new Set(missing) };
      if (task.files && task.source.parts.contents === null) add([{ kind: 'bytes', type: 'file' }]);
    },
  });
  return { found: { conflicts, notes: notes.all, done }, brought };
}
