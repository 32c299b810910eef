/** Conditions as JSON, which administrators give to the actions of a role (protocol 18.28, 18.29). */
import { Logger } from '@nestjs/common';
import {
  ContentAccess,
  type ContentService,
  defineCollectionType,
  getContentToken,
  type Grants,
} from 'nestjs-content-api';
import { apiTokenType, userTypes } from 'nestjs-content-api/accounts';
import { adaptersFor } from '../support/adapters.ts';
import { type AccountsWorld, startAccounts } from '../security/accounts-world.ts';

const team = { type: 'relation', relation: 'manyToOne', target: 'team' } as const;
const TYPES = [
  defineCollectionType({
    singularApiId: 'team',
    pluralApiId: 'teams',
    attributes: {
      name: { type: 'string' },
      code: { type: 'string', private: true },
      size: { type: 'enumeration', enum: ['small', 'large'] },
    },
  }),
  defineCollectionType({
    singularApiId: 'article',
    pluralApiId: 'articles',
    owner: 'writer',
    attributes: {
      title: { type: 'string' },
      writer: { type: 'string' },
      level: { type: 'integer' },
      team,
      vault: { type: 'relation', relation: 'manyToOne', target: 'vault' },
      kind: { type: 'enumeration', enum: ['news', 'essay'] },
      mark: { type: 'component', component: 'part.mark' },
    },
  }),
  defineCollectionType({
    singularApiId: 'vault',
    pluralApiId: 'vaults',
    routes: false,
    attributes: { code: { type: 'string' } },
  }),
  ...userTypes({ team, level: { type: 'integer' }, bio: { type: 'text' }, word: { type: 'string' } }),
  apiTokenType,
];
const ROLES = '/users-permissions/roles';
const ARTICLE = 'permissions.api::article.controllers.article';
const OF_TEAM = { team: { documentId: '$CURRENT_USER.team' } };
const PRESET = { team: '$CURRENT_USER.team' };

