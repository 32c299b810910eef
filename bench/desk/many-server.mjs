/**
 * Server process with many types, and one document with many attributes and zones. Prints
 * `invitation: <link>`.
 *
 * node many-server.mjs --database-url postgresql://… --types 300 --attributes 60 --items 40
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

const TEXT = { type: 'string' };
const { values } = parseArgs({
  options: Object.fromEntries(['database-url', 'types', 'attributes', 'items'].map((one) => [one, TEXT])),
});
const [types, attributes, items] = [values.types, values.attributes, values.items].map(Number);

const part = defineComponent({
  uid: 'part.quote',
  attributes: { text: { type: 'text' }, speaker: { type: 'string' } },
});
const KINDS = ['string', 'text', 'integer', 'boolean', 'date', 'datetime', 'email', 'json'];
const plain = Object.fromEntries(
  Array.from({ length: attributes - 4 }, (_, at) => [`field${at}`, { type: KINDS[at % KINDS.length] }]),
);
const zone = { type: 'dynamiczone', components: ['part.quote'] };

const contentTypes = Array.from({ length: types }, (_, at) =>
  defineCollectionType({
    singularApiId: `kind-${at}`,
    pluralApiId: `kinds-${at}`,
    draftAndPublish: true,
    desk: { group: `Group ${at % 12}` },
    attributes: { title: { type: 'string' }, ...plain, zone1: zone, zone2: zone, zone3: zone },
  }),
);

const app = await NestFactory.create(
  {
    module: class ManyModule {},
    imports: [
      ContentModule.forRoot({
        contentTypes: [...contentTypes, ...userTypes()],
        components: [part],
        access: { roles: { editor: { '*': '*' } } },
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
const quotes = Array.from({ length: items }, (_, at) => ({
  __component: 'part.quote',
  text: `Sentence ${at}`,
  speaker: 'A speaker',
}));
const data = { title: 'A document of everything', zone1: quotes, zone2: quotes, zone3: quotes };
await app.get(getContentToken('kind-0'), { strict: false }).create(data);
await app.listen(0, '127.0.0.1');
const url = `http://127.0.0.1:${app.getHttpServer().address().port}`;
const email = 'editor@example.org';
console.log(`invitation: ${await app.get(DeskInvitations).invite({ email, url: `${url}/desk` })}`);
console.log(`listening on ${url}`);
