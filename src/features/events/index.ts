/** Exports of `nestjs-content-api/events`. */
export { EventsModule } from './events.module.js';
export type { EventsOptions } from './events.options.js';
export type { EventActor, EventName, LoggedEvent } from './logged-event.js';
export { type ContentEventFilter, OnContentEvent } from './on-content-event.js';
