/** Routes of content types. Controllers and the OpenAPI document are built from this table. */
import { keysOf } from '../../kernel/json.js';
import type { DocumentAction } from './actions.js';
import type { AnyRoute, ContentTypeDefinition, Route } from './definitions.js';

type Kind = ContentTypeDefinition['kind'];

interface HandlerRow {
  /** Route of a type that the handler belongs to. Types without that route do not have the handler. */
  readonly route: AnyRoute;
  /** Route of the same write: types without it do not have the handler either. */
  readonly writes: Route | null;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Whether the path of a collection contains `:documentId`. */
  readonly onDocument: boolean;
  readonly below: '' | '/bulk' | '/trash' | `/${'actions' | 'versions'}${string}`;
  readonly status: 200 | 201 | 204;
  readonly hasBody: boolean;
  /** Action that the caller must be permitted to do. */
  readonly action: Exclude<Route, 'bulk'> | 'publish';
  /** Alternative actions: one of them suffices. */
  readonly otherwise: readonly HandlerRow['action'][];
}

const row = (given: Pick<HandlerRow, 'route' | 'method'> & Partial<HandlerRow>): HandlerRow => ({
  writes: null,
  onDocument: true,
  below: `/actions/${given.route as DocumentAction}`,
  status: 200,
  hasBody: false,
  action: 'publish',
  otherwise: [],
  ...given,
});

const content = (
  route: Exclude<Route, 'bulk'>,
  given: Pick<HandlerRow, 'method'> & Partial<HandlerRow>,
): HandlerRow => row({ route, action: route, below: '', ...given });

const history = (
  below: HandlerRow['below'],
  given: Pick<HandlerRow, 'method' | 'action'> & Partial<HandlerRow>,
): HandlerRow => row({ route: 'history', below, ...given });

/** Rows by the name of the controller's method. A path of fixed parts precedes one with a parameter. */
const ROWS = {
  find: content('find', { method: 'get', onDocument: false }),
  findTrash: history('/trash', { method: 'get', action: 'create', onDocument: false }),
  findOne: content('findOne', { method: 'get' }),
  create: content('create', { method: 'post', onDocument: false, status: 201, hasBody: true }),
  update: content('update', { method: 'put', hasBody: true }),
  delete: content('delete', { method: 'delete', status: 204 }),
  publish: row({ route: 'publish', method: 'post' }),
  unpublish: row({ route: 'unpublish', method: 'post' }),
  discardDraft: row({ route: 'discard', method: 'post' }),
  findSchedule: row({ route: 'schedule', method: 'get' }),
  schedule: row({ route: 'schedule', method: 'put', hasBody: true }),
  unschedule: row({ route: 'schedule', method: 'delete', status: 204 }),
  bulk: row({
    route: 'bulk',
    method: 'post',
    onDocument: false,
    below: '/bulk',
    hasBody: true,
    action: 'update',
    otherwise: ['create', 'delete', 'publish'],
  }),
  findVersions: history('/versions', { method: 'get', action: 'update' }),
  findVersion: history('/versions/:version', { method: 'get', action: 'update' }),
  compareVersion: history('/versions/:version/changes', { method: 'get', action: 'update' }),
  restoreVersion: history('/versions/:version/actions/restore', {
    method: 'post',
    action: 'update',
    writes: 'update',
  }),
  restore: history('/actions/restore', { method: 'post', action: 'create', writes: 'create' }),
};

export type Handler = keyof typeof ROWS;

/** Handlers of the feature that stores versions. */
export type HistoryHandler =
  'findTrash' | 'findVersions' | 'findVersion' | 'compareVersion' | 'restoreVersion' | 'restore';

export const HANDLERS: Readonly<Record<Handler, HandlerRow>> = Object.freeze(ROWS);

/** Whether a type has a handler. */
export function isServed(handler: Handler, { routes }: { readonly routes: readonly AnyRoute[] }): boolean {
  const { route, writes } = HANDLERS[handler];
  return routes.includes(route) && (writes === null || routes.includes(writes));
}

/** Whether the document that an action leaves is a draft, so that the response shows the draft by default. */
export const leavesDraft = (handler: Handler): boolean =>
  handler === 'unpublish' || handler === 'discardDraft';

export const isHandler = (name: string): name is Handler => Object.hasOwn(HANDLERS, name);

const ALL = keysOf(HANDLERS);

/** Handlers of the controllers of each kind of type. */
export const HANDLERS_OF: Readonly<Record<Kind, readonly Handler[]>> = {
  collectionType: ALL,
  singleType: ALL.filter(
    (handler) => !['findOne', 'create', 'bulk', 'findTrash', 'restore'].includes(handler),
  ),
};

export const pathBelow = (handler: Handler, kind: Kind, documentId: string): string => {
  const { onDocument, below } = HANDLERS[handler];
  return `${onDocument && kind === 'collectionType' ? `/${documentId}` : ''}${below}`;
};
