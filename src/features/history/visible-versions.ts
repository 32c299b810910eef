/** Stored versions that exist for a caller, by the rights that it has now. */
import { decide } from '../../content/access/decide.js';
import { currentRows } from '../../content/compile/scope.js';
import type { ContentType } from '../../content/model/model.js';
import { decideReading, type Viewer } from '../../content/plan/version-rights.js';
import type { ContentSettings } from '../../kernel/settings.js';
import { param, type Sql, sql } from '../../kernel/sql.js';
import { compileStoredRule } from './compile-access.js';

type Locales = Pick<ContentSettings, 'locales' | 'defaultLocale'>;

/** Returns the conditions that exclude stored versions `f` of states and locales that the type has lost. */
export const currentVersions = (type: ContentType, { defaultLocale }: Locales): readonly Sql[] =>
  currentRows(type, sql`f`, sql`${param(defaultLocale)}::text`);

/** Returns the conditions on stored versions `f` that can be written again. */
export const restorableVersions = (type: ContentType, locales: Locales): readonly Sql[] => [
  ...currentVersions(type, locales),
  ...(type.localized ? [sql`f.locale = any(${param(locales.locales)}::text[])`] : []),
];

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
