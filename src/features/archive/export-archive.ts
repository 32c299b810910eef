/** Exports content into an archive: a consistent snapshot, read with a cursor. */
import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import {
  compileClose,
  compileCounters,
  compileLastId,
  compileNext,
  compileOpenContents,
  compileOpenDocuments,
  EXPORT_SETTINGS,
} from './compile-archive.js';
import type { Database } from '../../content/store/database.js';
import type { Row, Runner } from '../../pool/runner.js';
import type { ArchiveParts, DocumentMember } from '../../content/documents/archive-parts.js';
import { type ArchivedType, archivedTypes } from '../../content/model/archive.js';
import { describeModel } from '../../content/model/description.js';
import type { Schema } from '../../content/model/model.js';
import { gzipLines } from '../../kernel/gzip-lines.js';
import type { ContentSettings } from '../../kernel/settings.js';
import type { Statement } from '../../kernel/sql.js';
import { writeContents } from './export-contents.js';
import {
  ARCHIVE,
  ArchiveError,
  type ArchiveHeader,
  ArchiveWriter,
  type DocumentsPart,
  type Progress,
  VERSION,
} from './format.js';

/** Rows per FETCH, which bounds the documents in memory; fewer if they have requested members. */
const FETCH_SIZE = 50;
const FETCH_LARGE = 5;

export interface Source {
  readonly database: Database;
  readonly schema: Schema;
  readonly settings: ContentSettings;
  readonly parts: ArchiveParts;
}

/** Options of an export. */
export interface ExportOptions {
  /** False exports no bytes of files, for a move that copies their storage. Default true. */
  readonly files?: boolean;
  /** Further parts of documents: `history`, their stored versions. Default none. */
  readonly with?: readonly string[];
  readonly progress?: Progress;
}

/** Result of an export. */
export interface ExportResult {
  readonly documents: number;
  /** Number of file contents, including image formats; equal contents count once. */
  readonly contents: number;
  /** Keys of contents that files reference but the storage does not have. */
  readonly missing: readonly string[];
}

async function headerOf(runner: Runner, { schema, settings }: Source): Promise<ArchiveHeader> {
  const [row] = await runner.run(compileCounters(schema));
  return {
    archive: ARCHIVE,
    version: VERSION,
    id: randomUUID(),
    createdAt: new Date().toISOString(),
    instances: String(row?.['instances']),
    counts: String(row?.['counts']),
    model: describeModel(schema, settings),
  };
}

async function partOf(runner: Runner, { type, columns, links }: ArchivedType): Promise<DocumentsPart> {
  const [row] = await runner.run(compileLastId(type));
  const described = columns.map(
    ({ name, attribute, type: databaseType }) =>
      [name, { attribute: attribute.name, type: databaseType }] as const,
  );
  return {
    part: 'documents',
    type: type.singularApiId,
    columns: Object.fromEntries(described),
    links: links.map(({ attribute }) => attribute.name),
    lastId: Number(row?.['last']),
  };
}

async function* rowsOf(runner: Runner, open: Statement, size = FETCH_SIZE): AsyncGenerator<Row> {
  await runner.run(open);
  for (;;) {
    const rows = await runner.run(compileNext(size));
    yield* rows;
    if (rows.length < size) break;
  }
  await runner.run(compileClose());
}

interface Task extends Source {
  readonly files: boolean;
  readonly members: readonly DocumentMember[];
  readonly writer: ArchiveWriter;
  readonly progress: Progress;
}

async function writeType(
  runner: Runner,
  archived: ArchivedType,
  { writer, progress, members, parts }: Task,
): Promise<number> {
  const { singularApiId } = archived.type;
  await writer.part(await partOf(runner, archived));
  const open = compileOpenDocuments(archived, [...parts.always, ...members]);
  const size = members.length === 0 ? FETCH_SIZE : FETCH_LARGE;
  let documents = 0;
  for await (const { line } of rowsOf(runner, open, size)) {
    // PostgreSQL prints line breaks between the elements of JSON lists. Inside JSON strings they are escaped.
    await writer.document(String(line).replaceAll('\n', ' '));
    documents += 1;
    if (documents % FETCH_SIZE === 0) progress(singularApiId, documents);
  }
  await writer.endPart();
  progress(singularApiId, documents);
  return documents;
}

async function writeAll(runner: Runner, task: Task): Promise<ExportResult> {
  const { schema, parts, files, writer } = task;
  const contents = files ? parts.contents : null;
  await runner.run(EXPORT_SETTINGS);
  await writer.begin(await headerOf(runner, task));
  const rows = (): AsyncGenerator<Row> => rowsOf(runner, compileOpenContents(schema));
  const moved = contents === null ? null : await writeContents(rows(), { ...task, contents });
  let documents = 0;
  for (const archived of archivedTypes(schema.types)) documents += await writeType(runner, archived, task);
  await writer.end();
  return { documents, contents: moved?.contents ?? 0, missing: moved?.missing ?? [] };
}

/** Returns the requested part of documents. Throws an ArchiveError if no feature has it. */
function memberOf({ parts }: Source, name: string): DocumentMember {
  const found = parts.onRequest.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new ArchiveError(`The application has no module that exports "${name}"`);
}

/**
 * Writes all content into an archive, as a consistent snapshot, while writes continue. Resolves when
 * `destination` has received the whole archive. Rejects with the error of the destination or of the database.
 * Throws an ArchiveError for contents that do not match the digest in their key, and for unknown parts.
 */
export async function exportArchive(
  source: Source,
  destination: Writable,
  { files = true, with: names = [], progress = () => undefined }: ExportOptions,
): Promise<ExportResult> {
  const members = names.map((name) => memberOf(source, name));
  const { put, end, destroy } = gzipLines(destination);
  const task = { ...source, files, members, writer: new ArchiveWriter(put), progress };
  try {
    const result = await source.database.runAlone((runner) => writeAll(runner, task), { snapshot: true });
    await end();
    return result;
  } catch (error) {
    destroy();
    throw error;
  }
}
