/** OpenAPI description of `/api/api-tokens` (protocol 18.14–18.16). */
import type { Action } from '../../content/access/permissions.js';
import type { Describe } from '../../content/openapi/describing.js';
import {
  json,
  type JsonSchema,
  list,
  NULL,
  open,
  type Operation,
  type Parameter,
  TEXT,
} from '../../content/openapi/document.js';
import { errorAnswers, ON_DOCUMENT, statusesOf } from '../../content/openapi/error-answers.js';

const OR_NULL = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, NULL] });
const KIND: JsonSchema = { type: 'string', enum: ['read-only', 'full-access', 'custom'] };
const DAYS: JsonSchema = { type: 'integer', minimum: 1 };
const GRANTS: JsonSchema = { type: 'object', additionalProperties: true };
const TIME: JsonSchema = { type: 'string', format: 'date-time' };

const MEMBERS = {
  documentId: TEXT,
  name: TEXT,
  description: OR_NULL(TEXT),
  kind: KIND,
  grants: OR_NULL(GRANTS),
  lifespan: OR_NULL(DAYS),
  expiresAt: OR_NULL(TIME),
  lastUsedAt: OR_NULL(TIME),
  createdAt: TIME,
};
const LISTED = open(MEMBERS, Object.keys(MEMBERS));
const SHOWN = open({ ...MEMBERS, token: TEXT }, [...Object.keys(MEMBERS), 'token']);
const answer = (data: JsonSchema): JsonSchema => open({ data }, ['data']);
const NEW = open({ name: TEXT, kind: KIND, description: TEXT, grants: GRANTS, days: DAYS }, ['name', 'kind']);
const ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Document id of the token.',
  schema: TEXT,
};

interface Row {
  readonly path: string;
  readonly method: 'get' | 'post' | 'delete';
  readonly handler: string;
  readonly action: Action;
  readonly summary: string;
  readonly status: 200 | 201 | 204;
  readonly answer?: JsonSchema;
  readonly body?: JsonSchema;
}

const ROWS: readonly Row[] = [
  {
    path: '',
    method: 'get',
    handler: 'find',
    action: 'find',
    summary: 'List API tokens',
    status: 200,
    answer: answer(list(LISTED)),
  },
  {
    path: '',
    method: 'post',
    handler: 'create',
    action: 'create',
    summary: 'Create an API token',
    status: 201,
    answer: answer(SHOWN),
    body: answer(NEW),
  },
  {
    path: '/{id}/rotate',
    method: 'post',
    handler: 'rotate',
    action: 'update',
    summary: 'Give an API token a new secret',
    status: 200,
    answer: answer(SHOWN),
  },
  {
    path: '/{id}',
    method: 'delete',
    handler: 'revoke',
    action: 'delete',
    summary: 'Revoke an API token',
    status: 204,
  },
];

/** Describes the routes of API tokens that a caller can use. */
export const tokenPaths: Describe = ({ base, caller, components }) => {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const { path, method, handler, action, summary, status, answer: shown, body } of ROWS) {
    if (!caller.permissions.allows('api-token', action)) continue;
    const onOne = path === '' ? [] : ON_DOCUMENT;
    (paths[`${base}/api-tokens${path}`] ??= {})[method] = {
      operationId: `ApiTokens_${handler}`,
      tags: ['api-tokens'],
      summary,
      ...(path === '' ? {} : { parameters: [ID] }),
      ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
      responses: {
        [status]: { description: 'Success.', ...(shown === undefined ? {} : { content: json(shown) }) },
        ...errorAnswers(statusesOf(method, onOne), components),
      },
    };
  }
  return paths;
};
