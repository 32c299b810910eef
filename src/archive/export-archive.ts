/** Content → archive: one consistent picture of it, read bit by bit. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import {
  archiveSettings,
  compileCloseDocuments,
  compileCounters,
  compileLastId,
  compileNextDocuments,
  compileOpenDocuments,
} from '../compile/compile-archive.js';
import type { Database } from '../database/database.js';
import type { Runner } from '../database/runner.js';
import { type ArchivedType, archivedTypes } from '../schema/archive.js';
import type { Schema } from '../schema/model.js';
import { WITHHELD } from '../accounts/withheld.js';
import { ARCHIVE, type ArchiveHeader, type ArchivePart, ArchiveWriter, VERSION } from './format.js';

/** How many documents are in memory at a time. */
const AT_ONCE = 50;

/** Told how many documents of a type have been dealt with: now and then, and at the end of each type. */
export type Progress = (type: string, documents: number) => void;

/** What is exported. */
export interface Source {
  readonly database: Database;
  readonly schema: Schema;
}

async function headerOf(runner: Runner, schema: Schema): Promise<ArchiveHeader> {
  const [row] = await runner.run(compileCounters(schema));
  return {
    archive: ARCHIVE,
    version: VERSION,
    id: randomUUID(),
    createdAt: new Date().toISOString(),
    instances: String(row?.['instances']),
    counts: String(row?.['counts']),
  };
}

async function partOf(runner: Runner, { type, columns, links }: ArchivedType): Promise<ArchivePart> {
  const [row] = await runner.run(compileLastId(type));
  const described = columns.map(({ name, attribute, type: databaseType }) => [
    name,
    { attribute: attribute.name, type: databaseType },
  ]);
  return {
    part: 'documents',
    type: type.singularApiId,
    columns: Object.fromEntries(described) as ArchivePart['columns'],
    links: links.map(({ attribute }) => attribute.name),
    lastId: Number(row?.['last']),
  };
}

/** The documents of a type, by a cursor. */
async function* documentsOf(runner: Runner, archived: ArchivedType): AsyncGenerator<string> {
  await runner.run(compileOpenDocuments(archived));
  for (;;) {
    const rows = await runner.run(compileNextDocuments(AT_ONCE));
    // PostgreSQL breaks lists into lines; in texts of JSON a line break is never one itself.
    for (const { line } of rows) yield String(line).replaceAll('\n', ' ');
    if (rows.length < AT_ONCE) break;
  }
  await runner.run(compileCloseDocuments());
}

async function writeAll(
  runner: Runner,
  { schema, writer, progress }: { schema: Schema; writer: ArchiveWriter; progress: Progress },
): Promise<void> {
  for (const setting of archiveSettings()) await runner.run(setting);
  await writer.begin(await headerOf(runner, schema));
  for (const archived of archivedTypes(schema.types, WITHHELD)) {
    const { singularApiId } = archived.type;
    await writer.part(await partOf(runner, archived));
    let documents = 0;
    for await (const line of documentsOf(runner, archived)) {
      await writer.document(line);
      documents += 1;
      if (documents % AT_ONCE === 0) progress(singularApiId, documents);
    }
    await writer.endPart();
    progress(singularApiId, documents);
  }
  await writer.end();
}

/**
 * Writes all content into an archive, as it is at one moment, while others go on writing. Resolves when the
 * destination has all of it; rejects with its error, or the database's.
 */
export async function exportArchive(
  { database, schema }: Source,
  destination: Writable,
  progress: Progress,
): Promise<void> {
  const gzip = createGzip();
  const written = pipeline(gzip, destination);
  // Whoever puts a line hears of it, and so does whoever waits for the end.
  written.catch(() => undefined);
  const put = async (line: string): Promise<void> => {
    if (!gzip.write(`${line}\n`)) await Promise.race([once(gzip, 'drain'), written]);
  };
  try {
    await database.alone((runner) => writeAll(runner, { schema, writer: new ArchiveWriter(put), progress }), {
      snapshot: true,
    });
  } catch (error) {
    gzip.destroy();
    destination.destroy();
    throw error;
  }
  gzip.end();
  await written;
}
