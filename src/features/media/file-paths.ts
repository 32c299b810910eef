/** OpenAPI description of `/api/upload…` (protocol section 20), with one row per route. */
import type { Action } from '../../content/access/actions.js';
import { decide } from '../../content/access/decide.js';
import { answerWith, type ExtraMembers } from '../../content/openapi/answers.js';
import { ETAG_HEADER } from '../../content/openapi/conditional.js';
import type { Describe, Describing } from '../../content/openapi/describing.js';
import {
  anyOf,
  closedObject,
  type Content,
  json,
  type JsonSchema,
  list,
  NULL,
  open,
  TEXT,
} from '../../content/openapi/document.js';
import type { Operation, Response } from '../../content/openapi/document.js';
import { errorAnswers, ON_DOCUMENT, statusesOf } from '../../content/openapi/error-answers.js';
import { needsGrant } from '../../content/openapi/operation-texts.js';
import { type ParameterName, parametersOf } from '../../content/openapi/parameters.js';
import { listMeta } from '../../content/openapi/routes.js';
import { rootView } from '../../content/openapi/view.js';
import type { ContentType } from '../../content/model/model.js';

interface SchemaContext {
  readonly type: ContentType;
  readonly action: Action;
  readonly describing: Describing;
}

interface FileRow {
  readonly handler: string;
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  readonly summary: string;
  readonly action: Action;
  readonly parameters: readonly ParameterName[];
  readonly answer: (context: SchemaContext) => JsonSchema;
  readonly errors: readonly number[];
}

const TEXT_OR_NULL = anyOf(TEXT, NULL);
const PERCENT: JsonSchema = { type: 'number', minimum: 0, maximum: 100 };

/** Whether the URL expires, in responses of the upload routes. */
const SIGNED: ExtraMembers = { about: 'Uploaded', members: { isUrlSigned: { type: 'boolean' } } };

const fileSchema = ({ type, action, describing }: SchemaContext): JsonSchema =>
  answerWith(rootView(describing, type, action), SIGNED, describing);

/** Attributes of a file in `fileInfo` (20.4). */
const INFO = closedObject({
  name: TEXT,
  alternativeText: TEXT_OR_NULL,
  caption: TEXT_OR_NULL,
  focalPoint: anyOf(closedObject({ x: PERCENT, y: PERCENT }, ['x', 'y']), NULL),
  folder: TEXT_OR_NULL,
});

const FORM = open(
  {
    files: list({ type: 'string', contentMediaType: 'application/octet-stream' }),
    fileInfo: { ...TEXT, contentMediaType: 'application/json' },
    ref: TEXT,
    refId: TEXT,
    field: TEXT,
  },
  ['files'],
);

const BODY: Content = {
  'multipart/form-data': { schema: FORM },
  ...json(open({ fileInfo: INFO }, ['fileInfo'])),
};

const NOT_MODIFIED: Response = {
  description: 'Not modified: the client has the current file. No body.',
  headers: ETAG_HEADER,
};

const READ: readonly ParameterName[] = ['fields', 'populate', 'filters'];
const LIST: readonly ParameterName[] = [...READ, 'sort', 'pagination', '_q', 'folder'];

