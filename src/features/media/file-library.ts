/** Media library: uploads, replaces and removes files, each all or nothing. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IncomingMessage } from 'node:http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Caller } from '../../content/access/caller.js';
import type { Action } from '../../content/access/actions.js';
import type { AnyEntry } from '../../content/access/limited-grants.js';
import type { FieldScope } from '../../content/access/field-scope.js';
import { Permissions } from '../../content/access/permissions.js';
import type { Disconnect } from '../../kernel/disconnect.js';
import type { Runner } from '../../pool/runner.js';
import { Answer } from '../../content/documents/answer.js';
import { documentIdIn } from '../../content/documents/document-id.js';
import { Documents } from '../../content/documents/documents.service.js';
import { type KeyedWrite, writeOnce } from '../../content/documents/request-keys.js';
import type { WriteOptions } from '../../content/documents/write-options.js';
import type { Precondition } from '../../content/plan/precondition.js';
import { ContentError, stackOf, unavailable, validationError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import type { ReadPlan } from '../../content/plan/plan.js';
import { byDocumentId } from '../../content/plan/plan-read.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { REPLAYED_HEADER } from '../../content/query/request-key.js';
import { type ContentToKeep, FileBytes } from './file-bytes.js';
import { type FileInfo, infoOfBody, infosOf } from './file-info.js';
import { FileReferences } from './file-reference.js';
import { FileSweeps } from './file-sweeps.js';
import { type FileRow, FileTable } from './file-table.js';
import { FILES_OPTIONS, type ResolvedFilesOptions } from './files.options.js';
import { type PreparedFile, prepareFile } from './prepare-file.js';
import { receiveForm, type UploadForm } from './upload-form.js';

export interface Uploader {
  readonly caller: Caller;
  readonly disconnect: Disconnect | null;
  readonly requestId: string | null;
  /** Condition on the file to change or to delete; null for none. */
  readonly precondition: Precondition | null;
}

const FILE = 'file';
const ACTIONS = ['create', 'update', 'delete'] as const;

/** Permissions of the library, which writes file rows itself after the route has checked the caller. */
const WRITES = Permissions.of({ [FILE]: ACTIONS });

const isLimited = ({ permissions }: Caller): boolean =>
  ACTIONS.some((action) => permissions.limits(FILE, action).length > 0);

/** Grants on files for all attributes, for the same documents. */
const onWhole = (entry: AnyEntry): readonly AnyEntry[] => [
  entry.type === FILE ? { ...entry, fields: null } : entry,
];

/** Returns the caller with the permissions of the library. Conditions of its grants stay. */
const writer = (caller: Caller): Caller => ({
  ...caller,
  permissions: isLimited(caller)
    ? caller.permissions.replaceEntries(onWhole)
    : caller.permissions.plus(WRITES),
});

const empty = (): ContentError => validationError('Files are empty');

interface Upload {
  readonly form: UploadForm;
  readonly infos: readonly FileInfo[];
  readonly directory: string;
}

@Injectable()
export class FileLibrary {
  /** Metrics: stored uploads and their bytes. */
  readonly counts = { uploaded: 0, uploadedBytes: 0 };
  private readonly logger = new Logger('ContentFiles');

  constructor(
    @Inject(FILES_OPTIONS) private readonly options: ResolvedFilesOptions,
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(FileTable) private readonly files: FileTable,
    @Inject(FileBytes) private readonly bytes: FileBytes,
    @Inject(FileSweeps) private readonly sweeps: FileSweeps,
    @Inject(FileReferences) private readonly references: FileReferences,
    @Inject(Documents) private readonly documents: Documents,
  ) {}

  /**
   * Stores the files of a form (20.1) and links them to the entry that it names (20.5), once for each `key`
   * of the caller. Returns the list of files. Throws a ValidationError for a form without files (20.2), and
   * the errors of checks, of the update and of the key.
   */
  async upload(request: IncomingMessage, uploader: Uploader, key: string | null): Promise<Answer> {
    const granted = uploader.caller.permissions.fields(FILE, 'create');
    return this.received(request, granted, async ({ form, infos, directory }) => {
      if (form.files.length === 0) throw empty();
      if (form.files.some(({ size }) => size === 0)) throw empty();
      const reference = await this.references.find(form.fields, uploader);
      const prepared: PreparedFile[] = [];
      for (const [index, file] of form.files.entries()) {
        const info = infos[index] ?? {};
        const preparing = { index, info, former: null, schema: this.schema, directory };
        prepared.push(await prepareFile(file, preparing, this.options));
      }
      const contents = prepared.map(({ content }) => content);
      const write = async (runner: Runner): Promise<Answer> => {
        const documents: string[] = [];
        for (const one of prepared) documents.push(await this.create(one, uploader, runner));
        if (reference !== null) await this.references.link(reference, documents.map(documentIdIn), runner);
        return new Answer(`[${documents.join(',')}]`);
      };
      const answer = await this.bytes.keep(contents, uploader, (runner) =>
        key === null
          ? write(runner)
          : writeOnce(runner, this.keyed(key, uploader, form), () => write(runner)),
      );
      this.stored(answer, form, contents);
      return answer;
    });
  }

