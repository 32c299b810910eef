/** Registration of the feature that stores and restores versions of documents. */
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { notFound } from '../../kernel/errors.js';
import { ContentModelError } from '../model/content-model-error.js';
import { CONTENT_SCHEMA, type Schema } from '../model/model.js';
import type { HistoryHandler } from '../model/routes.js';
import type { ReadPlan } from '../plan/plan.js';
import { oneOf } from '../plan/rights.js';
import type { Runner } from '../../pool/runner.js';
import type { Viewer } from '../plan/version-rights.js';
import type { Answer } from './answer.js';
import { Hooks } from './hooks.js';
import type { StateChange } from './write-list.js';
import type { WriteOptions } from './write-options.js';

export interface HistoryRequest {
  /** Plan of the route: its type, document and format. */
  readonly plan: ReadPlan;
  /** Id of the stored version in the path; null for routes without. */
  readonly version: string | null;
  /** Query string. */
  readonly text: string;
  readonly options: WriteOptions;
}

export type HistoryRoutes = Readonly<Record<HistoryHandler, (request: HistoryRequest) => Promise<Answer>>>;

/** Published version that a transaction has changed: ids of the stored versions. */
export interface PublishedChange {
  readonly locale: string;
  readonly after: string;
  /** Null if nothing was published. */
  readonly before: string | null;
}

export interface ReversalRequest extends Viewer {
  readonly documentId: string;
  readonly changes: readonly PublishedChange[];
}

export type StoredDocument = Pick<ReversalRequest, 'type' | 'documentId'>;

/** Last stored version of a published version, or its deletion. */
interface LastPublished {
  readonly id: string;
  readonly isDeleted: boolean;
}

/** Last stored versions of what is published, by locale. */
export type PublishedIds = ReadonlyMap<string, LastPublished>;

/** Stored versions of what was published. */
export interface PublishedHistory {
  /**
   * Stores what is published and not stored yet, such as changes of links by other documents. Returns what
   * is or was published, one map for each document. The transaction has locked the documents.
   */
  storePresent(runner: Runner, documents: readonly StoredDocument[]): Promise<readonly PublishedIds[]>;
  /**
   * Returns what the transaction has changed, also in writes of hooks, one list for each document. `before`
   * is what `storePresent` returned before the first write.
   */
  changedIn(
    runner: Pick<Runner, 'run'>,
    documents: readonly (StoredDocument & { readonly before: PublishedIds })[],
  ): Promise<readonly (readonly PublishedChange[])[]>;
  /**
   * Returns changes of state after which the same is published as before. Throws ForbiddenError, and a
   * ConflictError with a `reason` if there is no way back.
   */
  reversalOf(request: ReversalRequest): Promise<readonly StateChange[]>;
  /** Throws the same errors, in a transaction that has locked the document. */
  checkReversal(runner: Pick<Runner, 'run'>, request: ReversalRequest): Promise<void>;
}

/** Handlers that write. Hooks of reads do not run for their responses. */
const WRITES: readonly HistoryHandler[] = ['restoreVersion', 'restore'];

@Injectable()
export class DocumentHistory implements OnApplicationBootstrap {
  private routes: HistoryRoutes | null = null;
  private publishedHistory: PublishedHistory | null = null;

  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(Hooks) private readonly hooks: Hooks,
  ) {}

  /** Stored versions of what was published; null without the feature. */
  get published(): PublishedHistory | null {
    return this.publishedHistory;
  }

  /** Registers the feature. */
  serve(routes: HistoryRoutes, published: PublishedHistory): void {
    this.routes = routes;
    this.publishedHistory = published;
  }

  /** Throws a ContentModelError if a type has `history`, and no feature stores it. */
  onApplicationBootstrap(): void {
    const without = [...this.schema.types.values()].find(({ history }) => history && this.routes === null);
    if (without !== undefined)
      throw new ContentModelError(
        [`${without.singularApiId}: "history" needs HistoryModule.forRoot() of "nestjs-content-api/history"`],
        'options',
      );
  }

  async perform(handler: HistoryHandler, request: HistoryRequest): Promise<Answer> {
    if (this.routes === null) throw notFound();
    await this.admit(handler, request);
    return this.routes[handler](request);
  }

  /** Runs the hooks of reads, which can refuse stored contents as well. */
  private async admit(handler: HistoryHandler, { plan, options }: HistoryRequest): Promise<void> {
    if (WRITES.includes(handler)) return;
    const { type, documentId } = plan;
    const { caller, requestId = null } = options;
    const action = handler === 'findTrash' ? 'find' : oneOf(type);
    await this.hooks.runReadHooks({ type: type.singularApiId, action, documentId, caller, requestId });
  }
}
