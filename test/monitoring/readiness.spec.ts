/** The probe `/_ready` and the health indicator, as load balancers and Terminus see them. */
import { Controller, Get, Inject } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import type { MikroORM } from '@mikro-orm/core';
import { CONTENT_ORM, ContentHealthIndicator, ContentMetrics, ContentModule } from 'nestjs-content-api';
import supertest from 'supertest';
import { failure, startHost } from '../http/helpers.ts';
import { ADAPTERS } from '../support/app.ts';
import { note } from '../support/notes.ts';

@Controller('terminus')
class Health {
  constructor(
    @Inject(HealthCheckService) private readonly health: HealthCheckService,
    @Inject(ContentHealthIndicator) private readonly content: ContentHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([() => this.content.isHealthy('content')]);
  }
}

const importsOf = (clientUrl: string) => ({
  imports: [
    TerminusModule.forRoot({ logger: false }),
    ContentModule.forRoot({
      contentTypes: [note],
      access: { public: { note: '*' } },
      health: true,
      database: { clientUrl },
    }),
  ],
  controllers: [Health],
});

const notReady = (message: string, checks: object) =>
  failure(503, 'ServiceUnavailableError', message, { checks, retryAfter: 1 });

const pause = (): Promise<void> => new Promise((done) => setTimeout(done, 1100));

describe.each(ADAPTERS)('readiness on %s', (adapter) => {
  it('1.32 is a 503 until the tables of the model exist, and then a 204', async () => {
    const host = await startHost(({ url }) => importsOf(url), { adapter });
    try {
      const http = supertest.agent(host.url);
      const checks = { database: 'up', model: 'missing', server: 'up' };
      const { body, headers } = await http.get('/_ready').expect(503);
      expect(body).toEqual(notReady('The tables do not match the content model', checks));
      expect(headers['retry-after']).toBe('1');
      expect(host.app.get(ContentMetrics, { strict: false }).snapshot().refusals).toEqual([]);
      const indicated = await http.get('/terminus').expect(503);
      expect(indicated.body.error).toEqual({ content: { status: 'down', ...checks } });
      await host.app.get<MikroORM>(CONTENT_ORM).schema.create();
      // A result is reused for a second.
      await pause();
      for (const method of ['get', 'head', 'post'] as const)
        expect((await http[method]('/_ready?x=1').expect(204)).text ?? '').toBe('');
      expect((await http.get('/terminus').expect(200)).body.info).toEqual({
        content: { status: 'up', database: 'up', model: 'up', server: 'up' },
      });
      await http.get('/_ready/x').expect(404);
    } finally {
      await host.close();
    }
  });

  it('1.32 is a 503 while the database is unreachable, without a word about it', async () => {
    const host = await startHost(() => importsOf('postgresql://someone:secret@127.0.0.1:1/hidden'), {
      adapter,
    });
    try {
      const { body } = await supertest(host.url).get('/_ready').expect(503);
      const checks = { database: 'down', model: 'unknown', server: 'up' };
      expect(body).toEqual(notReady('The database does not respond', checks));
      await supertest(host.url).get('/_health').expect(204);
    } finally {
      await host.close();
    }
  });
});
