/**
 * Descriptions of the model contain no attribute that the caller cannot read: content-type-builder and
 * OpenAPI.
 */
import {
  type AuthStrategy,
  type Credentials,
  defineCollectionType,
  type Grants,
  type Identity,
} from 'nestjs-content-api';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  attributes: {
    title: { type: 'string' },
    hiddenName: { type: 'string' },
    slug: { type: 'uid', targetField: 'hiddenName' },
    path: { type: 'uid', targetField: 'title' },
    tag: { type: 'relation', relation: 'manyToOne', target: 'tag', inversedBy: 'hiddenArticles' },
    topic: { type: 'relation', relation: 'manyToOne', target: 'tag', inversedBy: 'articles' },
    kinds: { type: 'relation', relation: 'morphMany', target: 'kind', morphBy: 'hiddenSubject' },
    marks: { type: 'relation', relation: 'morphMany', target: 'kind', morphBy: 'subject' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: {
    name: { type: 'string' },
    hiddenArticles: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'tag' },
    articles: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'topic' },
  },
});
const kind = defineCollectionType({
  singularApiId: 'kind',
  pluralApiId: 'kinds',
  attributes: {
    name: { type: 'string' },
    hiddenSubject: { type: 'relation', relation: 'morphToOne', targets: ['article'], private: true },
    subject: { type: 'relation', relation: 'morphToOne', targets: ['article'] },
  },
});

const SHOWN = ['title', 'slug', 'path', 'tag', 'topic', 'kinds', 'marks'];
const ROLES: Readonly<Record<string, Grants>> = {
  narrow: {
    'content-type-builder': ['find'],
    article: [{ actions: ['find', 'findOne'], fields: SHOWN }],
    tag: [{ actions: ['find'], fields: ['name', 'articles'] }],
    kind: ['find'],
  },
  wide: { 'content-type-builder': ['find'], article: ['find'], tag: ['find'], kind: ['find'] },
};

class Names implements AuthStrategy {
  readonly name = 'names';
  authenticate({ bearer }: Credentials): Identity | null {
    return bearer === null ? null : { kind: 'user', id: '1', roles: [bearer] };
  }
}

describe.each(adaptersFor('express'))('descriptions of the model on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      {
        contentTypes: [article, tag, kind],
        access: { public: {}, roles: ROLES },
        auth: { strategies: [new Names()] },
      },
      adapter,
    );
  });
  afterAll(() => test.close());

  const describedTo = async (role: string, path: string): Promise<any> =>
    (await test.http.get(`/api/${path}`).set('Authorization', `Bearer ${role}`).expect(200)).body;
  const ARTICLE = 'content-type-builder/content-types/api::article.article';
  const attributesFor = async (role: string): Promise<any> =>
    (await describedTo(role, ARTICLE)).data.schema.attributes;

  it.each(['content-type-builder/content-types', ARTICLE, 'openapi.json'])(
    '16.6 %s contains no attribute that the caller cannot read',
    async (path) => {
      expect(JSON.stringify(await describedTo('narrow', path))).not.toMatch(/hidden/i);
    },
  );

  it('contain attributes that the caller can read', async () => {
    expect(await attributesFor('narrow')).toMatchObject({
      slug: { type: 'uid' },
      path: { targetField: 'title' },
      tag: { targetAttribute: null },
      topic: { targetAttribute: 'articles' },
      marks: { morphBy: 'subject' },
    });
    expect(await attributesFor('wide')).toMatchObject({
      slug: { targetField: 'hiddenName' },
      tag: { targetAttribute: 'hiddenArticles' },
    });
  });
});
