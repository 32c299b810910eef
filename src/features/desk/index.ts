/** Exports of `nestjs-content-api/desk`. */
export { DeskModule } from './desk.module.js';
export type { DeskOptions } from './desk.options.js';
export type { DeskAttribute, DeskComponent, DeskModel, DeskType } from './desk-model.js';
