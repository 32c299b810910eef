/** Commands `export` and `import`: all content in one archive file. */
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { ContentArchive } from '../features/archive/content-archive.js';
import type { ExportResult } from '../features/archive/export-archive.js';
import {
  ArchiveConflictError,
  type ImportResult,
  type OnConflict,
} from '../features/archive/import-options.js';
import type { ArchiveConflict } from '../features/archive/compare-batch.js';
import { pathExists } from '../kernel/files.js';
import { interruptible, MODULE_OPTION, type Surroundings, UsageError, withApplication } from './command.js';

export const EXPORT_USAGE = `export <file> --module <module> [--no-files] [--with history]
      Writes all content and the bytes of files to one file.
      --no-files omits the bytes of files.
      --with history adds the stored versions of documents.`;
export const IMPORT_USAGE = `import <file> --module <module> [--dry-run] [--no-files]
        [--on-conflict refuse|skip|replace] [--allow-public] [--trusted]
      Imports an exported file. After a crash, run it again to continue.
      --dry-run lists the conflicts and writes nothing.
      --no-files skips the bytes of files: copy their storage yourself.
      --on-conflict decides about documents that exist with other content. Default: refuse, imports nothing.
      --allow-public imports attributes that are private in the archive and public in the model.
      --trusted accepts stored values that no request can send, for archives from a system that you trust.

  ${MODULE_OPTION}`;

/** Minimum time in milliseconds between two progress lines of a type. */
const EVERY = 1000;
const MOST = 50;

function progressOf({ say }: Pick<Surroundings, 'say'>): (type: string, documents: number) => void {
  let [last, at] = ['', 0];
  return (type, documents) => {
    const now = Date.now();
    if (type === last && now - at < EVERY) return;
    [last, at] = [type, now];
    say(`${type}: ${documents}`);
  };
}

function fileOf(positionals: readonly string[], usage: string): string {
  const [file] = positionals;
  if (file === undefined || positionals.length > 1)
    throw new UsageError(`Usage: nestjs-content-api ${usage}`);
  return file;
}

/** Reports the result; missing bytes are listed by key, as `files check` lists them. */
function exportReport(file: string, { documents, contents, missing }: ExportResult): string {
  const gone = missing.map((key) => `\n  missing bytes  ${key}`).join('');
  return `Written: ${file}, ${documents} documents, ${contents} contents of files${gone}`;
}

/** Writes an archive under a temporary name, and renames it when it is complete. */
export async function runExport(args: readonly string[], surroundings: Surroundings): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      module: { type: 'string' },
      'no-files': { type: 'boolean', default: false },
      with: { type: 'string', multiple: true, default: [] },
    },
  });
  const file = fileOf(positionals, EXPORT_USAGE);
  if (await pathExists(file)) throw new UsageError(`${file} already exists`);
  const unfinished = `${file}.unfinished`;
  const { 'no-files': leaves, with: parts } = values;
  const options = { files: !leaves, with: parts, progress: progressOf(surroundings) };
  let isWritten = false;
  const write = (signal: AbortSignal): Promise<string> =>
    withApplication(values.module, async (app) => {
      const archive = app.get(ContentArchive, { strict: false });
      const result = await archive.export(createWriteStream(unfinished, { signal }), options);
      await rename(unfinished, file);
      isWritten = true;
      return exportReport(file, result);
    });
  try {
    return await interruptible(write, () =>
      isWritten ? `Interrupted after the end: ${file} is complete` : `Interrupted: ${file} was not written`,
    );
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

const afterColon = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);

const sentence = ({ kind, type, attribute, documentId, other, reason }: ArchiveConflict): string =>
  ({
    model: `${[type, attribute].filter((part) => part !== undefined).join('.')}: ${reason ?? ''}`,
    rule: `${type} ${documentId ?? ''}: ${attribute ?? ''}: ${reason ?? ''}`,
    type: `the model has no type "${type}"`,
    attribute: `the model has no matching attribute ${type}.${attribute ?? ''}${afterColon(reason)}`,
    content: `${type} ${documentId ?? ''} exists with other content`,
    value: `${type} ${documentId ?? ''}: ${attribute ?? ''} belongs to ${other ?? ''}`,
    bytes:
      documentId === undefined
        ? 'the archive contains bytes of files, but the application has no FilesModule: import it or use --no-files'
        : `file ${documentId}: its bytes are in neither the archive nor the storage: ${other ?? ''}`,
  })[kind];

function listConflicts(conflicts: readonly ArchiveConflict[]): string {
  const more = conflicts.length > MOST ? [`and ${conflicts.length - MOST} more`] : [];
  return [...conflicts.slice(0, MOST).map(sentence), ...more].map((line) => `  ${line}`).join('\n');
}

/** Returns the numbers of documents by what the import has done with them. */
export const countsIn = ({ imported, replaced, same, skipped, contents }: ImportResult): string =>
  `${imported} new, ${replaced} replaced, ${same} unchanged, ${skipped} left out; ` +
  `${contents} contents of files`;

const CHOICES: readonly string[] = ['refuse', 'skip', 'replace'] satisfies OnConflict[];

const isChoice = (word: string): word is OnConflict => CHOICES.includes(word);

/** Returns the value of `--on-conflict`. Throws a UsageError for another word. */
export function onConflictOf(word: string): OnConflict {
  if (isChoice(word)) return word;
  throw new UsageError(`--on-conflict is one of ${CHOICES.join(', ')}`);
}

export async function runImport(args: readonly string[], surroundings: Surroundings): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      module: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      'no-files': { type: 'boolean', default: false },
      'on-conflict': { type: 'string', default: 'refuse' },
      'allow-public': { type: 'boolean', default: false },
      trusted: { type: 'boolean', default: false },
    },
  });
  const file = fileOf(positionals, IMPORT_USAGE);
  const onConflict = onConflictOf(values['on-conflict']);
  const found = await stat(file).catch(() => null);
  if (found === null) throw new UsageError(`File not found: ${file}`);
  if (found.isDirectory()) throw new UsageError(`${file} is a folder, not an archive`);
  const { 'dry-run': dryRun, 'no-files': leaves, 'allow-public': allowPublic, trusted } = values;
  let hasBegun = false;
  const read = async (app: INestApplicationContext, signal: AbortSignal): Promise<string> => {
    const archive = app.get(ContentArchive, { strict: false });
    const say = progressOf(surroundings);
    const progress = (type: string, documents: number): void => {
      hasBegun = true;
      say(type, documents);
      signal.throwIfAborted();
    };
    const options = { onConflict, dryRun, files: !leaves, allowPublic, trusted, progress };
    try {
      const result = await archive.import(() => createReadStream(file, { signal }), options);
      for (const note of result.notes) surroundings.say(note);
      if (!dryRun) return `Imported: ${countsIn(result)}`;
      if (result.conflicts.length === 0) return 'No conflicts';
      throw new UsageError(`Conflicts:\n${listConflicts(result.conflicts)}`);
    } catch (error) {
      if (!(error instanceof ArchiveConflictError)) throw error;
      throw new UsageError(`${error.message}:\n${listConflicts(error.conflicts)}`);
    }
  };
  return interruptible(
    (signal) => withApplication(values.module, (app) => read(app, signal)),
    () => `Interrupted: ${hasBegun ? 'run the same command again' : 'nothing was imported'}`,
  );
}
