/** Descriptions for callers whose grants have conditions: no caller gets that of another one. */
import { type Credentials, defineCollectionType, type Identity } from 'nestjs-content-api';
import { DeskModule } from 'nestjs-content-api/desk';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  tenant: 'org',
  attributes: { title: { type: 'string' }, org: { type: 'string' } },
});
const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  attributes: { title: { type: 'string' }, team: { type: 'string' } },
});
const auth = {
  strategies: [
    {
      name: 'test',
      authenticate: ({ headers }: Credentials): Identity | null => {
        const [role = '', org] = String(headers['x-user']).split(' ');
        return { kind: 'user', id: 'ann', roles: [role], attributes: { org } };
      },
    },
  ],
};
const ROLES = {
  first: { desk: ['open'], story: '*' },
  second: { desk: ['open'], story: ['find', 'findOne', 'update'] },
  /** Chooses the team itself only without a tenant. */
  third: {
    desk: ['open'],
    page: [
      'find',
      {
        actions: ['create'],
        preset: ({ attributes = {} }: { readonly attributes?: Readonly<Record<string, unknown>> }) =>
          attributes['org'] === undefined ? {} : { team: 'a' },
      },
    ],
  },
} as const;

describe.each(adaptersFor('express'))('descriptions for callers with conditions on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => {
    test = await createTestApp(
      { contentTypes: [story, page], access: { roles: ROLES }, auth, imports: [DeskModule.forRoot()] },
      adapter,
    );
  });
  afterAll(() => test.close());

  const get = async (path: string, user: string): Promise<any> =>
    (await test.http.get(path).set('x-user', user).expect(200)).body;
  const seen = async (user: string): Promise<readonly boolean[]> => {
    const { data } = await get('/desk/model', user);
    const { paths } = await get('/api/openapi.json', user);
    return [data.types.some(({ name }: { name: string }) => name === 'story'), '/api/stories' in paths];
  };

  it('contain a type for members of a tenant only, in any order of requests', async () => {
    expect(await seen('first')).toEqual([false, false]);
    expect(await seen('first a')).toEqual([true, true]);
    expect(await seen('second a')).toEqual([true, true]);
    expect(await seen('second b')).toEqual([true, true]);
    expect(await seen('second')).toEqual([false, false]);
  });

  it('contain the attributes that a preset leaves to the caller', async () => {
    const writes = async (user: string): Promise<boolean> => {
      const { data } = await get('/desk/model', user);
      const { attributes } = data.types.find(({ name }: { name: string }) => name === 'page');
      return attributes.find(({ name }: { name: string }) => name === 'team').actions.includes('create');
    };
    expect([await writes('third'), await writes('third a')]).toEqual([true, false]);
  });
});
