/** Debian's Prometheus scrapes the sample, with the configuration of the documentation. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createAtlas } from '../../sample-app/atlas.ts';
import { AtlasLoader } from '../../sample-app/loader/atlas-loader.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { hasPrometheus, Prometheus } from './prometheus.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/operation.md'), 'utf8');

/** The configuration of the page, for another port and with a shorter interval. */
function configurationFor(port: number): string {
  const [, yaml = ''] = /```yaml\n(scrape_configs:[\s\S]*?)```/.exec(PAGE) ?? [];
  return yaml.replace('localhost:3000', `127.0.0.1:${port}`).replace('15s', '1s');
}

/** Names in the table of the page. */
const NAMES = [...PAGE.matchAll(/^\| (`content_[^|]*) \|/gm)].flatMap(([, cell = '']) =>
  // The sample does not import EventsModule, whose numbers are in test/events.
  [...cell.matchAll(/`(content_(?!events_)\w+)`/g)].map(([, name = '']) => name),
);

// The machine may lack the program: `apt install prometheus` adds it.
const describeIf = hasPrometheus ? describe : describe.skip;

describeIf('Prometheus', () => {
  let database: TestDatabase;
  let app: NestExpressApplication;
  let prometheus: Prometheus;
  beforeAll(async () => {
    database = await createDatabase();
    app = await createAtlas({ databaseUrl: database.url });
    await app.get(AtlasLoader).load({ countries: ['CHE', 'LIE'] });
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    for (let i = 0; i < 5; i += 1) await (await fetch(`${url}/api/countries?populate=borders`)).text();
    await (await fetch(`${url}/api/visitor-notes`)).text();
    prometheus = await Prometheus.start(configurationFor(Number(new URL(url).port)));
  });
  afterAll(async () => {
    await prometheus.stop();
    await app.close();
    await database.drop();
  });

  it('scrapes every metric of the documentation', async () => {
    const count =
      'content_http_request_duration_seconds_count{route="/api/countries",method="GET",status="2xx"}';
    expect(await prometheus.query(count)).toMatchObject([{ value: [expect.any(Number), '5'] }]);
    expect(await prometheus.scrapeErrors()).toEqual(['']);
    const found = await prometheus.query('count by (__name__) ({__name__=~"content_.+"})');
    const names = new Set(found.map(({ metric }) => metric['__name__']?.replace(/_(bucket|sum|count)$/, '')));
    expect(NAMES.length).toBeGreaterThan(15);
    expect(NAMES.filter((name) => !names.has(name))).toEqual([]);
  });

  it('computes rates and percentiles', async () => {
    const url = await app.getUrl();
    for (let i = 0; i < 20; i += 1) {
      await (await fetch(`${url}/api/countries`)).text();
      await sleep(100);
    }
    const [median] = await prometheus.query(
      'histogram_quantile(1/2, sum by (le) (rate(content_http_request_duration_seconds_bucket[1m]))) > 0',
    );
    expect(Number(median?.value[1])).toBeGreaterThan(0);
    const refused = await prometheus.query('content_refusals_total{status="403"}');
    expect(refused).toMatchObject([{ metric: { cause: 'ForbiddenError' } }]);
  });
});
