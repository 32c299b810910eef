/** Archive → content: looked through first, then written bit by bit, each bit with how far it has come. */
import type { Readable } from 'node:stream';
import { archiveSettings } from '../compile/compile-archive.js';
import {
  type Batch,
  compileBeginImport,
  compileDocuments,
  compileDropProgress,
  compileForgetImport,
  compileHoldTables,
  compileImportTable,
  compileNoteProgress,
  compilePast,
  compilePastIds,
  compileProgress,
  compileReplaced,
} from '../compile/compile-import.js';
import { compileLocks } from '../compile/compile-locks.js';
import type { Runner } from '../database/runner.js';
import { turnOf } from '../plan/locks.js';
import { archivedTypes } from '../schema/archive.js';
import type { Schema } from '../schema/model.js';
import { WITHHELD } from '../accounts/withheld.js';
import type { Progress, Source } from './export-archive.js';
import { ArchiveError, type ArchiveHeader, type ArchivePart, readArchive } from './format.js';
import {
  type ArchiveConflict,
  documentIdOf,
  judge,
  type Judged,
  type KnownPart,
  knownPart,
  replaceableIn,
  type Verdict,
} from './judge.js';

/** What becomes of documents that are there with other content, and of what the model does not have. */
export type OnConflict = 'refuse' | 'skip' | 'replace';

/** How an archive is imported. */
export interface ImportOptions {
  /**
   * - `refuse` (default): nothing is imported.
   * - `skip`: what is there stays, what the model does not have is left out.
   * - `replace`: a document that is there becomes that of the archive. A value that another document has, and
   *   what the model does not have, are refused all the same.
   */
  readonly onConflict?: OnConflict;
  /** Lists what is in the way, and writes nothing. */
  readonly dryRun?: boolean;
  /** How many documents are written in one transaction at most. Default 100. */
  readonly atOnce?: number;
  readonly progress?: Progress;
}

/** What has become of the documents of an archive. */
export interface ImportResult {
  /** Documents that were not there. */
  readonly imported: number;
  readonly replaced: number;
  /** Documents that were there as they are in the archive. */
  readonly same: number;
  readonly skipped: number;
  /** What is in the way, or was; the first thousand. */
  readonly conflicts: readonly ArchiveConflict[];
}

/** Nothing was imported because of what is in the way. */
export class ArchiveConflictError extends ArchiveError {
  constructor(readonly conflicts: readonly ArchiveConflict[]) {
    super(`Nothing is imported: ${conflicts.length} conflicts with what is there`);
  }
}

const MOST_CONFLICTS = 1000;
const AT_ONCE = 100;
const BATCH_CHARACTERS = 1024 * 1024;

/** Documents of one part that are dealt with together, and where they stand among all of the archive. */
interface Piece {
  readonly known: KnownPart;
  readonly part: ArchivePart;
  readonly lines: readonly string[];
  readonly first: number;
}

/** Where documents of an archive come from, each time that it is read. */
export type OpenArchive = () => Readable;

interface Import {
  readonly source: Source;
  readonly open: OpenArchive;
  readonly onConflict: OnConflict;
  readonly atOnce: number;
  readonly progress: Progress;
}

/** What a walk over an archive meets. */
interface Visitor {
  readonly header: (header: ArchiveHeader) => Promise<void>;
  readonly part: (known: KnownPart, part: ArchivePart) => void;
  readonly piece: (piece: Piece) => Promise<void>;
}

