/** Builds the Nest module from the model, with a controller and entities for each type. */
import { MikroOrmModule } from '@mikro-orm/nestjs';
import type { DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { entitiesOf } from '../content/store/entities.js';
import { contentController, decorateController } from '../content/http/content.controller.js';
import { buildSchema } from '../content/model/build-schema.js';
import { ownValue } from '../kernel/json.js';
import { trimSlashes } from '../kernel/paths.js';
import { DEFAULT_SETTINGS } from '../kernel/settings.js';
import { checkControllers } from './check-options.js';
import { MODULE_OPTIONS_TOKEN, RUNTIME } from './content.module-definition.js';
import type { ContentModel, ContentRuntimeOptions } from './content.options.js';
import { withFeatures } from './content.feature.js';
import { ormProviders } from './content.orm.js';
import { PLACED_CONTROLLERS, placedControllers } from './placed-controllers.js';
import { unknownContent } from './unknown-content.js';
import { contentExports, contentProviders } from './content.providers.js';

/** Options known before any factory runs. */
export interface StaticOptions {
  readonly model: ContentModel;
  readonly prefix: string | undefined;
  readonly ownsOrm: boolean;
  /** Mistakes in the options around the model. */
  readonly mistakes: readonly string[];
  readonly check: (options: ContentRuntimeOptions) => ContentRuntimeOptions;
}

/**
 * Returns the entities of a model, for an application that lists its entities itself
 * (`registerEntities: false`) or for the configuration of MikroORM's command line.
 *
 * @publicApi
 */
export function contentEntities(
  model: Pick<ContentModel, 'contentTypes' | 'components' | 'imports' | 'schema'>,
): ReturnType<typeof entitiesOf> {
  const { contentTypes, components = [], schema } = withFeatures(model);
  return entitiesOf(buildSchema(contentTypes, components, { schema }));
}

/** Extends the module of Nest's builder. Throws a ContentModelError with every mistake. */
export function defineContent(built: DynamicModule, options: StaticOptions): DynamicModule {
  const { ownsOrm } = options;
  const model = withFeatures(options.model);
  const mistakes = [...options.mistakes, ...checkControllers(model)];
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
      controller: contentController(
        type,
        `${prefix}/${type.route}`,
        ownValue(model.controllers ?? {}, type.singularApiId),
      ),
    }));
  const placed = placedControllers();
  for (const { controller } of controllers) decorateController(controller, model.decorators ?? []);
  // Called only to register the entities. Its result is unused: nothing injects the repositories, and without
  // a MikroORM its error would hide the library's own.
  if (!ownsOrm && model.registerEntities !== false)
    MikroOrmModule.forFeature(entitiesOf(schema), model.contextName);
  return {
    ...built,
    // Global like MikroORM's own module, because any module injects services.
    global: true,
    imports: [
      ...new Set([DiscoveryModule, ...(built.imports ?? []), ...(model.imports ?? [])]),
      unknownContent([...schema.types.keys()]),
    ],
    controllers: [...controllers, ...placed].map(({ controller }) => controller),
    providers: [
      ...(built.providers ?? []),
      { provide: RUNTIME, useFactory: options.check, inject: [MODULE_OPTIONS_TOKEN] },
      ...ormProviders(schema, ownsOrm, model.contextName),
      ...contentProviders(schema, { prefix, controllers }),
      { provide: PLACED_CONTROLLERS, useValue: placed },
    ],
    exports: contentExports(schema),
  };
}
