import { type DynamicModule, Inject, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ContentOpenApi } from '../../content/http/content-openapi.js';
import { CONTENT_MODULE, type ContentRoutes } from '../../content/http/routes.js';
import { EventFeed } from './event-feed.js';
import { EventLog } from './event-log.js';
import {
  EVENTS_OPTIONS,
  type EventsOptions,
  resolveEventsOptions,
} from './events.options.js';
import { HandlerExplorer } from './handler-explorer.js';
import { LiveTags } from './live/live-tags.js';
import { ReaderStates } from './reader-states.js';
import { ReaderWorker } from './reader-worker.js';
import { StoredWebhooks } from './webhooks/stored-webhooks.js';
import { WebhookEntries } from './webhooks/webhook-entry.js';
import { webhookPaths } from './webhooks/webhook-paths.js';
import { WebhooksController } from './webhooks/webhooks.controller.js';
import { Webhooks } from './webhooks/webhooks.service.js';

const LIVE = [LiveTags];

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
    ReaderStates,
    StoredWebhooks,
    WebhookEntries,
    Webhooks,
  ],
  exports: [Webhooks],
})
export class EventsModule implements NestModule {
  constructor(
    @Inject(CONTENT_MODULE) private readonly routes: ContentRoutes,
    @Inject(ContentOpenApi) private readonly openApi: ContentOpenApi,
  ) {}

  /** Creates the module. Throws a ContentModelError for invalid options. */
  static forRoot(options: EventsOptions = {}): DynamicModule {
    const resolved = resolveEventsOptions(options);
    const isLive = resolved.live !== null;
    return {
      module: EventsModule,
      providers: [{ provide: EVENTS_OPTIONS, useValue: resolved }, ...(isLive ? LIVE : [])],
    };
  }

  configure(_consumer: MiddlewareConsumer): void {
    this.routes.setPath(WebhooksController, 'webhooks');
    this.openApi.add(webhookPaths);
  }
}
