import { type DynamicModule, Inject, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { CONTENT_MODULE, type ContentRoutes } from '../../content/http/routes.js';
import { ContentModelError } from '../../content/model/content-model-error.js';
import { trimSlashes } from '../../kernel/settings.js';
import { DeskController } from './desk.controller.js';
import {
  DESK_OPTIONS,
  type DeskOptions,
  type ResolvedDeskOptions,
  resolveDeskOptions,
} from './desk.options.js';

/**
 * Description of the model for editors: `GET /desk/model`, under the grant `desk: ['open']`.
 *
 * @example
 * imports: [
 *   ContentModule.forRoot({ contentTypes: [article], access: { roles: { editor: { desk: ['open'], … } } }, … }),
 *   DeskModule.forRoot({ path: '/desk' }),
 * ]
 *
 * @publicApi
 */
@Module({ controllers: [DeskController] })
export class DeskModule implements NestModule {
  constructor(
    @Inject(CONTENT_MODULE) private readonly routes: ContentRoutes,
    @Inject(ApplicationConfig) private readonly application: ApplicationConfig,
    @Inject(DESK_OPTIONS) private readonly options: ResolvedDeskOptions,
  ) {}

  /** Creates the module. Throws a ContentModelError for an invalid path. */
  static forRoot(options: DeskOptions = {}): DynamicModule {
    const resolved = resolveDeskOptions(options);
    return { module: DeskModule, providers: [{ provide: DESK_OPTIONS, useValue: resolved }] };
  }

  /** Mounts the routes. Below the content prefix, a content type or another module may have the path. */
  configure(_consumer: MiddlewareConsumer): void {
    const { path } = this.options;
    const full = `/${[trimSlashes(this.application.getGlobalPrefix()), path].filter((part) => part !== '').join('/')}`;
    const { base } = this.routes;
    if (full === base)
      throw new ContentModelError([`desk.path: "${full}" is the path of the content routes`], 'options');
    const below = full.startsWith(`${base}/`) ? full.slice(base.length + 1) : null;
    if (below === null) Reflect.defineMetadata('path', path, DeskController);
    else if (below.includes('/'))
      throw new ContentModelError([`desk.path: "${full}" is too deep in the content routes`], 'options');
    else this.routes.setPath(DeskController, below);
  }
}
