/** Derives the target of a write from its query. */
import { notFound, validationError } from '../../kernel/errors.js';
import type { ContentSettings } from '../../kernel/settings.js';
import { notOneLocale } from './plan-read.js';
import type { ReadPlan } from './plan.js';
import type { Verb, WriteTarget } from './write-plan.js';

const about = (param: 'locale' | 'status') => ({ key: param, path: null, source: 'query', param }) as const;

type TargetPlan = Pick<ReadPlan, 'type' | 'documentId' | 'version'>;

/** Actions that also accept all locales (`locale=*`). */
const TRANSITIONS: readonly Verb[] = ['publish', 'unpublish', 'discardDraft'];

/**
 * Returns the document of the route, in the locale and state of the query. Throws a 404 for a collection type
 * without a document id.
 * Throws a 400 for an unknown locale (except on delete, D19), for deleting only a draft, and for states of a
 * type without drafts.
 */
export function writeTargetOf(verb: Verb, asked: TargetPlan, settings: ContentSettings): WriteTarget {
  const { type, documentId, version } = asked;
  if (documentId === null && type.kind === 'collectionType' && verb !== 'create') throw notFound();
  const changesState = TRANSITIONS.includes(verb);
  if (changesState && !type.draftAndPublish) throw validationError(`${type.singularApiId} has no drafts`);
  const deletes = verb === 'delete';
  if (deletes && type.draftAndPublish && !version.published) throw lonelyDraft();
  if (verb === 'unpublish' && version.published) throw draftOnly();
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

/** Locale of localized links for a document that is not localized: the request's, else the default (D25). */
function linkLocaleOf(
  { version: { locale } }: TargetPlan,
  { defaultLocale, locales }: ContentSettings,
): string {
  return locale.kind === 'one' && locales.includes(locale.code) ? locale.code : defaultLocale;
}

function localeOf({ type, version }: TargetPlan, settings: ContentSettings, anyCode: boolean): string {
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

const draftOnly = (): Error =>
  validationError('Invalid status parameter. Unpublishing accepts "draft" only', about('status'));

const lonelyDraft = (): Error =>
  validationError(
    'Invalid status parameter. A draft cannot be deleted without its published version',
    about('status'),
  );
