/** Parameters of operations, one row each. */
import { decide } from '../access/decide.js';
import { MARK_HEADER } from '../query/mark.js';
import { REQUEST_KEY_HEADER } from '../query/request-key.js';
import { revealsDrafts } from '../plan/coverage.js';
import { PUBLICATION_FILTERS, type PublicationFilter } from '../query/query.js';
import type { ContentType } from '../model/model.js';
import type { Describing } from './describing.js';
import {
  anyOf,
  closedObject,
  FLAG,
  type JsonSchema,
  list,
  type Parameter,
  type Reference,
  TEXT,
} from './document.js';
import { filtersExample, populateExample } from './examples.js';
import { fieldsSchema, filtersSchema, populatable, populateSchema, sortSchema } from './queries.js';
import { mayShowState, type View } from './view.js';

export interface ParameterContext {
  readonly type: ContentType;
  readonly view: View;
  readonly describing: Describing;
}

interface ParameterRow {
  readonly description: string;
  readonly style?: 'form' | 'deepObject';
  readonly in?: Parameter['in'];
  /** Returns the schema, or null if the parameter has no effect. */
  readonly schema: (about: ParameterContext) => JsonSchema | null;
  /** Name of the parameter; default: the row's key. */
  readonly name?: string;
  readonly required?: boolean;
  /** Example of an object. */
  readonly example?: (about: ParameterContext) => JsonSchema;
}

/** Locale schema; the codes are listed only for callers who may list the locales. */
function localeSchema({ settings: { locales }, caller }: Describing, ...more: readonly string[]): JsonSchema {
  const mayFindLocales = caller.permissions.allows('locale', 'find');
  return mayFindLocales ? { type: 'string', enum: [...locales, ...more] } : TEXT;
}

/** Whether a locale has an effect. */
const hasLocales = ({ type, describing: { settings } }: ParameterContext): boolean =>
  type.localized || settings.locales.length > 1;

const localeRow = (...more: readonly string[]): ParameterRow => ({
  name: 'locale',
  description: `Locale of documents and populated relations.${more.length === 0 ? '' : ' `*`: all locales.'}`,
  schema: (about) => (hasLocales(about) ? localeSchema(about.describing, ...more) : null),
});

/** Whether the caller may read drafts: of the type itself, or of any other type if it has none. */
const draftsOf = ({ type, describing: { caller, schema } }: ParameterContext): boolean =>
  (type.draftAndPublish ? [type] : [...schema.types.values()]).some(
    (one) => one.draftAndPublish && decide(caller, one, 'readDrafts') !== 'none',
  );

/** Filters that disclose drafts require permission to read drafts (D17). */
const publicationFilters = (about: ParameterContext): readonly PublicationFilter[] =>
  draftsOf(about)
    ? PUBLICATION_FILTERS
    : PUBLICATION_FILTERS.filter((publication) => !revealsDrafts({ published: true, publication }));

const statusRow = (mayDraft: (about: ParameterContext) => boolean): ParameterRow => ({
  name: 'status',
  description: 'Publication state of documents and populated relations. Default `published`.',
  schema: (about) =>
    about.type.draftAndPublish || mayDraft(about)
      ? { type: 'string', enum: mayDraft(about) ? ['published', 'draft'] : ['published'] }
      : null,
});

const COUNT_PARAMETER = { withCount: FLAG };
const FROM_ZERO: JsonSchema = { type: 'integer', minimum: 0 };
const FROM_ONE: JsonSchema = { type: 'integer', minimum: 1 };

/** Pagination by page or by offset (protocol 7.14, 7.15). */
const PAGINATION = anyOf(
  closedObject({ page: FROM_ONE, pageSize: FROM_ONE, ...COUNT_PARAMETER }),
  closedObject({ start: FROM_ZERO, limit: FROM_ONE, ...COUNT_PARAMETER }),
);

