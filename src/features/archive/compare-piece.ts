/** Compares batches of an archive with the model and the stored content. */
import type { Batch } from './compile-import.js';
import { firstLine, isDataError } from '../../kernel/postgres-errors.js';
import { sql } from '../../kernel/sql.js';
import type { Runner } from '../../pool/runner.js';
import { checkDocuments, type DocumentRules } from './check-document.js';
import { ArchiveError, documentIdOf } from './format.js';
import {
  type Brought,
  contentsNamed,
  compareContents,
  storedContents,
  type NamedContents,
} from './import-contents.js';
import type { Import } from './import-options.js';
import {
  type ArchiveConflict,
  compareBatch,
  type Compared,
  type Extent,
  replaceableIn,
} from './compare-batch.js';
import type { Piece } from './walk-archive.js';

export interface BatchSource extends Import {
  readonly brought: Brought;
}

export interface PreparedBatch {
  readonly batch: Batch;
  readonly rules: DocumentRules;
  /** Null unless the documents are files whose bytes are imported too. */
  readonly files: NamedContents | null;
}

/** Returns null for a type that the model does not have. */
export function batchOf({ compared, part, lines }: Piece, task: BatchSource): PreparedBatch | null {
  const { archived, unknown } = compared;
  if (archived === null) return null;
  const { schema, settings, parts } = task.source;
  const { contents } = parts;
  const rules = {
    archived,
    locales: settings,
    trusted: task.trusted,
    lastId: part.lastId,
    members: parts.members,
  };
  const batch = { archived, unknown, lines };
  if (archived.type !== schema.file || contents === null) return { batch, rules, files: null };
  const set = storedContents(schema, contents);
  const named = { named: contentsNamed(lines, schema.file), contents, brought: task.brought };
  return { batch: { ...batch, set }, rules, files: task.files ? named : null };
}

/** Runs work on documents of a type. Throws an ArchiveError for values that the database refuses. */
export async function refusing<T>(type: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDataError(error)) throw error;
    throw new ArchiveError(`The database refuses a document of ${type} in the archive: ${firstLine(error)}`);
  }
}

export const NOTHING_COMPARED: Compared = { verdicts: new Map(), conflicts: [] };

interface Comparing {
  readonly extent: Extent;
  /** Documents that their check refuses; empty if an earlier check found no conflict. */
  readonly refused: readonly ArchiveConflict[];
  /** Called for contents that the archive has and the storage lacks. */
  readonly gone: () => void;
}

export const refusedIn = ({ batch, rules }: PreparedBatch): readonly ArchiveConflict[] =>
  checkDocuments(batch.lines, rules);

/** Finds the conflicts of a batch. Documents with refused values are not compared with the stored ones. */
export async function comparePiece(
  runner: Runner,
  piece: PreparedBatch,
  { source, refused, gone, extent }: Comparing & Pick<Import, 'source'>,
): Promise<Compared> {
  const { batch, files } = piece;
  const out = new Set(refused.map(({ documentId = '' }) => documentId));
  const compared = { ...batch, lines: batch.lines.filter((line) => !out.has(documentIdOf(line))) };
  const replaceable = replaceableIn(source, batch.archived) ?? (() => sql`false`);
  const found = await compareBatch(runner, compared, { extent, replaceable });
  const { verdicts, conflicts } = files === null ? found : await compareContents(found, files, gone);
  return {
    verdicts: new Map([...verdicts, ...[...out].map((id) => [id, 'rivalled'] as const)]),
    conflicts: [...refused, ...conflicts],
  };
}
