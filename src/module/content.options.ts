/** What `ContentModule.forRoot` takes. */
import type { Options } from '@mikro-orm/core';
import type { ConfigurableModuleAsyncOptions, Type } from '@nestjs/common';
import type { AuthStrategy } from '../access/auth-strategy.js';
import type { PermissionsSource, RoleGrants } from '../access/content-access.js';
import type { Grants } from '../access/permissions.js';
import type { CollectionController, SingleController } from '../http/content.controller.js';
import type { ComponentDefinition, ContentTypeDefinition } from '../schema/definitions.js';
import type { SettingsInput } from '../settings.js';

/**
 * MikroORM's own options, without entities: the module adds them. The driver is PostgreSQL unless one is
 * given.
 */
export type DatabaseOptions = Partial<Omit<Options, 'entities' | 'entitiesTs'>>;

/** What is static: known when the module is defined, because routes and entities are made from it. */
export interface ContentModel {
  readonly contentTypes: readonly ContentTypeDefinition[];
  readonly components?: readonly ComponentDefinition[];
  /**
   * What migrations may drop with all its values: types, components and locales that are gone, by their
   * names. Default: nothing.
   */
  readonly removed?: readonly string[];
  /**
   * Controllers of the host's own, by `singularApiId`: subclasses of {@link CollectionController} or
   * {@link SingleController} that override a route or add one.
   */
  readonly controllers?: Readonly<Record<string, Type<CollectionController | SingleController>>>;
  /**
   * The PostgreSQL schema of the content's tables. Needed where MikroORM has its `schema` option set;
   * otherwise the tables are where the connection's search path begins.
   */
  readonly schema?: string;
  /** Name of the host's MikroORM context, when it has several (`@mikro-orm/nestjs` `contextName`). */
  readonly contextName?: string;
  /**
   * `true` (default): the module registers its entities with the host's MikroORM through `forFeature`, which
   * needs `autoLoadEntities: true` there. `false`: the host lists `contentEntities(...)` itself. Ignored with
   * `database`.
   */
  readonly registerEntities?: boolean;
}

/** What may come from a factory. */
export interface ContentRuntimeOptions extends SettingsInput {
  /** Opens a database of the module's own. Without it the module uses the host's MikroORM. */
  readonly database?: DatabaseOptions;
  /** Who may do what; nothing is allowed that is not granted here (contract "Authentication" 1). */
  readonly access?: AccessOptions;
  readonly auth?: AuthOptions;
}

export interface AccessOptions {
  /** Grants of requests without a credential. */
  readonly public?: Grants;
  /** Grants of roles, by name. A strategy says which roles a caller has. */
  readonly roles?: RoleGrants;
  /** Grants that are kept elsewhere and may change while the application runs. They add to those above. */
  readonly source?: PermissionsSource;
  /** How long grants from a source are good for, in milliseconds. Default 1000; 0 asks on every request. */
  readonly maxAge?: number;
}

export interface AuthOptions {
  /** Asked in order about a request's credential; the first that knows it decides. */
  readonly strategies?: readonly AuthStrategy[];
}

/** Options of `ContentModule.forRoot`. */
export interface ContentModuleOptions extends ContentModel, ContentRuntimeOptions {}

/**
 * A provider that makes the options, for `useClass` and `useExisting` of `ContentModule.forRootAsync`.
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
  /** Set when the factory returns `database`, so that the module does not look for the host's MikroORM. */
  readonly ownDatabase?: boolean;
  /** Prefix of the routes; static, because routes are made before the factory runs. Default `api`. */
  readonly prefix?: string;
}
