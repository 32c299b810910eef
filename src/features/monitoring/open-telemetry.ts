/** `@opentelemetry/api`, an optional peer: loaded only if the option `monitoring.telemetry` is on. */
import type { Span, Tracer } from '@opentelemetry/api';
import type { EndSpan, SpanAttributes, Telemetry, TelemetryScope } from '../../kernel/telemetry.js';

type Api = typeof import('@opentelemetry/api');

/** Loader of the package, which tests replace. */
export type LoadApi = () => Promise<Api>;

const importApi: LoadApi = () => import('@opentelemetry/api');

const NAME = 'nestjs-content-api';

const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise;

class OpenTelemetry implements Telemetry {
  readonly isOn = true;
  private readonly tracer: Tracer;

  constructor(private readonly api: Api) {
    this.tracer = api.trace.getTracer(NAME);
  }

  scope(): TelemetryScope {
    const context = this.api.context.active();
    return {
      start: (name, attributes = {}) => this.endOf(this.tracer.startSpan(name, { attributes }, context)),
    };
  }

  within<T>(name: string, attributes: SpanAttributes, work: () => T): T {
    return this.tracer.startActiveSpan(name, { attributes }, (span) => this.run(span, work));
  }

  background<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { ROOT_CONTEXT } = this.api;
    return this.tracer.startActiveSpan(name, { root: true }, ROOT_CONTEXT, (span) => this.run(span, work));
  }

  route(template: string): void {
    this.api.trace.getActiveSpan()?.setAttribute('http.route', template);
  }

  /** Runs work and ends the span with it. */
  private run<T>(span: Span, work: () => T): T {
    const end = this.endOf(span);
    try {
      const result = work();
      if (isPromise(result)) result.then(() => end(), end);
      else end();
      return result;
    } catch (error) {
      end(error);
      throw error;
    }
  }

  private endOf(span: Span): EndSpan {
    return (error, attributes = {}) => {
      span.setAttributes(attributes);
      if (error !== undefined) this.fail(span, error);
      span.end();
    };
  }

  private fail(span: Span, error: unknown): void {
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
    span.setAttribute('error.type', name);
    span.setStatus({ code: this.api.SpanStatusCode.ERROR, message });
  }
}

/** Loads the package. Throws an Error that says how to install it. */
export async function openTelemetry(load: LoadApi = importApi): Promise<Telemetry> {
  try {
    return new OpenTelemetry(await load());
  } catch (cause) {
    throw new Error('monitoring.telemetry: npm install @opentelemetry/api', { cause });
  }
}
