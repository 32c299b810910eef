import type { Model, Type } from './model.ts';

/** Query of a document's page in a language. Empty for the default language, and for types without any. */
export const pageQuery = (type: Type | null, locale: unknown, { defaultLocale }: Model): string =>
  type?.localized === true && typeof locale === 'string' && locale !== defaultLocale
    ? `?locale=${locale}`
    : '';
