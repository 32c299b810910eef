/** What a write is about, from the query that it came with. */
import { notFound, validationError } from '../errors.js';
import type { ContentSettings } from '../settings.js';
import { notOneLocale } from './plan-read.js';
import type { ReadPlan } from './plan.js';
import type { Verb, WriteTarget } from './write-plan.js';

const about = (param: 'locale' | 'status') => ({ key: param, path: null, source: 'query', param }) as const;

/** The part of an answer's plan that says what is written. */
type Asked = Pick<ReadPlan, 'type' | 'documentId' | 'version'>;

/** Verbs that change which states a document has; they take all its locales at once, too (`locale=*`). */
const TRANSITIONS: readonly Verb[] = ['publish', 'unpublish', 'discardDraft'];

/**
 * What a write is about: the document of the route, in the one locale and state of the query. Throws a 404
 * where a collection type's document is not named, and a 400 for an unknown locale, except where there is
 * only something to delete (D19), for a draft that would be deleted alone, and for states of a type without
 * them.
 */
export function writeTargetOf(verb: Verb, asked: Asked, settings: ContentSettings): WriteTarget {
  const { type, documentId, version } = asked;
  if (documentId === null && type.kind === 'collectionType' && verb !== 'create') throw notFound();
  const changesState = TRANSITIONS.includes(verb);
  if (changesState && !type.draftAndPublish) throw validationError(`${type.singularApiId} has no drafts`);
  const deletes = verb === 'delete';
  if (deletes && type.draftAndPublish && !version.published) throw lonelyDraft();
  if (verb === 'unpublish' && version.published) throw draftAlone();
  const everyLocale =
    (deletes && !type.localized) ||
    ((deletes || changesState) && type.localized && version.locale.kind === 'any');
  const locale = everyLocale ? settings.defaultLocale : localeOf(asked, settings, deletes);
  return {
    type,
    documentId,
    locale,
    linkLocale: type.localized ? locale : linkLocaleOf(asked, settings),
    everyLocale,
    publish: verb === 'publish' || version.published || !type.draftAndPublish,
  };
}

/** The locale whose links a document without locales means: the request's, else the default one (D25). */
function linkLocaleOf({ version: { locale } }: Asked, { defaultLocale, locales }: ContentSettings): string {
  return locale.kind === 'one' && locales.includes(locale.code) ? locale.code : defaultLocale;
}

/** The one locale that a write is about. */
function localeOf({ type, version }: Asked, settings: ContentSettings, anyCode: boolean): string {
  const { defaultLocale, locales } = settings;
  if (!type.localized) return defaultLocale;
  if (version.locale.kind !== 'one') throw notOneLocale(version.locale);
  const { code } = version.locale;
  if (!anyCode && !locales.includes(code)) {
    const known = locales.join(', ');
    throw validationError(`Invalid locale "${code}". Expected one of: ${known}`, about('locale'));
  }
  return code;
}

const draftAlone = (): Error =>
  validationError('Invalid status parameter. What is unpublished has a draft alone', about('status'));

const lonelyDraft = (): Error =>
  validationError('Invalid status parameter. A draft cannot be deleted alone', about('status'));
