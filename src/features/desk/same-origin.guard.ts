import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { requireJson } from '../../content/http/json-body.js';
import type { HttpRequest } from '../../content/http/request-state.js';
import { forbidden, notFound } from '../../kernel/errors.js';
import { DeskSite } from './desk-site.js';
import { DESK_OPTIONS, type ResolvedDeskOptions } from './desk.options.js';

/** Request of Express or Fastify; `host` and `protocol` are those of a trusted proxy. */
export interface SessionRequest extends HttpRequest {
  readonly ip?: string;
  readonly host?: string;
  readonly protocol?: string;
}

/** Admits requests of the desk's own pages, and no other site's. */
@Injectable()
export class SameOriginGuard implements CanActivate {
  constructor(
    @Inject(DeskSite) protected readonly site: DeskSite,
    @Inject(DESK_OPTIONS) private readonly options: ResolvedDeskOptions,
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<SessionRequest>();
    this.adapter.httpAdapter.setHeader(http.getResponse<object>(), 'Cache-Control', 'no-store');
    if (!this.isServed()) throw notFound();
    const { origin, 'sec-fetch-site': site = 'same-origin' } = request.headers;
    if (site !== 'same-origin' || !this.isOwn(origin, request)) throw forbidden();
    requireJson(request);
    return true;
  }

  protected isServed(): boolean {
    return true;
  }

  private isOwn(
    origin: string | string[] | undefined,
    { host = '', protocol = '' }: SessionRequest,
  ): boolean {
    if (origin === undefined) return true;
    const sent = URL.parse(String(origin));
    if (sent === null || !['http:', 'https:'].includes(sent.protocol)) return false;
    if (sent.origin === this.options.url?.origin) return true;
    // A proxy that ends TLS may hide the protocol; the host is the same.
    return [sent.protocol, `${protocol}:`].some((one) => sent.host === URL.parse(`${one}//${host}`)?.host);
  }
}

/** Guard of the session routes, which exist only if users sign in at the desk. */
@Injectable()
export class SessionGuard extends SameOriginGuard {
  protected override isServed(): boolean {
    return this.site.sessions !== null;
  }
}