const ROWS: readonly FileRow[] = [
  {
    handler: 'find',
    method: 'get',
    path: '/files',
    summary: 'List files',
    action: 'find',
    parameters: [...LIST, 'start', 'limit'],
    answer: (context) => list(fileSchema(context)),
    errors: [],
  },
  {
    handler: 'page',
    method: 'get',
    path: '/files/page',
    summary: 'List files by page',
    action: 'find',
    parameters: LIST,
    answer: (context) =>
      open({ data: list(fileSchema(context)), meta: listMeta(context.describing) }, ['data', 'meta']),
    errors: [],
  },
  {
    handler: 'folders',
    method: 'get',
    path: '/folders',
    summary: 'List folders with the number of their files',
    action: 'find',
    parameters: [],
    answer: () => list(open({ path: TEXT, files: { type: 'integer', minimum: 1 } }, ['path', 'files'])),
    errors: [],
  },
  {
    handler: 'findOne',
    method: 'get',
    path: '/files/{id}',
    summary: 'Get a file',
    action: 'findOne',
    parameters: ['id', ...READ, 'ifNoneMatch'],
    answer: fileSchema,
    errors: ON_DOCUMENT,
  },
  {
    handler: 'remove',
    method: 'delete',
    path: '/files/{id}',
    summary: 'Delete a file and return it',
    action: 'delete',
    parameters: ['id', 'fields', 'populate', 'ifMatch'],
    answer: fileSchema,
    errors: ON_DOCUMENT,
  },
];

function operationOf(one: FileRow, context: SchemaContext): Operation {
  const { type, action, describing } = context;
  const view = rootView(describing, type, action);
  return {
    operationId: `Files_${one.handler}`,
    tags: ['upload'],
    summary: one.summary,
    description: needsGrant(one.action, 'file'),
    ...(one.parameters.length === 0
      ? {}
      : { parameters: parametersOf(one.parameters, { type, view, describing }) }),
    responses: {
      200: {
        description: 'Success.',
        ...(one.handler === 'findOne' ? { headers: ETAG_HEADER } : {}),
        content: json(one.answer(context)),
      },
      ...(one.handler === 'findOne' ? { 304: NOT_MODIFIED } : {}),
      ...errorAnswers(statusesOf(one.method, one.errors), describing.components),
    },
  };
}

const ID = {
  name: 'id',
  in: 'query',
  description: 'Id of the file to replace or to describe.',
  schema: { type: ['integer', 'string'] },
} as const;

/** New files need the grant `create`; with `?id=` the route changes a file and needs `update`. */
function uploadOf(type: ContentType, describing: Describing): Operation | null {
  const [creates, updates] = (['create', 'update'] as const).map(
    (action) => decide(describing.caller, type, action) !== 'none',
  );
  if (creates !== true && updates !== true) return null;
  const responseOf = (action: Action, description: string): Response => {
    const file = fileSchema({ type, action, describing });
    if (action === 'create') return { description, content: json(list(file)) };
    return { description, headers: ETAG_HEADER, content: json(file) };
  };
  const view = rootView(describing, type, 'create');
  const errors = statusesOf('post', updates === true ? ON_DOCUMENT : []);
  return {
    operationId: 'Files_upload',
    tags: ['upload'],
    summary: updates === true ? 'Upload files, or update one' : 'Upload files',
    description: `New files: ${needsGrant('create', 'file')} Other files: ${needsGrant('update', 'file')}`,
    parameters: [
      ...(updates === true ? [{ ...ID, required: creates !== true }] : []),
      ...parametersOf(
        [
          ...(updates === true ? (['ifMatch'] as const) : []),
          ...(creates === true ? (['requestKey'] as const) : []),
        ],
        { type, view, describing },
      ),
    ],
    requestBody: { required: true, content: BODY },
    responses: {
      ...(creates === true ? { 201: responseOf('create', 'What was uploaded.') } : {}),
      ...(updates === true ? { 200: responseOf('update', 'The file as it is now.') } : {}),
      ...errorAnswers(errors, describing.components),
    },
  };
}

export const filePaths: Describe = (base) => {
  const describing: Describing = { ...base, format: 'flat' };
  const type = base.schema.file;
  const paths: Record<string, Record<string, Operation>> = {};
  const upload = uploadOf(type, describing);
  if (upload !== null) paths[`${base.base}/upload`] = { post: upload };
  for (const one of ROWS) {
    if (decide(base.caller, type, one.action) === 'none') continue;
    const path = `${base.base}/upload${one.path}`;
    (paths[path] ??= {})[one.method] = operationOf(one, { type, action: one.action, describing });
  }
  return paths;
};
