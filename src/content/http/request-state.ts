/** State that guards and interceptors store with a request for its handler. */
import { bearerOf, type Credentials } from '../access/auth-strategy.js';
import type { Caller } from '../access/caller.js';
import type { Action } from '../access/actions.js';
import type { Precondition } from '../plan/precondition.js';
import type { ReadPlan } from '../plan/plan.js';
import type { ContentType } from '../model/model.js';
import type { Handler } from '../model/routes.js';
import type { Timing } from './timing.js';

/** Facts for the audit log that only the handler of the request knows. */
interface AuditedDetails {
  /** Caller whom a credential names that no guard reads. */
  readonly actor?: Pick<Caller, 'kind' | 'id'>;
  /** Names of the members that the request changes. */
  readonly attributes?: readonly string[];
  /** Whether the request only checks an action. Such a request is not an entry. */
  readonly isDryRun?: boolean;
}

interface RequestState {
  caller?: Caller;
  route?: ContentRoute;
  planned?: PlannedRequest;
  /** Maximum age for shared caches in seconds; undefined forbids them. */
  sharedMaxAge?: number;
  /** Headers that features add to the response. */
  headers?: Readonly<Record<string, string>>;
  timing?: Timing;
  response?: object;
  audited?: AuditedDetails;
  /** In the state of Node's own request, which exists before that of the framework. */
  requestId?: string;
  /** In the state of Node's own request: no parser reads its body. */
  isUnparsed?: boolean;
}

/** Content type of a route's controller, and action of its handler. */
export interface ContentRoute {
  readonly type: ContentType;
  readonly action: Action;
  readonly handler: Handler;
  readonly isGenerated: boolean;
}

/** Parsed and checked content request: its caller, action, and the plan of its response. */
export interface PlannedRequest {
  readonly action: Action;
  readonly handler: Handler;
  readonly caller: Caller;
  readonly plan: ReadPlan;
  readonly precondition: Precondition | null;
}

/**
 * Property of the request: a WeakMap of all requests would cost more garbage collection time than the rest of
 * this file.
 */
const STATE = Symbol('ContentRequestState');

export const stateOf = (request: object & { [STATE]?: RequestState }): RequestState =>
  (request[STATE] ??= {});

/** Returns Node's own request or response, which Fastify's contains. */
export const rawOf = (message: object & { readonly raw?: object }): object => message.raw ?? message;

/** Returns the id of a request to a route of the library; null for other requests. */
export const requestIdOf = (request: object & { readonly raw?: object }): string | null =>
  stateOf(rawOf(request)).requestId ?? null;

/** Returns the parsed content request. Throws an Error on routes that the application added. */
export function plannedRequestOf(request: object): PlannedRequest {
  const { planned } = stateOf(request);
  if (planned === undefined) throw new Error('Only generated content routes and their overrides have a plan');
  return planned;
}

/** Members of Express' and Fastify's requests that the library reads. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly originalUrl?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly raw?: object;
}

export const isRead = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD';

export const credentialsOf = (request: HttpRequest): Credentials => ({
  headers: request.headers,
  bearer: bearerOf(request.headers.authorization),
  request,
});

export const urlOf = (request: HttpRequest): string => request.originalUrl ?? request.url;

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
const END = /[?#]/;

function decodePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/**
 * Returns the path of a URL as routers compare it: without origin, query and fragment, in lower case and
 * decoded.
 */
export function pathIn(url: string): string {
  const rest = url.startsWith('/') ? url : url.replace(ORIGIN, '');
  const end = rest.search(END);
  const path = end < 0 ? rest : rest.slice(0, end);
  return (path.includes('%') ? decodePath(path) : path).toLowerCase();
}

export const pathOf = (request: HttpRequest): string => pathIn(urlOf(request));

export function queryOf(request: HttpRequest): string {
  const url = urlOf(request);
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}
