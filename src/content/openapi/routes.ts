/** Routes of a content type, one row per operation. */
import { decide, storesDraft } from '../access/decide.js';
import { ERRORS } from '../../kernel/errors.js';
import { REPLAYED_HEADER } from '../query/request-key.js';
import type { Action } from '../access/actions.js';
import type { ContentType } from '../model/model.js';
import { type Handler, HANDLERS, HANDLERS_OF, isServed, pathBelow } from '../model/routes.js';
import { TIME_OF } from '../model/schedule.js';
import { answerSchema } from './answers.js';
import { BULK_META, bulkActionsOf, bulkBody } from './bulk.js';
import { envelope, LIST_META, META } from './meta.js';
import { notModified, ETAG_HEADER } from './conditional.js';
import type { Describing } from './describing.js';
import {
  anyOf,
  json,
  type JsonSchema,
  list,
  NULL,
  open,
  type Operation,
  type Paths,
  type Response,
  TEXT,
} from './document.js';
import { errorAnswers, ON_DOCUMENT, statusesOf } from './error-answers.js';
import { timingHeaders } from './headers.js';
import { dataExample } from './examples.js';
import { HISTORY, scheduleSchema } from './extra-answers.js';
import { scheduleBody, writeBody } from './inputs.js';
import { describedBy } from './operation-texts.js';
import { type ParameterName, parametersOf } from './parameters.js';
import { mayShowState, nameOf, rootView, type View } from './view.js';

/** Description of a handler. */
interface Description {
  readonly summary: string;
  readonly parameters: readonly ParameterName[];
  readonly body: keyof typeof BODIES | null;
  readonly answer: keyof typeof ANSWERS;
  readonly errors: readonly number[];
}

interface RouteContext {
  readonly type: ContentType;
  readonly view: View;
  readonly action: Action;
  /** Whether a write stores the draft instead of publishing. */
  readonly storesDraft: boolean;
  readonly isWrite: boolean;
  readonly describing: Describing;
}

const BODIES = {
  create: ({ type, describing }: RouteContext) => writeBody(type, 'create', describing),
  update: ({ type, describing }: RouteContext) => writeBody(type, 'update', describing),
  schedule: ({ describing }: RouteContext) => scheduleBody(describing),
  bulk: ({ type, describing }: RouteContext) => bulkBody(type, describing),
};

const BODY_EXAMPLES: Readonly<Record<keyof typeof BODIES, (routed: RouteContext) => JsonSchema>> = {
  create: ({ type, describing }) => dataExample(type, 'create', describing),
  update: ({ type, describing }) => dataExample(type, 'update', describing),
  schedule: () => ({ data: { [TIME_OF.publish]: '2030-01-31T08:00:00.000Z' } }),
  bulk: () => ({ data: [] }),
};

/** Member of a write by a caller who may not publish: present unless the request had `status=draft`. */
const DRAFT_META: JsonSchema = {
  const: 'draft',
  description: 'The write stored the draft, because publishing is not granted.',
};

/** Tags of the versions of a written document (protocol 8.35). */
function versionsSchema({ draftAndPublish, localized }: ContentType, { components }: Describing): JsonSchema {
  const key = `versions ${draftAndPublish} ${localized}`;
  return components.ref('schemas', { key, name: 'VersionTags' }, () => {
    const status = { type: 'string', enum: draftAndPublish ? ['draft', 'published'] : ['published'] };
    const tags = { status, etag: TEXT, former: anyOf(TEXT, NULL) };
    return list(
      localized
        ? open({ locale: TEXT, ...tags }, ['locale', 'status', 'etag', 'former'])
        : open(tags, ['status', 'etag', 'former']),
    );
  });
}

function documentMeta({ type, storesDraft: draft, isWrite, describing }: RouteContext): JsonSchema {
  const properties = {
    ...(draft ? { status: DRAFT_META } : {}),
    ...(isWrite && mayShowState(describing, type) ? { versions: versionsSchema(type, describing) } : {}),
  };
  return Object.keys(properties).length === 0 ? META : { ...META, properties };
}

