import { Injectable } from '@nestjs/common';
import { ContentError } from '../../kernel/errors.js';
import { Histogram } from '../../kernel/histogram.js';
import { isText } from '../../kernel/json.js';

/** Responses of one route and method with one class of status. */
export interface RouteDurations {
  /** Template of the path, such as `/api/articles/:documentId`; never the path of a request. */
  readonly route: string;
  readonly method: string;
  /** `2xx` to `5xx`, or `aborted` if the client did not receive the whole response. */
  readonly status: string;
  readonly durations: Histogram;
}

/** Error responses of one cause. */
export interface Refusals {
  readonly status: number;
  /** Name of the exceeded limit, `database`, or name of the error. */
  readonly cause: string;
  readonly count: number;
}

/** Most causes, because errors of the application may name any limit. */
const MAX_CAUSES = 100;
const OTHER_ROUTES = 'others';

/** Returns the cause of an error, in words that the code of the library or application contains. */
function causeOf(error: unknown, name: string): string {
  if (!(error instanceof ContentError)) return name;
  const { limit } = error.details;
  if (isText(limit)) return limit;
  return error.status === 503 && error.cause !== undefined ? 'database' : name;
}

/** Counts of responses: durations by route, and errors by cause. */
@Injectable()
export class RequestCounts {
  private readonly routes = new Map<string, RouteDurations>();
  private readonly causes = new Map<string, { status: number; cause: string; count: number }>();

  get durations(): readonly RouteDurations[] {
    return [...this.routes.values()];
  }

  get refusals(): readonly Refusals[] {
    return [...this.causes.values()];
  }

  responded(response: Omit<RouteDurations, 'durations'>, milliseconds: number): void {
    const { route, method, status } = response;
    const key = `${method} ${status} ${route}`;
    let entry = this.routes.get(key);
    if (entry === undefined) {
      entry = { ...response, durations: new Histogram() };
      this.routes.set(key, entry);
    }
    entry.durations.record(milliseconds);
  }

  refused(error: unknown, { status, name }: { readonly status: number; readonly name: string }): void {
    const cause = causeOf(error, name);
    const key = this.causes.has(`${status} ${cause}`) || this.causes.size < MAX_CAUSES ? cause : OTHER_ROUTES;
    const entry = this.causes.get(`${status} ${key}`) ?? { status, cause: key, count: 0 };
    this.causes.set(`${status} ${key}`, entry);
    entry.count += 1;
  }
}
