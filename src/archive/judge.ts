/** What stands in the way of the documents of an archive. */
import {
  type Batch,
  compileDiffering,
  compileExisting,
  compileRivals,
  type Replaceable,
} from '../compile/compile-import.js';
import { isUnusedRole } from '../compile/compile-unused-roles.js';
import type { Runner } from '../database/runner.js';
import type { ArchivedType } from '../schema/archive.js';
import type { Schema } from '../schema/model.js';
import { sql } from '../sql.js';

/** Something in an archive that the database or the model has otherwise. */
export interface ArchiveConflict {
  /**
   * - `type`, `attribute`: the model has none of that name, or one that is stored otherwise.
   * - `model`: a difference of the models that no import can leave out; `type` names a type or a component.
   * - `rule`: no request body can have a value of the document.
   * - `content`: a document is there with other content.
   * - `value`: another document has what only one may have.
   * - `bytes`: the bytes of a file are neither in the archive nor where they are kept; without `documentId`,
   *   the application keeps no bytes, and the archive has some.
   */
  readonly kind: 'type' | 'attribute' | 'model' | 'rule' | 'content' | 'value' | 'bytes';
  /** By `singularApiId`. */
  readonly type: string;
  readonly attribute?: string;
  readonly documentId?: string;
  /** The document that is in the way; the key of the bytes that are missing. */
  readonly other?: string;
  /** The difference, in words. */
  readonly reason?: string;
}

/** What is to become of a document. */
export type Verdict = 'new' | 'same' | 'differs' | 'rivalled';

/** The documents of a batch by their ids, and what is in their way. */
export interface Judged {
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly conflicts: readonly ArchiveConflict[];
}

/** Rows of a type that give way to those of an archive: roles that an application has made at its start. */
export function replaceableIn(schema: Schema, { type }: ArchivedType): Replaceable {
  const users = schema.types.get('user');
  return users === undefined || type.singularApiId !== 'role'
    ? () => sql`false`
    : (row) => isUnusedRole(row, users);
}

const LINE = /^\{"documentId"\s*:\s*("(?:[^"\\]|\\.)*")/;

/** The document that a line is of. */
export const documentIdOf = (line: string): string => {
  const [, quoted] = LINE.exec(line) ?? [];
  return quoted === undefined ? '' : (JSON.parse(quoted) as string);
};

/** Compares the documents of a batch with what is there. */
export async function judge(runner: Runner, batch: Batch, replaceable: Replaceable): Promise<Judged> {
  const type = batch.archived.type.singularApiId;
  const idsIn = (rows: readonly Readonly<Record<string, unknown>>[]): string[] =>
    rows.map(({ id }) => String(id));
  const existing = new Set(idsIn(await runner.run(compileExisting(batch))));
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
  for (const { statement, what: attribute } of compileRivals(batch, replaceable))
    for (const { id, other } of await runner.run(statement)) {
      const documentId = String(id);
      verdicts.set(documentId, 'rivalled');
      conflicts.push({ kind: 'value', type, documentId, attribute, other: String(other) });
    }
  return { verdicts, conflicts };
}
