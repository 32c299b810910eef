/** One 400 response lists all problems of a body: keys, values, unique values, relations (protocol 14.21). */
import { Injectable } from '@nestjs/common';
import { AfterContent, type ComponentDefinition, type ContentTypeDefinition } from 'nestjs-content-api';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { failure, problem, snapshot } from './helpers.ts';

const link: ComponentDefinition = {
  uid: 'parts.link',
  attributes: {
    label: { type: 'string', required: true },
    code: { type: 'string', unique: true },
    to: { type: 'relation', relation: 'oneToOne', target: 'writer' },
  },
};

const writer: ContentTypeDefinition = {
  kind: 'collectionType',
  singularApiId: 'writer',
  pluralApiId: 'writers',
  attributes: { name: { type: 'string' } },
};

const secret: ContentTypeDefinition = {
  kind: 'collectionType',
  singularApiId: 'secret',
  pluralApiId: 'secrets',
  attributes: { name: { type: 'string' } },
};

const page: ContentTypeDefinition = {
  kind: 'collectionType',
  singularApiId: 'page',
  pluralApiId: 'pages',
  attributes: {
    title: { type: 'string', required: true },
    slug: { type: 'string', unique: true },
    mail: { type: 'email', unique: true },
    number: { type: 'integer', unique: true },
    password: { type: 'password' },
    closed: { type: 'string' },
    writer: { type: 'relation', relation: 'manyToOne', target: 'writer' },
    others: { type: 'relation', relation: 'manyToMany', target: 'writer' },
    secret: { type: 'relation', relation: 'manyToOne', target: 'secret' },
    links: { type: 'component', component: 'parts.link', repeatable: true },
  },
};

const heard: ContentTypeDefinition = {
  kind: 'collectionType',
  singularApiId: 'heard',
  pluralApiId: 'heards',
  attributes: { slug: { type: 'string', unique: true }, number: { type: 'integer', unique: true } },
};

@Injectable()
class Listener {
  @AfterContent('heard', 'create')
  after(): void {
    // A write that a hook hears is not repeated.
  }
}

const OPEN = ['title', 'slug', 'mail', 'number', 'password', 'writer', 'others', 'secret', 'links'];
const noDocument = (id: string) => `Document with id "${id}", locale "null" not found`;

interface Sent {
  readonly method?: 'POST' | 'PUT';
  readonly path?: string;
  readonly data: object;
}

