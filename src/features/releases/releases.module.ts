import {
  type DynamicModule,
  Inject,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type OnModuleInit,
} from '@nestjs/common';
import { ContentOpenApi } from '../../content/http/content-openapi.js';
import { CONTENT_MODULE, type ContentRoutes } from '../../content/http/routes.js';
import { RELEASES_GRANT } from '../../content/model/naming.js';
import { DryRun } from './dry-run.js';
import { ReleaseCheck } from './release-check.js';
import { ReleaseEntries } from './release-entries.js';
import { releasePaths } from './release-paths.js';
import { ReleaseUndo } from './release-undo.js';
import { ReleaseWorker } from './release-worker.js';
import { ReleasesController } from './releases.controller.js';
import { RELEASES_OPTIONS, type ReleasesOptions, resolveReleasesOptions } from './releases.options.js';
import { Releases } from './releases.service.js';
import { WaysBack } from './ways-back.js';

/**
 * Releases: named sets of documents that are published and unpublished together, in one transaction, now or
 * at a time. Their routes need the grant `releases: ['open']` (protocol section 27).
 *
 * @example
 * imports: [ContentModule.forRoot({ contentTypes: [article], … }), ReleasesModule.forRoot()]
 *
 * @publicApi
 */
@Module({
  controllers: [ReleasesController],
  providers: [Releases, ReleaseEntries, WaysBack, DryRun, ReleaseCheck, ReleaseUndo, ReleaseWorker],
})
export class ReleasesModule implements NestModule, OnModuleInit {
  constructor(
    @Inject(CONTENT_MODULE) private readonly routes: ContentRoutes,
    @Inject(ContentOpenApi) private readonly openApi: ContentOpenApi,
  ) {}

  /** Creates the module. Throws a ContentModelError for invalid options. */
  static forRoot(options: ReleasesOptions = {}): DynamicModule {
    const resolved = resolveReleasesOptions(options);
    return { module: ReleasesModule, providers: [{ provide: RELEASES_OPTIONS, useValue: resolved }] };
  }

  onModuleInit(): void {
    this.openApi.add(releasePaths);
  }

  configure(_consumer: MiddlewareConsumer): void {
    this.routes.setPath(ReleasesController, RELEASES_GRANT);
  }
}
