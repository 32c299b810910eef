/**
 * Server process of the library with media:
 *
 * node server.mjs --database-url postgresql://… --directory DIRECTORY
 */
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { Injectable } from '@nestjs/common';
import {
  BeforeContent,
  CONTENT_ORM,
  ContentError,
  ContentModule,
  defineCollectionType,
} from 'nestjs-content-api';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';

const { values } = parseArgs({
  options: { 'database-url': { type: 'string' }, directory: { type: 'string' } },
});

/** Refuses a file by its name, after its bytes were stored. */
class Rules {
  check({ data }) {
    if (data.name === 'refused.bin') throw new ContentError('ValidationError', 'Refused by its name');
  }
}
Injectable()(Rules);
BeforeContent('file', 'create')(
  Rules.prototype,
  'check',
  Object.getOwnPropertyDescriptor(Rules.prototype, 'check'),
);

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  attributes: { cover: { type: 'media' } },
});
const content = ContentModule.forRoot({
  contentTypes: [note],
  access: { public: { file: '*' } },
  database: { clientUrl: values['database-url'], pool: { min: 0, max: 10 } },
});
const files = FilesModule.forRoot({ storage: new LocalStorage(values.directory) });

const app = await NestFactory.create(
  { module: class BenchModule {}, imports: [content, files], providers: [Rules] },
  { logger: ['error', 'warn'] },
);
await app.init();
await app.get(CONTENT_ORM, { strict: false }).schema.update();
await app.listen(0, '127.0.0.1');
console.log(`listening on ${await app.getUrl()}`);
