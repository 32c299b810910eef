/** Routes of content types. Controllers and the OpenAPI document are built from this table. */
import type { DocumentAction } from './actions.js';
import type { ContentTypeDefinition, Route } from './definitions.js';

type Kind = ContentTypeDefinition['kind'];

interface HandlerRow {
  /** Route of a type that the handler belongs to. Types without that route do not have the handler. */
  readonly route: Route | DocumentAction;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Whether the path of a collection contains `:documentId`. */
  readonly onDocument: boolean;
  readonly below: '' | '/bulk' | `/actions/${DocumentAction}`;
  readonly status: 200 | 201 | 204;
  readonly hasBody: boolean;
  /** Action that the caller must be permitted to do. */
  readonly action: Exclude<Route, 'bulk'> | 'publish';
  /** Actions of which the caller may have one instead. */
  readonly otherwise: readonly HandlerRow['action'][];
}

const row = (given: Pick<HandlerRow, 'route' | 'method'> & Partial<HandlerRow>): HandlerRow => ({
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

/** Rows by the name of the controller's method. */
const ROWS = {
  find: content('find', { method: 'get', onDocument: false }),
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
};

export type Handler = keyof typeof ROWS;

export const HANDLERS: Readonly<Record<Handler, HandlerRow>> = Object.freeze(ROWS);

const ALL = Object.keys(HANDLERS) as readonly Handler[];

/** Handlers of the controllers of each kind of type. */
export const HANDLERS_OF: Readonly<Record<Kind, readonly Handler[]>> = {
  collectionType: ALL,
  singleType: ALL.filter((handler) => !['findOne', 'create', 'bulk'].includes(handler)),
};

export const pathBelow = (handler: Handler, kind: Kind, documentId: string): string => {
  const { onDocument, below } = HANDLERS[handler];
  return `${onDocument && kind === 'collectionType' ? `/${documentId}` : ''}${below}`;
};
