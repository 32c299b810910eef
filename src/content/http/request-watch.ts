import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { Documents } from '../documents/documents.service.js';
import type { ContentType } from '../model/model.js';
import type { Handler } from '../model/routes.js';
import { RequestCounts, type RouteDurations } from './request-counts.js';
import { type PlannedRequest, rawOf, stateOf } from './request-state.js';
import { ContentRoutes } from './routes.js';

interface NodeRequest {
  readonly method: string;
}

interface NodeResponse {
  readonly statusCode: number;
  readonly writableFinished: boolean;
  getHeader(name: string): unknown;
  once(event: 'close', listener: () => void): unknown;
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Streams of events last as long as their page is open. */
const isStream = (response: NodeResponse): boolean =>
  String(response.getHeader('content-type')).startsWith('text/event-stream');

/** Measures responses to the library's routes: durations for the metrics, and log lines for slow requests. */
@Injectable()
export class RequestWatch {
  private readonly logger = new Logger('ContentRequests');
  private readonly isOn: boolean;
  /** Templates by type and handler, since matching a path costs more than all else here. */
  private readonly templates = new WeakMap<ContentType, Map<Handler, string>>();

  constructor(
    @Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings,
    @Inject(ContentRoutes) private readonly routes: ContentRoutes,
    @Inject(RequestCounts) private readonly counts: RequestCounts,
    @Inject(Documents) private readonly documents: Documents,
  ) {
    const { durations, slowRequest } = settings.monitoring;
    this.isOn = durations || slowRequest > 0;
  }

  /** Measures a request that has just arrived. `path` is in lower case, without query. */
  begin(request: NodeRequest, path: string, response: object): void {
    if (!this.isOn) return;
    const since = performance.now();
    const node = rawOf(response) as NodeResponse;
    node.once('close', () => this.end(request, path, { response: node, took: performance.now() - since }));
  }

  private end(
    request: NodeRequest,
    path: string,
    { response, took }: { readonly response: NodeResponse; readonly took: number },
  ): void {
    if (isStream(response)) return;
    const { durations, slowRequest } = this.settings.monitoring;
    const { statusCode, writableFinished } = response;
    const labels = {
      route: this.routeOf(request, path),
      method: METHODS.includes(request.method) ? request.method : 'other',
      status: writableFinished ? `${Math.floor(statusCode / 100)}xx` : 'aborted',
    };
    if (durations) this.counts.responded(labels, took);
    if (slowRequest > 0 && took >= slowRequest) this.logSlow(request, labels, took);
  }

  private routeOf(request: NodeRequest, path: string): string {
    const { planned } = stateOf(request);
    if (planned === undefined) return this.routes.templateOf(path) ?? 'none';
    const { plan, handler } = planned;
    const ofType = this.templates.get(plan.type) ?? new Map<Handler, string>();
    const cached = ofType.get(handler);
    if (cached !== undefined) return cached;
    const route = this.routes.templateOf(path) ?? 'none';
    this.templates.set(plan.type, ofType.set(handler, route));
    return route;
  }

  private logSlow(
    request: NodeRequest,
    { method, route, status }: Omit<RouteDurations, 'durations'>,
    took: number,
  ): void {
    const { requestId = '', planned } = stateOf(request);
    const statement = planned === undefined ? '' : `, ${this.statementOf(planned)}`;
    this.logger.warn(
      `Slow request: ${method} ${route} took ${Math.round(took)} ms (${status}, request ${requestId}${statement})`,
    );
  }

  /** Returns the name of a read's statement, or type and action of a write. */
  private statementOf({ action, plan }: PlannedRequest): string {
    const isRead = action === 'find' || action === 'findOne';
    return isRead ? `statement ${this.documents.reads.nameOf(plan)}` : `${plan.type.singularApiId}.${action}`;
  }
}