export const listMeta = ({ components }: Describing): JsonSchema =>
  components.ref('schemas', { key: 'meta of lists', name: 'ListMeta' }, () => LIST_META);

const ANSWERS = {
  list: ({ view, describing }: RouteContext): JsonSchema =>
    envelope(list(answerSchema(view, describing)), listMeta(describing)),
  document: (routed: RouteContext): JsonSchema =>
    envelope(answerSchema(routed.view, routed.describing), documentMeta(routed)),
  schedule: ({ describing }: RouteContext): JsonSchema => envelope(scheduleSchema(describing)),
  bulk: ({ view, describing }: RouteContext): JsonSchema =>
    envelope(list(anyOf(answerSchema(view, describing), NULL)), BULK_META),
  history: (): JsonSchema => envelope(HISTORY),
  nothing: null,
};

const READ_PARAMETERS: readonly ParameterName[] = [
  'fields',
  'populate',
  'filters',
  'locale',
  'fallbackLocale',
  'status',
  'publicationFilter',
  'withState',
  'ifNoneMatch',
  'position',
  'format',
];
const SHOWN_PARAMETERS: readonly ParameterName[] = ['fields', 'populate', 'format'];
const RESPONSE_PARAMETERS: readonly ParameterName[] = [...SHOWN_PARAMETERS, 'fallbackLocale', 'withState'];
const CONDITION: readonly ParameterName[] = ['ifMatch', 'ifNone'];

const row = (options: Pick<Description, 'summary'> & Partial<Description>): Description => ({
  parameters: [],
  body: null,
  answer: 'document',
  errors: ON_DOCUMENT,
  ...options,
});

/** Header of responses repeated for an Idempotency-Key. */
const REPLAYED_HEADERS: NonNullable<Response['headers']> = {
  [REPLAYED_HEADER]: {
    description: 'Present with the value `true` if an earlier request with the same key has written.',
    schema: { type: 'string' },
  },
};

/** Document action in one locale, or in all locales of the document. */
const transition = (summary: string): Description =>
  row({ parameters: ['localeOrAll', ...RESPONSE_PARAMETERS, ...CONDITION], summary });

/** Route of the stored versions. */
const history = (options: Pick<Description, 'summary'> & Partial<Description>): Description =>
  row({ answer: 'history', ...options });

const DESCRIPTIONS: Readonly<Record<Handler, Description>> = {
  find: row({
    parameters: [
      ...READ_PARAMETERS.filter((name) => name !== 'locale'),
      'localeOrAll',
      'sort',
      'pagination',
      '_q',
    ],
    answer: 'list',
    errors: [],
    summary: 'List documents',
  }),
  findOne: row({ parameters: [...READ_PARAMETERS, '_q'], summary: 'Get a document' }),
  create: row({
    body: 'create',
    parameters: ['locale', 'statusOfWrite', ...RESPONSE_PARAMETERS],
    errors: [],
    summary: 'Create a document',
  }),
  update: row({
    body: 'update',
    parameters: ['locale', 'statusOfWrite', ...RESPONSE_PARAMETERS, ...CONDITION],
    summary: 'Update a document',
  }),
  delete: row({
    answer: 'nothing',
    parameters: ['localeOrAll', ...CONDITION],
    summary: 'Delete a document, or one of its locales',
  }),
  publish: transition('Publish the draft'),
  unpublish: transition('Unpublish the document'),
  discardDraft: transition('Discard the draft'),
  findSchedule: row({ parameters: ['locale'], answer: 'schedule', summary: 'Get the schedule' }),
  schedule: row({
    parameters: ['locale'],
    answer: 'schedule',
    body: 'schedule',
    summary: 'Schedule publishing and unpublishing',
  }),
  unschedule: row({ parameters: ['locale'], answer: 'nothing', summary: 'Cancel the schedule' }),
  findTrash: history({
    summary: 'List deleted documents',
    parameters: ['documentIds', 'localeOrAll', 'statusOfVersions', 'pagination'],
    errors: [],
  }),
  findVersions: history({
    summary: 'List the versions of the document',
    parameters: ['localeOrAll', 'statusOfVersions', 'pagination'],
  }),
  findVersion: history({ summary: 'Get a version' }),
  compareVersion: history({ summary: 'Compare two versions', parameters: ['otherVersion'] }),
  restoreVersion: row({
    summary: 'Restore a version to the draft',
    parameters: [...SHOWN_PARAMETERS, ...CONDITION],
  }),
  restore: row({ summary: 'Restore a deleted document', parameters: [...SHOWN_PARAMETERS, 'ifNone'] }),
  bulk: row({
    parameters: SHOWN_PARAMETERS,
    body: 'bulk',
    answer: 'bulk',
    summary: 'Write many documents',
  }),
};

