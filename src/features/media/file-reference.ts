/** Links an upload to an entry: fields `ref`, `refId` and `field` of its form (20.5). */
import { Inject, Injectable } from '@nestjs/common';
import { decide } from '../../content/access/decide.js';
import { compileFindVersion } from '../../content/compile/compile-record.js';
import { compileVersionRights } from '../../content/compile/compile-version-rights.js';
import { Database } from '../../content/store/database.js';
import type { Runner } from '../../pool/runner.js';
import { Documents } from '../../content/documents/documents.service.js';
import type { WriteOptions } from '../../content/documents/write-options.js';
import { forbidden, notFound, wrongValue } from '../../kernel/errors.js';
import { byDocumentId } from '../../content/plan/plan-read.js';
import { decideReading, type Viewer } from '../../content/plan/version-rights.js';
import { writeRightsOf } from '../../content/plan/write-rights.js';
import { versionQuery } from '../../content/plan/version-query.js';
import { unstorable } from '../../content/model/cast-value.js';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../content/model/model.js';
import { isUidOf } from '../../content/model/naming.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { fileKeyOf } from './file-table.js';

export interface FileReference {
  readonly type: ContentType;
  readonly field: string;
  readonly documentId: string;
  readonly locale: string;
  readonly published: boolean;
  readonly writer: Writer;
}

/** Caller and request of the upload. */
type Writer = Pick<WriteOptions, 'caller' | 'requestId'>;

const NAMES = ['ref', 'refId', 'field'] as const;

@Injectable()
export class FileReferences {
  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(Database) private readonly database: Database,
    @Inject(Documents) private readonly documents: Documents,
  ) {}

  /**
   * Returns the entry that a form names; null if it names none. Throws a ValidationError for an unknown type
   * or attribute, ForbiddenError if the caller may not update it, NotFoundError for an unknown entry.
   */
  async find(
    fields: ReadonlyMap<string, readonly string[]>,
    { caller, requestId }: Writer,
  ): Promise<FileReference | null> {
    const [ref, refId, field] = NAMES.map((name) => fields.get(name)?.at(-1) ?? '');
    if (!ref && !refId && !field) return null;
    const missing = NAMES.find((name) => !fields.get(name)?.at(-1));
    if (missing !== undefined) throw wrongValue(missing, '"ref", "refId" and "field" must be given together');
    const type = this.typeOf(ref ?? '');
    // Checked first, so that the error does not reveal attributes of a type that the caller may not update.
    if (decide(caller, type, 'update') === 'none') throw forbidden();
    const attribute = type.attributes.get(field ?? '');
    const { mayWrite } = writeRightsOf(caller, { type, action: 'update', published: true });
    if (attribute?.linked !== true || !attribute.media || !mayWrite(attribute))
      throw wrongValue('field', `"${field ?? ''}" is not a media attribute of ${type.singularApiId}`);
    const [row] = unstorable(refId) ? [] : await this.database.run(this.findVersion(type, refId ?? ''));
    if (row === undefined) throw notFound();
    const documentId = String(row['documentId']);
    await this.needUpdate({ type, caller }, documentId);
    return {
      type,
      field: field ?? '',
      documentId,
      locale: String(row['locale']),
      published: row['published'] === true,
      writer: { caller, requestId },
    };
  }

  async link(reference: FileReference, files: readonly string[], { em }: Runner): Promise<void> {
    const { type, field, documentId, locale, published, writer } = reference;
    const query = { fields: ['documentId'], ...versionQuery(type, { locale, published }) };
    const request = {
      kind: 'one',
      by: byDocumentId(documentId),
      caller: writer.caller,
      format: 'flat',
      action: 'update',
    } as const;
    const plan = this.documents.plan(type, query, request);
    const data = { [field]: { connect: files.map((id) => ({ documentId: id })) } };
    await this.documents.update(plan, { data }, em === null ? writer : { ...writer, em });
  }

  /**
   * Refuses a document that the caller may not update, before other errors of the form can reveal that it
   * exists. The write checks the versions that it changes.
   */
  private async needUpdate(viewer: Viewer, documentId: string): Promise<void> {
    const { type, caller } = viewer;
    const written = decide(caller, type, 'update');
    if (written === 'all') return;
    const { defaultLocale } = this.settings;
    const request = { type, documentId, defaultLocale, written, live: written, shown: decideReading(viewer) };
    const versions = await this.database.run(compileVersionRights(request));
    if (versions.some((version) => version['written'] === true)) return;
    throw versions.some((version) => version['shown'] === true) ? forbidden() : notFound();
  }

  private findVersion(type: ContentType, refId: string): ReturnType<typeof compileFindVersion> {
    return compileFindVersion(type, fileKeyOf(refId), this.settings.defaultLocale);
  }

  private typeOf(ref: string): ContentType {
    const type = [...this.schema.types.values()].find(
      (one) => !one.internal && (isUidOf(one, ref) || one.singularApiId === ref),
    );
    if (type === undefined) throw wrongValue('ref', `"${ref}" is not a content type`);
    return type;
  }
}
