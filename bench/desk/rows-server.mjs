/**
 * Server process with one document that has many component rows. Prints `invitation: <link>`.
 *
 * node rows-server.mjs --database-url postgresql://… --rows 500
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

const { values } = parseArgs({ options: { 'database-url': { type: 'string' }, rows: { type: 'string' } } });

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

const app = await NestFactory.create(
  {
    module: class BenchModule {},
    imports: [
      ContentModule.forRoot({
        contentTypes: [sheet, ...userTypes()],
        components: [row],
        access: { roles: { editor: { desk: ['open'], sheet: '*' } } },
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
await app.listen(0, '127.0.0.1');
const url = `http://127.0.0.1:${app.getHttpServer().address().port}`;
const email = 'editor@example.org';
console.log(`invitation: ${await app.get(DeskInvitations).invite({ email, url: `${url}/desk` })}`);
console.log(`listening on ${url}`);
