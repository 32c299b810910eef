/** What becomes of the versions in locales that are gone. */
import { scheduleTableOf } from '../schema/schedule.js';
import { constant, quote, sql } from '../sql.js';
import { type Change, rowsWhere, type Steps } from './change.js';
import { type Evolution, isBoth } from './pairs.js';
import { forgotten } from './references.js';

/** The versions of a locale that the application has no more. */
function localeSteps(evolution: Evolution, locale: string): Steps {
  const localized = evolution.types.filter((pair) => isBoth(pair) && pair.before.localized);
  const types = localized.flatMap(({ before }) => (before === null ? [] : [before]));
  return {
    shrink: types.flatMap((type) => [
      sql`delete from ${quote(type.table)} where locale = ${constant(locale)}`,
      ...type.storage.links.map(
        ({ table }) => sql`delete from ${quote(table.table)} where locale = ${constant(locale)}`,
      ),
      ...forgotten(evolution.before.schema, type),
    ]),
    fill: types.map(
      (type) => sql`delete from ${quote(scheduleTableOf(type))} where locale = ${constant(locale)}`,
    ),
  };
}

/** What becomes of locales that are gone: their versions stay, unless the model says that they may go. */
export function localeChanges(evolution: Evolution): Change[] {
  const { before, after, removed } = evolution;
  return before.locales
    .filter((locale) => !after.locales.includes(locale))
    .map((locale) => {
      const stated = removed.includes(locale);
      const versions = evolution.types.flatMap(({ before: type }) =>
        type?.localized === true ? [rowsWhere(type, sql`t.locale = ${constant(locale)}`)] : [],
      );
      return {
        kind: 'locale removed',
        at: `locale ${locale}`,
        told: stated
          ? 'is removed, with its versions'
          : `is removed; its versions can be read and deleted, not written (removed: ['${locale}'] drops them)`,
        guards: stated
          ? versions.map((question) => ({ question, told: 'is removed', choice: '', stated }))
          : [],
        steps: stated ? localeSteps(evolution, locale) : {},
        touches: [],
      };
    });
}
