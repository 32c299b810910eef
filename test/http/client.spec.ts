/** Official client of the protocol, configured with only its base URL (protocol section 22). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strapi } from '@strapi/client';
import { FilesModule, LocalStorage } from 'nestjs-content-api/files';
import { UsersModule } from 'nestjs-content-api/accounts';
import { contentTypes, Outbox, usersOptions } from '../accounts/helpers.ts';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';

const USER = { username: 'ann', email: 'ann@example.com', password: 'a long password' };

describe.each(ADAPTERS)('the official client on %s', (adapter) => {
  let test: TestApp;
  let directory: string;
  /** Client with a token. */
  const client = (auth?: string) =>
    strapi({ baseURL: `${test.url}/api`, ...(auth === undefined ? {} : { auth }) });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'client-'));
    test = await createTestApp(
      {
        contentTypes,
        access: {
          public: { topic: '*', page: '*', file: '*' },
          roles: { authenticated: { note: '*', user: '*' } },
        },
        imports: [
          UsersModule.forRoot(usersOptions(new Outbox())),
          FilesModule.forRoot({ storage: new LocalStorage(directory) }),
        ],
      },
      adapter,
    );
  });
  afterAll(async () => {
    await test.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('22.6 uploads files, lists them without an envelope, changes and deletes them', async () => {
    const { files } = client();
    const fileInfo = { alternativeText: 'A', caption: 'C' };
    const [blob] = await files.upload(new Blob(['hello'], { type: 'text/plain' }), { fileInfo });
    const options = { filename: 'notes.txt', mimetype: 'text/plain' };
    const [buffer] = await files.upload(Buffer.from('hello'), options);
    expect(buffer).toMatchObject({ name: 'notes.txt', ext: '.txt', mime: 'text/plain', size: 0.01 });
    const id = blob?.id ?? 0;
    expect(await files.findOne(id)).toMatchObject({ id, alternativeText: 'A', caption: 'C' });
    expect(await files.update(id, { name: 'renamed.txt', caption: 'D' })).toMatchObject({
      id,
      name: 'renamed.txt',
      caption: 'D',
      alternativeText: 'A',
    });
    const found = await files.find({ filters: { mime: { $contains: 'text' } }, sort: 'name:asc' });
    expect(found.map(({ name }) => name)).toEqual(['notes.txt', 'renamed.txt']);
    expect(await files.delete(id)).toMatchObject({ id });
    await expect(files.findOne(id)).rejects.toMatchObject({ response: { status: 404 } });
  });

  it('22.1 22.2 creates with a body of data, and lists with arrays as indexed brackets', async () => {
    const topics = client().collection('topics');
    for (const name of ['red', 'green', 'blue']) await topics.create({ name });
    const { data, meta } = await topics.find({
      fields: ['name'],
      sort: ['name:desc'],
      filters: { name: { $in: ['red', 'blue'] } },
      pagination: { page: 1, pageSize: 1 },
    });
    expect(data).toEqual([{ id: expect.any(Number), documentId: expect.any(String), name: 'red' }]);
    expect(meta).toEqual({ pagination: { page: 1, pageSize: 1, pageCount: 2, total: 2 } });
  });

  it('22.3 updates a document and deletes it, without a response body', async () => {
    const topics = client().collection('topics');
    const { documentId } = (await topics.create({ name: 'short' })).data;
    expect((await topics.update(documentId, { name: 'shorter' })).data).toMatchObject({ name: 'shorter' });
    await topics.delete(documentId);
    await expect(topics.findOne(documentId)).rejects.toMatchObject({ response: { status: 404 } });
  });

  it('22.4 signs in with a jwt and sends it as a bearer token', async () => {
    const signedIn = await client().fetch('/auth/local/register', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(USER),
    });
    const { jwt } = (await signedIn.json()) as { jwt: string };
    const notes = client(jwt).collection('notes');
    expect((await notes.create({ title: 'mine' })).data).toMatchObject({ title: 'mine' });
    await expect(client().collection('notes').find()).rejects.toMatchObject({ response: { status: 403 } });
  });

  it.each([
    ['22.5 a 400', 'HTTPBadRequestError', () => client().collection('topics').find({ sort: 'nope' })],
    ['22.5 a 401', 'HTTPAuthorizationError', () => client('spoilt').collection('topics').find()],
    ['22.5 a 403', 'HTTPForbiddenError', () => client().collection('notes').find()],
    ['22.5 a 404', 'HTTPNotFoundError', () => client().collection('nothings').find()],
  ])('reports %s as %s', async (_status, name, ask) => {
    await expect(ask()).rejects.toMatchObject({ name });
  });

  it('22.7 finds a single type under its singular name', async () => {
    const page = client().single('page');
    await page.update({ title: 'home' });
    expect((await page.find({ fields: ['title'] })).data).toMatchObject({ title: 'home' });
    await page.delete();
    await expect(page.find()).rejects.toMatchObject({ response: { status: 404 } });
  });
});
