import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Caller, SYSTEM } from '../access/caller.js';
import { ContentAccess } from '../access/content-access.js';
import { Database } from '../store/database.js';
import { CONTENT_SCHEMA, type Schema } from '../model/model.js';
import { descriptionKey } from '../plan/open-conditions.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { describe } from '../openapi/describe.js';
import type { Describe, ResponseVariant, Describing } from '../openapi/describing.js';
import type { ContentDocument } from '../openapi/document.js';
import { type HostDocument, hostPaths } from '../openapi/merge.js';
import { localePaths } from '../openapi/locale-paths.js';
import { modelPaths } from '../openapi/model-paths.js';
import { ownPaths } from '../openapi/own-paths.js';
import { ContentRoutes } from './routes.js';

/** Maximum of cached documents. */
const MAX_CACHED = 100;

const EVERYTHING: ResponseVariant = { format: 'flat', counts: true };

/**
 * Describes the API as OpenAPI 3.1. Inject it to give the description to other tools, or to add routes to it.
 *
 * @example
 * const document = app.get(ContentOpenApi).documentFor();   // the whole API
 *
 * @publicApi
 */
@Injectable()
export class ContentOpenApi {
  private readonly added: Describe[] = [localePaths, modelPaths];
  private readonly documents = new LRUCache<string, ContentDocument>({ max: MAX_CACHED });

  constructor(
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(ContentAccess) private readonly access: ContentAccess,
    @Inject(ContentRoutes) private readonly routes: ContentRoutes,
    @Inject(Database) private readonly database: Database,
  ) {
    if (settings.openapi.document) this.added.push(ownPaths);
  }

  /**
   * Adds paths of more routes, computed for each caller. For the same path and method, the later description
   * replaces the earlier.
   */
  add(more: Describe): void {
    this.added.push(more);
    this.documents.clear();
  }

  /**
   * Adds the routes of the application's own controllers for every caller, from the document of
   * `SwaggerModule.createDocument`. Throws an Error unless that document is OpenAPI 3.1.
   */
  addDocument(document: HostDocument): void {
    this.add(hostPaths(document));
  }

  /**
   * Returns the operations that a caller may use; without a caller, the whole API. `format: 'v4'` describes
   * responses to requests with `Strapi-Response-Format: v4`. `counts: false` describes responses to requests
   * without `count`. Paths are known once the application is initialised.
   */
  documentFor(caller: Caller = SYSTEM, described: Partial<ResponseVariant> = {}): ContentDocument {
    const options = { ...EVERYTHING, ...described };
    const key = descriptionKey(caller);
    const cached = key === null ? undefined : this.documents.get(JSON.stringify([key, options]));
    if (cached !== undefined) return cached;
    const document = describe({ ...options, caller, ...this.host }, this.added);
    if (key !== null) this.documents.set(JSON.stringify([key, options]), document);
    return document;
  }

  private get host(): Pick<Describing, 'schema' | 'settings' | 'base' | 'replicas' | 'credentials'> {
    const { schema, settings, routes, database, access } = this;
    const credentials = access.vary.split(', ');
    return { schema, settings, base: routes.base, replicas: database.hasReplicas, credentials };
  }
}
