import { Inject, Injectable } from '@nestjs/common';
import { decide } from '../../content/access/decide.js';
import { compileVersionRights } from '../../content/compile/compile-version-rights.js';
import { Answer } from '../../content/documents/answer.js';
import type { HistoryRequest } from '../../content/documents/document-history.js';
import { documentsIn } from '../../content/documents/document-id.js';
import { Documents } from '../../content/documents/documents.service.js';
import type { Searcher } from '../../content/documents/visible-documents.js';
import type { WriteOptions } from '../../content/documents/write-options.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { typeUid } from '../../content/model/naming.js';
import { STAGE } from '../../content/model/stage-definition.js';
import { byDocumentId } from '../../content/plan/plan-read.js';
import { oneOf } from '../../content/plan/rights.js';
import { decideReading, mayLook } from '../../content/plan/version-rights.js';
import { versionQuery } from '../../content/plan/version-query.js';
import { Database } from '../../content/store/database.js';
import { runIn } from '../../content/store/run-in.js';
import { forbidden, notFound } from '../../kernel/errors.js';
import { isText } from '../../kernel/json.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import type { Statement } from '../../kernel/sql.js';
import type { Row } from '../../pool/runner.js';
import { compareContents } from './compare-contents.js';
import {
  compileVersion,
  compileVersions,
  type VersionsOf,
  type VersionsPage,
} from './compile-version-reads.js';
import { listIn, pageOf, paginationOf, refuseParameters, shownParameters, wrong } from './page.js';
import { contentIn, shownRow, type VersionRow } from './version-row.js';
import { currentVersions, visibleTo } from './visible-versions.js';
import { keyOf, leftOutFor, referenceTo, VisibleContents } from './visible-contents.js';

/** Document of a request, with the caller and its rights. */
interface Subject extends VersionsOf, Searcher {
  readonly options: WriteOptions;
}

/** Values of a restored version: those that the caller sees, and those that are written. */
interface RestoredValues {
  readonly shown: Readonly<Record<string, unknown>>;
  readonly data: object;
}