const SINGLE_FIND = row({ parameters: READ_PARAMETERS, summary: 'Get the document' });

const descriptionOf = (handler: Handler, { kind }: ContentType): Description =>
  handler === 'find' && kind === 'singleType' ? SINGLE_FIND : DESCRIPTIONS[handler];

const SUCCESS: Readonly<Record<200 | 201 | 204, string>> = {
  200: 'Success.',
  201: 'The created document.',
  204: 'No content.',
};

const hasEtag = ({ answer }: Description): boolean => answer === 'document' || answer === 'list';

function successOf(handler: Handler, routed: RouteContext): Response {
  const { method, status } = HANDLERS[handler];
  const one = descriptionOf(handler, routed.type);
  const schema = ANSWERS[one.answer]?.(routed);
  const headers = {
    ...(hasEtag(one) ? ETAG_HEADER : {}),
    ...(method === 'get' ? {} : REPLAYED_HEADERS),
    ...timingHeaders(routed.describing),
  };
  return {
    description: SUCCESS[status],
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(schema === undefined ? {} : { content: json(schema) }),
  };
}

function operationOf(handler: Handler, routed: RouteContext): Operation {
  const { type, describing } = routed;
  const { method, status, onDocument, below } = HANDLERS[handler];
  const one = descriptionOf(handler, type);
  const { isWrite } = routed;
  const names: readonly ParameterName[] = [
    ...(onDocument && type.kind === 'collectionType' ? (['documentId'] as const) : []),
    ...(below.includes(':version') ? (['version'] as const) : []),
    ...one.parameters,
    ...(isWrite ? (['requestKey'] as const) : []),
  ];
  const errors = isWrite ? [...one.errors, ERRORS.UnprocessableEntityError] : one.errors;
  const parameters = parametersOf(names, routed);
  const body = one.body === null ? null : json(BODIES[one.body](routed), BODY_EXAMPLES[one.body](routed));
  return {
    operationId: `${nameOf(type)}_${handler}`,
    tags: [type.singularApiId],
    summary: one.summary,
    description: describedBy(handler, routed),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: { required: true, content: body } }),
    responses: {
      [status]: successOf(handler, routed),
      ...(!isWrite && hasEtag(one) ? notModified(describing) : {}),
      ...errorAnswers(statusesOf(method, errors), describing.components),
    },
  };
}

/** Returns the routes of a type that the caller may use. */
export function typePaths(type: ContentType, describing: Describing): Paths {
  const { caller, base } = describing;
  const paths: Record<string, Record<string, Operation>> = {};
  for (const handler of HANDLERS_OF[type.kind]) {
    const { action: first, otherwise, method } = HANDLERS[handler];
    const action = [first, ...otherwise].find((one) => decide(caller, type, one) !== 'none');
    if (!isServed(handler, type) || action === undefined) continue;
    if (handler === 'bulk' && bulkActionsOf(type, describing).length === 0) continue;
    const below = pathBelow(handler, type.kind, '{documentId}').replace(':version', '{version}');
    const path = `${base}/${type.route}${below}`;
    const view = rootView(describing, type, action);
    (paths[path] ??= {})[method] = operationOf(handler, {
      type,
      view,
      action,
      describing,
      storesDraft: storesDraft(caller, type, action),
      isWrite: method !== 'get',
    });
  }
  return paths;
}
