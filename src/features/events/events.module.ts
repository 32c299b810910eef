import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventFeed } from './event-feed.js';
import { EventLog } from './event-log.js';
import { EVENTS_OPTIONS, type EventsOptions, resolveEventsOptions } from './events.options.js';
import { HandlerExplorer } from './handler-explorer.js';
import { ReaderWorker } from './reader-worker.js';

/**
 * Event log: every write of content is logged in its transaction, and delivered to durable handlers
 * (`@OnContentEvent`).
 *
 * @example
 * imports: [ContentModule.forRoot({ contentTypes: [article], … }), EventsModule.forRoot()]
 *
 * @publicApi
 */
@Module({
  imports: [DiscoveryModule],
  providers: [EventLog, EventFeed, ReaderWorker, HandlerExplorer],
})
export class EventsModule {
  /** Creates the module. Throws a ContentModelError for invalid options. */
  static forRoot(options: EventsOptions = {}): DynamicModule {
    return {
      module: EventsModule,
      providers: [{ provide: EVENTS_OPTIONS, useValue: resolveEventsOptions(options) }],
    };
  }
}
