/** Content of the command `adopt`: converted into an archive of the library, and imported. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { INestApplicationContext } from '@nestjs/common';
import { ArchiveParts } from '../content/documents/archive-parts.js';
import { buildSchema } from '../content/model/build-schema.js';
import { describeModel, type ModelDescription } from '../content/model/description.js';
import { CONTENT_SCHEMA, type Schema } from '../content/model/model.js';
import { Database } from '../content/store/database.js';
import { userTypes } from '../features/accounts/account-types.js';
import { adoptContent } from '../features/adopt/adopt-content.js';
import type { ArchiveSink } from '../features/adopt/archive-sink.js';
import { compilePasswords, type UserHash } from '../features/adopt/compile-passwords.js';
import type { Plan } from '../features/adopt/plan.js';
import { type Remark, Remarks } from '../features/adopt/remark.js';
import type { Source } from '../features/adopt/source.js';
import { ContentArchive } from '../features/archive/content-archive.js';
import { ARCHIVE, ArchiveWriter, VERSION } from '../features/archive/format.js';
import type { OnConflict } from '../features/archive/import-options.js';
import type { ArchiveConflict } from '../features/archive/compare-batch.js';
import { pathExists } from '../kernel/files.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../kernel/settings.js';
import { isObject, isText } from '../kernel/json.js';
import { explainTables } from './adopt-steps.js';
import { countsIn } from './archive-commands.js';
import { UsageError, withApplication } from './command.js';

interface Task {
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
function progressOf(say: Task['say']): (what: string, count: number, total: number) => void {
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
    sink: NOWHERE,
    id: '',
    password: nothing,
    remarks,
    directory: join(work, 'rehearsal'),
    progress: progressOf(say),
  });
  return { remarks: remarks.all(), documents };
}

interface Converted extends Rehearsal {
  readonly archive: string;
  readonly passwords: string;
}

const isConverted = (value: unknown): value is Converted =>
  isObject(value) && isText(value['archive']) && isText(value['passwords']);

interface Target {
  readonly schema: Schema;
  readonly settings: ContentSettings;
  readonly parts: ArchiveParts;
}

interface Packed {
  readonly put: (line: string) => Promise<void>;
  readonly end: () => void;
  readonly closed: Promise<void>;
}

/** Opens a gzipped file for lines. */
function packed(path: string): Packed {
  const gzip = createGzip({ level: 1 });
  const closed = pipeline(gzip, createWriteStream(path));
  // Prevents an unhandled rejection: `put` and the caller report the error.
  closed.catch(() => undefined);
  const put = async (line: string): Promise<void> => {
    if (!gzip.write(`${line}\n`)) await Promise.race([once(gzip, 'drain'), closed]);
  };
  return { put, closed, end: () => void gzip.end() };
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

/** Converts the content into a file of `work`. A conversion that an earlier run completed is used again. */
async function convert(task: Task & { readonly noFiles: boolean }, target: Target): Promise<Converted> {
  const { source, plan, work, say } = task;
  const { schema, settings, parts } = target;
  if (source.content === null) throw new UsageError(`${source.location} has no content`);
  const described = JSON.stringify([source.digest, task.noFiles, describeModel(schema, settings)]);
  const id = createHash('sha256').update(described).digest('hex').slice(0, 32);
  const [archive, passwords, done] = ['archive', 'passwords', 'done'].map((end) =>
    join(work, `${id}.${end}`),
  );
  if (archive === undefined || passwords === undefined || done === undefined) throw new Error('no paths');
  if (await pathExists(done)) {
    const earlier: unknown = JSON.parse(await readFile(done, 'utf8'));
    if (isConverted(earlier)) return earlier;
  }
  await mkdir(work, { recursive: true });
  const { put, closed: written, end } = packed(archive);
  const hashes = createWriteStream(passwords);
  const remarks = new Remarks();
  const { documents } = await adoptContent({
    ...source.content,
    adopted: plan.adopted,
    schema,
    locales: settings.locales,
    homeLocale: settings.defaultLocale,
    contents: task.noFiles ? null : parts.contents,
    completed: (type, values) => parts.completed(type, values),
    sink: sinkOf(new ArchiveWriter(put), describeModel(schema, settings)),
    id,
    password: async (documentId, hash) => {
      if (!hashes.write(`${JSON.stringify({ documentId, hash })}\n`)) await once(hashes, 'drain');
    },
    remarks,
    directory: join(work, id),
    progress: progressOf(say),
  });
  end();
  hashes.end();
  await Promise.all([written, once(hashes, 'close')]);
  const result: Converted = { archive, passwords, documents, remarks: remarks.all() };
  await writeFile(`${done}.unfinished`, JSON.stringify(result));
  await rename(`${done}.unfinished`, done);
  return result;
}

/** Hashes per statement. */
const BATCH = 500;

const isHash = (value: unknown): value is UserHash =>
  isObject(value) && isText(value['documentId']) && isText(value['hash']);

/** Stores the hashes of users without a password. */
async function storePasswords(path: string, schema: Schema, database: Database): Promise<void> {
  const user = schema.types.get('user');
  if (user === undefined) return;
  const store = async (hashes: readonly UserHash[]): Promise<void> => {
    const statement = compilePasswords(user, hashes);
    if (statement !== null && hashes.length > 0)
      await database.runAlone((runner) => runner.run(statement), { snapshot: false });
  };
  let batch: UserHash[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const value: unknown = JSON.parse(line);
    if (isHash(value)) batch.push(value);
    if (batch.length < BATCH) continue;
    await store(batch);
    batch = [];
  }
  await store(batch);
}

const CONTENT: Readonly<Record<OnConflict, string>> = {
  skip: 'Documents that exist with other content: they stay as they are',
  replace: 'Documents that exist with other content: they are replaced',
  refuse: 'Documents that exist with other content: nothing is moved',
};

const conflictText = ({ kind, attribute, other, reason }: ArchiveConflict, onConflict: OnConflict): string =>
  ({
    model: `The models differ: ${reason ?? ''}`,
    rule: `No request could send the value: ${reason ?? ''}`,
    type: 'The model has no such type',
    attribute: `The model stores the attribute differently: ${reason ?? ''}`,
    content: CONTENT[onConflict],
    value: `Documents whose ${attribute ?? 'value'} belongs to another document: they are left out`,
    bytes: `Files whose bytes are missing: ${other ?? ''}`,
  })[kind];

const remarksOf = (conflicts: readonly ArchiveConflict[], onConflict: OnConflict): readonly Remark[] => {
  const remarks = new Remarks();
  for (const conflict of conflicts) {
    const { type: subject, attribute: key, documentId } = conflict;
    remarks.add(
      {
        list: 'none',
        subject,
        ...(key === undefined ? {} : { key }),
        text: conflictText(conflict, onConflict),
      },
      documentId,
    );
  }
  return remarks.all();
};

interface Move extends Task {
  readonly reference: string;
  readonly dryRun: boolean;
  readonly noFiles: boolean;
  readonly onConflict: OnConflict;
  readonly report: (rehearsal: Rehearsal) => Promise<void>;
}

/** Types of the definitions that the running model does not have. */
const missingTypes = ({ adopted }: Plan, schema: Schema): readonly string[] =>
  adopted.contentTypes.map(({ singularApiId }) => singularApiId).filter((name) => !schema.types.has(name));

async function moveInto(
  app: INestApplicationContext,
  move: Move,
): Promise<Rehearsal & { readonly summary: string }> {
  const get = <T>(token: abstract new (...args: never[]) => T): T => app.get(token, { strict: false });
  const schema = app.get<Schema>(CONTENT_SCHEMA, { strict: false });
  const settings = app.get<ContentSettings>(CONTENT_SETTINGS, { strict: false });
  const [archive, database, parts] = [get(ContentArchive), get(Database), get(ArchiveParts)];
  const missing = missingTypes(move.plan, schema);
  if (missing.length === move.plan.adopted.contentTypes.length && missing.length > 0)
    throw new UsageError(
      `The model has none of the types: import the definitions first (${missing.join(', ')})`,
    );
  const converted = await convert(move, { schema, settings, parts });
  const open = (): ReturnType<typeof createReadStream> => createReadStream(converted.archive);
  const options = {
    onConflict: move.onConflict,
    trusted: true,
    files: !move.noFiles && parts.contents !== null,
  };
  const { conflicts } = await archive.import(open, { ...options, dryRun: true });
  const remarks = [...converted.remarks, ...remarksOf(conflicts, move.onConflict)];
  await move.report({ ...converted, remarks });
  if (move.dryRun) return { ...converted, remarks, summary: '' };
  const progress = progressOf(move.say);
  const total = Object.values(converted.documents).reduce((sum, one) => sum + one, 0);
  const result = await archive.import(open, {
    ...options,
    progress: (what, count) => progress(`import of ${what}`, count, total),
  });
  await storePasswords(converted.passwords, schema, database);
  const done = `${converted.archive.slice(0, -'archive'.length)}done`;
  for (const path of [converted.archive, converted.passwords, done]) await rm(path, { force: true });
  return { ...converted, remarks, summary: `Moved: ${countsIn(result)}` };
}

/** Moves the content into the application, after its report. Throws a UsageError if it has no tables yet. */
export const moveContent = (move: Move): Promise<Rehearsal & { readonly summary: string }> =>
  withApplication(move.reference, (app) => moveInto(app, move)).catch(explainTables);
