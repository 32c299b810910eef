export { ContentModule } from './module/content.module.js';
export { CONTENT_ORM } from './module/content.orm.js';
export { contentMigration, migrateContent } from './module/content.migration.js';
export type { ContentMigration } from './evolution/migrate.js';
export { contentEntities } from './module/define-content.js';
export { ContentAuthStrategy, ContentPermissionsSource } from './module/marked.js';
export type {
  AccessOptions,
  ContentModel,
  ContentModuleAsyncOptions,
  ContentModuleOptions,
  ContentOptionsFactory,
  ContentRuntimeOptions,
  DatabaseOptions,
} from './module/content.options.js';
export { CONTENT_SETTINGS } from './settings.js';
export type { ContentSettings } from './settings.js';
export { CONTENT_SCHEMA } from './schema/model.js';
export type { Schema as ContentSchema } from './schema/model.js';
export { defineCollectionType, defineComponent, defineSingleType } from './schema/define.js';
export type { ComponentDefinition, ContentTypeDefinition } from './schema/definitions.js';
export type { DocumentFields, DocumentOf } from './typing/document-of.js';
export type { InputOf } from './typing/input-of.js';
export type { QueryOf } from './typing/query-of.js';
export type { Register } from './typing/registry.js';
export type { ResultOf } from './typing/result-of.js';
export { ContentModelError } from './schema/content-model-error.js';
export { ContentService, getContentToken, InjectContent } from './documents/content.service.js';
export type { ContentQuery, ServiceOptions } from './documents/content.service.js';
export { ContentMetrics } from './documents/content-metrics.js';
export { AfterContent, BeforeContent, OnContentCommitted } from './documents/hooks.js';
export type { ContentEvent } from './documents/hooks.js';
export type { ContentSchedule } from './documents/schedules.js';
export { Permissions } from './access/permissions.js';
export type { Action, Grant, Grants } from './access/permissions.js';
export type { Caller } from './access/caller.js';
export { ContentAccess } from './access/content-access.js';
export type { PermissionsSource } from './access/content-access.js';
export type { AuthStrategy, Credentials, Identity } from './access/auth-strategy.js';
export { ContentArchive } from './archive/content-archive.js';
export { ContentError } from './errors.js';
export { Answer } from './documents/answer.js';
export { EnvelopeInterceptor } from './http/envelope.interceptor.js';
export { CollectionController, SingleController } from './http/content.controller.js';
export { ContentOpenApi } from './http/content-openapi.js';
export { mergeContentDocument } from './openapi/merge.js';
export type { ContentDocument } from './openapi/document.js';
export type { Describe as DescribeRoutes } from './openapi/describing.js';