  private keyed(key: string, { caller }: Uploader, { files, fields }: UploadForm): KeyedWrite {
    const sent = files.map(({ fileName, contentType, sha256 }) => [fileName, contentType, sha256]);
    const { schema } = this;
    const plan = this.plan('create', caller, null);
    return { key, schema, caller, plan, content: ['upload', sent, [...fields]] };
  }

  /** Counts stored files. The file of a repeated upload may have been deleted, so its bytes are swept. */
  private stored(answer: Answer, { files }: UploadForm, contents: readonly ContentToKeep[]): void {
    if (answer.head?.headers[REPLAYED_HEADER] !== undefined) {
      for (const { key } of contents) this.sweeps.soon(key);
      return;
    }
    this.counts.uploaded += files.length;
    for (const { size } of files) this.counts.uploadedBytes += size;
  }

  /**
   * Changes the attributes of a file, and its content if the form has a file. The ids stay; new content gets
   * a new URL (20.6). Returns the file. Throws PreconditionFailedError for another version of it.
   */
  change(row: FileRow, request: IncomingMessage, uploader: Uploader): Promise<Answer> {
    const granted = uploader.caller.permissions.fields(FILE, 'update');
    return this.received(request, granted, async ({ form, infos, directory }) => {
      const [file, ...others] = form.files;
      if (others.length > 0) throw validationError('Cannot replace a file with multiple ones');
      const [info = {}] = infos;
      if (file === undefined) {
        if (!form.fields.has('fileInfo')) throw empty();
        return this.update(row, info, uploader);
      }
      if (file.size === 0) throw empty();
      const preparing = { index: 0, info, former: row, schema: this.schema, directory };
      const prepared = await prepareFile(file, preparing, this.options);
      const changed = await this.bytes.keep([prepared.content], uploader, async (runner) =>
        this.update(row, await this.files.newValues(prepared, runner), {
          caller: uploader.caller,
          requestId: uploader.requestId,
          precondition: uploader.precondition,
          ...inside(runner),
        }),
      );
      await this.swept(row);
      return changed;
    });
  }

  /** Changes the description of a file to `info`, the `fileInfo` of a JSON body. Throws like `change`. */
  describe(row: FileRow, info: unknown, uploader: Uploader): Promise<Answer> {
    const granted = uploader.caller.permissions.fields(FILE, 'update');
    return this.update(row, infoOfBody(info, granted), uploader);
  }

  /** Deletes a file: its row, and its bytes unless the storage is slow (20.9). */
  async remove(row: FileRow, plan: ReadPlan, uploader: Uploader): Promise<void> {
    await this.documents.delete(plan, uploader);
    await this.swept(row);
  }

  /** Waits for the sweep of the row's former bytes, at most a second. */
  private async swept({ storageKey }: FileRow): Promise<void> {
    if (storageKey !== null) await this.sweeps.settled([storageKey]);
  }

  private async received<T>(
    request: IncomingMessage,
    granted: FieldScope,
    work: (upload: Upload) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.inDirectory(async (directory) => {
        const form = await receiveForm(request, this.options, directory);
        const infos = infosOf(form.fields.get('fileInfo') ?? [], Math.max(1, form.files.length), granted);
        return work({ form, infos, directory });
      });
    } catch (error) {
      if (!isOfDisk(error)) throw error;
      this.logger.error(stackOf(error));
      throw unavailable('Could not write the upload to local disk');
    }
  }

  /** Runs work with a new directory, which is removed afterwards. */
  private async inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
    await mkdir(this.options.scratch, { recursive: true });
    const directory = await mkdtemp(join(this.options.scratch, 'upload-'));
    try {
      return await work(directory);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  private async create(file: PreparedFile, { caller, requestId }: Uploader, runner: Runner): Promise<string> {
    const plan = this.plan('create', caller, null);
    const values = await this.files.newValues(file, runner);
    const answer = await this.documents.create(
      plan,
      { data: values },
      { caller: writer(caller), requestId, ...inside(runner) },
    );
    return answer.data;
  }

  private update({ documentId }: FileRow, values: object, options: WriteOptions): Promise<Answer> {
    const { caller } = options;
    const plan = this.plan('update', caller, documentId);
    return this.documents.update(plan, { data: values }, { ...options, caller: writer(caller) });
  }

  private plan(action: Action, caller: Caller, documentId: string | null): ReadPlan {
    const by = byDocumentId(documentId);
    return this.documents.plan(this.files.type, {}, { kind: 'one', by, caller, format: 'flat', action });
  }
}

const inside = ({ em }: Runner): Pick<WriteOptions, 'em'> => (em === null ? {} : { em });

/** Whether the error is one of the file system, for example a full or missing disk. */
const isOfDisk = (error: unknown): boolean => isObject(error) && 'syscall' in error && 'errno' in error;
