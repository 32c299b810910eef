import type { MikroORM } from '@mikro-orm/core';
import { type DynamicModule, Logger, type Provider } from '@nestjs/common';
import { ContentArchive } from '../features/archive/content-archive.js';
import { ContentAccess } from '../content/access/content-access.js';
import { BackgroundWork } from '../content/store/background-work.js';
import { Database } from '../content/store/database.js';
import { checkRegistered } from '../content/store/entities.js';
import { ContentService } from '../content/documents/content.service.js';
import { getContentToken } from '../content/documents/inject-content.js';
import { ContentMetrics } from '../features/monitoring/content-metrics.js';
import { MetricParts } from '../content/documents/metric-parts.js';
import { RequestCounts } from '../content/http/request-counts.js';
import { RequestWatch } from '../content/http/request-watch.js';
import { GrantsOnDocuments } from '../content/documents/document-grants.js';
import { VisibleDocuments } from '../content/documents/visible-documents.js';
import { DocumentsBase } from '../content/documents/documents-base.js';
import { Documents } from '../content/documents/documents.service.js';
import { HookExplorer } from '../content/documents/hook-explorer.js';
import { Hooks } from '../content/documents/hooks.js';
import { ChangeLogWorker, warnOfChangeLog } from '../cache/change-log-worker.js';
import { MODEL_DIGEST, ModelWatch } from '../content/documents/model-watch.js';
import { SignedLinks } from '../content/documents/signed-links.js';
import { ScheduleWorker } from '../content/documents/schedule-worker.js';
import { describeModel, digestOf } from '../content/model/description.js';
import { ChangedAnswers } from '../content/http/changed-answers.js';
import { ContentErrorFilter, UnroutedErrorFilter } from '../content/http/error.filter.js';
import { ContentOpenApi } from '../content/http/content-openapi.js';
import { ContentRequests } from '../content/http/content-requests.js';
import { EnvelopeInterceptor } from '../content/http/envelope.interceptor.js';
import { ContentHealthIndicator } from '../content/http/health-indicator.js';
import { LastConnections } from '../content/http/last-connections.js';
import { Probes } from '../content/http/probes.js';
import { Readiness } from '../content/http/readiness.js';
import { PopulateInterceptor } from '../content/http/populate.interceptor.js';
import { PositionInterceptor } from '../content/http/position.interceptor.js';
import { AfterRoutes, BeforeRoutes } from '../content/http/request-hooks.js';
import {
  CONTENT_MODULE,
  ContentRoutes,
  ROUTED_CONTROLLERS,
  type RoutedControllers,
} from '../content/http/routes.js';
import { UnsentAnswers } from '../content/http/unsent-answers.js';
import { ChangeLog } from '../cache/change-log.js';
import { changeLogTablesOf, notedTables } from '../content/model/change-log-tables.js';
import { CONTENT_SCHEMA, type Schema } from '../content/model/model.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../kernel/settings.js';
import { NO_TELEMETRY, TELEMETRY, type Telemetry } from '../kernel/telemetry.js';
import { openTelemetry } from '../features/monitoring/open-telemetry.js';
import { RUNTIME } from './content.module-definition.js';
import type { ContentRuntimeOptions } from './content.options.js';
import { CONTENT_ORM } from './content.orm.js';
import { contentAccess, settingsOf } from './from-options.js';
import { AccessExplorer } from '../content/documents/access-explorer.js';
import { DecoratedProviders } from '../content/documents/decorated-providers.js';
import { ReadHeaders } from '../content/documents/read-headers.js';
import { DocumentHistory } from '../content/documents/document-history.js';
import { WriteAdditions } from '../content/documents/write-additions.js';
import { ArchiveParts } from '../content/documents/archive-parts.js';
import { isProduction } from './production.js';
import { SetupCheck } from './setup-check.js';
import { StartCheck } from './start-check.js';

interface Opening {
  readonly settings: ContentSettings;
  readonly telemetry: Telemetry;
}

function openDatabase(orm: MikroORM, schema: Schema, { settings, telemetry }: Opening): Database {
  checkRegistered(orm, schema);
  const logger = new Logger('ContentDatabase');
  const warn = (message: string): void => logger.warn(message);
  return new Database({ orm, schema, settings, warn, telemetry, namesTables: !isProduction() });
}

const openChangeLog = (schema: Schema, database: Database, telemetry: Telemetry): ChangeLog =>
  new ChangeLog({
    telemetry,
    tables: changeLogTablesOf(schema.file),
    marked: database.hasReplicas,
    noted: notedTables(schema).map(({ table }) => table),
    open: () => database.open(),
    warn: warnOfChangeLog,
  });

