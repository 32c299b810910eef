/**
 * Spans of the library's work, for OpenTelemetry. The implementation is separate, because it needs an
 * optional package.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Ends a span, as failed if there is an error. */
export type EndSpan = (error?: unknown, attributes?: SpanAttributes) => void;

/** Trace context of a request, for callbacks that run in the async context of another request. */
export interface TelemetryScope {
  /** Starts a span below the span that was active when the scope was made. */
  start(name: string, attributes?: SpanAttributes): EndSpan;
}

export interface Telemetry {
  /** Whether spans are reported. The hot path asks this before it makes a scope. */
  readonly isOn: boolean;
  scope(): TelemetryScope;
  /** Runs work with a new span as the active one, which ends with the work. */
  within<T>(name: string, attributes: SpanAttributes, work: () => T): T;
  /** Runs background work in a separate trace, whatever request caused it. */
  background<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Adds the route to the active span, which the instrumentation of the HTTP server has made. */
  route(template: string): void;
}

/** Injection token of the {@link Telemetry} that the application uses. */
export const TELEMETRY = Symbol('ContentTelemetry');

const ignore = (): void => undefined;

export const NO_TELEMETRY: Telemetry = Object.freeze({
  isOn: false,
  scope: () => ({ start: () => ignore }),
  within: <T>(_name: string, _attributes: SpanAttributes, work: () => T): T => work(),
  background: <T>(_name: string, work: () => Promise<T>): Promise<T> => work(),
  route: ignore,
});
