import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { from, lastValueFrom } from 'rxjs';
import { TELEMETRY, type Telemetry } from '../../kernel/telemetry.js';
import { ContentRequests } from './content-requests.js';
import { EnvelopeInterceptor } from './envelope.interceptor.js';
import { PopulateInterceptor } from './populate.interceptor.js';
import { type HttpRequest, isRead, pathOf, requestIdOf, stateOf } from './request-state.js';
import { ContentRoutes } from './routes.js';

/** Whether Nest sends the values of an observable as events (`@Sse`), so none of them is the last one. */
const isStream = (context: ExecutionContext): boolean =>
  Reflect.getMetadata('__sse__', context.getHandler()) === true;

/**
 * Combines the two interceptors of content routes into one, because each interceptor costs kilobytes of
 * promises and observables per request.
 *
 * For the same reason it runs requests of generated controllers itself, without their handler. A write with
 * global pipes takes the usual way, because pipes may change its body.
 */
@Injectable()
export class ContentInterceptor implements NestInterceptor {
  constructor(
    @Inject(EnvelopeInterceptor) private readonly envelope: EnvelopeInterceptor,
    @Inject(PopulateInterceptor) private readonly populate: PopulateInterceptor,
    @Inject(ContentRequests) private readonly requests: ContentRequests,
    @Inject(ApplicationConfig) private readonly application: ApplicationConfig,
    @Inject(ContentRoutes) private readonly routes: ContentRoutes,
    @Inject(TELEMETRY) private readonly telemetry: Telemetry,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    return this.telemetry.isOn && !isStream(context)
      ? this.traced(context, next)
      : this.handle(context, next);
  }

  /** Runs the request in a span, with the route as `http.route`. */
  private traced(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const route = this.routes.templateOf(pathOf(request)) ?? '';
    const { type, action } = stateOf(request).route ?? {};
    this.telemetry.route(route);
    const attributes = {
      'http.route': route,
      'http.request.method': request.method,
      'content.request_id': requestIdOf(request) ?? '',
      ...(type === undefined ? {} : { 'content.type': type.singularApiId, 'content.action': String(action) }),
    };
    return from(
      this.telemetry.within('content.request', attributes, () =>
        lastValueFrom(this.handle(context, next), { defaultValue: undefined }),
      ),
    );
  }

  private handle(context: ExecutionContext, next: CallHandler): ReturnType<CallHandler['handle']> {
    const http = context.switchToHttp();
    const request = http.getRequest<HttpRequest>();
    if (!this.isOurs(request))
      return this.envelope.intercept(context, { handle: () => this.populate.intercept(context, next) });
    this.populate.planResponse(request);
    return from(
      this.requests.perform(request, request.body).then((answer) => this.envelope.send(http, answer)),
    );
  }

  /** Whether no code of the application runs between this interceptor and a generated handler. */
  private isOurs(request: HttpRequest): boolean {
    if (stateOf(request).route?.isGenerated !== true) return false;
    if (isRead(request)) return true;
    const { application } = this;
    return application.getGlobalPipes().length + application.getGlobalRequestPipes().length === 0;
  }
}
