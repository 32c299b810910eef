/** Converts the content of a Strapi archive into an archive of the library. */
import type { ArchivedContents } from '../../content/documents/archive-parts.js';
import type { Schema } from '../../content/model/model.js';
import { ownValue } from '../../kernel/json.js';
import { adoptFiles, fileValues } from './adopt-files.js';
import type { ArchiveSink } from './archive-sink.js';
import { DocumentBuilder } from './build-document.js';
import { convertValue } from './convert-value.js';
import type { Adopted } from './definitions-of.js';
import { FactsFile } from './facts-file.js';
import { ROLE_UID, USER_UID } from './names.js';
import type { Remarks } from './remark.js';
import { RowSorter } from './sort-rows.js';
import type { SourceRow } from './sorted-parts.js';
import { textOf } from './source-schema.js';
import { type MovedType, SourceTypes } from './source-types.js';
import type { Building } from './version.js';
import type { StrapiArchive, StrapiObject } from './strapi-archive.js';
import { type Survey, totalOf } from './survey.js';
import { join } from 'node:path';
import { mkdir, rm } from 'node:fs/promises';

/** Values that the application adds to documents of other systems, by `singularApiId`. */
type Completion = (type: string, values: StrapiObject) => StrapiObject;

export interface ContentTask {
  readonly archive: StrapiArchive;
  readonly survey: Survey;
  readonly adopted: Adopted;
  readonly schema: Schema;
  /** Locales of the application, and that of documents without locales. */
  readonly locales: readonly string[];
  readonly homeLocale: string;
  /** Or the reason why no bytes are stored; undefined if that is unknown. */
  readonly contents: ArchivedContents | string | undefined;
  readonly completed: Completion;
  /** Document ids of stored roles by type. Roles and their users move to them. */
  readonly storedRoles: ReadonlyMap<string, string>;
  readonly sink: ArchiveSink;
  /** Identifies the archive, so that an interrupted import resumes with the same one. */
  readonly id: string;
  /** Receives the hash of a user's password, by document id. */
  readonly password: (documentId: string, hash: string) => Promise<void>;
  readonly remarks: Remarks;
  /** Folder of temporary files, which is removed at the end. */
  readonly directory: string;
  readonly progress: (what: string, count: number, total: number) => void;
}

export interface ContentCounts {
  readonly documents: Readonly<Record<string, number>>;
  readonly rows: number;
}

const OTHER_SPELLING =
  'E-mail addresses with capital letters or spaces: they are stored in lower case, without spaces';

const BCRYPT = /^\$2[abxy]?\$\d\d\$/;

/** Maximum length of the type of a role, in characters. */
const MAX_ROLE_TYPE = 255;

/** Returns the values of a role, which always has a name and a type here. */
function roleValues(data: StrapiObject, documentId: string): StrapiObject {
  const given = textOf(data['type']);
  const type = given === '' || given.length > MAX_ROLE_TYPE ? documentId : given;
  return { ...data, type, name: textOf(data['name']) || type };
}

/** Returns the unique values of a published row, by attribute of the source. */
const uniquesOf =
  (types: SourceTypes, complete: Building['complete']) =>
  ({ uid, archived: { type } }: MovedType, row: SourceRow): (readonly [string, string])[] => {
    const data = complete(uid, row.data, String(row.id));
    return type.storage.uniques.flatMap((attribute) => {
      const name = types.nameInSource(uid, attribute.name);
      const { value } = convertValue(attribute, ownValue(data, name), false);
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return value === null || text === '' ? [] : [[name, text] as const];
    });
  };

class Numbers {
  private readonly next: Map<string, number>;

  constructor(lastIds: ReadonlyMap<string, number>, lastInstance: number) {
    this.next = new Map([...lastIds, ['', lastInstance]]);
  }

  readonly newId = (uid: string): number => {
    const id = (this.next.get(uid) ?? 0) + 1;
    this.next.set(uid, id);
    return id;
  };
}

