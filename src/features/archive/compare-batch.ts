/** Compares documents of an archive with the stored content. */
import {
  type Batch,
  compileDiffering,
  compileExisting,
  compileRivals,
  compileVacant,
} from './compile-import.js';
import type { Replaceable } from '../../content/documents/archive-parts.js';
import type { Source } from './export-archive.js';
import { documentIdOf } from './format.js';
import type { Runner } from '../../pool/runner.js';
import type { ArchivedType } from '../../content/model/archive.js';

/** Conflict of an archive with the model or the stored content. */
export interface ArchiveConflict {
  /**
   * - `type`, `attribute`: the model has none of that name, or stores it differently.
   * - `model`: a difference of the models that stops every import; `type` names a type or a component.
   * - `rule`: no request body can have a value of the document.
   * - `content`: the document is stored with other content.
   * - `value`: another document has a value that must be unique.
   * - `bytes`: the bytes of a file are neither in the archive nor in the storage. Without `documentId`, the
   *   archive contains bytes and the application has no storage.
   */
  readonly kind: 'type' | 'attribute' | 'model' | 'rule' | 'content' | 'value' | 'bytes';
  /** `singularApiId` of the type. */
  readonly type: string;
  readonly attribute?: string;
  readonly documentId?: string;
  /** Id of the conflicting document, or the key of the missing bytes. */
  readonly other?: string;
  /** Description of the difference. */
  readonly reason?: string;
}

/**
 * Result of comparing a document with the stored content; `rivalled` means a conflict other than its content.
 */
export type Verdict = 'new' | 'same' | 'differs' | 'rivalled';

export interface Compared {
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly conflicts: readonly ArchiveConflict[];
}

export const replaceableIn = (
  { parts, schema }: Pick<Source, 'parts' | 'schema'>,
  { type }: ArchivedType,
): Replaceable | null => parts.replaceable(schema, type.singularApiId);

/**
 * Stored content with which a batch is compared: nothing, because the tables are empty; documents with its
 * ids; these and all unique values.
 */
export type Extent = 'nothing' | 'documents' | 'values';

/** Whether the tables of types have no rows. */
export const isVacant = async (runner: Runner, types: readonly ArchivedType[]): Promise<boolean> =>
  (await runner.run(compileVacant(types)))[0]?.['vacant'] === true;

/** Compares the documents of a batch with the stored content. */
export async function compareBatch(
  runner: Runner,
  batch: Batch,
  { extent, replaceable }: { readonly extent: Extent; readonly replaceable: Replaceable },
): Promise<Compared> {
  const type = batch.archived.type.singularApiId;
  const idsIn = (rows: readonly Readonly<Record<string, unknown>>[]): string[] =>
    rows.map(({ id }) => String(id));
  const existing = new Set(extent === 'nothing' ? [] : idsIn(await runner.run(compileExisting(batch))));
  const differing = existing.size === 0 ? [] : idsIn(await runner.run(compileDiffering(batch)));
  const verdicts = new Map<string, Verdict>();
  for (const line of batch.lines) {
    const id = documentIdOf(line);
    verdicts.set(id, existing.has(id) ? 'same' : 'new');
  }
  const conflicts: ArchiveConflict[] = [];
  for (const documentId of differing) {
    verdicts.set(documentId, 'differs');
    conflicts.push({ kind: 'content', type, documentId });
  }
  const rivals = extent === 'values' ? compileRivals(batch, replaceable) : [];
  for (const { statement, what: attribute } of rivals)
    for (const { id, other } of await runner.run(statement)) {
      const documentId = String(id);
      verdicts.set(documentId, 'rivalled');
      conflicts.push({ kind: 'value', type, documentId, attribute, other: String(other) });
    }
  return { verdicts, conflicts };
}
