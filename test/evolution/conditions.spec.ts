/** Conditions and presets of stored grants after a migration: they follow new names, or cover nothing. */
import { Logger } from '@nestjs/common';
import {
  ContentModule,
  defineCollectionType,
  defineComponent,
  type Credentials,
  type Grants,
  type Identity,
  migrateContent,
} from 'nestjs-content-api';
import { UsersModule, userTypes } from 'nestjs-content-api/accounts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Host, startHost } from '../http/helpers.ts';
import { applyStatements, type Model, ormOf } from './run.ts';

type Attributes = Parameters<typeof defineCollectionType>[0]['attributes'];
type Where = Readonly<Record<string, unknown>>;

const text = { type: 'string' } as const;
const ACCESS: Grants = { '*': ['find', 'findOne', 'create', 'update'], role: '*' };

const byHeader = {
  name: 'by-header',
  authenticate: ({ headers }: Credentials): Identity | null =>
    typeof headers['x-role'] === 'string' ? { kind: 'user', id: 'ann', roles: [headers['x-role']] } : null,
};

const story = (attributes: Attributes, more: object = {}) =>
  defineCollectionType({ singularApiId: 'story', pluralApiId: 'stories', attributes, ...more });
const only = (...types: readonly ReturnType<typeof defineCollectionType>[]): Model => ({
  contentTypes: [...types, ...userTypes()] as Model['contentTypes'],
});

interface Values {
  readonly enum: readonly string[];
  readonly convert?: Readonly<Record<string, string>>;
}

/** First model, with the values of its enumerations. */
const oldModel = (kind: Values, size: Values): Model => ({
  components: [
    defineComponent({
      uid: 'part.box',
      attributes: { word: text, size: { type: 'enumeration', ...size } },
    }),
  ],
  contentTypes: [
    defineCollectionType({
      singularApiId: 'team',
      pluralApiId: 'teams',
      attributes: {
        name: text,
        stories: { type: 'relation', relation: 'oneToMany', target: 'story', mappedBy: 'team' },
      },
    }),
    story({
      code: text,
      title: text,
      kind: { type: 'enumeration', ...kind },
      team: { type: 'relation', relation: 'manyToOne', target: 'team', inversedBy: 'stories' },
      about: { type: 'relation', relation: 'morphToMany', targets: ['team', 'story'] },
      box: { type: 'component', component: 'part.box' },
      zone: { type: 'dynamiczone', components: ['part.box'] },
    }),
    ...userTypes({ team: { type: 'relation', relation: 'manyToOne', target: 'team' } }),
  ],
});
const OLD = oldModel({ enum: ['news', 'essay'] }, { enum: ['big', 'small'] });
const NEW: Model = {
  components: [
    defineComponent({
      uid: 'part.frame',
      previousName: 'part.box',
      attributes: {
        term: { ...text, previousName: 'word' },
        size: { type: 'enumeration', enum: ['big', 'small'] },
      },
    }),
  ],
  contentTypes: [
    defineCollectionType({
      singularApiId: 'group',
      pluralApiId: 'groups',
      previousName: 'team',
      attributes: {
        label: { ...text, previousName: 'name' },
        tales: {
          type: 'relation',
          relation: 'oneToMany',
          target: 'tale',
          mappedBy: 'group',
          previousName: 'stories',
        },
      },
    }),
    defineCollectionType({
      singularApiId: 'tale',
      pluralApiId: 'tales',
      previousName: 'story',
      attributes: {
        code: text,
        headline: { ...text, previousName: 'title' },
        kind: { type: 'enumeration', enum: ['news', 'essay'] },
        group: {
          type: 'relation',
          relation: 'manyToOne',
          target: 'group',
          inversedBy: 'tales',
          previousName: 'team',
        },
        subjects: {
          type: 'relation',
          relation: 'morphToMany',
          targets: ['group', 'tale'],
          previousName: 'about',
        },
        frame: { type: 'component', component: 'part.frame', previousName: 'box' },
        parts: { type: 'dynamiczone', components: ['part.frame'], previousName: 'zone' },
      },
    }),
    ...userTypes({
      group: { type: 'relation', relation: 'manyToOne', target: 'group', previousName: 'team' },
    }),
  ],
};

