import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../content/access/caller.js';
import { decide, decideRead } from '../../content/access/decide.js';
import type { PublishedChange } from '../../content/documents/document-history.js';
import { Documents } from '../../content/documents/documents.service.js';
import {
  statesOf,
  type VisibleVersion,
  VisibleDocuments,
} from '../../content/documents/visible-documents.js';
import type { StateChange } from '../../content/documents/write-list.js';
import type { WriteOptions } from '../../content/documents/write-options.js';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../content/model/model.js';
import { type ScheduledAction, SCHEDULED_ACTIONS } from '../../content/model/schedule.js';
import { writeTargetOf } from '../../content/plan/write-target.js';
import { ContentError, forbidden, validationError, withDetails, wrongValue } from '../../kernel/errors.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { checkedAs, isListOf, isNullOr, isShape, isText } from '../../kernel/json.js';
import type { Row, Runner } from '../../pool/runner.js';

/** All locales of a document. */
export const EVERY_LOCALE = '*';

/** Entry to add: the id of its document is null for a single type. */
export interface AddedEntry extends Omit<StoredEntry, 'documentId' | 'undo'> {
  readonly documentId: string | null;
}

export interface StoredEntry {
  readonly id: string;
  readonly typeName: string;
  /** Undefined for a type that the model no longer has. */
  readonly type: ContentType | undefined;
  readonly documentId: string;
  readonly locale: string;
  readonly action: ScheduledAction;
  /** Changes of the release; null before it, and if no history has stored them. */
  readonly undo: readonly PublishedChange[] | null;
}

/** Entry in responses. */
export interface ShownEntry {
  readonly id: string;
  readonly type: string;
  readonly documentId: string;
  /** Null in types without locales, `*` for all locales. */
  readonly locale: string | null;
  readonly action: ScheduledAction;
  readonly title: unknown;
  /** `draft`, `modified` or `published`; null for a document that does not exist. */
  readonly status: string | null;
}

/** Entry that a caller sees. */
interface SeenEntry {
  readonly shown: ShownEntry;
  /** Whether the status tells of the drafts, which the caller can read. */
  readonly isCompared: boolean;
}

/** Orders entries as they are published: removals first, so that others can have their unique values. */
export const inOrder = (entries: readonly StoredEntry[]): readonly StoredEntry[] =>
  [...entries].sort((a, b) => Number(a.action === 'publish') - Number(b.action === 'publish'));

/** Returns an error with the id of its entry in place of its index. */
export function withEntry(entries: readonly Pick<StoredEntry, 'id'>[], error: unknown): unknown {
  if (!(error instanceof ContentError)) return error;
  const { index = 0, ...details } = error.details;
  const { id: entry } = entries[Number(index)] ?? {};
  return withDetails(error, { ...details, entry });
}

/** Reports a member of an entry. Its source is the body only while it is added. */
const refused = (key: keyof ShownEntry, message: string): ContentError =>
  validationError(message, { key, path: key });

const isUndo = isListOf(isShape({ locale: isText, after: isText, before: isNullOr(isText) }));

const undoIn = ({ undo }: Row): StoredEntry['undo'] =>
  typeof undo === 'string' ? checkedAs(JSON.parse(undo), isUndo, 'A list of changes') : null;

/** State of a document in several locales. */
function statusOf(versions: readonly VisibleVersion[]): string | null {
  const [first = null, ...others] = new Set(versions.map(({ status }) => status));
  return others.length === 0 ? first : 'modified';
}