/** Providers made by factories. */
const FACTORY_PROVIDERS: readonly Provider[] = [
  {
    provide: CONTENT_SETTINGS,
    useFactory: (runtime: ContentRuntimeOptions, { prefix }: RoutedControllers, schema: Schema) =>
      settingsOf(runtime, prefix, schema),
    inject: [RUNTIME, ROUTED_CONTROLLERS, CONTENT_SCHEMA],
  },
  {
    provide: ContentAccess,
    useFactory: (schema: Schema, runtime: ContentRuntimeOptions) => contentAccess(schema, runtime),
    inject: [CONTENT_SCHEMA, RUNTIME],
  },
  {
    provide: MODEL_DIGEST,
    useFactory: (schema: Schema, settings: ContentSettings) => digestOf(describeModel(schema, settings)),
    inject: [CONTENT_SCHEMA, CONTENT_SETTINGS],
  },
  {
    provide: TELEMETRY,
    useFactory: ({ monitoring }: ContentSettings) => (monitoring.telemetry ? openTelemetry() : NO_TELEMETRY),
    inject: [CONTENT_SETTINGS],
  },
  {
    provide: Database,
    useFactory: (...[orm, schema, settings, telemetry]: [MikroORM, Schema, ContentSettings, Telemetry]) =>
      openDatabase(orm, schema, { settings, telemetry }),
    inject: [CONTENT_ORM, CONTENT_SCHEMA, CONTENT_SETTINGS, TELEMETRY],
  },
  { provide: ChangeLog, useFactory: openChangeLog, inject: [CONTENT_SCHEMA, Database, TELEMETRY] },
  { provide: CONTENT_MODULE, useExisting: ContentRoutes },
];

/** Providers that Nest instantiates. */
const CLASSES: readonly Provider[] = [
  BackgroundWork,
  ArchiveParts,
  MetricParts,
  RequestCounts,
  RequestWatch,
  ContentArchive,
  ModelWatch,
  SignedLinks,
  WriteAdditions,
  DocumentHistory,
  ReadHeaders,
  DocumentsBase,
  Documents,
  GrantsOnDocuments,
  VisibleDocuments,
  ChangeLogWorker,
  ContentMetrics,
  ScheduleWorker,
  Hooks,
  HookExplorer,
  DecoratedProviders,
  AccessExplorer,
  ContentRoutes,
  UnsentAnswers,
  ContentRequests,
  ContentOpenApi,
  ChangedAnswers,
  EnvelopeInterceptor,
  PopulateInterceptor,
  PositionInterceptor,
  LastConnections,
  Readiness,
  Probes,
  ContentHealthIndicator,
  SetupCheck,
  StartCheck,
  ContentErrorFilter,
  UnroutedErrorFilter,
  BeforeRoutes,
  AfterRoutes,
];

/** Providers of a model and its routes, without options and database. */
export function contentProviders(schema: Schema, routed: RoutedControllers): Provider[] {
  const services = [...schema.types.values()].map((type): Provider => ({
    provide: getContentToken(type.singularApiId),
    useFactory: (documents: Documents) => new ContentService(documents, type),
    inject: [Documents],
  }));
  return [
    { provide: CONTENT_SCHEMA, useValue: schema },
    { provide: ROUTED_CONTROLLERS, useValue: routed },
    ...FACTORY_PROVIDERS,
    ...CLASSES,
    ...services,
  ];
}

/** Providers that other modules may inject. */
export const contentExports = (schema: Schema): NonNullable<DynamicModule['exports']> => [
  CONTENT_MODULE,
  CONTENT_ORM,
  CONTENT_SCHEMA,
  CONTENT_SETTINGS,
  TELEMETRY,
  Database,
  BackgroundWork,
  Hooks,
  SignedLinks,
  WriteAdditions,
  DocumentHistory,
  ModelWatch,
  ReadHeaders,
  Documents,
  GrantsOnDocuments,
  VisibleDocuments,
  ScheduleWorker,
  ContentMetrics,
  ContentHealthIndicator,
  ContentAccess,
  ArchiveParts,
  MetricParts,
  RequestCounts,
  ChangedAnswers,
  DecoratedProviders,
  ContentArchive,
  ContentRoutes,
  ContentErrorFilter,
  ContentOpenApi,
  ...[...schema.types.keys()].map(getContentToken),
];