/** Reads an archive, in pieces. */
async function walk({ source, open, atOnce }: Import, visitor: Visitor): Promise<void> {
  const types = new Map(
    archivedTypes(source.schema.types, WITHHELD).map((one) => [one.type.singularApiId, one]),
  );
  let at: { readonly known: KnownPart; readonly part: ArchivePart } | null = null;
  let lines: string[] = [];
  let [size, first] = [0, 0];
  const flush = async (): Promise<void> => {
    if (at !== null && lines.length > 0) await visitor.piece({ ...at, lines, first });
    [first, size, lines] = [first + lines.length, 0, []];
  };
  for await (const item of readArchive(open())) {
    if (item.kind === 'header') await visitor.header(item.header);
    if (item.kind === 'part') {
      at = { known: knownPart(item.part, types.get(item.part.type)), part: item.part };
      visitor.part(at.known, at.part);
    }
    if (item.kind === 'document') {
      lines.push(item.line);
      size += item.line.length;
    }
    if (item.kind === 'end' || lines.length >= atOnce || size > BATCH_CHARACTERS) await flush();
  }
}

const batchOf = ({ known: { archived, unknown }, lines }: Piece): Batch | null =>
  archived === null ? null : { archived, unknown, lines };

/** Reads an archive to its end. Throws an {@link ArchiveError} where something is wrong with it. */
async function checkWhole(open: OpenArchive): Promise<void> {
  const items = readArchive(open());
  while ((await items.next()).done !== true);
}

/** How many documents an import that was interrupted has dealt with; whoever wrote them since, may have. */
async function doneBefore(runner: Runner, schema: Schema, archive: string): Promise<number> {
  const [table] = await runner.run(compileImportTable(schema));
  if (table?.['there'] !== true) return 0;
  const [row] = await runner.run(compileProgress(schema, archive, false));
  return Number(row?.['done'] ?? 0);
}

/** What is in the way of an archive. */
async function lookThrough(task: Import, runner: Runner): Promise<readonly ArchiveConflict[]> {
  const conflicts: ArchiveConflict[] = [];
  const add = (more: readonly ArchiveConflict[]): void =>
    void conflicts.push(...more.slice(0, MOST_CONFLICTS - conflicts.length));
  for (const setting of archiveSettings()) await runner.run(setting);
  let done = 0;
  await walk(task, {
    header: async ({ id }) => void (done = await doneBefore(runner, task.source.schema, id)),
    part: (known) => add(known.conflicts),
    piece: async (piece) => {
      const batch = batchOf(piece);
      if (batch === null || piece.first + piece.lines.length <= done) return;
      const found = await judge(runner, batch, replaceableIn(task.source.schema, batch.archived));
      add(found.conflicts);
    },
  });
  return conflicts;
}

/** Whether a conflict stops the whole import. */
const isRefused = ({ kind }: ArchiveConflict, onConflict: OnConflict): boolean =>
  onConflict === 'refuse' || (onConflict === 'replace' && kind !== 'content');

/** What is done with a document. */
const DONE: Readonly<Record<OnConflict, Readonly<Record<Verdict, keyof Counts>>>> = {
  refuse: { new: 'imported', same: 'same', differs: 'skipped', rivalled: 'skipped' },
  skip: { new: 'imported', same: 'same', differs: 'skipped', rivalled: 'skipped' },
  replace: { new: 'imported', same: 'same', differs: 'replaced', rivalled: 'skipped' },
};

interface Counts {
  imported: number;
  replaced: number;
  same: number;
  skipped: number;
}

/** The documents of a piece that are written. */
function written(lines: readonly string[], judged: Judged, onConflict: OnConflict): string[] {
  return lines.filter((line) => {
    const done = DONE[onConflict][judged.verdicts.get(documentIdOf(line)) ?? 'new'];
    return done === 'imported' || done === 'replaced';
  });
}

/** Locks first and tables then, in the order of all other writers. */
async function hold(runner: Runner, { archived, lines }: Batch): Promise<void> {
  const names = lines.flatMap((line) => turnOf(archived.type, documentIdOf(line)) ?? []);
  await runner.run(compileLocks(names.map((name) => ({ name, exclusive: true }))));
  await runner.run(compileHoldTables(archived));
}

