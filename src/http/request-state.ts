/** What the guard and the interceptor after it learn about a request, for its handler. */
import { bearerOf, type Credentials } from '../access/auth-strategy.js';
import type { Caller } from '../access/caller.js';
import type { Action } from '../access/permissions.js';
import type { Precondition } from '../plan/precondition.js';
import type { ReadPlan } from '../plan/plan.js';
import type { ContentType } from '../schema/model.js';
import type { Timing } from './timing.js';

interface RequestState {
  caller?: Caller;
  /** What the route serves, on content routes. */
  route?: ContentRoute;
  /** What is asked for, on content routes. */
  asked?: Asked;
  /** For how many seconds shared caches may keep the answer; not at all where it is not said. */
  sharedMaxAge?: number;
  /** What it takes, where that is told. */
  timing?: Timing;
  /** The framework's response. */
  response?: object;
}

/** The content type of a route's class, and the action of its handler. */
export interface ContentRoute {
  readonly type: ContentType;
  readonly action: Action;
  /** Null where the action says it all. */
  readonly deed: Deed | null;
  /** Whether there is no code of the host's in it. */
  readonly isGenerated: boolean;
}

/** What a route below `…/actions/` does to its document. */
export type Deed = 'publish' | 'unpublish' | 'discardDraft' | 'findSchedule' | 'schedule' | 'unschedule';

/**
 * A content request, read and checked: the answer that it wants, who wants it, and what is to be done first.
 */
export interface Asked {
  readonly action: Action;
  readonly deed: Deed | null;
  readonly caller: Caller;
  readonly plan: ReadPlan;
  /** Under which condition it is written. */
  readonly precondition: Precondition | null;
}

/**
 * On the request itself: a WeakMap of all requests would cost the garbage collector more than the rest of
 * this file.
 */
const STATE = Symbol('ContentRequestState');

/** The state of a request; empty at first. */
export const stateOf = (request: object & { [STATE]?: RequestState }): RequestState =>
  (request[STATE] ??= {});

/** What a content request asks for. Throws on routes that a host put beside the generated ones. */
export function askedOf(request: object): Asked {
  const { asked } = stateOf(request);
  if (asked === undefined) throw new Error('Only the routes of a content controller have a plan');
  return asked;
}

/** The part of Express' and Fastify's requests that this library reads. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly originalUrl?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly params?: Readonly<Record<string, string>>;
  /** As the parser of the host has left it. */
  readonly body?: unknown;
  /** Node's own request, where the framework has put another around it. */
  readonly raw?: object;
}

/** Whether a request reads. */
export const isRead = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD';

/** What strategies may look at. */
export const credentialsOf = (request: HttpRequest): Credentials => ({
  headers: request.headers,
  bearer: bearerOf(request.headers.authorization),
  request,
});

/** The URL as the client sent it. */
export const urlOf = (request: HttpRequest): string => request.originalUrl ?? request.url;

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
const END = /[?#]/;

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/**
 * The path in a URL as routers compare it: without an origin, a query and a fragment, in lower case, and
 * decoded as far as it means the same.
 */
export function pathIn(url: string): string {
  const rest = url.startsWith('/') ? url : url.replace(ORIGIN, '');
  const end = rest.search(END);
  const path = end < 0 ? rest : rest.slice(0, end);
  return (path.includes('%') ? decoded(path) : path).toLowerCase();
}

/** The same of a request, as its client sent it. */
export const pathOf = (request: HttpRequest): string => pathIn(urlOf(request));

/** The raw query string; neither framework's own parser has a part in it. */
export function queryOf(request: HttpRequest): string {
  const url = urlOf(request);
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}
