/** OpenAPI description of `/api/audit` (protocol section 26). */
import { anyOf, list, NULL, open, TEXT, TIME } from '../../../content/openapi/document.js';
import { LIST_META } from '../../../content/openapi/meta.js';
import { ownListParameters } from '../../../content/openapi/parameters.js';
import { type RouteRow, routesOf } from '../../../content/openapi/route-rows.js';
import { AUDIT_GRANT } from '../../../content/model/naming.js';

const MEMBERS = {
  id: TEXT,
  at: TIME,
  action: TEXT,
  status: anyOf({ type: 'integer' }, NULL),
  type: anyOf(TEXT, NULL),
  documentId: anyOf(TEXT, NULL),
  locale: anyOf(TEXT, NULL),
  attributes: { type: 'array', items: TEXT },
  by: open({ kind: TEXT, id: anyOf(TEXT, NULL) }, ['kind', 'id']),
  requestId: anyOf(TEXT, NULL),
  address: anyOf(TEXT, NULL),
} as const;

const ROWS: readonly RouteRow[] = [
  {
    path: '',
    method: 'get',
    handler: 'find',
    action: 'open',
    summary: 'List changes and sign-ins',
    status: 200,
    meta: LIST_META,
    answer: list(open(MEMBERS, Object.keys(MEMBERS))),
    more: ownListParameters({ type: 'string', enum: ['at:asc', 'at:desc'] }),
  },
];

/** Describes the route for callers with the grant. */
export const auditPaths = routesOf({ subject: AUDIT_GRANT, path: AUDIT_GRANT, name: 'Audit', rows: ROWS });
