/**
 * `npm run bench -- publish [--tries 15] [--links 550] [--locales 35]`: cost of publishing as a document gets
 * more links, locales and components. Changes each document as a draft and publishes it, in turns with the
 * smallest one. Prints a table and writes bench/results/publish.{md,json}.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import {
  CONTENT_ORM,
  ContentModule,
  defineCollectionType,
  defineComponent,
  getContentToken,
} from 'nestjs-content-api';
import { describePostgres, startDatabases } from '../databases.mjs';
import { median } from '../read/measure.mjs';

const results = join(import.meta.dirname, '..', 'results');

const note = defineComponent({ uid: 'shared.note', attributes: { text: { type: 'string' } } });
const relation = (kind, target, more) => ({ type: 'relation', relation: kind, target, ...more });
const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  localized: true,
  attributes: {
    title: { type: 'string', localized: true },
    tags: relation('manyToMany', 'tag', { inversedBy: 'stories' }),
    notes: { type: 'component', component: 'shared.note', repeatable: true },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: { name: { type: 'string' }, stories: relation('manyToMany', 'story', { mappedBy: 'tags' }) },
});

const codes = (count) => Array.from({ length: count }, (_, i) => (i === 0 ? 'en' : `en-x${i}`));

/** Creates a published document with these numbers of links, locales and component instances. */
async function make(services, { links, locales, instances }) {
  const data = {
    title: 'A story',
    tags: services.tags.slice(0, links),
    notes: Array.from({ length: instances }, (_, i) => ({ text: `note ${i}` })),
  };
  const { documentId } = await services.stories.create(data);
  for (const locale of codes(locales).slice(1))
    await services.stories.update(documentId, { title: `In ${locale}` }, { locale });
  return documentId;
}

/** Returns the milliseconds to publish a document with a changed draft. */
async function publish({ stories, tags }, documentId, { links, locales }, turn) {
  const data = { title: `Version ${turn}`, tags: links === 0 ? [] : tags.slice(0, links - (turn % 2)) };
  await stories.update(documentId, data, { status: 'draft' });
  const start = performance.now();
  await stories.publish(documentId, locales === 1 ? {} : { locale: '*' });
  return performance.now() - start;
}

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: {
      tries: { type: 'string', default: '15' },
      links: { type: 'string', default: '550' },
      locales: { type: 'string', default: '35' },
    },
  });
  const [tries, links, locales] = [values.tries, values.links, values.locales].map(Number);
  const shapes = [
    { links: 0, locales: 1, instances: 0 },
    { links, locales: 1, instances: 0 },
    { links: 0, locales, instances: 0 },
    { links: 0, locales: 1, instances: links },
    { links, locales, instances: links },
  ];
  const databases = await startDatabases();
  const clientUrl = await databases.create();
  const app = await NestFactory.createApplicationContext(
    ContentModule.forRoot({
      contentTypes: [story, tag],
      components: [note],
      locales: codes(locales),
      defaultLocale: 'en',
      database: { clientUrl },
    }),
    { logger: ['error'] },
  );
  try {
    await app.get(CONTENT_ORM).schema.update();
    const stories = app.get(getContentToken('story'));
    const named = app.get(getContentToken('tag'));
    const tags = [];
    for (let i = 0; i < links; i += 1) tags.push((await named.create({ name: `tag ${i}` })).documentId);
    const services = { stories, tags };
    const documents = [];
    for (const shape of shapes) documents.push(await make(services, shape));
    const times = shapes.map(() => []);
    for (let turn = 0; turn < tries; turn += 1)
      for (const [i, shape] of shapes.entries())
        times[i].push(await publish(services, documents[i], shape, turn));
    const base = median(times[0]);
    const rows = shapes.map((shape, i) => ({
      ...shape,
      times: median(times[i]) / base,
      ms: median(times[i]),
    }));
    const lines = rows.map(
      (row) =>
        `| ${row.links} | ${row.locales} | ${row.instances} | ${row.times.toFixed(1)}× | ${row.ms.toFixed(1)} |`,
    );
    const { version } = await describePostgres(clientUrl);
    const markdown = [
      '# Publishing',
      '',
      `PostgreSQL ${version}, one connection at a time, medians of ${tries} publications of a changed draft.`,
      '',
      '| links | locales | component instances | relative to the smallest | milliseconds |',
      '| --- | --- | --- | --- | --- |',
      ...lines,
      '',
    ].join('\n');
    console.log(markdown);
    await mkdir(results, { recursive: true });
    await writeFile(join(results, 'publish.md'), markdown);
    await writeFile(join(results, 'publish.json'), `${JSON.stringify({ version, rows }, null, 1)}\n`);
  } finally {
    await app.close();
    await databases.stop();
  }
}
