/** Small content model with hidden attributes at every level, and grants for different callers. */
import { type Adapter, createTestApp, type TestApp } from '../support/app.ts';
import {
  type ContentModuleOptions,
  type ContentService,
  defineCollectionType,
  defineComponent,
  getContentToken,
  type Grants,
} from 'nestjs-content-api';
import { NamedCallers } from '../fuzz/apps.ts';
import { queryOf } from '../fuzz/query-text.ts';
import { raw } from '../http/helpers.ts';

const HIDDEN = { secret: { type: 'string', private: true }, key: { type: 'password' } } as const;

const seo = defineComponent({
  uid: 'shared.seo',
  attributes: {
    title: { type: 'string' },
    ...HIDDEN,
    person: { type: 'relation', relation: 'manyToOne', target: 'person' },
  },
});
const quote = defineComponent({ uid: 'shared.quote', attributes: { text: { type: 'string' }, ...HIDDEN } });

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  attributes: {
    title: { type: 'string' },
    note: { type: 'string' },
    views: { type: 'integer' },
    meta: { type: 'json' },
    ...HIDDEN,
    author: { type: 'relation', relation: 'manyToOne', target: 'person', inversedBy: 'articles' },
    vault: { type: 'relation', relation: 'manyToOne', target: 'vault' },
    seo: { type: 'component', component: 'shared.seo' },
    quotes: { type: 'component', component: 'shared.quote', repeatable: true },
    zone: { type: 'dynamiczone', components: ['shared.quote', 'shared.seo'] },
  },
});
const person = defineCollectionType({
  singularApiId: 'person',
  pluralApiId: 'people',
  attributes: {
    name: { type: 'string' },
    ...HIDDEN,
    articles: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'author' },
  },
});
/** No caller has a grant on it. */
const vault = defineCollectionType({
  singularApiId: 'vault',
  pluralApiId: 'vaults',
  attributes: { name: { type: 'string' } },
});

const READ = ['find', 'findOne'] as const;
const GRANTS: Readonly<Record<string, Grants>> = {
  /** Some attributes of articles only. */
  narrow: {
    article: [{ actions: ['find', 'findOne'], fields: ['title', 'author', 'seo', 'quotes', 'zone'] }],
    person: [{ actions: ['find'], fields: ['articles'] }],
  },
  writer: { article: [...READ, 'create', 'update', 'delete'], person: READ },
  nobody: {},
};

const contentModel: Pick<ContentModuleOptions, 'contentTypes' | 'components'> = {
  contentTypes: [article, person, vault],
  components: [seo, quote],
};

/** Value of every hidden attribute, which no other attribute has. */
export const SECRET_TEXT = 'match-the-hidden-text';

export interface World extends TestApp {
  /** Document ids. */
  readonly ids: {
    readonly article: string;
    readonly other: string;
    readonly person: string;
    readonly vault: string;
  };
  /** Returns status and body of a GET; `caller` is a key of `GRANTS`. */
  get(
    path: string,
    query?: object | string,
    caller?: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: any }>;
  send(
    method: 'post' | 'put' | 'delete',
    path: string,
    body?: unknown,
    caller?: string,
  ): Promise<{ status: number; body: any }>;
}

/** Starts the application with two articles; only the first has secrets. */
export async function startWorld(
  adapter: Adapter = 'express',
  more: Partial<ContentModuleOptions> = {},
): Promise<World> {
  const test = await createTestApp(
    {
      ...contentModel,
      access: { public: { article: READ, person: READ } },
      auth: { strategies: [new NamedCallers(GRANTS)] },
      ...more,
    },
    adapter,
  );
  const service = (name: string) =>
    test.app.get<ContentService<{ documentId: string }>>(getContentToken(name));
  const hidden = { secret: SECRET_TEXT, key: 'a hidden password' };
  const none = { secret: 'nothing', key: 'another password' };
  const { documentId: vaultId } = await service('vault').create({ name: SECRET_TEXT });
  const { documentId: personId } = await service('person').create({ name: 'Ann', ...hidden });
  const embedded = (values: object, word: string) => ({
    seo: { title: word, ...values, person: personId },
    quotes: [{ text: word, ...values }],
    zone: [{ __component: 'shared.quote', text: word, ...values }],
  });
  const one = await service('article').create({
    title: 'seen',
    note: 'hush',
    views: 987654,
    meta: { a: 1 },
    ...hidden,
    author: personId,
    vault: vaultId,
    ...embedded(hidden, 'seen'),
  });
  const two = await service('article').create({
    title: 'plain',
    views: 2,
    ...none,
    ...embedded(none, 'plain'),
  });
  const withCaller = <R extends { set(name: string, value: string): R }>(request: R, caller?: string): R =>
    caller === undefined ? request : request.set('authorization', `Bearer ${caller}`);
  return {
    ...test,
    ids: { article: one.documentId, other: two.documentId, person: personId, vault: vaultId },
    get: async (path, query = '', caller = undefined, headers = {}) => {
      const text = typeof query === 'string' ? query : queryOf(query);
      const { pathname, search } = new URL(`${test.url}/api/${path}${text === '' ? '' : `?${text}`}`);
      const by: Record<string, string> = caller === undefined ? {} : { authorization: `Bearer ${caller}` };
      const answer = await raw(test.url, 'GET', pathname + search, { ...headers, ...by });
      return { status: answer.status, body: JSON.parse(answer.text) };
    },
    send: async (method, path, body, caller) => {
      const { status, body: answer } = await withCaller(test.http[method](`/api/${path}`), caller).send(
        body as object,
      );
      return { status, body: answer };
    },
  };
}

/** Returns the document ids of a list. */
export const idsOf = ({ body }: { body: any }): string[] =>
  (body.data as { documentId: string }[]).map(({ documentId }) => documentId);
