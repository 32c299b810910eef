import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { unavailable } from '../../kernel/errors.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { ContentErrorFilter } from './error.filter.js';
import { LastConnections } from './last-connections.js';
import { Readiness } from './readiness.js';

/** Probes at the root of the server, for load balancers and orchestrators: `/_health` and `/_ready`. */
@Injectable()
export class Probes {
  private readonly probes: ReadonlyMap<string, (response: object) => void>;

  constructor(
    @Inject(HttpAdapterHost) private readonly adapter: HttpAdapterHost,
    @Inject(ContentErrorFilter) private readonly errors: ContentErrorFilter,
    @Inject(CONTENT_SETTINGS) settings: ContentSettings,
    @Inject(LastConnections) private readonly connections: LastConnections,
    @Inject(Readiness) private readonly readiness: Readiness,
  ) {
    this.probes = new Map(
      settings.health
        ? [
            ['/_health', (response: object) => this.replyAlive(response)],
            ['/_ready', (response: object) => void this.replyReady(response)],
          ]
        : [],
    );
  }

  /** Responds to a probe; returns false for other paths. */
  answer(path: string, response: object): boolean {
    const probe = this.probes.get(path);
    probe?.(response);
    return probe !== undefined;
  }

  private replyAlive(response: object): void {
    const { isStopping } = this.connections;
    this.reply(isStopping ? unavailable('The application is stopping') : null, response);
  }

  private async replyReady(response: object): Promise<void> {
    this.reply(await this.readiness.problem(), response);
  }

  private reply(problem: Error | null, response: object): void {
    if (problem === null) this.adapter.httpAdapter.reply(response, undefined, 204);
    else this.errors.replyUncounted(problem, response);
  }
}
