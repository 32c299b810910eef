/**
 * Exports of `nestjs-content-api/types`: types that signatures of other exports name, for applications that
 * declare them.
 */
export type { DataPart, GrantRules } from '../content/access/check-grants.js';
export type { AnyEntry, Entry } from '../content/access/limited-grants.js';
export type { ExplainedAction, ExplainedCondition } from '../content/access/explain.js';
export type { GrantCondition } from '../content/access/grant-condition.js';
export type { AnswerMeta, PaginationMeta } from '../content/documents/answer.js';
export type { HookCount } from '../content/documents/hooks.js';
export type { ScheduleFailure } from '../content/documents/schedules.js';
export type { BulkTarget, ReadVersion } from '../content/documents/service-options.js';
export type { Refusals } from '../content/http/request-counts.js';
export type {
  CollectionTypeDefinition,
  SingleTypeDefinition,
  TypeOptions,
} from '../content/model/definitions.js';
export type { IndexDefinition, IndexedType } from '../content/model/index-definition.js';
export type { ModelLayout, PreviewedVersion, TypeLayout } from '../content/model/layout.js';
export type { StagedType } from '../content/model/stage-definition.js';
export type { AuthoredType, TenantType } from '../content/model/tenant-definition.js';
export type { NamedParts, Parameter, Response } from '../content/openapi/document.js';
export type { HostDocument } from '../content/openapi/merge.js';
export type { ArchiveConflict } from '../features/archive/compare-batch.js';
export type { ExportOptions, ExportResult } from '../features/archive/export-archive.js';
export type { ImportOptions, ImportResult } from '../features/archive/import-options.js';
export type {
  DeskField,
  DeskFieldPlace,
  DeskHostLanguage,
  DeskRequest,
  DeskScreen,
  DeskTexts,
  DeskTools,
} from '../features/desk/desk-extension.js';
export type { DeskPart, DeskPeople } from '../features/desk/desk-model.js';
export type { ContentRefusal } from '../features/evolution/migrate.js';
export type { BackfillStatements, OnlineMigration } from '../features/evolution/online.js';
export type { OpenBytes } from '../features/media/file-storage.js';
export type {
  ChangeLogMetrics,
  HookMetrics,
  PoolMetrics,
  QueueMetrics,
  RequestMetrics,
  ScheduleMetrics,
} from '../features/monitoring/snapshot.js';
export type {
  CacheSettings,
  ContentLimits,
  LoadLimits,
  MonitoringSettings,
  OpenApiSettings,
  ScheduleSettings,
} from '../kernel/settings.js';
export type { ContentMigrationOptions } from './content.migration.js';
export type { AuthOptions } from './content.options.js';
