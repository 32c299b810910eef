/** Exports of `nestjs-content-api/desk`. */
export { DeskInvitations } from './desk-invitations.js';
export type { DeskInvitation } from './desk-invitations.js';
export { DeskModule } from './desk.module.js';
export type { DeskLanguage, DeskOptions } from './desk.options.js';
export type { DeskExtension } from './desk-extension.js';
export type { DeskAttribute, DeskComponent, DeskModel, DeskType } from './desk-model.js';
