/** Stored versions that exist for a caller, by the rights that it has now. */
import { decide } from '../../content/access/decide.js';
import { decideReading, type Viewer } from '../../content/plan/version-rights.js';
import type { Sql } from '../../kernel/sql.js';
import { compileStoredRule } from './compile-access.js';

/** Returns the conditions on a stored version `f` that a caller may see. */
export function visibleTo(
  viewer: Viewer,
  actions: readonly ('create' | 'update')[],
  defaultLocale: string,
): readonly Sql[] {
  const { caller, type } = viewer;
  const acting = actions
    .map((action) => decide(caller, type, action))
    .map((decision) => ({ published: decision, drafts: decision }));
  return [...acting, decideReading(viewer)]
    .filter(({ published, drafts }) => published !== 'all' || (type.draftAndPublish && drafts !== 'all'))
    .map((decisions) => compileStoredRule(decisions, { type, defaultLocale }));
}
