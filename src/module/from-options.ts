import { Logger } from '@nestjs/common';
import { ContentAccess } from '../content/access/content-access.js';
import { checkGrants } from '../content/access/check-grants.js';
import { ContentModelError } from '../content/model/content-model-error.js';
import { unknownFallbacks } from '../content/model/fallback-locale.js';
import type { Schema } from '../content/model/model.js';
import { among } from '../content/model/suggest.js';
import { dataMistake } from '../content/plan/check-condition.js';
import { trimSlashes } from '../kernel/paths.js';
import { type ContentSettings, resolveSettings } from '../kernel/settings.js';
import type { ContentRuntimeOptions } from './content.options.js';

/** Resolves the settings. Throws a ContentModelError for invalid ones. */
export function settingsOf(runtime: ContentRuntimeOptions, prefix: string, schema: Schema): ContentSettings {
  const late =
    runtime.prefix === undefined || trimSlashes(String(runtime.prefix)) === prefix
      ? []
      : ['prefix: pass it to forRootAsync itself, because routes are registered before the factory runs'];
  if (late.length > 0) throw new ContentModelError(late, 'options');
  const settings = resolveSettings({ ...runtime, prefix });
  const unknown = unknownLocales(schema, settings);
  if (unknown.length > 0) throw new ContentModelError(unknown, 'model');
  return settings;
}

/** Reports locales in `fallbackLocale` that the settings do not list. */
const unknownLocales = (schema: Schema, { locales }: ContentSettings): string[] =>
  [...schema.types.values()].flatMap(({ singularApiId, fallback }) =>
    unknownFallbacks(fallback, locales).map(
      (code) => `${singularApiId}: fallbackLocale: "${code}" is not a locale${among(code, locales)}`,
    ),
  );

/**
 * Builds the access control. Throws a ContentModelError for grants with an unknown type, action or attribute.
 */
export function contentAccess(schema: Schema, runtime: ContentRuntimeOptions): ContentAccess {
  const { access = {}, auth = {} } = runtime;
  const { public: publicGrants = {}, roles = {}, source, maxAge = 1000 } = access;
  const rules = { schema, check: dataMistake };
  const named = Object.entries(roles).flatMap(([role, grants]) =>
    checkGrants(grants, rules, `access.roles.${role}`),
  );
  const twice = Object.hasOwn(roles, 'public')
    ? ['access.roles.public: move these grants to access.public']
    : [];
  const mistakes = [...checkGrants(publicGrants, rules, 'access.public'), ...named, ...twice];
  if (mistakes.length > 0) throw new ContentModelError(mistakes, 'grants');
  const logger = new Logger('ContentAccess');
  return new ContentAccess({
    schema,
    maxAge,
    strategies: auth.strategies ?? [],
    roles: { ...roles, public: publicGrants },
    sources: source === undefined ? [] : [source],
    warn: (message) => logger.warn(message),
    check: dataMistake,
  });
}