/** Entries of releases: their rights, their writes, and what a caller sees of them. */
@Injectable()
export class ReleaseEntries {
  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(Documents) private readonly documents: Documents,
    @Inject(VisibleDocuments) private readonly visible: VisibleDocuments,
  ) {}

  of(rows: readonly Row[]): readonly StoredEntry[] {
    return rows.map((row) => ({
      id: String(row['id']),
      typeName: String(row['type']),
      type: this.schema.types.get(String(row['type'])),
      documentId: String(row['document_id']),
      locale: String(row['locale']),
      action: SCHEDULED_ACTIONS.find((one) => one === row['action']) ?? 'publish',
      undo: undoIn(row),
    }));
  }

  /** Returns a type with drafts that the caller may publish. Throws the same 400 for other names. */
  publishableType(name: string, caller: Caller): ContentType {
    const type = this.schema.types.get(name);
    if (type?.draftAndPublish === true && decide(caller, type, 'publish') !== 'none') return type;
    throw wrongValue('type', `Invalid type "${name}": expected a type with drafts that you may publish`);
  }

  /**
   * Returns the id of the document of an entry. Throws NotFoundError or 403 unless the caller may publish or
   * unpublish it, as the entry does.
   */
  async check(runner: Runner, entry: AddedEntry, caller: Caller): Promise<string> {
    try {
      const change = this.changeOf(entry);
      if (decide(caller, change.type, 'publish') === 'none') throw forbidden();
      const planned = this.documents.planState({ ...change, verb: 'publish' }, caller);
      const target = writeTargetOf('publish', planned, this.settings);
      const { action } = entry;
      return await this.documents.schedules.findPublishable(runner, { target, caller, action, holding: [] });
    } catch (error) {
      throw withEntry([entry], error);
    }
  }

  /**
   * Publishes and unpublishes the documents of entries in the transaction of `em`. Throws the error of the
   * first that fails, with the id of its entry.
   */
  async publish(entries: readonly StoredEntry[], options: WriteOptions): Promise<void> {
    if (entries.length === 0) throw validationError('The release has no entries');
    const ordered = inOrder(entries);
    const changes = ordered.map((entry) => {
      try {
        return this.changeOf(entry);
      } catch (error) {
        throw withEntry([entry], error);
      }
    });
    await this.documents.changeStates(changes, options).catch((error: unknown) => {
      throw withEntry(ordered, error);
    });
  }

  changeOf({ typeName, type, documentId, locale, action }: AddedEntry): StateChange {
    const { locales, defaultLocale } = this.settings;
    if (type === undefined) throw refused('type', `The type "${typeName}" does not exist`);
    if (!type.draftAndPublish) throw refused('type', `${typeName} has no drafts`);
    if (!type.localized) return { type, documentId, locale: defaultLocale, verb: action };
    if (locale === EVERY_LOCALE || locales.includes(locale))
      return { type, documentId, locale, verb: action };
    throw refused('locale', `Invalid locale "${locale}". Expected one of: ${locales.join(', ')}`);
  }

  /** Returns the entries of `seenBy` in the form of responses. */
  async shownTo(...given: Parameters<ReleaseEntries['seenBy']>): Promise<readonly ShownEntry[]> {
    return (await this.seenBy(...given)).map(({ shown }) => shown);
  }

  /**
   * Returns the entries whose documents the caller may read, and those of documents that are deleted. With
   * `em`, it reads in that transaction.
   */
  async seenBy(
    caller: Caller,
    entries: readonly StoredEntry[],
    em: Runner['em'] = null,
  ): Promise<readonly SeenEntry[]> {
    const found = new Map<ContentType, ReadonlyMap<string, readonly VisibleVersion[]>>();
    for (const type of new Set(entries.flatMap((entry) => entry.type ?? []))) {
      const ids = entries.filter((entry) => entry.type === type).map(({ documentId }) => documentId);
      const states = statesOf(type).filter(
        (published) => decideRead(caller, type, { action: 'find', published }) !== 'none',
      );
      found.set(
        type,
        await this.visible.find({ type, caller, em: em ?? undefined }, [...new Set(ids)], states),
      );
    }
    return entries.flatMap((entry) => {
      const { id, typeName, type, documentId, locale, action } = entry;
      const versions = type === undefined ? [] : (found.get(type)?.get(documentId) ?? []);
      if (type !== undefined && versions.length === 0 && !seesAll(caller, type)) return [];
      const inLocale = versions.filter(
        (one) => one.locale === null || locale === EVERY_LOCALE || one.locale === locale,
      );
      const first =
        inLocale.find((one) => one.locale === this.settings.defaultLocale) ?? inLocale[0] ?? versions[0];
      const common = { id, type: typeName, documentId, action, title: first?.title ?? null };
      const place = type?.localized === false ? null : locale;
      return [
        {
          shown: { ...common, locale: place, status: statusOf(inLocale) },
          isCompared: inLocale.every((one) => one.isCompared),
        },
      ];
    });
  }
}

/** Whether the caller finds every document of a type, so that others do not exist. */
const seesAll = (caller: Caller, type: ContentType): boolean =>
  statesOf(type).every((published) => decideRead(caller, type, { action: 'find', published }) === 'all');
