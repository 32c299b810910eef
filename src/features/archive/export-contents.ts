/** Exports the bytes of files into an archive, each content once. */
import { createHash } from 'node:crypto';
import type { Row } from '../../pool/runner.js';
import type { ArchivedContents } from '../../content/documents/archive-parts.js';
import { digestIn } from '../../content/model/content-keys.js';
import { ArchiveError, type ArchiveWriter, type Progress } from './format.js';

interface Task {
  readonly contents: ArchivedContents;
  readonly writer: ArchiveWriter;
  readonly progress: Progress;
}

interface Written {
  readonly contents: number;
  readonly missing: readonly string[];
}

/**
 * Returns false if the storage has no such content. Throws an ArchiveError if its bytes do not match its key.
 */
async function writeContent(row: Row, { contents, writer }: Task): Promise<boolean> {
  const { mime } = row;
  const key = String(row['key']);
  const found = await contents.read(key);
  if (found === null) return false;
  await writer.content({
    content: key,
    size: found.size,
    mime: typeof mime === 'string' ? mime : found.mime,
  });
  const digest = createHash('sha256');
  let size = 0;
  for await (const piece of found.stream as AsyncIterable<Buffer>) {
    digest.update(piece);
    size += piece.length;
    await writer.bytes(piece);
  }
  const named = digestIn(key);
  if (size === found.size && (named === null || named === digest.digest('hex'))) return true;
  throw new ArchiveError(
    `The stored bytes of ${key} are damaged: replace that file, or export without files`,
  );
}

/** Writes the contents of these rows, each with a `key`, as one part of an archive. */
export async function writeContents(rows: AsyncIterable<Row>, task: Task): Promise<Written> {
  const { writer, progress } = task;
  const missing: string[] = [];
  let contents = 0;
  await writer.part({ part: 'contents' });
  for await (const row of rows) {
    if (await writeContent(row, task)) progress('contents', (contents += 1));
    else missing.push(String(row['key']));
  }
  await writer.endPart({ missing });
  return { contents, missing };
}
