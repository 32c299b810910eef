/** OpenAPI description of `/api/releases` (protocol section 27). */
import { SCHEDULED_ACTIONS } from '../../content/model/schedule.js';
import { RELEASES_GRANT } from '../../content/model/naming.js';
import {
  anyOf,
  FLAG,
  type JsonSchema,
  list,
  NULL,
  open,
  type Parameter,
  TEXT,
  TIME,
} from '../../content/openapi/document.js';
import { LIST_META, META } from '../../content/openapi/meta.js';
import { ownListParameters } from '../../content/openapi/parameters.js';
import { type RouteRow, routesOf } from '../../content/openapi/route-rows.js';

const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
const BY = open({ kind: TEXT, id: anyOf(TEXT, NULL) }, ['kind', 'id']);
const ACTION: JsonSchema = { type: 'string', enum: [...SCHEDULED_ACTIONS] };
const OR_NULL = (schema: JsonSchema): JsonSchema => anyOf(schema, NULL);

const RELEASE_MEMBERS = {
  id: TEXT,
  name: TEXT,
  state: { type: 'string', enum: ['open', 'scheduled', 'failed', 'released'] },
  at: OR_NULL(TIME),
  size: COUNT,
  createdAt: TIME,
  createdBy: BY,
  updatedAt: TIME,
  releasedAt: OR_NULL(TIME),
  releasedBy: OR_NULL(BY),
  requestId: OR_NULL(TEXT),
  failedAt: OR_NULL(TIME),
} as const;
const ENTRY_MEMBERS = {
  id: TEXT,
  type: TEXT,
  documentId: TEXT,
  locale: OR_NULL(TEXT),
  action: ACTION,
  title: {},
  status: OR_NULL({ type: 'string', enum: ['draft', 'modified', 'published'] }),
} as const;
const CHECKED_MEMBERS = {
  ...ENTRY_MEMBERS,
  outcome: { type: 'string', enum: ['changes', 'unchanged', 'refused'] },
  error: OR_NULL(
    open({ status: COUNT, name: TEXT, message: TEXT, details: {} }, ['status', 'name', 'message']),
  ),
} as const;
const MEMBERS_WITH_ENTRIES = {
  ...RELEASE_MEMBERS,
  failedEntry: OR_NULL(TEXT),
  entries: list(open(ENTRY_MEMBERS, Object.keys(ENTRY_MEMBERS))),
  hidden: COUNT,
} as const;

const RELEASE = open(RELEASE_MEMBERS, Object.keys(RELEASE_MEMBERS));
const RELEASE_WITH_ENTRIES = open(MEMBERS_WITH_ENTRIES, Object.keys(MEMBERS_WITH_ENTRIES));
const REPORT = open(
  {
    entries: list(open(CHECKED_MEMBERS, Object.keys(CHECKED_MEMBERS))),
    hidden: open({ count: COUNT, refused: COUNT }, ['count', 'refused']),
  },
  ['entries', 'hidden'],
);
const ENTRY_INPUT = open({ type: TEXT, documentId: OR_NULL(TEXT), locale: OR_NULL(TEXT), action: ACTION }, [
  'type',
]);

const ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the release.',
  schema: TEXT,
};
const ENTRY: Parameter = { ...ID, name: 'entry', description: 'Id of the entry.' };

const row = (options: Omit<RouteRow, 'action'>): RouteRow => ({ meta: META, ...options, action: 'open' });

const ROWS: readonly RouteRow[] = [
  row({
    path: '',
    method: 'get',
    handler: 'find',
    summary: 'List releases',
    answer: list(RELEASE),
    meta: LIST_META,
    more: ownListParameters(TEXT),
  }),
  row({
    path: '',
    method: 'post',
    handler: 'create',
    summary: 'Create a release',
    status: 201,
    answer: RELEASE_WITH_ENTRIES,
    body: open({ name: TEXT, at: OR_NULL(TIME) }, ['name']),
  }),
  row({
    path: '/{id}',
    method: 'get',
    handler: 'findOne',
    summary: 'Get a release',
    answer: RELEASE_WITH_ENTRIES,
  }),
  row({
    path: '/{id}',
    method: 'put',
    handler: 'update',
    summary: 'Change the name or the time of a release',
    answer: RELEASE_WITH_ENTRIES,
    body: open({ name: TEXT, at: OR_NULL(TIME) }),
  }),
  row({ path: '/{id}', method: 'delete', handler: 'remove', summary: 'Delete a release', status: 204 }),
  row({
    path: '/{id}/entries',
    method: 'post',
    handler: 'add',
    summary: 'Add documents to a release',
    answer: RELEASE_WITH_ENTRIES,
    body: anyOf(ENTRY_INPUT, list(ENTRY_INPUT)),
  }),
  row({
    path: '/{id}/entries/{entry}',
    method: 'delete',
    handler: 'removeEntry',
    summary: 'Remove a document from a release',
    status: 204,
    more: [ENTRY],
  }),
  row({
    path: '/{id}/actions/remove',
    method: 'post',
    handler: 'removeEntries',
    summary: 'Remove documents from a release',
    answer: RELEASE_WITH_ENTRIES,
    body: open({ entries: list(TEXT) }, ['entries']),
  }),
  row({
    path: '/{id}/actions/publish',
    method: 'post',
    handler: 'publish',
    summary: 'Publish a release, or report what that would do',
    answer: anyOf(RELEASE_WITH_ENTRIES, REPORT),
    body: open({ dryRun: FLAG }),
    optionalBody: true,
  }),
  row({
    path: '/{id}/actions/undo',
    method: 'post',
    handler: 'undo',
    summary: 'Undo a release, or report what that would do',
    answer: anyOf(RELEASE_WITH_ENTRIES, REPORT),
    body: open({ dryRun: FLAG }),
    optionalBody: true,
  }),
];

/** Describes the routes for callers with the grant. */
export const releasePaths = routesOf({
  subject: RELEASES_GRANT,
  path: RELEASES_GRANT,
  name: 'Releases',
  id: ID,
  rows: ROWS,
});
