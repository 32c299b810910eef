/** Exports of `nestjs-content-api/releases`. */
export { ReleasesModule } from './releases.module.js';
export type { ReleasesOptions } from './releases.options.js';
