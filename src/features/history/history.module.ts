import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { ArchiveParts } from '../../content/documents/archive-parts.js';
import { DocumentHistory, type HistoryRoutes } from '../../content/documents/document-history.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { archivedVersions } from './archived-versions.js';
import { DocumentVersions } from './document-versions.js';
import { HISTORY_OPTIONS, type HistoryOptions, resolveHistoryOptions } from './history.options.js';
import { PublishedVersions } from './published-versions.js';
import { Trash } from './trash.js';
import { VersionKeeper } from './version-keeper.js';
import { VersionLog } from './version-log.js';
import { VisibleContents } from './visible-contents.js';

/**
 * Stores every version of documents of types with `history: true`, with routes to list, compare and restore
 * them, and a trash (protocol section 25).
 *
 * @example
 * imports: [ContentModule.forRoot({ contentTypes: [article], … }), HistoryModule.forRoot()]
 *
 * @publicApi
 */
@Module({
  providers: [VersionLog, VisibleContents, DocumentVersions, PublishedVersions, Trash, VersionKeeper],
})
export class HistoryModule implements OnModuleInit {
  constructor(
    @Inject(DocumentHistory) private readonly history: DocumentHistory,
    @Inject(DocumentVersions) private readonly versions: DocumentVersions,
    @Inject(Trash) private readonly trash: Trash,
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(ArchiveParts) private readonly archive: ArchiveParts,
    @Inject(PublishedVersions) private readonly published: PublishedVersions,
  ) {}

  /** Creates the module. Throws a ContentModelError for invalid options. */
  static forRoot(options: HistoryOptions = {}): DynamicModule {
    const resolved = resolveHistoryOptions(options);
    return { module: HistoryModule, providers: [{ provide: HISTORY_OPTIONS, useValue: resolved }] };
  }

  onModuleInit(): void {
    const { versions, trash, published } = this;
    const routes: HistoryRoutes = {
      findTrash: (request) => trash.list(request),
      findVersions: (request) => versions.list(request),
      findVersion: (request) => versions.show(request),
      compareVersion: (request) => versions.compare(request),
      restoreVersion: (request) => versions.restoreVersion(request),
      restore: (request) => trash.restore(request),
    };
    this.history.serve(routes, published);
    this.archive.add(archivedVersions(this.schema.file));
  }
}
