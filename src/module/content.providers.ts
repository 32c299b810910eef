import type { MikroORM } from '@mikro-orm/core';
import { type DynamicModule, Logger, type Provider } from '@nestjs/common';
import { ContentArchive } from '../archive/content-archive.js';
import { ContentAccess } from '../access/content-access.js';
import { Database } from '../database/database.js';
import { checkRegistered } from '../database/entities.js';
import { ContentService, getContentToken } from '../documents/content.service.js';
import { ContentMetrics } from '../documents/content-metrics.js';
import { DocumentsBase } from '../documents/documents-base.js';
import { Documents } from '../documents/documents.service.js';
import { HookExplorer } from '../documents/hook-explorer.js';
import { Hooks } from '../documents/hooks.js';
import { LedgerWorker, warnOfLedger } from '../documents/ledger-worker.js';
import { MODEL_DIGEST, ModelWatch } from '../documents/model-watch.js';
import { SignedLinks } from '../documents/signed-links.js';
import { ScheduleWorker } from '../documents/schedule-worker.js';
import { describeModel, digestOf } from '../evolution/description.js';
import { ContentErrorFilter, UnroutedErrorFilter } from '../http/error.filter.js';
import { ContentOpenApi } from '../http/content-openapi.js';
import { ContentRequests } from '../http/content-requests.js';
import { EnvelopeInterceptor } from '../http/envelope.interceptor.js';
import { LastConnections } from '../http/last-connections.js';
import { PopulateInterceptor } from '../http/populate.interceptor.js';
import { PositionInterceptor } from '../http/position.interceptor.js';
import { AfterRoutes, BeforeRoutes } from '../http/request-hooks.js';
import { CONTENT_MODULE, ContentRoutes, ROUTED, type Routed } from '../http/routes.js';
import { UnsentAnswers } from '../http/unsent-answers.js';
import { Ledger } from '../ledger/ledger.js';
import { ledgerTablesOf, notedTables } from '../schema/ledger.js';
import { CONTENT_SCHEMA, type Schema } from '../schema/model.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../settings.js';
import { RUNTIME } from './content.module-definition.js';
import type { ContentRuntimeOptions } from './content.options.js';
import { CONTENT_ORM } from './content.orm.js';
import { contentAccess, settingsOf } from './from-options.js';
import { AccessExplorer, Marked } from './marked.js';
import { isProduction } from './production.js';
import { SetupCheck } from './setup-check.js';
import { StartCheck } from './start-check.js';

function openDatabase(orm: MikroORM, schema: Schema, settings: ContentSettings): Database {
  checkRegistered(orm, schema);
  const logger = new Logger('ContentDatabase');
  const warn = (message: string): void => logger.warn(message);
  return new Database({ orm, schema, settings, warn, namesTables: !isProduction() });
}

const openLedger = (schema: Schema, database: Database): Ledger =>
  new Ledger({
    tables: ledgerTablesOf(schema.file),
    marked: database.hasReplicas,
    noted: notedTables(schema).map(({ table }) => table),
    open: () => database.open(),
    warn: warnOfLedger,
  });

/** Providers made by factories. */
const MADE: readonly Provider[] = [
  {
    provide: CONTENT_SETTINGS,
    useFactory: (runtime: ContentRuntimeOptions, { prefix }: Routed, schema: Schema) =>
      settingsOf(runtime, prefix, schema),
    inject: [RUNTIME, ROUTED, CONTENT_SCHEMA],
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
  { provide: Database, useFactory: openDatabase, inject: [CONTENT_ORM, CONTENT_SCHEMA, CONTENT_SETTINGS] },
  { provide: Ledger, useFactory: openLedger, inject: [CONTENT_SCHEMA, Database] },
  { provide: CONTENT_MODULE, useExisting: ContentRoutes },
];

/** Providers that Nest instantiates. */
const CLASSES: readonly Provider[] = [
  ContentArchive,
  ModelWatch,
  SignedLinks,
  DocumentsBase,
  Documents,
  LedgerWorker,
  ContentMetrics,
  ScheduleWorker,
  Hooks,
  HookExplorer,
  Marked,
  AccessExplorer,
  ContentRoutes,
  UnsentAnswers,
  ContentRequests,
  ContentOpenApi,
  EnvelopeInterceptor,
  PopulateInterceptor,
  PositionInterceptor,
  LastConnections,
  SetupCheck,
  StartCheck,
  ContentErrorFilter,
  UnroutedErrorFilter,
  BeforeRoutes,
  AfterRoutes,
];

/** Providers of a model and its routes, without options and database. */
export function contentProviders(schema: Schema, routed: Routed): Provider[] {
  const services = [...schema.types.values()].map((type): Provider => ({
    provide: getContentToken(type.singularApiId),
    useFactory: (documents: Documents) => new ContentService(documents, type),
    inject: [Documents],
  }));
  return [
    { provide: CONTENT_SCHEMA, useValue: schema },
    { provide: ROUTED, useValue: routed },
    ...MADE,
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
  Database,
  Hooks,
  SignedLinks,
  Documents,
  ContentMetrics,
  ContentAccess,
  ContentArchive,
  ContentRoutes,
  ContentErrorFilter,
  ContentOpenApi,
  ...[...schema.types.keys()].map(getContentToken),
];