/** Refuses what has come into the way since the archive was looked through. */
function refuse({ conflicts }: Judged, onConflict: OnConflict): void {
  const refused = conflicts.filter((conflict) => isRefused(conflict, onConflict));
  if (refused.length > 0) throw new ArchiveConflictError(refused);
}

/** One piece, in one transaction with how far the import has come. Null where that was done before. */
async function importPiece(
  task: Import & { readonly archive: string },
  piece: Piece,
  runner: Runner,
): Promise<Judged | null> {
  const { schema } = task.source;
  for (const setting of archiveSettings()) await runner.run(setting);
  const batch = batchOf(piece);
  if (batch !== null) await hold(runner, batch);
  const [row] = await runner.run(compileProgress(schema, task.archive, true));
  if (row === undefined) throw new ArchiveError('Another process has just imported this archive');
  const done = piece.first + piece.lines.length;
  if (Number(row['done']) >= done) return null;
  const replaceable = batch === null ? null : replaceableIn(schema, batch.archived);
  const judged =
    batch === null || replaceable === null
      ? { verdicts: new Map(), conflicts: [] }
      : await judge(runner, batch, replaceable);
  refuse(judged, task.onConflict);
  if (batch !== null && replaceable !== null) {
    const lines = written(piece.lines, judged, task.onConflict);
    await runner.run(compileReplaced(batch, replaceable));
    await runner.run(compilePastIds(batch.archived, piece.part.lastId));
    const changed = { ...batch, lines };
    if (lines.length > 0) for (const step of compileDocuments(changed)) await runner.run(step);
  }
  await runner.run(compileNoteProgress(schema, { archive: task.archive, done }));
  return judged;
}

async function importAll(task: Import): Promise<Counts> {
  const { database, schema } = task.source;
  const counts: Counts = { imported: 0, replaced: 0, same: 0, skipped: 0 };
  let archive = '';
  const inOne = (work: (runner: Runner) => Promise<void>): Promise<void> =>
    database.alone(work, { snapshot: false });
  let documents = 0;
  await walk(task, {
    header: ({ id, ...last }) => {
      archive = id;
      return inOne(async (runner) => {
        for (const step of compileBeginImport(schema, id)) await runner.run(step);
        await runner.run(compilePast(schema, last));
      });
    },
    part: () => void (documents = 0),
    piece: async (piece) => {
      const judged = await database.alone((runner) => importPiece({ ...task, archive }, piece, runner), {
        snapshot: false,
      });
      for (const verdict of judged?.verdicts.values() ?? []) counts[DONE[task.onConflict][verdict]] += 1;
      if (piece.known.archived === null) counts.skipped += piece.lines.length;
      documents += piece.lines.length;
      task.progress(piece.part.type, documents);
    },
  });
  await inOne(async (runner) => {
    const [row] = await runner.run(compileForgetImport(schema, archive));
    if (row?.['last'] === true) await runner.run(compileDropProgress(schema));
  });
  return counts;
}

/**
 * Imports an archive into an empty or a running system. It is read three times: before anything is written,
 * all of it has been checked and compared with what is there. Whoever imports the same archive again, after a
 * crash too, goes on where it ended. Throws an {@link ArchiveError} for an archive that is not whole, an
 * {@link ArchiveConflictError} for what is in the way.
 */
export async function importArchive(
  source: Source,
  open: OpenArchive,
  { onConflict = 'refuse', dryRun = false, atOnce = AT_ONCE, progress = () => undefined }: ImportOptions,
): Promise<ImportResult> {
  const task: Import = { source, open, onConflict, atOnce, progress };
  await checkWhole(open);
  const conflicts = await source.database.alone((runner) => lookThrough(task, runner), { snapshot: true });
  if (dryRun) return { imported: 0, replaced: 0, same: 0, skipped: 0, conflicts };
  const refused = conflicts.filter((conflict) => isRefused(conflict, onConflict));
  if (refused.length > 0) throw new ArchiveConflictError(refused);
  return { ...(await importAll(task)), conflicts };
}