describe.each(adaptersFor('express'))('conditions of roles, on %s', (adapter) => {
  let world: AccountsWorld;
  let manager: string;
  let member: { readonly jwt: string; readonly user: Readonly<Record<string, any>> };
  let [red, blue, role] = ['', '', ''];
  const loaded: { grants: Record<string, Grants> } = { grants: {} };
  const make = async (type: string, data: object): Promise<string> =>
    (await world.app.get<ContentService>(getContentToken(type), { strict: false }).create(data)).documentId;
  const treeOf = (actions: object) => ({ 'api::article': { controllers: { article: actions } } });
  const on = (more: object = {}) => ({ enabled: true, policy: '', ...more });
  const save = (actions: object) => world.put(`${ROLES}/${role}`, { permissions: treeOf(actions) }, manager);
  const shown = async (): Promise<Record<string, object>> =>
    (await world.get(`${ROLES}/${role}`, manager)).body.role.permissions['api::article'].controllers.article;
  const titles = async (): Promise<string[]> =>
    (await world.get('/articles?sort=title', member.jwt)).body.data.map((one: any) => one.title);

  beforeAll(async () => {
    world = await startAccounts(
      adapter,
      {},
      {
        contentTypes: TYPES,
        components: [
          { uid: 'part.mark', attributes: { word: { type: 'enumeration', enum: ['yes', 'no'] } } },
        ],
        access: {
          roles: { manager: { role: '*' }, coded: { article: [{ actions: ['find'], where: OF_TEAM }] } },
          source: { load: () => Promise.resolve(loaded.grants) },
          maxAge: 600_000,
        },
      },
    );
    await world.get('/users/me');
    manager = (await world.withRole('manager')).jwt;
    await world.post(ROLES, { name: 'Member' }, manager);
    role = (await world.get(ROLES, manager)).body.roles.find((one: any) => one.name === 'Member').documentId;
    member = await world.withRole('member');
    [red, blue] = [await make('team', { name: 'red' }), await make('team', { name: 'blue' })];
    await make('article', { title: 'blue 1', team: blue, level: 1 });
    await make('article', { title: 'red 1', team: red, level: 1 });
    await make('article', { title: 'red 2', team: red, level: 2 });
    await make('article', { title: 'user', level: 3 });
    await setTeam(red);
  });
  afterAll(() => world.close());

  const setTeam = (to: string | null) =>
    world.sql('update content_users set team_document_id = $2, level = 2 where id = $1', [
      member.user['id'],
      to,
    ]);

  it('18.28 an action with a condition covers the documents that meet it', async () => {
    expect((await save({ find: on({ where: OF_TEAM }) })).status).toBe(200);
    expect(await titles()).toEqual(['red 1', 'red 2']);
    await save({ find: on({ where: { level: { $lte: '$CURRENT_USER.level' }, ...OF_TEAM } }) });
    expect(await titles()).toEqual(['red 1', 'red 2']);
    await save({ find: on({ where: { level: { $lt: '$CURRENT_USER.level' } } }) });
    expect(await titles()).toEqual(['blue 1', 'red 1']);
    await world.sql("update articles set title = $1 where title = 'user'", [member.user['documentId']]);
    await save({ find: on({ where: { title: '$CURRENT_USER' } }) });
    expect(await titles()).toEqual([member.user['documentId']]);
  });

  it('18.28 a user without the attribute has no document', async () => {
    await save({ find: on({ where: OF_TEAM }) });
    await setTeam(null);
    expect((await world.get('/articles', member.jwt)).status).toBe(403);
    await save({ find: on({ where: { $not: OF_TEAM } }) });
    expect((await world.get('/articles', member.jwt)).status).toBe(403);
    await setTeam(red);
    expect(await titles()).not.toContain('red 1');
  });

  it('18.28 a value that does not fit the attribute covers no document, and is logged', async () => {
    const lines: string[] = [];
    const spy = jest
      .spyOn(Logger.prototype, 'warn')
      .mockImplementation((line) => void lines.push(String(line)));
    const setWord = (word: string) =>
      world.sql('update content_users set word = $2 where id = $1', [member.user['id'], word]);
    for (const where of [
      { level: '$CURRENT_USER.word' },
      { $not: { level: { $lt: '$CURRENT_USER.word' } } },
    ]) {
      const saved = await save({ find: on({ where }), findOne: on({ where }), update: on({ where }) });
      expect([saved.status, saved.body]).toEqual([200, expect.anything()]);
      await setWord('many');
      const [{ documentId = '' } = {}] = await world.sql('select document_id as "documentId" from articles');
      const refused = [
        await world.get('/articles', member.jwt),
        await world.get(`/articles/${String(documentId)}`, member.jwt),
        await world.put(`/articles/${String(documentId)}`, { data: { title: 'x' } }, member.jwt),
      ];
      for (const { status, body } of refused)
        expect([status, body.error]).toEqual([
          403,
          { status: 403, name: 'ForbiddenError', message: 'Forbidden', details: {} },
        ]);
      await setWord('1');
      expect(await titles()).not.toEqual([]);
    }
    spy.mockRestore();
    expect(lines).toHaveLength(6);
    for (const line of lines) expect(line).toMatch(/^Request .* was refused: A (grant|value of a grant)/);
  });

  it('18.28 a preset sets the attributes of new documents', async () => {
    await save({ find: on({ where: OF_TEAM }), create: on({ where: OF_TEAM, preset: PRESET }) });
    expect((await world.post('/articles', { data: { title: 'red 3' } }, member.jwt)).status).toBe(201);
    expect(await titles()).toContain('red 3');
    const { status } = await world.post('/articles', { data: { title: 'x', team: blue } }, member.jwt);
    expect(status).toBe(400);
  });

  it('18.29 the role shows the conditions, and sent back they stay', async () => {
    await save({ find: on({ where: OF_TEAM }), create: on({ where: OF_TEAM, preset: PRESET }) });
    const tree = await shown();
    expect(tree['find']).toEqual(on({ where: OF_TEAM }));
    expect(tree['create']).toEqual(on({ where: OF_TEAM, preset: PRESET }));
    expect(tree['update']).toEqual({ enabled: false, policy: '' });
    await save(tree);
    expect(await shown()).toEqual(tree);
  });

  it('18.29 an entry without a condition keeps the stored one, and null removes it', async () => {
    await save({ find: on({ where: OF_TEAM }) });
    await save({ find: on(), findOne: on() });
    expect(await shown()).toMatchObject({ find: on({ where: OF_TEAM }), findOne: on() });
    await save({ find: on({ where: null }) });
    expect((await shown())['find']).toEqual(on());
    expect(await titles()).toContain('blue 1');
  });

  it.each<[string, object, string, string]>([
    ['an unknown attribute', { where: { tem: 1 } }, 'tem', '.where'],
    ['an unknown attribute of a relation', { where: { team: { nam: 1 } } }, 'nam', '.where.team'],
    ['a private attribute', { where: { team: { code: 'x' } } }, 'code', '.where.team.code'],
    ['a type without routes', { where: { vault: { code: 'x' } } }, 'vault', '.where.vault'],
    ['a wrong value', { where: { level: 'many' } }, 'level', '.where.level'],
    ['an unknown attribute of users', { where: { level: '$CURRENT_USER.levl' } }, 'permissions', ''],
    ['a long attribute of users', { where: { title: '$CURRENT_USER.bio' } }, 'permissions', ''],
    ['a wrong variable', { where: { title: '$CURRENT_USER.team.name' } }, 'title', '.where.title'],
    ['a variable as a flag', { where: { title: { $null: '$CURRENT_USER' } } }, '$null', '.where.title.$null'],
    ['a missing value', { where: { title: null } }, 'where', '.where'],
    ['an empty condition', { where: {} }, 'where', '.where'],
    ['a text', { where: 'team' }, 'where', '.where'],
    ['an unknown value of an enumeration', { where: { kind: { $ne: 'nws' } } }, 'kind', '.where.kind'],
    ['an unknown value in a list', { where: { kind: { $notIn: ['news', 'x'] } } }, 'kind', '.where.kind'],
    ['a pattern of no value', { where: { $not: { kind: { $startsWith: 'ess_' } } } }, 'kind', '.where.kind'],
    ['a value of other case', { where: { kind: { $in: 'News' } } }, 'kind', '.where.kind'],
    ['an unknown value in a relation', { where: { team: { size: 'big' } } }, 'size', '.where.team.size'],
    ['an unknown value in a component', { where: { mark: { word: 'x' } } }, 'word', '.where.mark.word'],
    ['a preset of an unknown value', { preset: { kind: 'nws' } }, 'kind', '.preset.kind'],
    ['a preset of such a component', { preset: { mark: { word: 'x' } } }, 'word', '.preset.mark.word'],
    ['a preset of an unknown attribute', { preset: { tem: 1 } }, 'tem', '.preset.tem'],
    ['a preset of a type without routes', { preset: { vault: 'x' } }, 'vault', '.preset.vault'],
    ['a preset of the owner', { preset: { writer: '$CURRENT_USER' } }, 'writer', '.preset.writer'],
  ])('18.29 refuses %s', async (_name, leaf, key, path) => {
    const { status, body } = await save({ find: on(leaf) });
    expect([status, body.error.details?.key]).toEqual([400, key]);
    expect(body.error.details.path).toBe(key === 'permissions' ? key : `${ARTICLE}.find${path}`);
  });

  it('18.29 accepts known values of enumerations', async () => {
    for (const leaf of [
      { where: { kind: { $in: ['news', 'essay'] }, team: { size: { $nei: 'SMALL' } } } },
      { where: { kind: { $startsWith: 'ess' }, mark: { word: { $notNull: true } } } },
      { where: { kind: '$CURRENT_USER.word' }, preset: { kind: '$CURRENT_USER.word', mark: { word: 'no' } } },
      { preset: { kind: null } },
    ])
      expect((await save({ create: on(leaf) })).body).toEqual({ ok: true });
  });

  it('18.29 refuses a condition of users, roles and files', async () => {
    for (const [group, controller] of [
      ['plugin::users-permissions', 'user'],
      ['plugin::upload', 'content-api'],
    ] as const) {
      const permissions = { [group]: { controllers: { [controller]: { find: on({ where: OF_TEAM }) } } } };
      expect((await world.put(`${ROLES}/${role}`, { permissions }, manager)).status).toBe(400);
    }
  });

  it('a token cannot have a condition', async () => {
    const grants: Grants = { article: [{ actions: ['find'], where: OF_TEAM }] };
    await expect(world.tokens.create({ name: 'limited', kind: 'custom', grants })).rejects.toThrow('JSON');
  });

  it('conditions as JSON work in code', async () => {
    const coded = await world.withRole('coded');
    expect((await world.get('/articles', coded.jwt)).status).toBe(403);
    await world.sql('update content_users set team_document_id = $2 where id = $1', [coded.user['id'], blue]);
    const { data } = (await world.get('/articles', coded.jwt)).body;
    expect(data.map((one: any) => one.title)).toEqual(['blue 1']);
  });

  it('18.29 a loaded condition that does not fit the model grants nothing', async () => {
    await save({ find: on({ where: OF_TEAM }) });
    const before = await titles();
    loaded.grants = {
      member: {
        article: [
          { actions: ['find'], where: { gone: 1 } },
          { actions: ['find'], where: { title: '$CURRENT_USER.gone' } },
          { actions: ['find'], where: { $not: { kind: 'gone' } } },
          { actions: ['find'], preset: { kind: 'gone' } },
        ],
      },
    };
    world.app.get(ContentAccess, { strict: false }).refresh();
    expect(await titles()).toEqual(before);
    loaded.grants = { member: { article: [{ actions: ['find'], where: { level: 1 } }] } };
    world.app.get(ContentAccess, { strict: false }).refresh();
    expect(await titles()).toEqual([...new Set([...before, 'blue 1'])].sort());
  });
});
