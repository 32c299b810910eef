import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { SYSTEM } from '../../content/access/caller.js';
import { decide } from '../../content/access/decide.js';
import type {
  PublishedChange,
  PublishedHistory,
  PublishedIds,
  ReversalRequest,
  StoredDocument,
} from '../../content/documents/document-history.js';
import type { StateChange } from '../../content/documents/write-list.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { oneOf } from '../../content/plan/rights.js';
import { decideReading, mayLook, type Viewer } from '../../content/plan/version-rights.js';
import { Database } from '../../content/store/database.js';
import { ContentError, forbidden } from '../../kernel/errors.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { fill } from '../../kernel/sql.js';
import type { Row, Runner } from '../../pool/runner.js';
import { isStored } from './compile-content.js';
import { compilePublished, compileReversal } from './compile-published.js';
import { compileFirst } from './compile-versions.js';
import type { VersionRow } from './version-row.js';
import { keyOf, VisibleContents } from './visible-contents.js';
import { visibleTo } from './visible-versions.js';

const REASONS = {
  deleted: 'The document has been deleted since',
  changed: 'The published version has changed since',
  unknown: 'The version that was published before is no longer stored',
} as const;

const noWayBack = (reason: keyof typeof REASONS): Error =>
  new ContentError('ConflictError', REASONS[reason], { reason });

/**
 * Whether a caller may write and read every attribute. Otherwise a comparison of two versions would disclose
 * whether hidden attributes differ.
 */
const mayCompare = ({ caller: { permissions }, type }: Viewer): boolean =>
  (['update', oneOf(type)] as const).every((action) => {
    const fields = permissions.fields(type.singularApiId, action);
    return [...type.attributes.values()].every((one) => !isStored(one) || (fields?.has(one.name) ?? true));
  });

type Values = Readonly<Record<string, unknown>>;

const pickValues = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.flatMap((name) => (name in values ? [[name, values[name]]] : [])));

/** Returns the versions in rows by locale, for each document. */
const idsAt = (documents: readonly StoredDocument[], rows: readonly Row[]): readonly PublishedIds[] =>
  documents.map(
    (_document, i) =>
      new Map(
        rows.flatMap(({ place, locale, id, deleted }) =>
          place === i + 1 ? [[String(locale), { id: String(id), isDeleted: deleted === true }] as const] : [],
        ),
      ),
  );

interface Differing extends StoredDocument {
  /** Attributes that are written in any case. */
  readonly always: readonly string[];
}

/** Ways back to what was published, by the stored versions (protocol 27.13). */
@Injectable()
export class PublishedVersions implements PublishedHistory {
  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(Database) private readonly database: Database,
    @Inject(VisibleContents) private readonly contents: VisibleContents,
  ) {}

  async storePresent(runner: Runner, documents: readonly StoredDocument[]): Promise<readonly PublishedIds[]> {
    const { file } = this.schema;
    const { defaultLocale } = this.settings;
    const storing = [...new Set(documents.map(({ type }) => type))].map((type) => {
      const documentIds = documents.flatMap((one) => (one.type === type ? [one.documentId] : []));
      return fill(compileFirst({ file, type, defaultLocale }, false), { documentIds });
    });
    await runner.all(storing);
    return idsAt(documents, await runner.run(compilePublished(file, documents)));
  }

  async changedIn(
    runner: Pick<Runner, 'run'>,
    documents: readonly (StoredDocument & { readonly before: PublishedIds })[],
  ): Promise<readonly (readonly PublishedChange[])[]> {
    // The transaction holds the documents: it has stored each version that is newer.
    const rows = await runner.run(compilePublished(this.schema.file, documents));
    return idsAt(documents, rows).map((present, i) =>
      [...present].flatMap(([locale, { id: after }]) => {
        const last = documents[i]?.before.get(locale);
        if (last?.id === after) return [];
        return [{ locale, after, before: last === undefined || last.isDeleted ? null : last.id }];
      }),
    );
  }

  async reversalOf(request: ReversalRequest): Promise<readonly StateChange[]> {
    const rows = await this.rowsOf(this.database, request);
    const changes = await Promise.all(
      rows.map((row, i) => this.back(row, request, request.changes[i]?.before)),
    );
    return changes.flat();
  }

  async checkReversal(runner: Pick<Runner, 'run'>, request: ReversalRequest): Promise<void> {
    await this.rowsOf(runner, request);
  }

  /** Returns the state of each locale. Throws the errors of a reversal. */
  private async rowsOf(runner: Pick<Runner, 'run'>, request: ReversalRequest): Promise<readonly Row[]> {
    const { changes } = request;
    if (!mayLook(request, true) || !mayCompare(request)) throw forbidden();
    if (changes.length === 0) return [];
    const { defaultLocale } = this.settings;
    const visible = visibleTo(request, ['update'], defaultLocale);
    const reading = decideReading(request);
    const publishing = decide(request.caller, request.type, 'publish');
    const knowing = [reading, { published: publishing, drafts: publishing }];
    const lookup = { ...request, visible, knowing, defaultLocale };
    const rows = await runner.run(compileReversal(this.schema.file, lookup));
    // The reasons below disclose changes and deletions.
    const isKnown = (row: Row): boolean => reading.published === 'all' || row['known'] === true;
    if (rows.some((row) => row['visible'] !== true || !isKnown(row))) throw forbidden();
    if (rows.some((row) => row['found'] !== true)) throw noWayBack('deleted');
    if (rows.some((row) => row['current'] !== true)) throw noWayBack('changed');
    if (rows.some((row, i) => changes[i]?.before !== null && row['before'] === null))
      throw noWayBack('unknown');
    return rows;
  }

  /** Returns the changes of state of one locale. */
  private async back(
    row: Row,
    { type, documentId }: ReversalRequest,
    before: string | null = null,
  ): Promise<readonly StateChange[]> {
    const at = { type, documentId, locale: String(row['locale']) };
    const isLive = row['live'] === true;
    if (before === null) return isLive ? [{ ...at, verb: 'unpublish' }] : [];
    const version = { id: before, locale: at.locale, published: true, content: row['before'] };
    const present = { ...version, content: isLive ? row['after'] : row['draft'] };
    // Publishing again copies no links: it could take targets that other documents of the release get back.
    const always = isLive ? [] : type.storage.owning.map(({ name }) => name);
    const data = await this.difference(version, present, { type, documentId, always });
    const publish = { ...at, verb: 'publish' } as const;
    // A write without values, too: its absence would disclose that no hidden link differs.
    return [...(isLive ? [] : [publish]), { ...publish, data }];
  }

  /**
   * Returns the values of a version that differ from the current ones, and those of `always`, with links to
   * all documents that exist. What the caller sees of them must not decide.
   */
  private async difference(
    version: VersionRow,
    present: VersionRow,
    { type, documentId, always }: Differing,
  ): Promise<Values> {
    const whole = { type, caller: SYSTEM };
    const [then = {}, now = {}] = [version, present].map(
      (row) => this.contents.of(row, whole, { link: keyOf }) ?? {},
    );
    const isWritten = (name: string): boolean =>
      always.includes(name) || !isDeepStrictEqual(then[name], now[name]);
    const names = Object.keys(then).filter(isWritten);
    const bodyOf = await this.contents.bodyOf(version, { ...whole, documentId });
    return pickValues(bodyOf('update', true), names);
  }
}
