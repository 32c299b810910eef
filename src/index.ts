// Loads the types by name into every program, so that the compiler can name them in declarations.
export type {} from './module/types.js';
export { ContentModule } from './module/content.module.js';
export { CONTENT_DATABASE, CONTENT_ORM } from './module/content.orm.js';
export { contentMigration, migrateContent } from './module/content.migration.js';
export type { ContentMigration } from './features/evolution/migrate.js';
export type { ContentFeature } from './module/content.feature.js';
export { contentEntities } from './module/define-content.js';
export { ContentAuthStrategy, ContentPermissionsSource } from './content/documents/access-explorer.js';
export type {
  AccessOptions,
  ContentModel,
  ContentModuleAsyncOptions,
  ContentModuleOptions,
  ContentOptionsFactory,
  ContentRuntimeOptions,
  DatabaseOptions,
} from './module/content.options.js';
export { CONTENT_SETTINGS } from './kernel/settings.js';
export type { ContentSettings } from './kernel/settings.js';
export { CONTENT_SCHEMA } from './content/model/model.js';
export type { Schema as ContentSchema } from './content/model/model.js';
export { defineCollectionType, defineComponent, defineSingleType } from './content/model/define.js';
export type { ComponentDefinition, ContentTypeDefinition } from './content/model/definitions.js';
export type { DocumentFields, DocumentOf } from './types/document-of.js';
export type { InputOf } from './types/input-of.js';
export type { QueryOf } from './types/query-of.js';
export type { WhereFor } from './types/where-for.js';
export type { Register } from './types/registry.js';
export type { ResultOf } from './types/result-of.js';
export { ContentModelError } from './content/model/content-model-error.js';
export { ContentService } from './content/documents/content.service.js';
export { getContentToken, InjectContent } from './content/documents/inject-content.js';
export type { BulkItemFor, ContentQuery, ServiceOptions } from './content/documents/service-options.js';
export { contentRouteOf, isContentRoute } from './content/http/content-route.js';
export type { ContentRouteInfo } from './content/http/content-route.js';
export { ContentHealthIndicator } from './content/http/health-indicator.js';
export { ContentMetrics } from './features/monitoring/content-metrics.js';
export type { CacheMetrics, ContentMetricsSnapshot } from './features/monitoring/snapshot.js';
export type { WrongTotal } from './cache/change-log-keeper.js';
export {
  AfterContent,
  BeforeContent,
  BeforeContentRead,
  OnContentCommitted,
} from './content/documents/hooks.js';
export type { ContentEvent, ContentReadEvent } from './content/documents/hooks.js';
export type { ContentSchedule } from './content/documents/schedules.js';
export { Permissions } from './content/access/permissions.js';
export type { CallerFacts } from './content/access/caller-facts.js';
export type { GrantFilters, PresetOf, WhereOf } from './content/access/grant-condition.js';
export type { Action } from './content/access/actions.js';
export type { Grant, Grants } from './content/access/permissions.js';
export type { Caller } from './content/access/caller.js';
export { ContentAccess } from './content/access/content-access.js';
export type { PermissionsSource } from './content/access/content-access.js';
export type { AuthStrategy, Credentials, Identity } from './content/access/auth-strategy.js';
export { ContentArchive } from './features/archive/content-archive.js';
export { ContentError } from './kernel/errors.js';
export { Answer } from './content/documents/answer.js';
export { EnvelopeInterceptor } from './content/http/envelope.interceptor.js';
export { CollectionController, SingleController } from './content/http/content.controller.js';
export { ContentOpenApi } from './content/http/content-openapi.js';
export { mergeContentDocument } from './content/openapi/merge.js';
export type { ContentDocument } from './content/openapi/document.js';
export type { Describe as DescribeRoutes } from './content/openapi/describing.js';
