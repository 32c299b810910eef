/** Conversion of the content of the command `adopt` into an archive of the library. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveParts } from '../content/documents/archive-parts.js';
import { buildSchema } from '../content/model/build-schema.js';
import { describeModel, type ModelDescription } from '../content/model/description.js';
import type { Schema } from '../content/model/model.js';
import type { Database } from '../content/store/database.js';
import { userTypes } from '../features/accounts/account-types.js';
import { compileUsedRoles } from '../features/accounts/compile-unused-roles.js';
import { adoptContent } from '../features/adopt/adopt-content.js';
import type { ArchiveSink } from '../features/adopt/archive-sink.js';
import type { Plan } from '../features/adopt/plan.js';
import { type Remark, Remarks } from '../features/adopt/remark.js';
import type { Source } from '../features/adopt/source.js';
import { doneBefore } from '../features/archive/find-conflicts.js';
import { ARCHIVE, ArchiveWriter, VERSION } from '../features/archive/format.js';
import { pathExists } from '../kernel/files.js';
import { gzipLines } from '../kernel/gzip-lines.js';
import { isObject } from '../kernel/json.js';
import type { ContentSettings } from '../kernel/settings.js';
import { UsageError } from './command.js';

export interface Task {
  readonly source: Source;
  readonly plan: Plan;
  /** Folder of temporary files. */
  readonly work: string;
  readonly say: (line: string) => void;
}

/** Result of a conversion: remarks, and documents by type. */
export interface Rehearsal {
  readonly remarks: readonly Remark[];
  readonly documents: Readonly<Record<string, number>>;
}

const nothing = (): Promise<void> => Promise.resolve();
const NOWHERE: ArchiveSink = {
  begin: nothing,
  part: nothing,
  document: nothing,
  content: nothing,
  bytes: nothing,
  endPart: nothing,
  end: nothing,
};

/** Minimum time in milliseconds between two lines of progress. */
const EVERY = 2000;

/** Returns a function that prints rows per second and the remaining time. */
export function progressOf(say: Task['say']): (what: string, count: number, total: number) => void {
  let [last, start, at] = ['', 0, 0];
  return (what, count, total) => {
    const now = Date.now();
    if (what !== last) [last, start, at] = [what, now, now];
    if (now - at < EVERY) return;
    at = now;
    const rate = (count * 1000) / (now - start);
    const left = Math.max(0, Math.round((total - count) / rate));
    say(`${what}: ${count} of ${total}, ${Math.round(rate)} per second, ${left} s left`);
  };
}

/** Converts the content with the model of the definitions, to report what happens to each row. */
export async function rehearse({ source, plan, work, say }: Task): Promise<Rehearsal | null> {
  if (source.content === null) return null;
  const { contentTypes, components, userAttributes } = plan.adopted;
  const schema = buildSchema([...contentTypes, ...userTypes(userAttributes)], components);
  const remarks = new Remarks();
  const { documents } = await adoptContent({
    ...source.content,
    adopted: plan.adopted,
    schema,
    locales: source.content.survey.locales,
    homeLocale: source.content.survey.defaultLocale,
    contents: undefined,
    completed: (_type, values) => values,
    storedRoles: new Map(),
    sink: NOWHERE,
    id: '',
    password: nothing,
    remarks,
    directory: join(work, 'rehearsal'),
    progress: progressOf(say),
  });
  return { remarks: remarks.all(), documents };
}

/** Task of a conversion for an application. */
export interface ConversionTask extends Task {
  readonly noFiles: boolean;
}

export interface Target {
  readonly schema: Schema;
  readonly settings: ContentSettings;
  readonly parts: ArchiveParts;
  readonly database: Database;
}

const sinkOf = (writer: ArchiveWriter, model: ModelDescription): ArchiveSink => ({
  begin: (header) => writer.begin({ archive: ARCHIVE, version: VERSION, ...header, model }),
  part: (part) => writer.part(part),
  document: (line) => writer.document(line),
  content: (content) => writer.content(content),
  bytes: (piece) => writer.bytes(piece),
  endPart: () => writer.endPart(),
  end: () => writer.end(),
});

