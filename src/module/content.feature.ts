/** Parts of the model that feature modules of the application declare. */
import { type DynamicModule, Inject, Module, type ModuleMetadata, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { CONTENT_MODULE } from '../content/http/routes.js';
import { ContentModelError } from '../content/model/content-model-error.js';
import { optionMistakes, type OptionsOf } from '../content/model/option-table.js';
import { schemasIn } from '../content/documents/decorated-providers.js';
import { isObject } from '../kernel/json.js';
import { CONTENT_OPTIONS } from './content-option-table.js';
import type { ContentModel } from './content.options.js';

/** Types of a feature module, with the components and controllers that belong to them. */
export type ContentFeature = Pick<ContentModel, 'contentTypes' | 'components' | 'controllers'>;

const CONTENT_FEATURE = Symbol('ContentFeature');

/** Features by the dynamic module that `forFeature` has returned. */
const features = new WeakMap<object, ContentFeature>();

/** Checks at the start that the model has the types of a feature. */
@Module({ imports: [DiscoveryModule] })
class ContentFeatureModule implements OnModuleInit {
  constructor(
    @Inject(CONTENT_MODULE) _content: object,
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(CONTENT_FEATURE) private readonly feature: ContentFeature,
  ) {}

  onModuleInit(): void {
    const names = this.feature.contentTypes.map(({ singularApiId }) => singularApiId);
    const schemas = schemasIn(this.discovery);
    const missing = names.filter((name) => !schemas.some(({ types }) => types.has(name)));
    if (missing.length > 0)
      throw new ContentModelError(
        missing.map((name) => `${name}: add the module with its forFeature to "imports" of ContentModule`),
        'model',
      );
  }
}

type Given = ContentFeature | ContentFeature['contentTypes'];

const isFeature = (given: Given): given is ContentFeature => isObject(given) && 'contentTypes' in given;

const { contentTypes, components, controllers } = CONTENT_OPTIONS.model;
const FEATURE: OptionsOf<ContentFeature> = { contentTypes, components, controllers };

/** Throws a ContentModelError unless the parts of the feature are of the right kind. */
export function featureModule(given: Given): DynamicModule {
  const feature = isFeature(given) ? given : { contentTypes: given };
  const mistakes = optionMistakes(feature, FEATURE).map((mistake) => `ContentModule.forFeature: ${mistake}`);
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  const module = {
    module: ContentFeatureModule,
    providers: [{ provide: CONTENT_FEATURE, useValue: feature }],
  };
  features.set(module, feature);
  return module;
}

type Imports = NonNullable<ModuleMetadata['imports']>;

/** Returns the features in imported modules and in the modules that these import. */
function featuresIn(imports: Imports, seen: Set<unknown>): ContentFeature[] {
  return imports.flatMap((item: unknown): ContentFeature[] => {
    if (seen.has(item)) return [];
    seen.add(item);
    const own = isObject(item) ? features.get(item) : undefined;
    return own === undefined ? featuresIn(importsOf(item), seen) : [own];
  });
}

/** Returns the imports of a module: of its class, and of a dynamic module or forward reference. */
function importsOf(item: unknown): Imports {
  if (typeof item === 'function') return (Reflect.getMetadata('imports', item) ?? []) as Imports;
  if (!isObject(item)) return [];
  const { forwardRef, module, imports = [] } = item;
  if (typeof forwardRef === 'function') return [(forwardRef as () => Imports[number])()];
  return [...(module === undefined ? [] : [module as Imports[number]]), ...(imports as Imports)];
}

type ModelParts = ContentFeature & Pick<ContentModel, 'imports'>;

/** Adds the parts of imported features to a model. */
export function withFeatures<M extends ModelParts>(model: M): M & ModelParts {
  const found = featuresIn(model.imports ?? [], new Set());
  if (found.length === 0) return model;
  return {
    ...model,
    contentTypes: [...model.contentTypes, ...found.flatMap(({ contentTypes }) => contentTypes)],
    components: [...(model.components ?? []), ...found.flatMap(({ components = [] }) => components)],
    controllers: found.reduce<NonNullable<ContentModel['controllers']>>(
      (all, { controllers }) => ({ ...all, ...controllers }),
      { ...model.controllers },
    ),
  };
}
