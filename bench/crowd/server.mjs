/** Server process of the library with large groups: node server.mjs --database-url postgresql://… */
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { CONTENT_ORM, ContentModule, defineCollectionType } from 'nestjs-content-api';

const { values } = parseArgs({ options: { 'database-url': { type: 'string' } } });

const item = defineCollectionType({
  singularApiId: 'item',
  pluralApiId: 'items',
  attributes: {
    title: { type: 'string' },
    members: { type: 'relation', relation: 'oneToMany', target: 'member', mappedBy: 'item' },
  },
});
const member = defineCollectionType({
  singularApiId: 'member',
  pluralApiId: 'members',
  attributes: {
    name: { type: 'string' },
    text: { type: 'string' },
    item: { type: 'relation', relation: 'manyToOne', target: 'item', inversedBy: 'members' },
  },
});
const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: {
    title: { type: 'string' },
    related: { type: 'relation', relation: 'manyToMany', target: 'note' },
  },
});

const app = await NestFactory.create(
  {
    module: class CrowdModule {},
    imports: [
      ContentModule.forRoot({
        contentTypes: [item, member, note],
        // Without the cache, so that all reads reach the database.
        cache: false,
        access: { public: { item: ['find', 'findOne'], member: ['find'], note: ['find'] } },
        database: {
          clientUrl: values['database-url'],
          pool: { min: 0, max: 10 },
          driverOptions: { application_name: 'crowd' },
        },
      }),
    ],
  },
  { logger: ['error'] },
);
await app.init();
await app.get(CONTENT_ORM, { strict: false }).schema.update();
await app.listen(0, '127.0.0.1');
console.log(`listening on ${await app.getUrl()}`);