/** Files of a conversion, with the id of the archive. */
interface Conversion {
  readonly id: string;
  readonly archive: string;
  readonly passwords: string;
  /** Has the result, once the others are complete. */
  readonly done: string;
}

/** Returns the files of `work` that a conversion of this content for this model has. */
export function conversionOf(
  { source, work, noFiles }: ConversionTask,
  { schema, settings }: Target,
): Conversion {
  const described = JSON.stringify([source.digest, noFiles, describeModel(schema, settings)]);
  const id = createHash('sha256').update(described).digest('hex').slice(0, 32);
  const path = (end: string): string => join(work, `${id}.${end}`);
  return { id, archive: path('archive'), passwords: path('passwords'), done: path('done') };
}

const NO_STORAGE = 'the application has no FilesModule';

/** Whether an interrupted import has stored documents of a conversion. */
const isBegun = ({ id }: Conversion, { database, schema }: Target): Promise<boolean> =>
  database.runAlone(async (runner) => (await doneBefore(runner, schema, id)) > 0, { snapshot: true });

/** Removes the files of a conversion, except those of an import that the next run continues. */
export async function removeConversion(conversion: Conversion, target: Target): Promise<void> {
  const { archive, passwords, done } = conversion;
  if (await isBegun(conversion, target).catch(() => true)) return;
  for (const path of [done, archive, passwords]) await rm(path, { force: true });
}

/** Returns the document ids of the stored roles that the import does not replace, by type. */
async function storedRolesOf({ schema, database }: Target): Promise<ReadonlyMap<string, string>> {
  const statement = compileUsedRoles(schema);
  if (statement === null) return new Map();
  const rows = await database.runAlone((runner) => runner.run(statement), { snapshot: true });
  return new Map(rows.map(({ type, id }) => [String(type), String(id)]));
}

const isRehearsal = (value: unknown): value is Rehearsal =>
  isObject(value) && Array.isArray(value['remarks']) && isObject(value['documents']);

/**
 * Converts the content into the files of a conversion. Those of an interrupted import are used again, so that
 * it continues with the same archive.
 */
export async function convert(task: ConversionTask, target: Target): Promise<Rehearsal> {
  const { source, plan, say } = task;
  const { schema, settings, parts } = target;
  if (source.content === null) throw new UsageError(`${source.location} has no content`);
  const conversion = conversionOf(task, target);
  const { id, archive, passwords, done } = conversion;
  if ((await pathExists(done)) && (await isBegun(conversion, target))) {
    const earlier: unknown = JSON.parse(await readFile(done, 'utf8'));
    if (isRehearsal(earlier)) return earlier;
  }
  await mkdir(task.work, { recursive: true });
  await rm(done, { force: true });
  const { put, end } = gzipLines(createWriteStream(archive), 1);
  const hashes = createWriteStream(passwords);
  const remarks = new Remarks();
  const { documents } = await adoptContent({
    ...source.content,
    adopted: plan.adopted,
    schema,
    locales: settings.locales,
    homeLocale: settings.defaultLocale,
    contents: task.noFiles ? 'the option --no-files leaves them out' : (parts.contents ?? NO_STORAGE),
    completed: (type, values) => parts.completed(type, values),
    storedRoles: await storedRolesOf(target),
    sink: sinkOf(new ArchiveWriter(put), describeModel(schema, settings)),
    id,
    password: async (documentId, hash) => {
      if (!hashes.write(`${JSON.stringify({ documentId, hash })}\n`)) await once(hashes, 'drain');
    },
    remarks,
    directory: join(task.work, id),
    progress: progressOf(say),
  });
  hashes.end();
  await Promise.all([end(), once(hashes, 'close')]);
  const result: Rehearsal = { documents, remarks: remarks.all() };
  await writeFile(`${done}.unfinished`, JSON.stringify(result));
  await rename(`${done}.unfinished`, done);
  return result;
}