describe.each(ADAPTERS)('all problems of a body on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [page, writer, secret, heard],
        components: [link],
        access: {
          public: {
            page: ['find', 'findOne', { actions: ['create', 'update'], fields: OPEN }],
            writer: '*',
            heard: '*',
          },
        },
        providers: [Listener],
      },
      adapter,
    );
    await create({ title: 'First', slug: 'first', number: 1, links: [{ label: 'a', code: 'taken' }] });
  });
  afterAll(() => test.close());

  const create = async (data: object): Promise<string> => {
    const { body } = await test.http.post('/api/pages').send({ data }).expect(201);
    return body.data.documentId as string;
  };

  /** Sends an invalid body and returns the error; expects that no row changes. */
  async function refused({ method = 'POST', path = '/api/pages', data }: Sent) {
    const before = await snapshot(test);
    const { body } = await (method === 'POST' ? test.http.post(path) : test.http.put(path))
      .send({ data })
      .expect(400);
    expect(await snapshot(test)).toEqual(before);
    return body.error;
  }

  const listed = async (sent: Sent): Promise<[string, string][]> => {
    const { name, message, details } = await refused(sent);
    expect([name, message]).toEqual(['ValidationError', `${details.errors.length} errors occurred`]);
    return details.errors.map((one: { path: string[]; message: string }) => [
      one.path.join('.'),
      one.message,
    ]);
  };

  it('14.21 names unique values that cannot be compared with stored ones', async () => {
    const problems = await listed({
      data: { slug: 'a\0', number: 1e12, mail: '\ud800@example.com', links: [{ label: 'b', code: '\0' }] },
    });
    const unstorable = 'must not contain NUL characters or broken surrogates';
    expect(problems.sort()).toEqual([
      ['links.0.code', `links[0].code ${unstorable}`],
      ['mail', 'mail must be a valid email'],
      ['mail', `mail ${unstorable}`],
      ['number', 'number must be between -2147483648 and 2147483647'],
      ['slug', `slug ${unstorable}`],
      ['title', 'title must be defined.'],
    ]);
  });

  it('14.21 lists keys, relations, values and unique values together', async () => {
    const problems = await listed({
      data: {
        nope: 1,
        closed: 'x',
        secret: 'any',
        others: false,
        slug: 'first',
        number: 1,
        password: 'long enough',
        writer: 'nobody',
        links: [{ label: 'b', code: 'taken', foo: 1, to: 999_999 }, { code: 5 }],
      },
    });
    expect(problems).toEqual([
      ['nope', 'Invalid key nope'],
      ['closed', 'Invalid key closed'],
      ['secret', 'Invalid key secret'],
      ['others', 'Invalid relations'],
      ['links.0.foo', 'Invalid key foo at links'],
      ['writer', noDocument('nobody')],
      ['links.0.to', '1 relation(s) of type api::writer.writer associated with this entity do not exist'],
      ['title', 'title must be defined.'],
      ['links.1.label', 'links[1].label must be defined.'],
      ['links.1.code', expect.stringContaining('links[1].code must be a `string` type')],
      ['links.0.code', 'This attribute must be unique'],
      ['slug', 'This attribute must be unique'],
      ['number', 'This attribute must be unique'],
    ]);
  });

  it('14.21 lists a missing target together with a missing value', async () => {
    expect(await listed({ data: { slug: 'new', writer: 99_999 } })).toEqual([
      ['writer', '1 relation(s) of type api::writer.writer associated with this entity do not exist'],
      ['title', 'title must be defined.'],
    ]);
  });

  it('14.18 lists all unique values that other documents already have', async () => {
    expect(await listed({ data: { title: 'Second', slug: 'first', number: 1 } })).toEqual([
      ['slug', 'This attribute must be unique'],
      ['number', 'This attribute must be unique'],
    ]);
    const one = await refused({ data: { title: 'Second', slug: 'second', number: 1 } });
    expect(one).toEqual(problem(['number'], 'This attribute must be unique', 1).error);
  });

  it.each([
    ['a hook', '/api/heards', {}],
    ['an Idempotency-Key', '/api/pages', { 'Idempotency-Key': 'all-taken' }],
  ])('14.21 lists all taken values of a write with %s', async (_what, path, headers) => {
    const data = { ...(path === '/api/pages' ? { title: 'Second' } : {}), slug: 'first', number: 1 };
    if (path === '/api/heards') await test.http.post(path).send({ data }).expect(201);
    const { body } = await test.http.post(path).set(headers).send({ data }).expect(400);
    const message = 'This attribute must be unique';
    expect(body.error.details.errors).toMatchObject([
      { path: ['slug'], message, value: 'first' },
      { path: ['number'], message, value: 1 },
    ]);
  });

  it('14.21 24.2 lists all taken values of an item of a bulk', async () => {
    const before = await snapshot(test);
    const data = [
      { action: 'create', data: { title: 'Second', slug: 'first', number: 1 } },
      { action: 'create', data: { title: 'Other', slug: 'other' } },
    ];
    const late = { action: 'create', data: { title: 'Late', nope: 1 } };
    for (const items of [data, data.toReversed(), [...data, late]]) {
      const { body } = await test.http.post('/api/pages/bulk').send({ data: items }).expect(400);
      const message = 'This attribute must be unique';
      expect(body.error.details).toMatchObject({
        index: items.indexOf(data[0]!),
        errors: [
          { path: ['slug'], message, value: 'first' },
          { path: ['number'], message, value: 1 },
        ],
      });
    }
    expect(await snapshot(test)).toEqual(before);
  });

  it('14.21 lists taken values of components and of the document, which have no other problem', async () => {
    const data = { title: 'Second', slug: 'first', number: 2, links: [{ label: 'b', code: 'taken' }] };
    expect(await listed({ data })).toEqual([
      ['links.0.code', 'This attribute must be unique'],
      ['slug', 'This attribute must be unique'],
    ]);
  });

  it('14.21 lists the problems of an update, except its own unique values', async () => {
    const id = await create({ title: 'Third', slug: 'third', number: 3 });
    const path = `/api/pages/${id}`;
    const data = { title: null, slug: 'third', number: 1, others: { connect: ['nobody'] }, nope: 1 };
    expect(await listed({ method: 'PUT', path, data })).toEqual([
      ['nope', 'Invalid key nope'],
      ['others', noDocument('nobody')],
      ['title', expect.stringContaining('title must be a `string` type')],
      ['number', 'This attribute must be unique'],
    ]);
  });

  it('12.8 lists the id of another component together with other problems', async () => {
    const id = await create({ title: 'Fourth', links: [{ label: 'a' }] });
    const data = { title: 7, links: [{ id: 999_999, label: 'b' }] };
    expect(await listed({ method: 'PUT', path: `/api/pages/${id}`, data })).toEqual([
      ['links.0.id', 'Some of the provided components in links are not related to the entity'],
      ['title', expect.stringContaining('title must be a `string` type')],
    ]);
  });

  it('2.5 keeps the message and the details of a single problem', async () => {
    const key = await refused({ data: { title: 'One', nope: 1 } });
    expect(key).toEqual(
      failure(400, 'ValidationError', 'Invalid key nope', { key: 'nope', path: null, source: 'body' }).error,
    );
    const relation = await refused({ data: { title: 'One', writer: 'nobody' } });
    expect(relation).toMatchObject({
      message: noDocument('nobody'),
      details: { key: 'writer', path: 'writer', source: 'body' },
    });
  });

  it('2.5 reports invalid keys for a document that does not exist', async () => {
    const path = '/api/pages/nobody';
    expect(await listed({ method: 'PUT', path, data: { nope: 1, closed: 'x' } })).toHaveLength(2);
  });
});
