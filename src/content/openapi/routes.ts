/** Routes of a content type, one row per operation. */
import { decide } from '../access/decide.js';
import type { Action } from '../access/permissions.js';
import { ERRORS } from '../../kernel/errors.js';
import { REPLAYED_HEADER } from '../query/request-key.js';
import type { AnyRoute } from '../model/definitions.js';
import type { ContentType } from '../model/model.js';
import { TIME_OF } from '../model/schedule.js';
import { answerSchema } from './answers.js';
import { notModified, TAGGED } from './conditional.js';
import type { Describing } from './describing.js';
import {
  json,
  type JsonSchema,
  list,
  NULL,
  open,
  type Operation,
  type Paths,
  type Response,
} from './document.js';
import { errorAnswers, ON_DOCUMENT, statusesOf } from './error-answers.js';
import { timed } from './headers.js';
import { scheduleBody, writeBody } from './inputs.js';
import { type ParameterName, parametersOf } from './parameters.js';
import { nameOf, rootView, type View } from './view.js';

type Method = 'get' | 'post' | 'put' | 'delete';

interface RouteRow {
  readonly route: AnyRoute;
  readonly handler: string;
  readonly summary: string;
  readonly method: Method;
  /** Path below that of the document, or of the list. */
  readonly below: string;
  readonly onDocument: boolean;
  readonly action: Action;
  readonly parameters: readonly ParameterName[];
  readonly body: keyof typeof BODIES | null;
  readonly status: 200 | 201 | 204;
  readonly answer: keyof typeof ANSWERS;
  readonly errors: readonly number[];
}

interface Routed {
  readonly type: ContentType;
  readonly view: View;
  readonly describing: Describing;
}

const BODIES = {
  create: ({ type, describing }: Routed) => writeBody(type, 'create', describing),
  update: ({ type, describing }: Routed) => writeBody(type, 'update', describing),
  schedule: ({ describing }: Routed) => scheduleBody(describing),
};

const COUNT: JsonSchema = { type: 'integer', minimum: 0 };

/** Pagination by page or by offset; totals only if they are counted. */
const PAGINATION: JsonSchema = {
  anyOf: [
    open({ page: COUNT, pageSize: COUNT, pageCount: COUNT, total: COUNT }, ['page', 'pageSize']),
    open({ start: COUNT, limit: COUNT, total: COUNT }, ['start', 'limit']),
  ],
};

/** Metadata of a response; interceptors may add members. */
const META: JsonSchema = { type: 'object', additionalProperties: true };

export const listMeta = ({ components }: Describing): JsonSchema =>
  components.ref('schemas', { key: 'meta of lists', name: 'ListMeta' }, () => ({
    ...open({ pagination: PAGINATION }, ['pagination']),
    additionalProperties: true,
  }));

const envelope = (data: JsonSchema, meta: JsonSchema = META): JsonSchema =>
  open({ data, meta }, ['data', 'meta']);

const TEXT: JsonSchema = { type: 'string' };
const DUE = { anyOf: [{ type: 'string', format: 'date-time' }, NULL] };

function scheduleSchema({ components }: Describing): JsonSchema {
  const failure = open({ action: TEXT, at: TEXT, message: TEXT }, ['action', 'at', 'message']);
  const times = Object.fromEntries(Object.values(TIME_OF).map((name) => [name, DUE]));
  return components.ref('schemas', { key: 'a schedule', name: 'Schedule' }, () =>
    open({ documentId: TEXT, locale: TEXT, ...times, failures: list(failure) }, [
      'documentId',
      'locale',
      ...Object.keys(times),
      'failures',
    ]),
  );
}

const ANSWERS = {
  list: ({ view, describing }: Routed): JsonSchema =>
    envelope(list(answerSchema(view, describing)), listMeta(describing)),
  document: ({ view, describing }: Routed): JsonSchema => envelope(answerSchema(view, describing)),
  schedule: ({ describing }: Routed): JsonSchema => envelope(scheduleSchema(describing)),
  nothing: null,
};

const READ: readonly ParameterName[] = [
  'fields',
  'populate',
  'filters',
  'locale',
  'fallbackLocale',
  'status',
  'publicationFilter',
  'ifNoneMatch',
  'position',
  'format',
];
const SHOWN: readonly ParameterName[] = ['fields', 'populate', 'fallbackLocale', 'format'];
const CONDITION: readonly ParameterName[] = ['ifMatch', 'ifNone'];

const row = (of: Pick<RouteRow, 'route' | 'summary' | 'method'> & Partial<RouteRow>): RouteRow => ({
  handler: of.route,
  below: '',
  onDocument: true,
  action: 'publish',
  parameters: [],
  body: null,
  status: 200,
  answer: 'document',
  errors: ON_DOCUMENT,
  ...of,
});

const write = (of: Parameters<typeof row>[0]): RouteRow =>
  row({
    parameters: ['locale', 'statusOfWrite', ...SHOWN, ...CONDITION],
    ...of,
  });

/** Header of responses repeated for an Idempotency-Key. */
const REPLAYED: NonNullable<Response['headers']> = {
  [REPLAYED_HEADER]: {
    description: 'Present with the value `true` if an earlier request with the same key has written.',
    schema: { type: 'string' },
  },
};

