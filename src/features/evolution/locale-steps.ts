/** Guards and steps for removed locales. */
import { scheduleTableOf } from '../../content/model/schedule.js';
import type { ContentType } from '../../content/model/model.js';
import { constant, quote, sql } from '../../kernel/sql.js';
import { type Guard, rowsWhere, type Steps } from './change.js';
import { isBoth } from './pairs.js';
import { deleteLostLinks } from './references.js';
import { type LocaleScope, mayRemove } from './scopes.js';

const localizedTypes = ({ evolution }: LocaleScope): ContentType[] =>
  evolution.types.flatMap(({ before }) => (before?.localized === true ? [before] : []));

/** Versions in a removed locale stay, unless `removed` lists it. */
export function localeGuards(scope: LocaleScope): readonly Guard[] {
  if (!mayRemove(scope)) return [];
  return localizedTypes(scope).map((type) => ({
    query: rowsWhere(type, sql`t.locale = ${constant(scope.locale)}`),
    description: 'is removed',
    remedy: '',
    allowed: true,
  }));
}

/** Deletes the versions in a removed locale, if `removed` lists it. */
export function localeSteps(scope: LocaleScope): Steps {
  const { evolution } = scope;
  if (!mayRemove(scope)) return {};
  const locale = constant(scope.locale);
  const types = evolution.types
    .filter((pair) => isBoth(pair) && pair.before.localized)
    .flatMap(({ before }) => (before === null ? [] : [before]));
  return {
    shrink: types.flatMap((type) => [
      sql`delete from ${quote(type.table)} where locale = ${locale}`,
      ...type.storage.links.map(
        ({ table }) => sql`delete from ${quote(table.table)} where locale = ${locale}`,
      ),
      ...deleteLostLinks(evolution.before.schema, type),
      sql`delete from ${quote(scheduleTableOf(type))}
        where type = ${constant(type.singularApiId)} and locale = ${locale}`,
    ]),
  };
}