/** Conditions, and the codes of the stories that meet them. */
const CONDITIONS: readonly (readonly [name: string, where: Where, codes: readonly string[]])[] = [
  ['an attribute', { title: 'open' }, ['a', 'd']],
  ['a negated list', { $not: { title: { $in: ['open'] } } }, ['b', 'c']],
  ['another attribute of a relation', { team: { name: 'red' } }, ['a', 'b']],
  ['a relation without a document', { team: { $null: true } }, ['d']],
  ['a way there and back', { team: { stories: { title: 'open', team: { name: 'red' } } } }, ['a', 'b']],
  ['a component', { box: { word: { $startsWith: 'w' } } }, ['b']],
  ['a missing component', { box: { word: { $null: true } } }, ['a', 'c', 'd']],
  ['a value inside a component', { box: { size: { $ne: 'small' } } }, ['b']],
  ['a value of an enumeration', { kind: { $notIn: ['news'] } }, ['b']],
  ['a value alone', { kind: 'news' }, ['a', 'c', 'd']],
  [
    'groups',
    { $or: [{ team: { name: 'blue' } }, { $and: [{ title: 'shut' }, { kind: 'essay' }] }] },
    ['b', 'c'],
  ],
];

describe('conditions of stored grants after a migration', () => {
  let database: TestDatabase;
  let host: Host;
  let lines: string[] = [];
  const open = async (model: Model): Promise<void> => {
    host = await startHost(
      () => ({
        imports: [
          ContentModule.forRoot({
            ...model,
            access: { public: ACCESS },
            auth: { strategies: [byHeader] },
            database: { clientUrl: database.url },
          }),
          UsersModule.forRoot({ secret: 'a secret of at least thirty-two characters' }),
        ],
      }),
      { database },
    );
  };
  const begin = async (model: Model): Promise<void> => {
    await open(model);
    await migrateContent({ orm: ormOf(host), model });
    await host.close();
    await open(model);
  };
  /** Migrates to a model, and starts an application of it. Returns the statements of the way back. */
  const become = async (model: Model): Promise<readonly string[] | null> => {
    const { down } = await migrateContent({ orm: ormOf(host), model });
    await host.close();
    await open(model);
    return down;
  };
  const send = async (method: string, path: string, data?: object, more: object = {}): Promise<any> => {
    const answer = await fetch(`${host.url}/api/${path}`, {
      method,
      ...(data === undefined ? {} : { body: JSON.stringify(data) }),
      headers: { 'content-type': 'application/json', ...more },
    });
    return answer.json();
  };
  const make = async (type: string, data: object): Promise<string> =>
    (await send('POST', type, { data })).data.documentId;
  const leaf = { enabled: true, policy: '' };
  const treeOf = (story: object) => ({ 'api::story': { controllers: { story } } });
  /** Creates a role with actions on stories. Returns the header of its caller. */
  const roleOf = async (name: string, story: object): Promise<object> => {
    const saved = await send('POST', 'users-permissions/roles', { name, permissions: treeOf(story) });
    expect(saved).toEqual({ ok: true });
    return { 'x-role': name };
  };
  const limited = (name: string, where: Where): Promise<object> => roleOf(name, { find: { ...leaf, where } });
  /** Codes of the stories that a caller can list, or the status of the refusal. */
  const codes = async (path: string, caller: object): Promise<unknown> => {
    const { data, error } = await send('GET', `${path}?sort=code`, undefined, caller);
    return error?.status ?? data.map((one: any) => one.code);
  };
  const ignored = (): string[] => lines.filter((line) => line.startsWith('Ignored grant'));

  beforeEach(async () => {
    lines = [];
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line) => void lines.push(String(line)));
    database = await createDatabase();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await host.close();
    await database.drop();
  });

  const fill = async (): Promise<Record<'red' | 'blue', string>> => {
    const red = await make('teams', { name: 'red' });
    const blue = await make('teams', { name: 'blue' });
    await make('stories', { code: 'a', title: 'open', kind: 'news', team: red });
    await make('stories', {
      code: 'b',
      title: 'shut',
      kind: 'essay',
      team: red,
      box: { word: 'word', size: 'big' },
    });
    await make('stories', { code: 'c', title: 'shut', kind: 'news', team: blue, box: { size: 'small' } });
    await make('stories', { code: 'd', title: 'open', kind: 'news' });
    return { red, blue };
  };

  const expected = CONDITIONS.map(([name, , found]) => [name, found]);
  /** Creates a role for each condition. Returns a function that lists the stories of each. */
  const withRoles = async (): Promise<(path: string) => Promise<unknown>> => {
    for (const [i, [, where]] of CONDITIONS.entries()) await limited(`r${i}`, where);
    return (path) =>
      Promise.all(CONDITIONS.map(async ([name], i) => [name, await codes(path, { 'x-role': `r${i}` })]));
  };
  const storedConditions = async (): Promise<unknown[]> =>
    (await host.sql("select grants from content_roles where type like 'r%' order by id")).map(
      ({ grants }) => (grants as any).story[0].where,
    );

  it('cover the same documents after attributes, types and components got new names, and back', async () => {
    await begin(OLD);
    await fill();
    const seen = await withRoles();
    expect(await seen('stories')).toEqual(expected);
    const down = await become(NEW);
    expect(await seen('tales')).toEqual(expected);
    await applyStatements(host, down ?? []);
    await host.close();
    await open(OLD);
    expect(await seen('stories')).toEqual(expected);
    expect(ignored()).toEqual([]);
    expect(await storedConditions()).toEqual(CONDITIONS.map(([, where]) => where));
  });

  it('cover the same documents after values of enumerations got new names, and back', async () => {
    await begin(OLD);
    await fill();
    const seen = await withRoles();
    await become(
      oldModel(
        { enum: ['report', 'essay'], convert: { news: 'report' } },
        { enum: ['large', 'tiny'], convert: { big: 'large', small: 'tiny' } },
      ),
    );
    expect(await seen('stories')).toEqual(expected);
    expect(await storedConditions()).toContainEqual({ kind: { $notIn: ['report'] } });
    await become(
      oldModel(
        { enum: ['news', 'essay'], convert: { report: 'news' } },
        { enum: ['big', 'small'], convert: { large: 'big', tiny: 'small' } },
      ),
    );
    expect(await seen('stories')).toEqual(expected);
    expect(await storedConditions()).toEqual(CONDITIONS.map(([, where]) => where));
    expect(ignored()).toEqual([]);
  });

  it('of roles follow attributes of users, and presets create the same documents', async () => {
    await begin(OLD);
    const { red } = await fill();
    const { roles } = await send('GET', 'users-permissions/roles');
    const { id } = roles.find((role: any) => role.type === 'authenticated');
    const ofTeam = { team: { documentId: '$CURRENT_USER.team' } };
    const preset = {
      title: 'given',
      kind: 'news',
      team: '$CURRENT_USER.team',
      box: { word: 'inside', size: 'big' },
      zone: [{ __component: 'part.box', word: 'in zone' }],
      about: [{ __type: 'api::team.team', documentId: red }],
    };
    const actions = { find: { ...leaf, where: ofTeam }, create: { ...leaf, where: ofTeam, preset } };
    const saved = await send('PUT', `users-permissions/roles/${id}`, { permissions: treeOf(actions) });
    expect(saved).toEqual({ ok: true });
    const { jwt } = await send('POST', 'auth/local/register', {
      username: 'ann',
      email: 'ann@example.com',
      password: 'a long password',
    });
    await host.sql('update content_users set team_document_id = $1', [red]);
    const ann = { authorization: `Bearer ${jwt}` };
    expect(await codes('stories', ann)).toEqual(['a', 'b']);
    await become(NEW);
    expect(await codes('tales', ann)).toEqual(['a', 'b']);
    const made = await send('POST', 'tales', { data: { code: 'e' } }, ann);
    expect(made.error).toBeUndefined();
    const path = `tales/${made.data.documentId}`;
    const { data } = await send(
      'GET',
      `${path}?populate[0]=group&populate[1]=frame&populate[2]=parts&populate[3]=subjects`,
    );
    expect(data).toMatchObject({
      headline: 'given',
      kind: 'news',
      group: { label: 'red' },
      frame: { term: 'inside', size: 'big' },
      parts: [{ __component: 'part.frame', term: 'in zone' }],
      subjects: [{ __type: 'api::group.group', label: 'red' }],
    });
    expect(ignored()).toEqual([]);
  });

  it('on a removed attribute cover nothing, also when another takes its name; the log names them', async () => {
    const box = defineComponent({ uid: 'part.box', attributes: { word: text } });
    const first = {
      ...only(story({ code: text, title: text, box: { type: 'component', component: 'part.box' } })),
      components: [box],
    };
    await begin(first);
    await make('stories', { code: 'a', title: 'open', box: { word: 'w' } });
    await make('stories', { code: 'b', title: 'shut' });
    const byBox = await limited('box', { box: { word: { $null: true } } });
    const noBox = await limited('none', { box: { $null: true } });
    const byTitle = await limited('title', { $not: { title: 'open' } });
    const preset = await roleOf('preset', { create: { ...leaf, preset: { title: 'x' } } });
    const create = async (): Promise<unknown> => {
      const { data, error } = await send('POST', 'stories', { data: { code: 'c' } }, preset);
      return error?.status ?? data.title;
    };
    expect(await create()).toBe('x');
    expect(await codes('stories', byBox)).toEqual(['b', 'c']);
    expect(await codes('stories', noBox)).toEqual(['b', 'c']);
    expect(await codes('stories', byTitle)).toEqual(['b', 'c']);
    await become(only(story({ code: text, box: text }, { removed: ['title', 'box'] })));
    const refused = async (): Promise<unknown[]> => [
      ...(await Promise.all([byBox, noBox, byTitle].map((one) => codes('stories', one)))),
      await create(),
    ];
    expect(await refused()).toEqual([403, 403, 403, 403]);
    const named = [
      'where: Invalid key box (former)',
      'where: Invalid key title (former)',
      'preset: "title (former)" is not an attribute',
    ];
    for (const one of named) expect(ignored()).toContainEqual(expect.stringContaining(one));
    await become(only(story({ code: text, box: text, title: text })));
    expect(await refused()).toEqual([403, 403, 403, 403]);
  });

  it('that compare with a removed attribute of users cover nothing, also when another takes its name', async () => {
    const users = (attributes: Attributes, more: object = {}): Model => ({
      contentTypes: [
        story({ code: text }),
        ...userTypes(attributes).map((type) => (type.singularApiId === 'user' ? { ...type, ...more } : type)),
      ] as Model['contentTypes'],
    });
    await begin(users({ rank: text }));
    await make('stories', { code: 'a' });
    const byRank = await limited('rank', { code: '$CURRENT_USER.rank' });
    await become(users({}, { removed: ['rank'] }));
    await become(users({ rank: text }));
    expect(
      await host.sql("select grants->'story'->0->'where' as place from content_roles where type = 'rank'"),
    ).toEqual([{ place: { code: '$CURRENT_USER.rank (former)' } }]);
    expect(await codes('stories', byRank)).toBe(403);
    expect(ignored()).toContainEqual(expect.stringContaining('expected "$CURRENT_USER"'));
  });

  it('that compare parts of renamed values, or values that became one, cover nothing', async () => {
    const kinds = (names: readonly string[], convert: Readonly<Record<string, string>> = {}) =>
      only(story({ code: text, kind: { type: 'enumeration', enum: names, convert } }));
    await begin(kinds(['news', 'essay', 'note']));
    for (const kind of ['news', 'essay', 'note']) await make('stories', { code: kind, kind });
    const part = await limited('part', { kind: { $not: { $startsWith: 'n' } } });
    const merged = await limited('merged', { kind: 'note' });
    const other = await limited('other', { kind: { $in: ['news', 'essay'] } });
    expect(await codes('stories', part)).toEqual(['essay']);
    expect(await codes('stories', merged)).toEqual(['note']);
    await become(kinds(['report', 'essay'], { news: 'report', note: 'essay' }));
    expect(await codes('stories', part)).toBe(403);
    expect(await codes('stories', merged)).toBe(403);
    expect(await codes('stories', other)).toEqual(['essay', 'news', 'note']);
    expect(ignored()).toContainEqual(expect.stringContaining('where: Invalid key $startsWith (former)'));
    expect(ignored()).toContainEqual(expect.stringContaining('"note" is not a value of kind'));
  });
});
