import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { writtenDocumentOf } from '../../content/documents/logged-write.js';
import { type PlannedWrite, WriteAdditions } from '../../content/documents/write-additions.js';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../content/model/model.js';
import type { Verb } from '../../content/plan/write-plan.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { fill, silently, type Statement, type Template } from '../../kernel/sql.js';
import {
  compileDeleted,
  compileFirst,
  compileKept,
  compileStore,
  compileStorePublished,
  RESTORE,
  type HistoryOfType,
  type PresentDocuments,
  type StoredWrite,
} from './compile-versions.js';
import { HISTORY_OPTIONS, type ResolvedHistoryOptions } from './history.options.js';

interface Statements {
  readonly first: Template<PresentDocuments>;
  /** Before a deletion or unpublication. */
  readonly last: Template<PresentDocuments>;
  readonly store: Template<StoredWrite>;
  /** After a write that changes published versions, and drafts only with them. */
  readonly storePublished: Template<StoredWrite>;
  readonly deleted: Template<StoredWrite>;
}

const DELETING: readonly Verb[] = ['delete', 'unpublish'];

const deletedBy = ({ plan: { verb, target }, versions }: PlannedWrite): PlannedWrite['versions']['all'] =>
  DELETING.includes(verb)
    ? versions.all.filter(
        ({ locale, published }) =>
          (target.everyLocale || locale === target.locale) && (verb === 'delete' || published),
      )
    : [];

/** Whether a write makes the drafts of its locale equal to their published versions. */
const publishes = ({ plan: { verb, target } }: PlannedWrite): boolean =>
  target.publish && target.type.draftAndPublish && verb !== 'unpublish';

/** Whether every draft that a write changes equals its published version. */
function storesPublished(write: PlannedWrite): boolean {
  const { everyLocale, locale, type } = write.plan.target;
  if (!type.draftAndPublish) return true;
  // Shared values also change the drafts of other locales.
  return publishes(write) && (everyLocale || write.versions.all.every((one) => one.locale === locale));
}

function storedOf(write: PlannedWrite, documentId: string): StoredWrite {
  const { caller, requestId, restores = null, verb, target } = write.plan;
  const deleted = deletedBy(write);
  return {
    documentId,
    action: restores === null || restores === 'published' ? verb : RESTORE,
    actor: caller.kind,
    actorId: caller.id,
    requestId,
    published: publishes(write) ? [target.everyLocale ? '*' : target.locale] : [],
    deleted: {
      locales: deleted.map(({ locale }) => locale),
      published: deleted.map(({ published }) => published),
    },
  };
}

/** Stores the versions of documents of types with `history`, in the transactions of their writes. */
@Injectable()
export class VersionLog implements OnModuleInit {
  private readonly statements = new Map<ContentType, Statements>();

  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(WriteAdditions) private readonly additions: WriteAdditions,
    @Inject(HISTORY_OPTIONS) private readonly options: ResolvedHistoryOptions,
  ) {}

  onModuleInit(): void {
    this.additions.addKeptCondition((type) => (type.history ? compileKept(this.storedIn(type)) : null));
    this.additions.add((write) =>
      this.of(write, ({ first, last }, stored) => {
        const present = { documentIds: [stored.documentId] };
        if (DELETING.includes(write.plan.verb)) return [fill(last, present)];
        return write.versions.all.every(({ kept }) => kept) ? [] : [fill(first, present)];
      }),
    );
    this.additions.addAfter((write) =>
      this.of(write, ({ store, storePublished, deleted }, stored) => [
        ...(write.plan.verb === 'delete'
          ? []
          : [fill(storesPublished(write) ? storePublished : store, stored)]),
        ...(stored.deleted.locales.length === 0 ? [] : [fill(deleted, stored)]),
      ]),
    );
  }

  private of(
    write: PlannedWrite,
    make: (statements: Statements, stored: StoredWrite) => readonly Statement[],
  ): readonly Statement[] {
    const documentId = writtenDocumentOf(write);
    const { type } = write.plan.target;
    if (!type.history || documentId === null) return [];
    return make(this.statementsOf(type), storedOf(write, documentId)).map(silently);
  }

  private storedIn(type: ContentType): HistoryOfType {
    return { file: this.schema.file, type, defaultLocale: this.settings.defaultLocale };
  }

  private statementsOf(type: ContentType): Statements {
    const cached = this.statements.get(type);
    if (cached !== undefined) return cached;
    const stored = this.storedIn(type);
    const compiled = {
      first: compileFirst(stored, false),
      last: compileFirst(stored, true),
      store: compileStore(stored, this.options.sittingMinutes),
      storePublished: compileStorePublished(stored),
      deleted: compileDeleted(stored),
    };
    this.statements.set(type, compiled);
    return compiled;
  }
}
