import {
  type DynamicModule,
  Inject,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type Type,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { UnroutedErrorFilter } from '../content/http/error.filter.js';
import { PositionInterceptor } from '../content/http/position.interceptor.js';
import { ContentRoutes } from '../content/http/routes.js';
import { ContentModelError } from '../content/model/content-model-error.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../kernel/settings.js';
import { checkAsyncOptions } from '../content/http/async-options.js';
import { checkFactory, checkGiven } from './check-options.js';
import { ConfigurableModuleClass } from './content.module-definition.js';
import type { ContentModuleAsyncOptions, ContentModuleOptions } from './content.options.js';
import { type ContentFeature, featureModule } from './content.feature.js';
import type { ContentTypeDefinition } from '../content/model/definitions.js';
import { defineContent } from './define-content.js';
import { PLACED_CONTROLLERS, type PlacedController } from './placed-controllers.js';

/**
 * Gives a Nest application a content REST API.
 *
 * @example
 * @Module({ imports: [ContentModule.forRoot({
 *   contentTypes: [article], access: { public: { article: ['find', 'findOne'] } },
 *   database: { clientUrl: process.env.DATABASE_URL },
 * })] })
 * export class AppModule {}
 *
 * @publicApi
 */
@Module({})
export class ContentModule implements NestModule {
  constructor(
    @Inject(ContentRoutes) private readonly routes: ContentRoutes,
    @Inject(UnroutedErrorFilter) private readonly unrouted: UnroutedErrorFilter,
    @Inject(PositionInterceptor) private readonly positions: PositionInterceptor,
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(PLACED_CONTROLLERS) private readonly placed: readonly PlacedController[],
  ) {}

  /**
   * Creates the module with static options. Throws a ContentModelError that lists every mistake of the model.
   */
  static forRoot(options: ContentModuleOptions): DynamicModule {
    const mistakes = checkGiven('forRoot', options);
    const { database, prefix, schema = database?.schema } = options;
    return defineContent(
      { ...ConfigurableModuleClass.forRoot(options), module: ContentModule },
      {
        model: schema === undefined ? options : { ...options, schema },
        prefix,
        ownsOrm: database !== undefined,
        mistakes,
        check: (given) => given,
      },
    );
  }

  /**
   * Declares types in a feature module, as a list or with their components and controllers. Add that module
   * to `imports` of `forRoot` or `forRootAsync`; otherwise the application does not start.
   *
   * @example
   * @Module({ imports: [ContentModule.forFeature([article])], providers: [Newsroom] })
   * export class ArticleModule {}
   */
  static forFeature(feature: readonly ContentTypeDefinition[] | ContentFeature): DynamicModule {
    return featureModule(feature);
  }

  /**
   * Creates the module with run-time options from one of `useFactory`, `useClass` and `useExisting`. The
   * model stays static, because routes and entities are made from it. Throws a ContentModelError that lists
   * every mistake of the model; mistakes of the options prevent the start.
   */
  static forRootAsync(options: ContentModuleAsyncOptions): DynamicModule {
    checkAsyncOptions('ContentModule', options);
    const mistakes = checkGiven('forRootAsync', options);
    return defineContent(
      { ...ConfigurableModuleClass.forRootAsync(options), module: ContentModule },
      {
        model: options,
        prefix: options.prefix,
        ownsOrm: options.ownDatabase ?? false,
        mistakes,
        check: checkFactory,
      },
    );
  }

  /**
   * Nest calls this when the global prefix is known and before it registers the routes. It sets their paths,
   * and removes the routes that the settings switch off.
   */
  configure(_consumer: MiddlewareConsumer): void {
    this.checkTwice();
    this.routes.mount();
    for (const { controller, path, isOn } of this.placed)
      if (isOn(this.settings)) this.routes.setPath(controller, path);
      else this.leaveOut(controller);
    this.unrouted.register();
    this.positions.register();
  }

  /** Throws a ContentModelError for routes that another ContentModule of the application has. */
  private checkTwice(): void {
    const others = [...this.modules.values()]
      .filter(({ metatype, instance }) => metatype === ContentModule && instance !== this)
      .flatMap(({ instance }) => (instance as ContentModule).routes.typePaths);
    const twice = this.routes.typePaths.filter((path) => others.includes(path));
    if (twice.length > 0)
      throw new ContentModelError(
        twice.map((path) => `route "${path}": two imports of ContentModule have it; import it once`),
        'routes',
      );
  }

  private leaveOut(controller: Type): void {
    for (const module of this.modules.values())
      if (module.metatype === ContentModule && module.instance === this)
        module.controllers.delete(controller);
  }
}
