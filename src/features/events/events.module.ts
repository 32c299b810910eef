import {
  type DynamicModule,
  Inject,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type OnModuleInit,
} from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ArchiveParts } from '../../content/documents/archive-parts.js';
import { ContentOpenApi } from '../../content/http/content-openapi.js';
import { CONTENT_MODULE, type ContentRoutes } from '../../content/http/routes.js';
import { compileLogImport } from './compile-events.js';
import { EventFeed } from './event-feed.js';
import { EventLog } from './event-log.js';
import {
  EVENTS_OPTIONS,
  type EventsOptions,
  type ResolvedEventsOptions,
  resolveEventsOptions,
} from './events.options.js';
import { HandlerExplorer } from './handler-explorer.js';
import { ReaderCounts } from './reader-counts.js';
import { LiveController } from './live/live.controller.js';
import { LiveHub } from './live/live-hub.js';
import { livePaths } from './live/live-paths.js';
import { LiveTags } from './live/live-tags.js';
import { StaleStreams } from './live/stale-streams.js';
import { VisibleEvents } from './live/visible-events.js';
import { ReaderStates } from './reader-states.js';
import { ReaderWorker } from './reader-worker.js';
import { StoredWebhooks } from './webhooks/stored-webhooks.js';
import { WebhookEntries } from './webhooks/webhook-entry.js';
import { webhookPaths } from './webhooks/webhook-paths.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';
import { Webhooks } from './webhooks/webhooks.service.js';

const LIVE = [LiveHub, LiveTags, StaleStreams, VisibleEvents];

/**
 * Event log: every write of content is logged in its transaction, and delivered to durable handlers
 * (`@OnContentEvent`) and to webhooks (protocol section 21).
 *
 * @example
 * imports: [ContentModule.forRoot({ contentTypes: [article], … }), EventsModule.forRoot()]
 *
 * @publicApi
 */
@Module({
  imports: [DiscoveryModule],
  controllers: [WebhooksController],
  providers: [
    EventLog,
    EventFeed,
    ReaderWorker,
    HandlerExplorer,
    ReaderCounts,
    ReaderStates,
    StoredWebhooks,
    WebhookEntries,
    Webhooks,
  ],
  exports: [Webhooks],
})
export class EventsModule implements NestModule, OnModuleInit {
  constructor(
    @Inject(CONTENT_MODULE) private readonly routes: ContentRoutes,
    @Inject(ContentOpenApi) private readonly openApi: ContentOpenApi,
    @Inject(ArchiveParts) private readonly archive: ArchiveParts,
    @Inject(EventLog) private readonly log: EventLog,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {}

  /** Creates the module. Throws a ContentModelError for invalid options. */
  static forRoot(options: EventsOptions = {}): DynamicModule {
    const resolved = resolveEventsOptions(options);
    const isLive = resolved.live !== null;
    return {
      module: EventsModule,
      controllers: isLive ? [LiveController] : [],
      providers: [{ provide: EVENTS_OPTIONS, useValue: resolved }, ...(isLive ? LIVE : [])],
    };
  }

  onModuleInit(): void {
    const { file } = this.log;
    this.archive.add({
      imported: (type, { documents }) => (type.events ? [compileLogImport({ file, type }, documents)] : []),
    });
  }

  configure(_consumer: MiddlewareConsumer): void {
    this.routes.setPath(WebhooksController, 'webhooks');
    this.openApi.add(webhookPaths);
    if (this.options.live === null) return;
    this.routes.setPath(LiveController, 'live');
    this.openApi.add(livePaths);
  }
}
