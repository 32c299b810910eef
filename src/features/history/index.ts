/** Exports of `nestjs-content-api/history`. */
export { AuditModule } from './audit/audit.module.js';
export type { AuditOptions } from './audit/audit.options.js';
export { HistoryModule } from './history.module.js';
export type { HistoryOptions } from './history.options.js';
