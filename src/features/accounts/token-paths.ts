/** OpenAPI description of `/api/api-tokens` (protocol 18.14–18.16). */
import {
  anyOf,
  type JsonSchema,
  list,
  NULL,
  open,
  type Parameter,
  TEXT,
  TIME,
} from '../../content/openapi/document.js';
import { type RouteRow, routesOf } from '../../content/openapi/route-rows.js';

const KIND: JsonSchema = { type: 'string', enum: ['read-only', 'full-access', 'custom'] };
const DAYS: JsonSchema = { type: 'integer', minimum: 1 };
const GRANTS: JsonSchema = { type: 'object', additionalProperties: true };

const MEMBERS = {
  id: { type: 'integer' },
  documentId: TEXT,
  name: TEXT,
  description: anyOf(TEXT, NULL),
  kind: KIND,
  grants: anyOf(GRANTS, NULL),
  lifespan: anyOf(DAYS, NULL),
  expiresAt: anyOf(TIME, NULL),
  lastUsedAt: anyOf(TIME, NULL),
  createdAt: TIME,
  updatedAt: TIME,
  publishedAt: TIME,
  locale: TEXT,
};
const LISTED = open(MEMBERS, Object.keys(MEMBERS));
const SHOWN = open({ ...MEMBERS, token: TEXT }, [...Object.keys(MEMBERS), 'token']);
const NEW = open({ name: TEXT, kind: KIND, description: TEXT, grants: GRANTS, days: DAYS }, ['name', 'kind']);
const ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Document id of the token.',
  schema: TEXT,
};

const ROWS: readonly RouteRow[] = [
  {
    path: '',
    method: 'get',
    handler: 'find',
    action: 'find',
    summary: 'List API tokens',
    status: 200,
    answer: list(LISTED),
  },
  {
    path: '',
    method: 'post',
    handler: 'create',
    action: 'create',
    summary: 'Create an API token',
    status: 201,
    answer: SHOWN,
    body: NEW,
  },
  {
    path: '/{id}/rotate',
    method: 'post',
    handler: 'rotate',
    action: 'update',
    summary: 'Give an API token a new secret',
    status: 200,
    answer: SHOWN,
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
export const tokenPaths = routesOf({
  subject: 'api-token',
  path: 'api-tokens',
  name: 'ApiTokens',
  id: ID,
  rows: ROWS,
});
