/** Decorator of durable handlers. */
import { Reflector } from '@nestjs/core';
import type { WriteEvent } from '../../content/plan/write-plan.js';
import type { HookedId } from '../../types/registry.js';
import type { LoggedEvent } from './logged-event.js';

/** Events that a handler receives. */
export interface ContentEventFilter {
  /** `singularApiId` of the types; `file` for files. Default: all types of the event log. */
  readonly types?: readonly HookedId[];
  /** Default: all actions. */
  readonly actions?: readonly WriteEvent[];
  /** Number of documents whose events arrive at the same time, from 1 to 100. Default 1. */
  readonly concurrency?: number;
}

export interface HandlerMetadata extends ContentEventFilter {
  readonly name: string;
}

export const Handler = Reflector.createDecorator<HandlerMetadata>({ key: 'content:event-handler' });

/**
 * Runs a provider's method for each committed event, in one instance of the application. `name` identifies
 * its position in the log: it continues there after a restart, and a new name starts with the events from
 * then on. Events of one document arrive in order. If the method throws, the event is retried after 5 s, 5
 * and 30 minutes, 2, 5, 10 and 10 hours. Later events of its document wait until then. An event can arrive
 * twice, with the same id, if the process dies before the position is stored.
 *
 * @example
 * \@OnContentEvent('search-index', { types: ['article'] })
 * async index(event: LoggedEvent) { … }
 *
 * @publicApi
 */
export const OnContentEvent =
  (name: string, filter: ContentEventFilter = {}) =>
  <H extends (event: LoggedEvent) => unknown>(
    target: object,
    key: string | symbol,
    method: TypedPropertyDescriptor<H>,
  ): void => {
    Handler({ name, ...filter })(target, key, method);
  };
