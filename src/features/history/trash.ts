import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { SYSTEM } from '../../content/access/caller.js';
import { unapprovable } from '../../content/access/decide.js';
import { Answer } from '../../content/documents/answer.js';
import type { HistoryRequest } from '../../content/documents/document-history.js';
import { Documents } from '../../content/documents/documents.service.js';
import { modelIn } from '../../content/compile/compile-load.js';
import { ModelWatch } from '../../content/documents/model-watch.js';
import { type Searcher, titleOf } from '../../content/documents/visible-documents.js';
import type { WriteOptions } from '../../content/documents/write-options.js';
import { type Attribute, CONTENT_SCHEMA, type ContentType, type Schema } from '../../content/model/model.js';
import { STAGE } from '../../content/model/stage-definition.js';
import type { ReadPlan } from '../../content/plan/plan.js';
import { byDocumentId } from '../../content/plan/plan-read.js';
import type { RawQuery } from '../../content/query/read-raw.js';
import { versionQuery } from '../../content/plan/version-query.js';
import { isEmbedded, problemOf } from '../../content/plan/stored-problems.js';
import { mayRestore, type Viewer } from '../../content/plan/version-rights.js';
import { OWN_TRANSACTION, Database } from '../../content/store/database.js';
import { runIn } from '../../content/store/run-in.js';
import { forbidden, notFound } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { compileExists, compileLast, compileTrash, type VersionsOf } from './compile-version-reads.js';
import { listIn, paginationOf, shownParameters, trashPageOf } from './page.js';
import { creationOf, type VersionRow } from './version-row.js';
import { restorableVersions, visibleTo } from './visible-versions.js';
import { leftOutFor, VisibleContents } from './visible-contents.js';

interface Subject extends VersionsOf, Searcher, Pick<ReadPlan, 'format'> {
  readonly options: WriteOptions;
  /** Parameters of the response. */
  readonly shown: RawQuery;
}

interface Restored extends Subject {
  /** Owner of the deleted document; null without one. */
  readonly owner: string | null;
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
    @Inject(ModelWatch) private readonly model: ModelWatch,
  ) {}

  /** Lists deleted documents, latest first. */
  async list({ plan: { type }, text, options: { caller } }: HistoryRequest): Promise<Answer> {
    const rules = this.rulesOf({ caller, type });
    const page = trashPageOf(text, type, this.settings);
    const [found] = await this.database.run(compileTrash(this.schema.file, { type, ...rules }, page));
    const data = listIn(found).map(({ document_id: documentId, at, actor, actor_id: id, locales, last }) => ({
      documentId,
      deletedAt: at,
      deletedBy: { kind: actor, id },
      locales: type.localized ? locales : null,
      title: isObject(last)
        ? titleOf(this.contents.of(last as VersionRow, { type, caller }, { link: () => null }), type)
        : null,
    }));
    return new Answer(JSON.stringify(data), { pagination: paginationOf(page, found) });
  }

  /** Creates a deleted document again: with its id, in its locales and states. */
  async restore({ plan: { type, documentId, format }, text, options }: HistoryRequest): Promise<Answer> {
    const { caller, em } = options;
    const rules = this.rulesOf({ caller, type });
    if (documentId === null) throw notFound();
    const shown = shownParameters(text, this.settings);
    const subject: Subject = { type, documentId, format, shown, caller, em, options, ...rules };
    const database = runIn(this.database, em);
    const [exists] = await database.run(compileExists(subject));
    const rows = (await database.run(compileLast(this.schema.file, subject))) as readonly VersionRow[];
    const isVisible = rows.length > 0 && rows.every((row) => row['visible'] === true);
    if (exists?.['found'] === true || !isVisible) throw notFound();
    // A process with an outdated model would omit values that it does not know.
    this.model.check(modelIn(exists));
    const refused = new Set<string>();
    // Reads before the transaction, unless the request has one: nothing waits for a second connection.
    const versions = await this.versionsOf(rows, subject, refused);
    const restored = (await this.keepsApproval(subject, versions)) ? versions : unapproved(versions);
    const answer = await this.recreated({ ...subject, owner: await this.ownerOf(subject, rows) }, restored);
    const left = [...new Set([...rows.flatMap((row) => leftOutFor(subject, row)), ...refused])];
    return left.length === 0 ? answer : answer.withMeta({ leftOut: left });
  }

  /** Returns versions with their bodies. Adds the names of attributes with refused values to `refused`. */
  private async versionsOf(
    rows: readonly VersionRow[],
    subject: Subject,
    refused: Set<string>,
  ): Promise<readonly DeletedVersion[]> {
    const { type } = subject;
    const refusing =
      ({ published }: VersionRow) =>
      (attribute: Attribute, value: unknown): boolean => {
        const isDraft = type.draftAndPublish && !published;
        const isRefused = !isEmbedded(attribute) && problemOf(attribute, value, isDraft) !== null;
        if (isRefused) refused.add(attribute.name);
        return isRefused;
      };
    const versions: DeletedVersion[] = [];
    for (const row of inOrder(rows)) {
      // No instance exists any more.
      const body = await this.contents.bodyOf(row, subject, { refuses: refusing(row), identified: false });
      versions.push({ row, body, createdBy: await this.contents.creatorOf(row, subject) });
    }
    return versions;
  }

  /**
   * Whether the versions come back as they were approved. A caller who cannot approve them could otherwise
   * publish them without values and links that it may not write.
   */
  private async keepsApproval(subject: Subject, versions: readonly DeletedVersion[]): Promise<boolean> {
    const { type, caller } = subject;
    if (unapprovable(caller, type).length === 0) return true;
    const whole = await this.versionsOf(
      versions.map(({ row }) => row),
      { ...subject, caller: SYSTEM },
      new Set(),
    );
    // The owner and the tenant are set by the service.
    const valuesOf = ({ body }: DeletedVersion): Values => {
      const { [type.owner ?? '']: _owner, [type.tenant ?? '']: _tenant, ...values } = body('create', true);
      return values;
    };
    return isDeepStrictEqual(versions.map(valuesOf), whole.map(valuesOf));
  }

  /** Returns the owner whom the deleted document had, and who still exists. */
  private async ownerOf(
    { type, documentId, em }: Subject,
    [row]: readonly VersionRow[],
  ): Promise<string | null> {
    if (row === undefined || type.owner === null) return null;
    const bodyOf = await this.contents.bodyOf(row, { type, documentId, caller: SYSTEM, em });
    const { [type.owner]: owner } = bodyOf('create', false);
    return typeof owner === 'string' ? owner : null;
  }

  private recreated(subject: Restored, versions: readonly DeletedVersion[]): Promise<Answer> {
    const { em, disconnect = null } = subject.options;
    if (em !== undefined) return this.recreate(subject, versions, em);
    return this.database.transaction(
      (runner) => {
        if (runner.em === null) throw new Error('The transaction has no entity manager');
        return this.recreate(subject, versions, runner.em);
      },
      { ...OWN_TRANSACTION, shared: true, disconnect },
    );
  }

  /** Throws a 403 for callers who may see no deleted document. */
  private rulesOf(viewer: Viewer): Pick<VersionsOf, 'visible' | 'current'> {
    if (!mayRestore(viewer)) throw forbidden();
    return {
      visible: visibleTo(viewer, ['create', 'update'], this.settings.defaultLocale),
      current: restorableVersions(viewer.type, this.settings),
    };
  }

  /**
   * Creates the first version without links to itself, and then writes what the others have in addition.
   * Equal values are not written again: components would get other ids, so that a draft would differ from its
   * published version.
   */
  private async recreate(
    subject: Restored,
    versions: readonly DeletedVersion[],
    em: NonNullable<WriteOptions['em']>,
  ): Promise<Answer> {
    const { type, caller, documentId, format, owner, shown } = subject;
    const options = { ...subject.options, em, documentId, owner, restores: 'deleted' as const };
    const write = (
      action: 'create' | 'update',
      { row, createdBy }: DeletedVersion,
      data: Values,
    ): Promise<Answer> => {
      const query = { ...shown, ...versionQuery(type, row) };
      const by = byDocumentId(action === 'create' ? null : documentId);
      const plan = this.documents.plan(type, query, { kind: 'one', by, caller, format, action });
      const { precondition = null } = action === 'create' ? options : {};
      const createdAt = creationOf(row);
      return this.documents[action](plan, { data }, { ...options, precondition, createdAt, createdBy });
    };
    const [first] = versions;
    if (first === undefined) return Answer.NOTHING;
    const written = new WrittenValues(type);
    const created = first.body('create', false);
    let answer = await write('create', first, created);
    written.add(first.row, created);
    for (const version of versions) {
      const data = written.missingIn(version.row, version.body('update', true));
      if (data === null) continue;
      answer = await write('update', version, data);
      written.add(version.row, data);
    }
    return answer;
  }
}

