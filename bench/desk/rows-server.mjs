/**
 * Server process with one document that has many component rows, and one with long texts. Prints `invitation: <link>`.
 *
 * node rows-server.mjs --database-url postgresql://… --rows 500 --words 20000
 */
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import {
  CONTENT_ORM,
  ContentModule,
  defineCollectionType,
  defineComponent,
  getContentToken,
} from 'nestjs-content-api';
import { UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { DeskInvitations, DeskModule } from 'nestjs-content-api/desk';

const { values } = parseArgs({
  options: { 'database-url': { type: 'string' }, rows: { type: 'string' }, words: { type: 'string' } },
});

const row = defineComponent({
  uid: 'sheet.row',
  attributes: { label: { type: 'string' }, note: { type: 'text' }, amount: { type: 'integer' } },
});
const sheet = defineCollectionType({
  singularApiId: 'sheet',
  pluralApiId: 'sheets',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string', required: true },
    rows: { type: 'component', component: 'sheet.row', repeatable: true },
  },
});
const essay = defineCollectionType({
  singularApiId: 'essay',
  pluralApiId: 'essays',
  draftAndPublish: true,
  attributes: { title: { type: 'string' }, story: { type: 'blocks' }, body: { type: 'richtext' } },
});

/** Words in a block of the long texts. */
const BLOCK = 50;
const WORDS = 'the ferry leaves at six and the harbour is quiet again until noon'.split(' ');
const texts = Array.from({ length: Number(values.words) / BLOCK }, (_, block) =>
  Array.from({ length: BLOCK }, (_none, at) => WORDS[(block + at) % WORDS.length]).join(' '),
);
/** A block with a bold middle; each tenth one is a heading, and each seventh a list. */
const blockOf = (text, at) => {
  const children = [
    { type: 'text', text: text.slice(0, 60) },
    { type: 'text', text: text.slice(60, 90), bold: true },
    { type: 'text', text: text.slice(90) },
  ];
  if (at % 10 === 0) return { type: 'heading', level: 2, children };
  const item = { type: 'list-item', children };
  return at % 7 === 0
    ? { type: 'list', format: 'unordered', children: [item] }
    : { type: 'paragraph', children };
};

const app = await NestFactory.create(
  {
    module: class BenchModule {},
    imports: [
      ContentModule.forRoot({
        contentTypes: [sheet, essay, ...userTypes()],
        components: [row],
        access: { roles: { editor: { desk: ['open'], sheet: '*', essay: '*' } } },
        database: { clientUrl: values['database-url'] },
      }),
      UsersModule.forRoot({ secret: 'a secret of the benchmark of the desk', rateLimit: false }),
      DeskModule.forRoot(),
    ],
  },
  { logger: ['error', 'warn'] },
);
await app.init();
await app.get(CONTENT_ORM, { strict: false }).schema.update();
const rows = Array.from({ length: Number(values.rows) }, (_, i) => ({
  label: `Row ${i}`,
  note: `A sentence about row ${i}, as long as such sentences are.`,
  amount: i,
}));
await app.get(getContentToken('sheet'), { strict: false }).create({ title: 'Rows', rows });
await app
  .get(getContentToken('essay'), { strict: false })
  .create({ title: 'Texts', story: texts.map(blockOf), body: texts.join('\n\n') });
await app.listen(0, '127.0.0.1');
const url = `http://127.0.0.1:${app.getHttpServer().address().port}`;
const email = 'editor@example.org';
console.log(`invitation: ${await app.get(DeskInvitations).invite({ email, url: `${url}/desk` })}`);
console.log(`listening on ${url}`);
