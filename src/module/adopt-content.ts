/** Content of the command `adopt`: converted into an archive of the library, and imported. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { INestApplicationContext } from '@nestjs/common';
import { ArchiveParts } from '../content/documents/archive-parts.js';
import { CONTENT_SCHEMA, type Schema } from '../content/model/model.js';
import { Database } from '../content/store/database.js';
import { compilePasswords, type UserHash } from '../features/adopt/compile-passwords.js';
import type { Plan } from '../features/adopt/plan.js';
import { type Remark, Remarks } from '../features/adopt/remark.js';
import { ContentArchive } from '../features/archive/content-archive.js';
import type { OnConflict } from '../features/archive/import-options.js';
import type { ArchiveConflict } from '../features/archive/compare-batch.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../kernel/settings.js';
import { isObject, isText } from '../kernel/json.js';
import { explainTables } from './adopt-steps.js';
import { countsIn } from './archive-commands.js';
import { UsageError, withApplication } from './command.js';
import {
  type ConversionTask,
  conversionOf,
  convert,
  progressOf,
  type Rehearsal,
  removeConversion,
  type Target,
} from './convert-content.js';

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

const remarkOf = (conflict: ArchiveConflict, onConflict: OnConflict): Remark => {
  const { type: subject, attribute: key } = conflict;
  const text = conflictText(conflict, onConflict);
  return { list: 'none', subject, text, ...(key === undefined ? {} : { key }) };
};

interface Move extends ConversionTask {
  readonly reference: string;
  readonly dryRun: boolean;
  readonly onConflict: OnConflict;
  readonly report: (rehearsal: Rehearsal) => Promise<void>;
}

/** Types of the definitions that the running model does not have. */
const missingTypes = ({ adopted }: Plan, schema: Schema): readonly string[] =>
  adopted.contentTypes.map(({ singularApiId }) => singularApiId).filter((name) => !schema.types.has(name));

type Moved = Rehearsal & { readonly summary: string };

/** Throws a UsageError if the running model has no type of the definitions. */
function refuseOtherModel({ plan }: Move, schema: Schema): void {
  const missing = missingTypes(plan, schema);
  if (missing.length === plan.adopted.contentTypes.length && missing.length > 0)
    throw new UsageError(
      `The model has none of the types: import the definitions first (${missing.join(', ')})`,
    );
}

/** Converts the content, reports what happens to it, and imports it unless the run is dry. */
async function moveWith(archive: ContentArchive, move: Move, target: Target): Promise<Moved> {
  const { schema, database, parts } = target;
  const conversion = conversionOf(move, target);
  const converted = await convert(move, target);
  const open = (): ReturnType<typeof createReadStream> => createReadStream(conversion.archive);
  const options = {
    onConflict: move.onConflict,
    trusted: true,
    files: !move.noFiles && parts.contents !== null,
  };
  const conflicts = new Remarks();
  await archive.import(open, {
    ...options,
    dryRun: true,
    found: (conflict) => conflicts.add(remarkOf(conflict, move.onConflict), conflict.documentId),
  });
  const remarks = [...converted.remarks, ...conflicts.all()];
  await move.report({ ...converted, remarks });
  if (move.dryRun) return { ...converted, remarks, summary: '' };
  const progress = progressOf(move.say);
  const total = Object.values(converted.documents).reduce((sum, one) => sum + one, 0);
  const result = await archive.import(open, {
    ...options,
    progress: (what, count) => progress(`import of ${what}`, count, total),
  });
  await storePasswords(conversion.passwords, schema, database);
  return { ...converted, remarks, summary: `Moved: ${countsIn(result)}` };
}

async function moveInto(app: INestApplicationContext, move: Move): Promise<Moved> {
  const get = <T>(token: abstract new (...args: never[]) => T): T => app.get(token, { strict: false });
  const schema = app.get<Schema>(CONTENT_SCHEMA, { strict: false });
  const settings = app.get<ContentSettings>(CONTENT_SETTINGS, { strict: false });
  refuseOtherModel(move, schema);
  const target = { schema, settings, parts: get(ArchiveParts), database: get(Database) };
  try {
    return await moveWith(get(ContentArchive), move, target);
  } finally {
    await removeConversion(conversionOf(move, target), target);
  }
}

/** Moves the content into the application, after its report. Throws a UsageError if it has no tables yet. */
export const moveContent = (move: Move): Promise<Moved> =>
  withApplication(move.reference, (app) => moveInto(app, move)).catch(explainTables);