/** Lists, shows and restores stored versions, with the rights that the caller has now. */
@Injectable()
export class DocumentVersions {
  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(Database) private readonly database: Database,
    @Inject(Documents) private readonly documents: Documents,
    @Inject(VisibleContents) private readonly contents: VisibleContents,
  ) {}

  /** Lists the versions of a document, newest first, without their content. */
  async list(request: HistoryRequest): Promise<Answer> {
    const subject = await this.subjectOf(request);
    const page = pageOf(request.text, subject.type, this.settings);
    const published = this.statesOf(subject, page.published);
    const [found] = await this.database.run(
      compileVersions(this.schema.file, subject, { ...page, published }),
    );
    const data = listIn(found).map((row) => shownRow(row as VersionRow, subject.type));
    return new Answer(JSON.stringify(data), { pagination: paginationOf(page, found) });
  }

  /** Shows one version: what the caller may see now, with the titles of linked documents that still exist. */
  async show(request: HistoryRequest): Promise<Answer> {
    refuseParameters(request.text, this.settings);
    const subject = await this.subjectOf(request);
    const row = await this.rowOf(subject, request.version);
    const content = await this.contents.shown(row, subject, (link, found) => ({
      ...(link.named ? { __type: typeUid(link.type) } : {}),
      documentId: link.documentId,
      title: found.get(keyOf(link)) ?? null,
      exists: found.has(keyOf(link)),
    }));
    const left = leftOutFor(subject, row);
    return new Answer(
      JSON.stringify({ ...shownRow(row, subject.type), content }),
      left.length === 0 ? {} : { leftOut: left },
    );
  }

  /** Compares a version with the one before it in the same locale and state, or with another one. */
  async compare(request: HistoryRequest): Promise<Answer> {
    const { with: other } = refuseParameters(request.text, this.settings, ['with']);
    if (other !== undefined && !isText(other)) throw wrong('with', 'expected the id of a version');
    const subject = await this.subjectOf(request);
    const row = await this.rowOf(subject, request.version);
    const before = other === undefined ? await this.formerOf(row, subject) : await this.rowOf(subject, other);
    const contentsOf = async (one: VersionRow | null): Promise<Record<string, unknown>> =>
      (one === null ? null : await this.contents.shown(one, subject, referenceTo)) ?? {};
    const changes = compareContents(await contentsOf(before), await contentsOf(row), subject.type);
    return new Answer(JSON.stringify(changes), {
      from: before?.id ?? null,
      to: row.id,
    });
  }

  /** Writes the content of a version to the draft, or to the only version of a type without drafts. */
  async restoreVersion(request: HistoryRequest): Promise<Answer> {
    const subject = await this.subjectOf(request);
    const row = await this.rowOf(subject, request.version);
    const { type, caller, documentId, options } = subject;
    if (contentIn(row) === null) throw notFound();
    const written = { published: !type.draftAndPublish };
    const data = (await this.contents.bodyOf(row, subject, written))('update', true);
    const query = {
      ...shownParameters(request.text, this.settings),
      ...versionQuery(type, { locale: row.locale, published: false }),
    };
    const by = byDocumentId(type.kind === 'singleType' ? null : documentId);
    const plan = this.documents.plan(type, query, {
      kind: 'one',
      by,
      caller,
      format: request.plan.format,
      action: 'update',
    });
    // Without an Idempotency-Key the update is committed, and an error of a later read would deny that.
    const shown = (await this.contents.shown(row, subject, referenceTo)) ?? {};
    const answer = await this.documents.update(plan, { data }, { ...options, restores: 'version' });
    const left = [...leftOutFor(subject, row), ...(await this.unwritten(row, subject, { shown, data }))];
    return left.length === 0 ? answer : answer.withMeta({ leftOut: left });
  }

  /**
   * Returns the attributes of a restored version that the caller sees and may not write, if the document has
   * other values. All count if the caller does not see the current values. Throws nothing.
   */
  private async unwritten(
    row: VersionRow,
    subject: Subject,
    { shown, data }: RestoredValues,
  ): Promise<readonly string[]> {
    const { type } = subject;
    const keepsStage = type.stages !== null;
    const names = Object.keys(shown).filter(
      (name) => !Object.hasOwn(data, name) && !(keepsStage && name === STAGE),
    );
    if (names.length === 0) return names;
    const present = await this.presentContent(row, subject).catch(() => null);
    if (present === null) return names;
    const changed = new Set(compareContents(present, shown, type).map(({ attribute }) => attribute));
    return names.filter((name) => changed.has(name));
  }

  /** Returns what the caller sees of the version that the last write has stored; null if nothing. */
  private async presentContent(
    { locale }: VersionRow,
    subject: Subject,
  ): Promise<Record<string, unknown> | null> {
    const published = !subject.type.draftAndPublish;
    if (!mayLook(subject, published)) return null;
    const row = await this.newestOf(subject, { locale, published });
    return row === null ? null : this.contents.shown(row, subject, referenceTo);
  }

  /** Throws a 404 if the caller does not find the document now, and a 403 without the right to look. */
  private async subjectOf({ plan: { type, documentId }, options }: HistoryRequest): Promise<Subject> {
    const { caller, em } = options;
    const viewer = { caller, type, em };
    const draft = type.draftAndPublish && mayLook(viewer, false);
    if (!draft && !mayLook(viewer, true)) throw forbidden();
    const query = {
      fields: ['documentId'],
      ...versionQuery(type, { locale: '*', published: !draft }),
      ...(documentId === null ? {} : { filters: { documentId } }),
      pagination: { page: 1, pageSize: 1, withCount: false },
    };
    const request = { kind: 'list', by: null, caller, format: 'flat' } as const;
    const plan = this.documents.plan(type, query, { ...request, action: oneOf(type) });
    const { data } = await this.documents.read(plan, { em });
    const found = documentsIn(data)[0]?.documentId;
    if (found === undefined || !(await this.mayUpdate(viewer, found))) throw notFound();
    const visible = visibleTo(viewer, ['update'], this.settings.defaultLocale);
    const current = currentVersions(type, this.settings);
    return { ...viewer, documentId: found, options, visible, current };
  }

  /** Whether a caller whose grants have conditions may read and update some current version. */
  private async mayUpdate(viewer: Searcher, documentId: string): Promise<boolean> {
    const { caller, type } = viewer;
    const written = decide(caller, type, 'update');
    if (written === 'all') return true;
    const { defaultLocale } = this.settings;
    const shown = decideReading(viewer);
    const statement = compileVersionRights({ type, documentId, defaultLocale, written, live: 'all', shown });
    const rows = await this.run(statement, viewer);
    return rows.some((row) => row['written'] === true && row['shown'] === true);
  }

  /** Returns the states that the caller may see: null for both. */
  private statesOf({ type, caller }: Subject, asked: boolean | null): boolean | null {
    if (asked !== true && type.draftAndPublish && !mayLook({ caller, type }, false)) {
      if (asked === false) throw forbidden();
      return true;
    }
    return asked;
  }

  private async rowOf(subject: Subject, id: string | null): Promise<VersionRow> {
    if (id === null || !/^\d{1,18}$/.test(id)) throw notFound();
    const [row] = await this.run(compileVersion(this.schema.file, subject, id), subject);
    if (row === undefined || !mayLook(subject, row['published'] === true)) throw notFound();
    return row as VersionRow;
  }

  private formerOf({ id, locale, published }: VersionRow, subject: Subject): Promise<VersionRow | null> {
    return this.newestOf(subject, { locale, published, before: id });
  }

  private async newestOf(
    subject: Subject,
    of: Pick<VersionsPage, 'locale' | 'published' | 'before'>,
  ): Promise<VersionRow | null> {
    const page = { start: 0, limit: 1, withCount: false, ...of };
    const [found] = await this.run(compileVersions(this.schema.file, subject, page), subject);
    const [newest] = listIn(found);
    return newest === undefined ? null : this.rowOf(subject, String(newest['id']));
  }

  /** Runs a statement in the transaction of a request with an Idempotency-Key, which sees the write. */
  private run(statement: Statement, { em }: Searcher): Promise<readonly Row[]> {
    return runIn(this.database, em).run(statement);
  }
}
