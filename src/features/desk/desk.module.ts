import { type DynamicModule, Inject, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { CONTENT_MODULE, type ContentRoutes } from '../../content/http/routes.js';
import { ContentModelError } from '../../content/model/content-model-error.js';
import { DeskDescriptions } from './desk-descriptions.js';
import { BUILT, DESK_FOLDER } from './desk-files.js';
import { DeskInvitations } from './desk-invitations.js';
import { DeskPages } from './desk-pages.js';
import { DeskSite } from './desk-site.js';
import { DeskPresence } from './desk-presence.js';
import { DeskPreviews } from './desk-previews.js';
import { DeskController } from './desk.controller.js';
import {
  DESK_OPTIONS,
  type DeskOptions,
  type ResolvedDeskOptions,
  resolveDeskOptions,
} from './desk.options.js';
import { SameOriginGuard, SessionGuard } from './same-origin.guard.js';

/**
 * The desk, where editors write: its pages, and `GET /desk/model`, under the grant `desk: ['open']`. With
 * `UsersModule`, users sign in at `/desk/session`.
 *
 * @example
 * imports: [
 *   ContentModule.forRoot({ contentTypes: [article], access: { roles: { editor: { desk: ['open'], … } } }, … }),
 *   UsersModule.forRoot({ secret: process.env.JWT_SECRET }),
 *   DeskModule.forRoot({ path: '/desk', url: 'https://www.example.org/desk' }),
 * ]
 *
 * @publicApi
 */
@Module({
  controllers: [DeskController],
  providers: [
    DeskSite,
    DeskDescriptions,
    DeskPreviews,
    DeskPresence,
    DeskPages,
    DeskInvitations,
    SameOriginGuard,
    SessionGuard,
  ],
  exports: [DeskInvitations],
})
export class DeskModule implements NestModule {
  constructor(
    @Inject(CONTENT_MODULE) private readonly routes: ContentRoutes,
    @Inject(DeskSite) private readonly site: DeskSite,
    @Inject(DESK_OPTIONS) private readonly options: ResolvedDeskOptions,
  ) {}

  /** Creates the module. Throws a ContentModelError for invalid options. */
  static forRoot(options: DeskOptions = {}): DynamicModule {
    const resolved = resolveDeskOptions(options);
    return {
      module: DeskModule,
      providers: [
        { provide: DESK_OPTIONS, useValue: resolved },
        { provide: DESK_FOLDER, useValue: BUILT },
      ],
    };
  }

  /** Mounts the routes. Below the content prefix, a content type or another module may have the path. */
  configure(_consumer: MiddlewareConsumer): void {
    const { base: full } = this.site;
    const { base } = this.routes;
    if (full === base)
      throw new ContentModelError([`desk.path: "${full}" is the path of the content routes`], 'options');
    const below = full.startsWith(`${base}/`) ? full.slice(base.length + 1) : null;
    if (below === null) this.routes.setPathOutside(DeskController, this.options.path);
    else if (below.includes('/'))
      throw new ContentModelError([`desk.path: "${full}" is too deep in the content routes`], 'options');
    else this.routes.setPath(DeskController, below);
  }
}