async function passwordOf(
  {
    moved,
    documentId,
    rows,
  }: { readonly moved: MovedType; readonly documentId: string; readonly rows: readonly SourceRow[] },
  { password, remarks }: ContentTask,
): Promise<void> {
  if (moved.uid !== USER_UID) return;
  for (const { data } of rows) {
    const hash = textOf(data['password']);
    if (BCRYPT.test(hash)) await password(documentId, hash);
    else
      remarks.add(
        {
          list: 'none',
          subject: USER_UID,
          key: 'password',
          text: 'Users without a bcrypt hash: they must reset their password',
        },
        documentId,
      );
  }
}

async function writeDocuments(
  sorter: RowSorter,
  building: Building,
  task: ContentTask,
): Promise<ContentCounts> {
  const { sink, survey, progress } = task;
  const documents: Record<string, number> = {};
  let rows = 0;
  let at: MovedType | null = null;
  const total = totalOf(survey.rows);
  for await (const document of sorter.sorted()) {
    const { moved } = document;
    const { type, columns, links } = moved.archived;
    if (at !== moved) {
      if (at !== null) await sink.endPart();
      at = moved;
      const described = columns.map(
        ({ name, attribute, type: databaseType }) =>
          [name, { attribute: attribute.name, type: databaseType }] as const,
      );
      await sink.part({
        part: 'documents',
        type: type.singularApiId,
        columns: Object.fromEntries(described),
        links: links.map(({ attribute }) => attribute.name),
        // A row and its draft may both get new ids, above those of the source.
        lastId: (survey.lastIds.get(moved.uid) ?? 0) + 2 * (survey.rows.get(moved.uid) ?? 0),
      });
    }
    rows += document.rows.length;
    progress('documents', rows, total);
    const line = new DocumentBuilder(document, building).line();
    if (line === null) continue;
    documents[type.singularApiId] = (ownValue(documents, type.singularApiId) ?? 0) + 1;
    await sink.document(line);
    await passwordOf(document, task);
  }
  if (at !== null) await sink.endPart();
  return { documents, rows };
}

/** Writes the content of the archive into the sink. Returns the number of documents by type. */
export async function adoptContent(task: ContentTask): Promise<ContentCounts> {
  const { archive, survey, adopted, schema, locales, sink, remarks, directory, progress, id } = task;
  await mkdir(directory, { recursive: true });
  const types = new SourceTypes(adopted, schema);
  const facts = new FactsFile(join(directory, 'files.facts'));
  const complete: Building['complete'] = (uid, data, documentId) => {
    const ofPlain = uid === ROLE_UID ? roleValues(data, documentId) : data;
    const own = types.isFile(uid) ? fileValues(data, documentId, { ...task, facts }) : ofPlain;
    const completed = task.completed(types.typeOf(uid)?.singularApiId ?? '', own);
    if (uid === USER_UID && completed['email'] !== own['email'])
      remarks.add({ list: 'changed', subject: uid, key: 'email', text: OTHER_SPELLING }, documentId);
    return completed;
  };
  const { homeLocale, storedRoles } = task;
  const sorting = { archive, survey, types, remarks, directory, progress, homeLocale, storedRoles };
  const plainly: Building['complete'] = (uid, data) =>
    task.completed(types.typeOf(uid)?.singularApiId ?? '', data);
  const sorter = new RowSorter({ ...sorting, uniqueValues: uniquesOf(types, plainly) });
  try {
    const last = await sorter.read();
    await sink.begin({
      id,
      createdAt: survey.createdAt,
      instances: String(last.instance + last.instances),
      counts: String(last.position),
    });
    await adoptFiles({ ...task, facts });
    const numbers = new Numbers(survey.lastIds, last.instance);
    const building: Building = {
      types,
      remarks,
      locales,
      defaultLocale: survey.defaultLocale,
      fileNames: survey.fileNames,
      now: survey.createdAt,
      newId: numbers.newId,
      complete,
    };
    const counts = await writeDocuments(sorter, building, task);
    await sink.end();
    return counts;
  } finally {
    facts.close();
    await rm(directory, { recursive: true, force: true });
  }
}
