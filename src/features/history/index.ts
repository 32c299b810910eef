/** Exports of `nestjs-content-api/history`. */
export { HistoryModule } from './history.module.js';
export type { HistoryOptions } from './history.options.js';
