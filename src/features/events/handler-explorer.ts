import { messageOf } from '../../kernel/errors.js';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ContentModelError } from '../../content/model/content-model-error.js';
import { type HostMethod, methodsOf } from '../../content/documents/decorated-providers.js';
import { CONTENT_SCHEMA, type Schema } from '../../content/model/model.js';
import { among } from '../../content/model/suggest.js';
import { WRITE_EVENTS } from '../../content/plan/write-plan.js';
import type { LoggedEvent } from './logged-event.js';
import { Handler, type HandlerMetadata } from './on-content-event.js';
import type { EventReader, Outcome } from './reader.js';
import { ReaderWorker } from './reader-worker.js';

/** Prefix of the names of handlers in the table of readers. */
const PREFIX = 'handler ';
const MAX_CONCURRENCY = 100;

type Handle = (event: LoggedEvent) => unknown;

function readerOf({ name, types, actions, concurrency = 1 }: HandlerMetadata, handle: Handle): EventReader {
  return {
    name: `${PREFIX}${name}`,
    concurrency,
    listsAttempts: false,
    disableAfter: null,
    accepts: ({ type, action }) =>
      (types === undefined || types.includes(type)) && (actions === undefined || actions.includes(action)),
    async deliver(event): Promise<Outcome> {
      try {
        await handle(event);
        return { kind: 'delivered', status: null };
      } catch (error) {
        return { kind: 'failed', failure: messageOf(error), status: null, retryAfter: null };
      }
    },
  };
}

/** Finds the handlers of the application and adds each as a reader. */
@Injectable()
export class HandlerExplorer implements OnModuleInit {
  private readonly readers: EventReader[] = [];

  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(MetadataScanner) private readonly scanner: MetadataScanner,
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(CONTENT_SCHEMA) private readonly schema: Schema,
    @Inject(ReaderWorker) worker: ReaderWorker,
  ) {
    worker.add(() => Promise.resolve(this.readers));
  }

  /** Throws a ContentModelError that lists every handler that can never run. */
  onModuleInit(): void {
    const methods = methodsOf(this.discovery.getProviders(), this.scanner);
    const mistakes = methods.flatMap((method) => this.explore(method));
    if (mistakes.length > 0) throw new ContentModelError([...new Set(mistakes)], 'hooks');
  }

  private explore({ where, method, host, isShared }: HostMethod): string[] {
    const metadata = this.reflector.get(Handler, method);
    if (metadata === undefined) return [];
    const mistakes = [
      ...(isShared ? [] : ['needs one instance, but its provider is request-scoped or transient']),
      ...this.mistakesOf(metadata),
    ];
    this.readers.push(readerOf(metadata, (event) => method.call(host, event)));
    return mistakes.map((mistake) => `${where}: ${mistake}`);
  }

  private mistakesOf({ name, types = [], actions = [], concurrency = 1 }: HandlerMetadata): string[] {
    const known = [...this.schema.types.values()]
      .filter(({ events }) => events)
      .map((one) => one.singularApiId);
    const isTaken = this.readers.some((reader) => reader.name === `${PREFIX}${name}`);
    return [
      ...(name.trim() === '' ? ['the name is empty'] : []),
      ...(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= MAX_CONCURRENCY
        ? []
        : [`concurrency: expected an integer from 1 to ${MAX_CONCURRENCY}`]),
      ...(isTaken ? [`another handler has the name "${name}"`] : []),
      ...types
        .filter((type) => !known.includes(type))
        .map((type) => `"${type}" is not a type of the event log${among(type, known)}`),
      ...actions
        .filter((action) => !WRITE_EVENTS.includes(action))
        .map((action) => `"${action}" is not an action${among(action, WRITE_EVENTS)}`),
    ];
  }
}
