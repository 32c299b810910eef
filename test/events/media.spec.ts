/** Events of files, and none of users, roles and tokens. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { defineCollectionType } from 'nestjs-content-api';
import {
  apiTokenType,
  ApiTokens,
  ApiTokensModule,
  UsersModule,
  userTypes,
} from 'nestjs-content-api/accounts';
import { EventsModule, type LoggedEvent, OnContentEvent } from 'nestjs-content-api/events';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { createTestApp, type TestApp } from '../support/app.ts';
import { eventually } from './helpers.ts';

const seen: LoggedEvent[] = [];

@Injectable()
class Handlers {
  @OnContentEvent('everything')
  all(event: LoggedEvent): void {
    seen.push(event);
  }
}

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  attributes: { cover: { type: 'media' } },
});

describe('events of files and accounts', () => {
  let test: TestApp;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'content-events-'));
    test = await createTestApp({
      contentTypes: [apiTokenType, page, ...userTypes()],
      access: { public: { '*': '*' } },
      imports: [
        FilesModule.forRoot({ storage: new LocalStorage(folder) }),
        UsersModule.forRoot({ secret: 'a secret of 32 bytes, and of more than that' }),
        ApiTokensModule,
        EventsModule.forRoot({ pollMilliseconds: 50 }),
      ],
      providers: [Handlers],
    });
  });
  afterAll(async () => {
    await test.close();
    await rm(folder, { recursive: true });
  });

  it('21.3, 21.7: logs files as media, and no user, role or API token', async () => {
    await test.http
      .post('/api/auth/local/register')
      .send({ username: 'ann', email: 'ann@example.org', password: 'secret1' })
      .expect(200);
    await test.app.get(ApiTokens).create({ name: 'one', kind: 'read-only' });
    const uploaded = await test.http
      .post('/api/upload')
      .attach('files', Buffer.from('text'), 'a.txt')
      .expect(201);
    const [{ id }] = uploaded.body as [{ id: number }];
    await test.http
      .post(`/api/upload?id=${id}`)
      .field('fileInfo', JSON.stringify({ caption: 'A' }))
      .expect(200);
    await test.http.delete(`/api/upload/files/${id}`).expect(200);
    await eventually(() => seen, 3);
    expect(seen.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'media.create file',
      'media.update file',
      'media.delete file',
    ]);
    expect(await test.sql(`select 1 from content_event where type <> 'file'`)).toEqual([]);
  });

  it('20.5: names the request of an upload in the event of the document that it changes', async () => {
    const { body } = await test.http.post('/api/pages').send({ data: {} }).expect(201);
    seen.length = 0;
    const { headers } = await test.http
      .post('/api/upload')
      .attach('files', Buffer.from('text'), 'a.txt')
      .field({ ref: 'page', refId: body.data.documentId, field: 'cover' })
      .expect(201);
    const events = await eventually(() => seen.filter(({ name }) => !name.endsWith('.create')), 1);
    expect(events).toEqual([expect.objectContaining({ type: 'page', requestId: headers['x-request-id'] })]);
  });
});
