/** Exports of `nestjs-content-api/events`. */
export { EventsModule } from './events.module.js';
export type { EventsOptions, LiveOptions } from './events.options.js';
export type { EventActor, EventName, LoggedEvent } from './logged-event.js';
export { type ContentEventFilter, OnContentEvent } from './on-content-event.js';
export type { ReaderState } from './reader-states.js';
export type { CodeEndpoint, WebhookEndpoint } from './webhooks/endpoint.js';
export { webhookType } from './webhooks/webhook-type.js';
export { type Replay, type Webhook, type WebhookAttempt, Webhooks } from './webhooks/webhooks.service.js';
