import type { Options } from '@mikro-orm/core';
import type { ConfigurableModuleAsyncOptions, ModuleMetadata, Type } from '@nestjs/common';
import type { AuthStrategy } from '../content/access/auth-strategy.js';
import type { PermissionsSource, RoleGrants } from '../content/access/content-access.js';
import type { Grants } from '../content/access/permissions.js';
import type { CollectionController, SingleController } from '../content/http/content.controller.js';
import type { ComponentDefinition, ContentTypeDefinition } from '../content/model/definitions.js';
import type { SettingsInput } from '../kernel/settings.js';

/** Options of MikroORM without entities, which the module adds. The default driver is PostgreSQL. */
export type DatabaseOptions = Partial<Omit<Options, 'entities' | 'entitiesTs'>>;

/**
 * Static options: known when the module is defined, because routes and entities are made from them. `imports`
 * has feature modules that declare types by `ContentModule.forFeature`. Your own controllers can inject what
 * these export.
 */
export interface ContentModel extends Pick<ModuleMetadata, 'imports'> {
  readonly contentTypes: readonly ContentTypeDefinition[];
  readonly components?: readonly ComponentDefinition[];
  /** Names of types, components and locales that migrations may drop with all values. Default: none. */
  readonly removed?: readonly string[];
  /**
   * Application controllers by `singularApiId`: subclasses of {@link CollectionController} or
   * {@link SingleController} that override or add routes.
   */
  readonly controllers?: Readonly<Record<string, Type<CollectionController | SingleController>>>;
  /**
   * Class decorators for the controller of each type, such as your own `Public()`. Default: none.
   */
  readonly decorators?: readonly ClassDecorator[];
  /**
   * PostgreSQL schema of the content's tables. Required if MikroORM's `schema` option is set. Default: first
   * schema of the search path.
   */
  readonly schema?: string;
  /** Name of the application's MikroORM context, if it has several (`@mikro-orm/nestjs` `contextName`). */
  readonly contextName?: string;
  /**
   * `true` (default): registers the entities with the application's MikroORM through `forFeature`, which
   * needs `autoLoadEntities: true` there. `false`: the application lists `contentEntities(...)` itself.
   * Ignored with `database`.
   */
  readonly registerEntities?: boolean;
}

/** Options that a factory may return. */
export interface ContentRuntimeOptions extends SettingsInput {
  /** Database connection of the module itself. Default: the application's MikroORM. */
  readonly database?: DatabaseOptions;
  /** Grants; all other actions are forbidden (contract "Authentication" 1). */
  readonly access?: AccessOptions;
  readonly auth?: AuthOptions;
}

export interface AccessOptions {
  /** Grants of requests without a credential. */
  readonly public?: Grants;
  /** Grants of roles by name. A strategy determines the roles of a caller. */
  readonly roles?: RoleGrants;
  /** Provider of additional grants that may change while the application runs. */
  readonly source?: PermissionsSource;
  /** Maximum age of grants from the source in milliseconds. Default 1000; 0 loads them for every request. */
  readonly maxAge?: number;
}

export interface AuthOptions {
  /** Authentication strategies in order; the first that recognizes the credential decides. */
  readonly strategies?: readonly AuthStrategy[];
}

/** Options of `ContentModule.forRoot`. */
export interface ContentModuleOptions extends ContentModel, ContentRuntimeOptions {}

/**
 * Provider of the options, for `useClass` and `useExisting` of `ContentModule.forRootAsync`.
 *
 * @publicApi
 */
export interface ContentOptionsFactory {
  createContentOptions(): ContentRuntimeOptions | Promise<ContentRuntimeOptions>;
}

/**
 * Options of `ContentModule.forRootAsync`: the model is static, the rest comes from one of `useFactory` (with
 * `inject`), `useClass` or `useExisting` (of a {@link ContentOptionsFactory}).
 */
export interface ContentModuleAsyncOptions
  extends ContentModel, ConfigurableModuleAsyncOptions<ContentRuntimeOptions, 'createContentOptions'> {
  /** Set it if the factory returns `database`, so that the module does not use the application's MikroORM. */
  readonly ownDatabase?: boolean;
  /** Prefix of the routes; static, because routes are made before the factory runs. Default `api`. */
  readonly prefix?: string;
}
