/** The wiring: from the model to the module that Nest knows, with a controller and entities for each type. */
import { MikroOrmModule } from '@mikro-orm/nestjs';
import type { DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { entitiesOf } from '../database/entities.js';
import { contentController } from '../http/content.controller.js';
import { LocalesController } from '../http/locales.controller.js';
import { ModelController } from '../http/model.controller.js';
import { OpenApiController } from '../http/openapi.controller.js';
import { OpenApiPageController } from '../http/openapi-page.controller.js';
import { buildSchema } from '../schema/build-schema.js';
import { DEFAULT_SETTINGS, trimSlashes } from '../settings.js';
import { checkOptionShapes } from './check-options.js';
import { MODULE_OPTIONS_TOKEN, RUNTIME } from './content.module-definition.js';
import type { ContentModel, ContentRuntimeOptions } from './content.options.js';
import { ormProviders } from './content.orm.js';
import { contentExports, contentProviders } from './content.providers.js';

/** What is known before any factory runs. */
export interface StaticOptions {
  readonly model: ContentModel;
  readonly prefix: string | undefined;
  /** Whether the database is the module's own. */
  readonly ownsOrm: boolean;
  /** The names of the options that may be given beside the model. */
  readonly known: readonly string[];
  /** Checks the run-time options when they are there. */
  readonly check: (options: ContentRuntimeOptions) => ContentRuntimeOptions;
}

/**
 * The entities of a model, for a host that lists its entities itself (`registerEntities: false`) or for the
 * configuration of MikroORM's command line.
 *
 * @publicApi
 */
export const contentEntities = (
  model: Pick<ContentModel, 'contentTypes' | 'components' | 'schema'>,
): ReturnType<typeof entitiesOf> =>
  entitiesOf(buildSchema(model.contentTypes, model.components ?? [], { schema: model.schema }));

/** Adds to what Nest's builder has made of the options. Throws a ContentModelError with every mistake. */
export function defineContent(built: DynamicModule, options: StaticOptions): DynamicModule {
  const { model, ownsOrm } = options;
  const mistakes = checkOptionShapes(model, options.known);
  const schema = buildSchema(model.contentTypes, model.components ?? [], {
    schema: model.schema,
    removed: model.removed,
    mistakes,
  });
  const prefix = trimSlashes(String(options.prefix ?? DEFAULT_SETTINGS.prefix));
  const controllers = [...schema.types.values()]
    .filter((type) => type.routes.length > 0)
    .map((type) => ({
      type,
      controller: contentController(type, `${prefix}/${type.route}`, model.controllers?.[type.singularApiId]),
    }));
  // For its registration alone: nobody could inject the repositories that it answers, and without a MikroORM
  // Nest would complain of them first.
  if (!ownsOrm && model.registerEntities !== false)
    MikroOrmModule.forFeature(entitiesOf(schema), model.contextName);
  return {
    ...built,
    // Like MikroORM's own module: services and the modules for accounts are injected anywhere.
    global: true,
    imports: [DiscoveryModule, ...(built.imports ?? [])],
    controllers: [
      ...controllers.map(({ controller }) => controller),
      LocalesController,
      ModelController,
      OpenApiController,
      OpenApiPageController,
    ],
    providers: [
      ...(built.providers ?? []),
      { provide: RUNTIME, useFactory: options.check, inject: [MODULE_OPTIONS_TOKEN] },
      ...ormProviders(schema, ownsOrm, model.contextName),
      ...contentProviders(schema, { prefix, controllers }),
    ],
    exports: contentExports(schema),
  };
}
