/** OpenAPI description of `/api/webhooks` (protocol 21.10, 21.13). */
import {
  anyOf,
  closedObject,
  FLAG,
  type JsonSchema,
  list,
  NULL,
  open,
  type Parameter,
  TEXT,
  TIME,
} from '../../../content/openapi/document.js';
import { type RouteRow, routesOf } from '../../../content/openapi/route-rows.js';
import { EVENT_NAMES } from '../logged-event.js';

const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
const ANY: JsonSchema = {};
const OBJECT: JsonSchema = { type: 'object', additionalProperties: true };
const TEXTS = list(TEXT);

const SETTINGS = {
  name: TEXT,
  url: { type: 'string', format: 'uri' },
  events: list({ type: 'string', enum: [...EVENT_NAMES] }),
  types: TEXTS,
  filters: OBJECT,
  fields: TEXTS,
  populate: ANY,
  role: TEXT,
} satisfies Record<string, JsonSchema>;
const HEADERS: JsonSchema = { type: 'object', additionalProperties: TEXT };
const STATE = {
  id: TEXT,
  inCode: FLAG,
  enabled: FLAG,
  headers: TEXTS,
  disabled: anyOf(TEXT, NULL),
  failingSince: anyOf(TIME, NULL),
  lag: COUNT,
  pending: COUNT,
  failed: COUNT,
};
const REQUIRED = ['name', 'url', ...Object.keys(STATE)];
const WEBHOOK = open({ ...SETTINGS, ...STATE }, REQUIRED);
const WITH_SECRET = open({ ...SETTINGS, ...STATE, secret: TEXT }, [...REQUIRED, 'secret']);
const ATTEMPT_MEMBERS = {
  event: TEXT,
  at: TIME,
  status: anyOf(COUNT, NULL),
  milliseconds: COUNT,
  failure: anyOf(TEXT, NULL),
};
const ATTEMPT = open(ATTEMPT_MEMBERS, Object.keys(ATTEMPT_MEMBERS));
const OUTCOME = open(
  {
    kind: { type: 'string', enum: ['delivered', 'failed', 'gone'] },
    status: anyOf(COUNT, NULL),
    failure: TEXT,
    retryAfter: anyOf(COUNT, NULL),
  },
  ['kind', 'status'],
);
const REPLAY_RESULT = open({ replayed: COUNT }, ['replayed']);
const { name: NAME, url: URL, ...OPTIONAL } = SETTINGS;
/** Null stands for the default. */
const INPUT = Object.fromEntries(
  Object.entries({ ...OPTIONAL, headers: HEADERS }).map(([name, schema]) => [name, anyOf(schema, NULL)]),
);
const NEW = closedObject({ name: NAME, url: URL, ...INPUT }, ['name', 'url']);
const CHANGE_INPUT = closedObject({ name: NAME, url: URL, ...INPUT, enabled: FLAG }, []);
const REPLAY = closedObject({ event: TEXT, since: TIME }, []);

const ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Document id of a stored webhook, or name of one in code.',
  schema: TEXT,
};

const ROWS: readonly RouteRow[] = [
  {
    path: '',
    method: 'get',
    handler: 'find',
    action: 'find',
    summary: 'List webhooks',
    answer: list(WEBHOOK),
  },
  {
    path: '',
    method: 'post',
    handler: 'create',
    action: 'create',
    summary: 'Create a webhook',
    status: 201,
    answer: WITH_SECRET,
    body: NEW,
  },
  {
    path: '/{id}',
    method: 'get',
    handler: 'findOne',
    action: 'findOne',
    summary: 'Get a webhook',
    answer: WEBHOOK,
  },
  {
    path: '/{id}',
    method: 'put',
    handler: 'update',
    action: 'update',
    summary: 'Change a webhook',
    answer: WEBHOOK,
    body: CHANGE_INPUT,
  },
  {
    path: '/{id}',
    method: 'delete',
    handler: 'remove',
    action: 'delete',
    summary: 'Delete a webhook',
    status: 204,
  },
  {
    path: '/{id}/attempts',
    method: 'get',
    handler: 'attempts',
    action: 'findOne',
    summary: 'List the latest attempts of a webhook',
    answer: list(ATTEMPT),
  },
  {
    path: '/{id}/rotate',
    method: 'post',
    handler: 'rotate',
    action: 'update',
    summary: 'Give a webhook a new secret',
    answer: WITH_SECRET,
  },
  {
    path: '/{id}/enable',
    method: 'post',
    handler: 'enable',
    action: 'update',
    summary: 'Let a disabled webhook continue',
    answer: WEBHOOK,
  },
  {
    path: '/{id}/test',
    method: 'post',
    handler: 'test',
    action: 'update',
    summary: 'Send a test event',
    answer: OUTCOME,
  },
  {
    path: '/{id}/replay',
    method: 'post',
    handler: 'replay',
    action: 'update',
    summary: 'Send events again',
    answer: REPLAY_RESULT,
    body: REPLAY,
  },
];

/** Describes the routes of webhooks that a caller can use. */
export const webhookPaths = routesOf({
  subject: 'webhook',
  path: 'webhooks',
  name: 'Webhooks',
  id: ID,
  rows: ROWS,
});
