import { MikroORM } from '@mikro-orm/core';
import { getMikroORMToken, MikroOrmModule } from '@mikro-orm/nestjs';
import { DiscoveryModule } from '@nestjs/core';
import {
  type DynamicModule,
  Inject,
  Logger,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { ContentAccess } from './access/content-access.js';
import { checkGrants } from './access/permissions.js';
import { checkFactory, checkOptionShapes, OPTIONS } from './check-options.js';
import { hostOrm, openOrm, StartCheck } from './content.orm.js';
import type {
  ContentModel,
  ContentModuleAsyncOptions,
  ContentModuleOptions,
  ContentRuntimeOptions,
} from './content.options.js';
import { Database } from './database/database.js';
import { checkRegistered, entitiesOf } from './database/entities.js';
import { ContentService, getContentToken } from './documents/content.service.js';
import { CONTENT_BASE, type DocumentsBase } from './documents/documents-base.js';
import { Documents } from './documents/documents.service.js';
import { HookExplorer } from './documents/hook-explorer.js';
import { Hooks } from './documents/hooks.js';
import { contentController } from './http/content.controller.js';
import { ContentRequests } from './http/content-requests.js';
import { EnvelopeInterceptor } from './http/envelope.interceptor.js';
import { PopulateInterceptor } from './http/populate.interceptor.js';
import { ContentErrorFilter, UnroutedErrorFilter } from './http/error.filter.js';
import { HalfSentRequests } from './http/half-sent-requests.js';
import { LocalesController } from './http/locales.controller.js';
import { AfterRoutes, BeforeRoutes } from './http/request-hooks.js';
import { ContentRoutes, ROUTED, type Routed } from './http/routes.js';
import { UnsentAnswers } from './http/unsent-answers.js';
import { buildSchema } from './schema/build-schema.js';
import { ContentModelError } from './schema/content-model-error.js';
import type { Schema } from './schema/model.js';
import {
  checkSettings,
  type ContentSettings,
  DEFAULT_SETTINGS,
  resolveSettings,
  trimSlashes,
} from './settings.js';

/** Injection token of the MikroORM instance that holds the content: the host's, or the module's own. */
export const CONTENT_ORM = Symbol('ContentOrm');

const RUNTIME = Symbol('ContentRuntimeOptions');
const SETTINGS = Symbol('ContentSettings');
const OWNS_ORM = Symbol('ContentOwnsOrm');

/**
 * The content's entities, for a host that lists its entities itself (`registerEntities: false`) or for the
 * configuration of MikroORM's command line.
 *
 * @publicApi
 */
export const contentEntities = (
  model: Pick<ContentModel, 'contentTypes' | 'components' | 'schema'>,
): ReturnType<typeof entitiesOf> =>
  entitiesOf(buildSchema(model.contentTypes, model.components ?? [], { schema: model.schema }));

/** Throws a ContentModelError for settings that no request could be answered with. */
function settingsOf(runtime: ContentRuntimeOptions, prefix: string): ContentSettings {
  const late =
    runtime.prefix === undefined || trimSlashes(String(runtime.prefix)) === prefix
      ? []
      : ['prefix: give it to forRootAsync itself, the routes are made before the factory runs'];
  const mistakes = [...checkSettings(runtime), ...late];
  if (mistakes.length > 0) throw new ContentModelError(mistakes);
  return resolveSettings({ ...runtime, prefix });
}

/** Throws a ContentModelError for grants that name a type, action or attribute which does not exist. */
function contentAccess(schema: Schema, { access = {}, auth = {} }: ContentRuntimeOptions): ContentAccess {
  const { public: anybody = {}, roles = {}, source, maxAge = 1000 } = access;
  const named = Object.entries(roles).flatMap(([role, grants]) =>
    checkGrants(grants, schema, `access.roles.${role}`),
  );
  const twice = Object.hasOwn(roles, 'public')
    ? ['access.roles.public: what everybody may do stands in access.public']
    : [];
  const mistakes = [...checkGrants(anybody, schema, 'access.public'), ...named, ...twice];
  if (mistakes.length > 0) throw new ContentModelError(mistakes);
  const logger = new Logger('ContentAccess');
  return new ContentAccess({
    schema,
    maxAge,
    strategies: auth.strategies ?? [],
    roles: { ...roles, public: anybody },
    sources: source === undefined ? [] : [source],
    warn: (message) => logger.warn(message),
  });
}

function openDatabase(orm: MikroORM, schema: Schema, settings: ContentSettings): Database {
  checkRegistered(orm, schema);
  const logger = new Logger('ContentDatabase');
  return new Database({ orm, schema, settings, warn: (message) => logger.warn(message) });
}

/** The host's MikroORM, or one of the module's own. */
function ormProvider(schema: Schema, ownsOrm: boolean, contextName: string | undefined): Provider {
  if (ownsOrm)
    return {
      provide: CONTENT_ORM,
      useFactory: (runtime: ContentRuntimeOptions) => openOrm(schema, runtime),
      inject: [RUNTIME],
    };
  const token = contextName === undefined ? MikroORM : getMikroORMToken(contextName);
  return {
    provide: CONTENT_ORM,
    useFactory: (runtime: ContentRuntimeOptions, orm?: MikroORM) => hostOrm(orm, runtime, contextName),
    inject: [RUNTIME, { token, optional: true }],
  };
}

function providers(schema: Schema, routed: Routed): Provider[] {
  const services = [...schema.types.values()].map((type): Provider => ({
    provide: getContentToken(type.singularApiId),
    useFactory: (documents: Documents) => new ContentService(documents, type),
    inject: [Documents],
  }));
  return [
    { provide: ROUTED, useValue: routed },
    {
      provide: SETTINGS,
      useFactory: (runtime: ContentRuntimeOptions) => settingsOf(runtime, routed.prefix),
      inject: [RUNTIME],
    },
    {
      provide: ContentAccess,
      useFactory: (runtime: ContentRuntimeOptions) => contentAccess(schema, runtime),
      inject: [RUNTIME],
    },
    {
      provide: Database,
      useFactory: (orm: MikroORM, settings: ContentSettings) => openDatabase(orm, schema, settings),
      inject: [CONTENT_ORM, SETTINGS],
    },
    {
      provide: CONTENT_BASE,
      useFactory: (settings: ContentSettings, database: Database, hooks: Hooks): DocumentsBase => ({
        schema,
        settings,
        database,
        hooks,
      }),
      inject: [SETTINGS, Database, Hooks],
    },
    { provide: Documents, useFactory: (base: DocumentsBase) => new Documents(base), inject: [CONTENT_BASE] },
    Hooks,
    HookExplorer,
    ContentRoutes,
    UnsentAnswers,
    ContentRequests,
    EnvelopeInterceptor,
    PopulateInterceptor,
    HalfSentRequests,
    StartCheck,
    ContentErrorFilter,
    UnroutedErrorFilter,
    BeforeRoutes,
    AfterRoutes,
    ...services,
  ];
}

function define(
  model: ContentModel,
  runtime: Provider,
  ownsOrm: boolean,
  extra: {
    readonly prefix: string | undefined;
    readonly imports: DynamicModule['imports'];
    readonly known: readonly string[];
  },
): DynamicModule {
  const mistakes = checkOptionShapes(model, extra.known);
  const schema = buildSchema(model.contentTypes, model.components ?? [], { schema: model.schema, mistakes });
  const prefix = trimSlashes(String(extra.prefix ?? DEFAULT_SETTINGS.prefix));
  const routed = [...schema.types.values()].filter((type) => type.routes.length > 0);
  const controllers = routed.map((type) => ({
    type,
    controller: contentController(type, `${prefix}/${type.route}`, model.controllers?.[type.singularApiId]),
  }));
  // For its registration alone: nobody could inject the repositories that it answers, and without a MikroORM
  // Nest would complain of them first.
  if (!ownsOrm && model.registerEntities !== false)
    MikroOrmModule.forFeature(entitiesOf(schema), model.contextName);
  return {
    module: ContentModule,
    // Like MikroORM's own module: services and the modules for accounts are injected anywhere.
    global: true,
    imports: [DiscoveryModule, ...(extra.imports ?? [])],
    controllers: [...controllers.map(({ controller }) => controller), LocalesController],
    providers: [
      runtime,
      { provide: OWNS_ORM, useValue: ownsOrm },
      ormProvider(schema, ownsOrm, model.contextName),
      ...providers(schema, { prefix, controllers }),
    ],
    exports: [
      CONTENT_ORM,
      CONTENT_BASE,
      Documents,
      ContentAccess,
      ContentRoutes,
      ContentErrorFilter,
      ...[...schema.types.keys()].map(getContentToken),
    ],
  };
}

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
export class ContentModule implements NestModule, OnApplicationShutdown {
  constructor(
    @Inject(OWNS_ORM) private readonly ownsOrm: boolean,
    @Inject(CONTENT_ORM) private readonly orm: MikroORM,
    @Inject(ContentRoutes) private readonly routes: ContentRoutes,
    @Inject(UnroutedErrorFilter) private readonly unrouted: UnroutedErrorFilter,
  ) {}

  /** Options known at once. Throws a ContentModelError that lists every mistake of the model. */
  static forRoot(options: ContentModuleOptions): DynamicModule {
    const { database, prefix, schema = database?.schema } = options;
    const model = schema === undefined ? options : { ...options, schema };
    return define(model, { provide: RUNTIME, useValue: options }, database !== undefined, {
      prefix,
      imports: [],
      known: OPTIONS.forRoot,
    });
  }

  /**
   * Run-time options from a factory; the model stays static, because routes and entities are made from it.
   */
  static forRootAsync(options: ContentModuleAsyncOptions): DynamicModule {
    const make = options.useFactory as (...args: unknown[]) => unknown;
    const runtime: Provider = {
      provide: RUNTIME,
      useFactory: async (...args: unknown[]) => checkFactory(await make(...args)),
      inject: options.inject ?? [],
    };
    return define(options, runtime, options.ownDatabase ?? false, {
      prefix: options.prefix,
      imports: options.imports,
      known: OPTIONS.forRootAsync,
    });
  }

  /**
   * Runs when the global prefix is known and before the routes are registered: the last moment to set their
   * paths.
   */
  configure(_consumer: MiddlewareConsumer): void {
    this.routes.mount();
    this.routes.place(LocalesController, 'i18n');
    this.unrouted.register();
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.ownsOrm) await this.orm.close();
  }
}
