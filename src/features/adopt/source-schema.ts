/** Schemas of types and components, from schema files or from an archive: one shape in Strapi 4 and 5. */
import { isObject } from '../../kernel/json.js';
import type { StrapiObject } from './strapi-archive.js';

/** Schema with its place: a file of a project, or a line of an archive. */
export interface SourceSchema {
  /** `api::article.article`, `plugin::users-permissions.user`, or `shared.seo` for a component. */
  readonly uid: string;
  readonly file: string;
  readonly schema: StrapiObject;
}

export interface SourceModel {
  readonly uid: string;
  readonly file: string;
  readonly isComponent: boolean;
  readonly kind: 'collectionType' | 'singleType';
  readonly info: StrapiObject;
  readonly options: StrapiObject;
  readonly pluginOptions: StrapiObject;
  readonly attributes: Readonly<Record<string, StrapiObject>>;
  /** Other keys of the schema. */
  readonly rest: StrapiObject;
}

export const objectOf = (value: unknown): StrapiObject => (isObject(value) ? value : {});
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Keys that are read, or that only describe the storage of Strapi. */
const READ: readonly string[] = [
  'kind',
  'collectionName',
  'info',
  'options',
  'pluginOptions',
  'attributes',
  'uid',
  'modelType',
  'modelName',
  'globalId',
  'category',
  'plugin',
  'apiName',
  'connection',
  '__schema__',
  '__filename__',
  'schema',
];

/** Attributes of every document, which the schemas of archives list. */
export const SYSTEM: readonly string[] = [
  'id',
  'documentId',
  'createdAt',
  'updatedAt',
  'publishedAt',
  'createdBy',
  'updatedBy',
  'locale',
  'localizations',
  'strapi_stage',
  'strapi_assignee',
];

/** Whether the schemas of archives list such an attribute without the project having declared it. */
const isSystem = (name: string, attribute: StrapiObject): boolean =>
  SYSTEM.includes(name) &&
  (attribute['configurable'] === false ||
    attribute['writable'] === false ||
    attribute['visible'] === false ||
    attribute['type'] === 'relation' ||
    ['id', 'documentId', 'locale', 'createdAt', 'updatedAt', 'publishedAt'].includes(name));

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

export function sourceModel({ uid, file, schema }: SourceSchema): SourceModel {
  const entries = Object.entries(objectOf(schema['attributes']))
    .map(([name, attribute]): [string, StrapiObject] => [name, objectOf(attribute)])
    .filter(([name, attribute]) => !isSystem(name, attribute));
  return {
    uid,
    file,
    isComponent: !uid.includes('::'),
    kind: schema['kind'] === 'singleType' ? 'singleType' : 'collectionType',
    info: objectOf(schema['info']),
    options: objectOf(schema['options']),
    pluginOptions: objectOf(schema['pluginOptions']),
    attributes: Object.fromEntries(entries),
    rest: Object.fromEntries(
      Object.entries(schema).filter(([key, one]) => !READ.includes(key) && !isEmpty(one)),
    ),
  };
}

const I18N = 'i18n';

/** Value of `pluginOptions.i18n.localized`. */
export const localizedOption = (options: unknown): boolean =>
  objectOf(objectOf(options)[I18N])['localized'] === true;

export const isLocalized = ({ pluginOptions, isComponent }: SourceModel): boolean =>
  !isComponent && localizedOption(pluginOptions);

/**
 * Whether Strapi stores an attribute per locale: those with the option, and always uids and relations, but
 * not media.
 */
export const isLocalizedAttribute = (attribute: StrapiObject): boolean =>
  localizedOption(attribute['pluginOptions']) || ['relation', 'uid'].includes(textOf(attribute['type']));

export const hasDrafts = ({ options }: SourceModel): boolean => options['draftAndPublish'] === true;
