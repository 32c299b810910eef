/** Schemas of types and components, from schema files or from an archive: one shape in Strapi 4 and 5. */
import { isObject, isText } from '../../kernel/json.js';
import type { StrapiObject } from './strapi-archive.js';

/** Schema with its place: a file of a project, or a line of an archive. */
export interface SourceSchema {
  /** `api::article.article`, `plugin::users-permissions.user`, or `shared.seo` for a component. */
  readonly uid: string;
  readonly file: string;
  readonly schema: StrapiObject;
}

/** Facts of a schema that decide which attributes Strapi adds. */
interface Embedding {
  readonly isComponent: boolean;
  readonly pluginOptions: unknown;
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
  /** Attributes of the project that every document has in any case, with options of the project. */
  readonly overridden: readonly string[];
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

/** Whether Strapi itself declared an attribute, as the schemas of archives show. */
const isDeclared = (attribute: StrapiObject): boolean =>
  ['configurable', 'writable', 'visible'].some((option) => attribute[option] === false);

/** Types of the system attributes that Strapi lists without further options. */
const SYSTEM_TYPES: readonly string[] = ['increments', 'integer', 'datetime', 'string'];

/** System attributes that no project can have instead. */
const OF_EVERY_DOCUMENT: readonly string[] = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt'];

/** Whether an attribute is one of every document, and of the schemas of archives; instances have only ids. */
const isSystem = (name: string, attribute: StrapiObject, schema: Embedding): boolean =>
  schema.isComponent
    ? name === 'id'
    : SYSTEM.includes(name) &&
      (isDeclared(attribute) ||
        attribute['type'] === 'relation' ||
        OF_EVERY_DOCUMENT.includes(name) ||
        (name === 'locale' && localizedOption(schema.pluginOptions)));

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

export function sourceModel({ uid, file, schema }: SourceSchema): SourceModel {
  const isComponent = schema['modelType'] === 'component' || !uid.includes('::');
  const embedding = { isComponent, pluginOptions: schema['pluginOptions'] };
  const all = Object.entries(objectOf(schema['attributes'])).map(
    ([name, attribute]): [string, StrapiObject] => [name, objectOf(attribute)],
  );
  const isOwn = ([name, attribute]: [string, StrapiObject]): boolean => !isSystem(name, attribute, embedding);
  const hasOptions = ([name, { type, ...options }]: [string, StrapiObject]): boolean =>
    !isDeclared(options) && (!SYSTEM_TYPES.includes(textOf(type)) || !isEmpty(options) || name === 'locale');
  return {
    uid,
    file,
    isComponent,
    kind: schema['kind'] === 'singleType' ? 'singleType' : 'collectionType',
    info: objectOf(schema['info']),
    options: objectOf(schema['options']),
    pluginOptions: objectOf(schema['pluginOptions']),
    attributes: Object.fromEntries(all.filter(isOwn)),
    overridden: all.filter((one) => !isOwn(one) && hasOptions(one)).map(([name]) => name),
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

/** Names of the attributes that the options of a type hide from responses. */
export function privateAttributes({ options }: SourceModel): readonly string[] {
  const { privateAttributes: names } = options;
  return Array.isArray(names) ? names.filter(isText) : [];
}
