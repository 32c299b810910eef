import { Inject, Injectable } from '@nestjs/common';
import { Answer } from '../../content/documents/answer.js';
import type { HistoryRequest } from '../../content/documents/document-history.js';
import { Documents } from '../../content/documents/documents.service.js';
import type { WriteOptions } from '../../content/documents/write-options.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { byDocumentId } from '../../content/plan/plan-read.js';
import { mayRestore, type Viewer } from '../../content/plan/version-rights.js';
import { ALONE, Database } from '../../content/store/database.js';
import { forbidden, notFound } from '../../kernel/errors.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { compileExists, compileLast, compileTrash, type VersionsOf } from './compile-versions.js';
import { pageOf, paginationOf } from './page.js';
import { statusOf, titleOf, type VersionRow } from './version-row.js';
import { VisibleContents } from './visible-contents.js';

interface Subject extends VersionsOf, Viewer {
  readonly options: WriteOptions;
}

/** Deleted documents, whose last versions are stored. */
@Injectable()
export class Trash {
  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(Database) private readonly database: Database,
    @Inject(Documents) private readonly documents: Documents,
    @Inject(VisibleContents) private readonly contents: VisibleContents,
  ) {}

  /** Lists deleted documents, latest first. */
  async list({ plan: { type }, text, options: { caller } }: HistoryRequest): Promise<Answer> {
    requireRight({ caller, type });
    const page = pageOf(text, type, this.settings);
    const rows = await this.database.run(compileTrash(this.schema.file, type, page));
    const data = await Promise.all(
      rows.map(async ({ document_id: documentId, at, actor, actor_id: id, locales }) => {
        const of = { type, documentId: String(documentId), caller, options: { caller } };
        const [last] = await this.database.run(compileLast(this.schema.file, of));
        return {
          documentId,
          deletedAt: at,
          deletedBy: { kind: actor, id },
          locales: type.localized ? (JSON.parse(String(locales)) as unknown) : null,
          title:
            last === undefined
              ? null
              : titleOf(this.contents.of(last as VersionRow, of, { link: () => null }), type),
        };
      }),
    );
    return new Answer(JSON.stringify(data), { pagination: paginationOf(page, rows) });
  }

  /** Creates a deleted document again: with its id, in its locales and states. */
  async restore({ plan: { type, documentId }, options }: HistoryRequest): Promise<Answer> {
    const { caller } = options;
    requireRight({ caller, type });
    if (documentId === null) throw notFound();
    const subject: Subject = { type, documentId, caller, options };
    const [exists] = await this.database.run(compileExists(subject));
    const rows = (await this.database.run(compileLast(this.schema.file, subject))) as readonly VersionRow[];
    if (exists?.['found'] === true || rows.length === 0) throw notFound();
    if (options.em !== undefined) return this.recreate(subject, rows, options.em);
    return this.database.transaction(
      (runner) => {
        if (runner.em === null) throw new Error('The transaction has no entity manager');
        return this.recreate(subject, rows, runner.em);
      },
      { ...ALONE, shared: true, disconnect: options.disconnect ?? null },
    );
  }

  private async recreate(
    subject: Subject,
    rows: readonly VersionRow[],
    em: NonNullable<WriteOptions['em']>,
  ): Promise<Answer> {
    const { type, caller, documentId } = subject;
    const options = { ...subject.options, em, documentId, restores: true };
    let answer = Answer.NOTHING;
    for (const locale of new Set(rows.map((row) => row.locale))) {
      const here = rows.filter((row) => row.locale === locale);
      const at = type.localized ? { locale } : {};
      // The published version first, so that the draft may differ from it.
      for (const row of [...here].sort((a, b) => Number(b.published) - Number(a.published))) {
        const isNew = answer === Answer.NOTHING;
        const action = isNew ? 'create' : 'update';
        const status = type.draftAndPublish ? { status: statusOf(row) } : {};
        const plan = this.documents.plan(
          type,
          { ...at, ...status },
          { kind: 'one', by: byDocumentId(isNew ? null : documentId), caller, format: 'flat', action },
        );
        answer = await this.documents[action](
          plan,
          { data: await this.contents.dataOf(row, subject, action) },
          options,
        );
      }
    }
    return answer;
  }
}

function requireRight(viewer: Viewer): void {
  if (!mayRestore(viewer)) throw forbidden();
}