/** Document action in one locale, or in all locales of the document. */
const transition = (of: Omit<Parameters<typeof row>[0], 'method'>): RouteRow =>
  write({ parameters: ['localeOrAll', ...SHOWN, ...CONDITION], method: 'post', ...of });

const schedule = (of: Pick<RouteRow, 'handler' | 'summary' | 'method'> & Partial<RouteRow>): RouteRow =>
  row({ route: 'schedule', below: '/actions/schedule', parameters: ['locale'], answer: 'schedule', ...of });

/** Routes below a document, for both kinds of types. */
const ON_DOCUMENTS: readonly RouteRow[] = [
  write({ route: 'update', action: 'update', method: 'put', body: 'update', summary: 'Update a document' }),
  row({
    route: 'delete',
    action: 'delete',
    method: 'delete',
    status: 204,
    answer: 'nothing',
    parameters: ['localeOrAll', ...CONDITION],
    summary: 'Delete a document, or one of its locales',
  }),
  transition({ route: 'publish', below: '/actions/publish', summary: 'Publish the draft' }),
  transition({
    route: 'unpublish',
    below: '/actions/unpublish',
    summary: 'Unpublish the document',
  }),
  transition({
    route: 'discard',
    handler: 'discardDraft',
    below: '/actions/discard',
    summary: 'Discard the draft',
  }),
  schedule({ handler: 'findSchedule', method: 'get', summary: 'Get the schedule' }),
  schedule({
    handler: 'schedule',
    method: 'put',
    body: 'schedule',
    summary: 'Schedule publishing and unpublishing',
  }),
  schedule({
    handler: 'unschedule',
    method: 'delete',
    status: 204,
    answer: 'nothing',
    summary: 'Cancel the schedule',
  }),
];

const ROWS: Readonly<Record<ContentType['kind'], readonly RouteRow[]>> = {
  collectionType: [
    row({
      route: 'find',
      action: 'find',
      method: 'get',
      onDocument: false,
      parameters: [...READ.filter((name) => name !== 'locale'), 'localeOrAll', 'sort', 'pagination', '_q'],
      answer: 'list',
      errors: [],
      summary: 'List documents',
    }),
    row({
      route: 'findOne',
      action: 'findOne',
      method: 'get',
      parameters: [...READ, '_q'],
      summary: 'Get a document',
    }),
    write({
      route: 'create',
      action: 'create',
      method: 'post',
      onDocument: false,
      body: 'create',
      parameters: ['locale', 'statusOfWrite', ...SHOWN],
      status: 201,
      errors: [],
      summary: 'Create a document',
    }),
    ...ON_DOCUMENTS,
  ],
  singleType: [
    row({ route: 'find', action: 'find', method: 'get', parameters: READ, summary: 'Get the document' }),
    ...ON_DOCUMENTS,
  ],
};

const SUCCESS: Readonly<Record<RouteRow['status'], string>> = {
  200: 'Success.',
  201: 'The created document.',
  204: 'No content.',
};

const isTagged = ({ answer }: RouteRow): boolean => answer === 'document' || answer === 'list';

function successOf(one: RouteRow, routed: Routed): Response {
  const schema = ANSWERS[one.answer]?.(routed);
  const headers = {
    ...(isTagged(one) ? TAGGED : {}),
    ...(one.method === 'get' ? {} : REPLAYED),
    ...timed(routed.describing),
  };
  return {
    description: SUCCESS[one.status],
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(schema === undefined ? {} : { content: json(schema) }),
  };
}

function operationOf(one: RouteRow, routed: Routed): Operation {
  const { type, describing } = routed;
  const isWrite = one.method !== 'get';
  const names: readonly ParameterName[] = [
    ...(one.onDocument && type.kind === 'collectionType' ? (['documentId'] as const) : []),
    ...one.parameters,
    ...(isWrite ? (['requestKey'] as const) : []),
  ];
  const errors = isWrite ? [...one.errors, ERRORS.UnprocessableEntityError] : one.errors;
  const parameters = parametersOf(names, routed);
  const body = one.body === null ? null : BODIES[one.body](routed);
  return {
    operationId: `${nameOf(type)}_${one.handler}`,
    tags: [type.singularApiId],
    summary: one.summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      [one.status]: successOf(one, routed),
      ...(one.method === 'get' && isTagged(one) ? notModified(describing) : {}),
      ...errorAnswers(statusesOf(one.method, errors), describing.components),
    },
  };
}

/** Returns the routes of a type that the caller may use. */
export function typePaths(type: ContentType, describing: Describing): Paths {
  const { caller, base } = describing;
  const paths: Record<string, Record<string, Operation>> = {};
  for (const one of ROWS[type.kind]) {
    if (!type.routes.includes(one.route) || decide(caller, type, one.action) === 'none') continue;
    const place = one.onDocument && type.kind === 'collectionType' ? '/{documentId}' : '';
    const path = `${base}/${type.route}${place}${one.below}`;
    const view = rootView(describing, type, one.action);
    (paths[path] ??= {})[one.method] = operationOf(one, { type, view, describing });
  }
  return paths;
}