const ROWS = {
  documentId: {
    in: 'path',
    required: true,
    description: 'Document id.',
    schema: () => TEXT,
  },
  version: {
    in: 'path',
    required: true,
    description: 'Id of a stored version.',
    schema: () => TEXT,
  },
  id: {
    in: 'path',
    required: true,
    description: 'Id of the row, or document id.',
    schema: () => TEXT,
  },
  documentIds: {
    style: 'form',
    name: 'documentId',
    description: 'Ids of the documents to list.',
    schema: () => list(TEXT),
  },
  start: { description: 'Number of entries to skip.', schema: () => FROM_ZERO },
  limit: { description: 'Maximum number of entries.', schema: () => FROM_ONE },
  folder: { description: 'Folder of the files: `/countries/flags`.', schema: () => TEXT },
  fields: {
    style: 'form',
    description: 'Attributes in the response, in addition to ids. Also accepts a comma-separated list.',
    schema: ({ view, describing }) => fieldsSchema(view, describing),
  },
  populate: {
    style: 'deepObject',
    description:
      'Relations, media, components and zones to show: `*`, names, or an object in nested brackets, ' +
      '`populate[author][fields]=name`.',
    schema: ({ view, describing }) =>
      populatable(view).length === 0 ? null : populateSchema(view, describing),
    example: ({ view }) => populateExample(view),
  },
  filters: {
    style: 'deepObject',
    description: 'Filters in nested brackets: `filters[author][name][$startsWith]=A`.',
    schema: ({ view, describing }) => filtersSchema(view, describing),
    example: ({ view }) => filtersExample(view),
  },
  sort: {
    style: 'form',
    description: 'Sort order, most significant first: `title:desc`, `author.name`.',
    schema: ({ view, describing }) => sortSchema(view, describing),
  },
  pagination: {
    style: 'deepObject',
    description: 'Page of the list: by page number, or by offset and limit.',
    schema: () => PAGINATION,
    example: () => ({ page: 1, pageSize: 10 }),
  },
  _q: { description: 'Search term: documents with a text attribute that contains it.', schema: () => TEXT },
  locale: localeRow(),
  localeOrAll: localeRow('*'),
  fallbackLocale: {
    style: 'form',
    description:
      'Locales used if a document lacks the requested one, in order of preference. `none`: no fallback.',
    schema: (about) => (hasLocales(about) ? list(localeSchema(about.describing, 'none')) : null),
  },
  status: statusRow(draftsOf),
  statusOfWrite: statusRow(({ type }) => type.draftAndPublish),
  statusOfVersions: {
    name: 'status',
    description: 'Publication state of the stored versions. Default: both.',
    schema: (about) =>
      about.type.draftAndPublish
        ? { type: 'string', enum: draftsOf(about) ? ['published', 'draft'] : ['published'] }
        : null,
  },
  otherVersion: {
    name: 'with',
    description: 'Id of the version to compare with. Default: the one before it.',
    schema: () => TEXT,
  },
  publicationFilter: {
    description: 'Filter by publication state.',
    schema: (about) =>
      about.type.draftAndPublish ? { type: 'string', enum: publicationFilters(about) } : null,
  },
  withState: {
    description:
      'Add `__state` to each document: draft, published or modified, and the same for each locale. ' +
      'A write also returns the tags of its versions in `meta.versions`.',
    schema: (about) => (mayShowState(about.describing, about.type) ? FLAG : null),
  },
  ifNoneMatch: {
    in: 'header',
    name: 'If-None-Match',
    description: 'Entity tags of cached responses. Returns 304 without a body if one of them is current.',
    schema: () => TEXT,
  },
  ifMatch: {
    in: 'header',
    name: 'If-Match',
    description:
      'Entity tags of the version to change. Returns 412 if the stored version is another one, or none.',
    schema: () => TEXT,
  },
  ifNone: {
    in: 'header',
    name: 'If-None-Match',
    description: '`*`: write only if the document does not exist yet. Returns 412 otherwise.',
    schema: () => TEXT,
  },
  requestKey: {
    in: 'header',
    name: REQUEST_KEY_HEADER,
    description:
      'Key of the request. Repeating it within 24 hours returns the first response and writes nothing.',
    schema: () => TEXT,
  },
  position: {
    in: 'header',
    name: MARK_HEADER,
    description:
      'Position from an earlier response: the read sees at least that. The latest of several counts. ' +
      'With `primary`, no replica responds.',
    schema: ({ describing }) => (describing.replicas ? TEXT : null),
  },
  format: {
    in: 'header',
    name: 'Strapi-Response-Format',
    required: true,
    description: 'Response format that this document describes.',
    schema: ({ describing }) => (describing.format === 'v4' ? { const: 'v4' } : null),
  },
} as const satisfies Readonly<Record<string, ParameterRow>>;

export type ParameterName = keyof typeof ROWS;

/** The first example is empty: pages that try the API start with it, and without one they invent filters. */
const examplesOf = (example: JsonSchema = {}): NonNullable<Parameter['examples']> => ({
  none: { summary: 'None', value: {} },
  ...(Object.keys(example).length === 0 ? {} : { example: { summary: 'An example', value: example } }),
});

type Described = Pick<ParameterRow, 'description' | 'style' | 'in' | 'required'>;

const parameterOf = (
  name: string,
  { description, style, in: place = 'query', required }: Described,
  { schema, example }: { readonly schema: JsonSchema; readonly example?: JsonSchema | undefined },
): Parameter => ({
  name,
  in: place,
  description,
  ...(required === undefined ? {} : { required }),
  ...(style === undefined ? {} : { style, explode: true }),
  ...(style === 'deepObject' ? { examples: examplesOf(example) } : {}),
  schema,
});

const OWN_FILTERS: Described = {
  style: 'deepObject',
  description: 'Filters on members of the entries in nested brackets: `filters[by][id]=7`.',
};
const OWN_SORT: Described = { description: 'Sort order. Default: newest first.' };

/** Returns the parameters of a list of rows of the library's own tables. */
export const ownListParameters = (sort: JsonSchema): readonly Parameter[] => [
  parameterOf('filters', OWN_FILTERS, { schema: { type: 'object', additionalProperties: true } }),
  parameterOf('sort', OWN_SORT, { schema: sort }),
  parameterOf('pagination', ROWS.pagination, { schema: PAGINATION, example: ROWS.pagination.example() }),
];

/** Returns the parameters with an effect; those without type-specific parts are shared. */
export function parametersOf(
  names: readonly ParameterName[],
  about: ParameterContext,
): (Parameter | Reference)[] {
  const { components } = about.describing;
  return names.flatMap((key): (Parameter | Reference)[] => {
    const row: ParameterRow = ROWS[key];
    const schema = row.schema(about);
    if (schema === null) return [];
    const parameter = parameterOf(row.name ?? key, row, { schema, example: row.example?.(about) });
    const part = { key: JSON.stringify(parameter), name: key };
    return '$ref' in schema ? [parameter] : [components.ref('parameters', part, () => parameter)];
  });
}
