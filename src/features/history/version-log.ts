import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SYSTEM } from '../../content/access/caller.js';
import { Documents } from '../../content/documents/documents.service.js';
import { type PlannedWrite, WriteAdditions } from '../../content/documents/write-additions.js';
import { CONTENT_SCHEMA, type ContentType, type Schema } from '../../content/model/model.js';
import type { Verb } from '../../content/plan/write-plan.js';
import { fill, type Statement, type Template } from '../../kernel/sql.js';
import { compileDeleted, compileFirst, compileStore, RESTORE, type StoredWrite } from './compile-versions.js';
import { HISTORY_OPTIONS, type ResolvedHistoryOptions } from './history.options.js';
import { everything } from './stored-content.js';

interface Statements {
  readonly first: Template<StoredWrite>;
  readonly store: Template<StoredWrite>;
  readonly deleted: Template<StoredWrite>;
}

const DELETING: readonly Verb[] = ['delete', 'unpublish'];

/** Versions that a write deletes. */
const deletedBy = ({ plan: { verb, target }, versions }: PlannedWrite): PlannedWrite['versions']['all'] =>
  DELETING.includes(verb)
    ? versions.all.filter(
        ({ locale, published }) =>
          (target.everyLocale || locale === target.locale) && (verb === 'delete' || published),
      )
    : [];

function storedOf(write: PlannedWrite, documentId: string): StoredWrite {
  const { caller, requestId, restores, verb, target } = write.plan;
  const deleted = deletedBy(write);
  const isPublished = target.publish && target.type.draftAndPublish && verb !== 'unpublish';
  return {
    documentId,
    action: restores === true ? RESTORE : verb,
    actor: caller.kind,
    actorId: caller.id,
    requestId,
    published: isPublished ? [target.everyLocale ? '*' : target.locale] : [],
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
    @Inject(Documents) private readonly documents: Documents,
    @Inject(WriteAdditions) private readonly additions: WriteAdditions,
    @Inject(HISTORY_OPTIONS) private readonly options: ResolvedHistoryOptions,
  ) {}

  onModuleInit(): void {
    this.additions.add((write) =>
      this.of(write, ({ first }, stored) => (write.versions.all.length === 0 ? [] : [fill(first, stored)])),
    );
    this.additions.addAfter((write) =>
      this.of(write, ({ store, deleted }, stored) => [
        ...(write.plan.verb === 'delete' ? [] : [fill(store, stored)]),
        ...(stored.deleted.locales.length === 0 ? [] : [fill(deleted, stored)]),
      ]),
    );
  }

  private of(
    write: PlannedWrite,
    make: (statements: Statements, stored: StoredWrite) => readonly Statement[],
  ): readonly Statement[] {
    const { documentId, plan } = write;
    const { type } = plan.target;
    if (!type.history || documentId === null) return [];
    return make(this.statementsOf(type), storedOf(write, documentId)).map((one) => ({
      ...one,
      silent: true,
    }));
  }

  private statementsOf(type: ContentType): Statements {
    const known = this.statements.get(type);
    if (known !== undefined) return known;
    const states = type.draftAndPublish ? ['draft', 'published'] : ['published'];
    const plans = states.map((status) =>
      this.documents.plan(
        type,
        { status, ...(type.localized ? { locale: '*' } : {}), populate: everything(type) },
        { kind: 'list', by: null, caller: SYSTEM, format: 'flat', action: 'find' },
      ),
    );
    const stored = { file: this.schema.file, type, plans };
    const made = {
      first: compileFirst(stored),
      store: compileStore(stored, this.options.sittingMinutes),
      deleted: compileDeleted(stored),
    };
    this.statements.set(type, made);
    return made;
  }
}