type Values = Readonly<Record<string, unknown>>;

interface DeletedVersion {
  readonly row: VersionRow;
  readonly body: Awaited<ReturnType<VisibleContents['bodyOf']>>;
  readonly createdBy: string | null;
}

/** Returns the versions as drafts in the initial stage: the draft of each locale, or what was published. */
function unapproved(versions: readonly DeletedVersion[]): readonly DeletedVersion[] {
  const drafts = versions.filter(({ row }) => !row.published).map(({ row }) => row.locale);
  return versions
    .filter(({ row }) => !row.published || !drafts.includes(row.locale))
    .map(({ row, body, createdBy }) => ({
      createdBy,
      row: { ...row, published: false },
      body: (action, withSelf) => {
        const { [STAGE]: _stage, ...values } = body(action, withSelf);
        return values;
      },
    }));
}

/** Values that the drafts of a document have, by attribute, and by locale if it is localized. */
class WrittenValues {
  private readonly locales = new Set<string>();
  private readonly values = new Map<string, unknown>();

  constructor(private readonly type: ContentType) {}

  /** Returns the values to write to a version; null if it exists and has them all. */
  missingIn({ locale }: VersionRow, body: Values): Values | null {
    const missing = Object.entries(body).filter(([name, value]) => {
      const key = this.keyOf(name, locale);
      return !this.values.has(key) || !isDeepStrictEqual(this.values.get(key), value);
    });
    return missing.length === 0 && this.locales.has(locale) ? null : Object.fromEntries(missing);
  }

  add({ locale }: VersionRow, body: Values): void {
    this.locales.add(locale);
    for (const [name, value] of Object.entries(body)) this.values.set(this.keyOf(name, locale), value);
  }

  private keyOf(name: string, locale: string): string {
    return this.type.attributes.get(name)?.localized === true ? `${name} ${locale}` : name;
  }
}

/** Sorts versions: the published ones first, so that drafts may differ from them. */
const inOrder = (rows: readonly VersionRow[]): readonly VersionRow[] =>
  [...rows].sort((a, b) => Number(b.published) - Number(a.published) || a.locale.localeCompare(b.locale));
