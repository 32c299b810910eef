/** Place of the feature that stores and restores versions of documents. */
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { notFound } from '../../kernel/errors.js';
import { ContentModelError } from '../model/content-model-error.js';
import { CONTENT_SCHEMA, type Schema } from '../model/model.js';
import type { HistoryHandler } from '../model/routes.js';
import type { ReadPlan } from '../plan/plan.js';
import type { Answer } from './answer.js';
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

@Injectable()
export class DocumentHistory implements OnApplicationBootstrap {
  private routes: HistoryRoutes | null = null;

  constructor(@Inject(CONTENT_SCHEMA) private readonly schema: Schema) {}

  /** Registers the feature. */
  serve(routes: HistoryRoutes): void {
    this.routes = routes;
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

  perform(handler: HistoryHandler, request: HistoryRequest): Promise<Answer> {
    if (this.routes === null) throw notFound();
    return this.routes[handler](request);
  }
}
