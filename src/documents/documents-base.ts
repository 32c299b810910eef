import type { Database } from '../database/database.js';
import type { PlanBase } from '../plan/plan-read.js';
import type { Hooks } from './hooks.js';

/** Injection token of {@link DocumentsBase}, for the modules beside the content module. */
export const CONTENT_BASE = Symbol('ContentBase');

/** What the spine stands on. */
export interface DocumentsBase extends PlanBase {
  readonly database: Database;
  readonly hooks: Hooks;
}
