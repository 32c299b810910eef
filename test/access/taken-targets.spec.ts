/** Links that take their targets from other documents, on the routes that copy links between draft and published version. */
import { defineCollectionType, type Grants } from 'nestjs-content-api';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { createTestApp, type TestApp } from '../support/app.ts';

const one = (target: string, more: object = {}) =>
  ({ type: 'relation', relation: 'oneToOne', target, ...more }) as const;
const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  localized: true,
  actions: true,
  attributes: {
    title: { type: 'string', localized: true },
    team: { type: 'string' },
    seal: one('seal', { inversedBy: 'story' }),
    local: one('seal', { inversedBy: 'localStory', localized: true }),
    morph: { type: 'relation', relation: 'morphToOne', targets: ['seal'] },
  },
});
const paper = defineCollectionType({
  singularApiId: 'paper',
  pluralApiId: 'papers',
  draftAndPublish: true,
  actions: true,
  stages: { written: { to: ['read'] }, read: { to: [], publish: true } },
  attributes: { title: { type: 'string' }, seal: one('seal', { inversedBy: 'paper' }) },
});
const seal = defineCollectionType({
  singularApiId: 'seal',
  pluralApiId: 'seals',
  attributes: {
    name: { type: 'string' },
    story: one('story', { mappedBy: 'seal' }),
    localStory: one('story', { mappedBy: 'local' }),
    morphStory: { type: 'relation', relation: 'morphOne', target: 'story', morphBy: 'morph' },
    paper: one('paper', { mappedBy: 'seal' }),
  },
});

const ofRed = () => ({ team: 'red' });
const reading = ['find', 'findOne', 'readDrafts'] as const;
const roles: Record<string, Grants> = {
  chief: { '*': '*', releases: ['open'] },
  lead: {
    seal: ['find'],
    releases: ['open'],
    story: [...reading, 'update', { actions: ['publish'], where: ofRed }],
  },
  editor: { seal: ['find'], story: [...reading, { actions: ['update'], where: ofRed }] },
  writer: { seal: ['find'], paper: [...reading, 'create', 'update', 'publish'] },
};
const FORMS = [
  ['a column', 'seal'],
  ['a link table', 'local'],
  ['a polymorphic link', 'morph'],
] as const;

describe('targets of other documents', () => {
  let test: TestApp;
  const send = async (
    role: string,
    method: 'get' | 'post' | 'put',
    path: string,
    data?: unknown,
  ): Promise<any> => {
    const asked = test.http[method](`/api/${path}`).set('x-role', role);
    const { body, status } = await (data === undefined ? asked : asked.send({ data }));
    return status < 300 ? body.data : status;
  };
  const made = async (path: string, data: object): Promise<string> =>
    (await send('chief', 'post', path, data)).documentId;
  const linked = async (path: string, name: string): Promise<unknown> =>
    (await send('chief', 'get', `${path}populate=*`))[name]?.documentId ?? null;

  beforeAll(async () => {
    test = await createTestApp({
      contentTypes: [story, paper, seal],
      locales: ['en', 'de'],
      access: { roles },
      auth: {
        strategies: [
          {
            name: 'role',
            authenticate: ({ headers: { 'x-role': role } }) =>
              typeof role === 'string' ? { kind: 'user', id: role, roles: [role] } : null,
          },
        ],
      },
      imports: [ReleasesModule.forRoot()],
    });
  });
  afterAll(() => test.close());

  /** Returns a seal, its holder in one state, and another story that has it in the other state. */
  const held = async (name: string, holder: string, red: string, team = 'blue') => {
    const id = await made('seals', { name: 'S' });
    const link = { [name]: name === 'morph' ? { __type: 'api::seal.seal', documentId: id } : id };
    const [first, second] = holder === 'published' ? [team, 'red'] : ['red', team];
    const live = await made('stories', { title: 'L', team: first, ...link });
    const draft = await made('stories?status=draft', { title: 'D', team: second, ...link });
    return { id, live, draft, red: red === 'live' ? live : draft };
  };

  it.each(FORMS)(
    '18.26 publishing takes none of a document outside the condition: %s',
    async (_form, name) => {
      const { id, live, draft } = await held(name, 'published', 'draft');
      const path = `stories/${draft}`;
      expect(await send('lead', 'post', `${path}/actions/publish`)).toBe(403);
      expect(await send('lead', 'post', `${path}/actions/publish?locale=*`)).toBe(403);
      expect(await send('editor', 'put', path, { title: 'N' })).toBe(403);
      const other = await made('stories?status=draft', { title: 'O', team: 'red' });
      const items = [draft, other].map((documentId) => ({ action: 'publish', documentId }));
      expect(await send('lead', 'post', 'stories/bulk', items)).toBe(403);
      expect(await send('lead', 'post', 'stories/bulk', [...items].reverse())).toBe(403);
      expect(
        await send('lead', 'put', `${path}/actions/schedule`, { publishAt: '2999-01-01T00:00:00Z' }),
      ).toBe(403);
      const { id: release } = await send('lead', 'post', 'releases', { name: 'R' });
      for (const locale of ['en', '*'])
        expect(
          await send('lead', 'post', `releases/${release}/entries`, {
            type: 'story',
            documentId: draft,
            locale,
          }),
        ).toBe(403);
      expect(await linked(`stories/${live}?`, name)).toBe(id);
      expect(await send('chief', 'post', `${path}/actions/publish`)).toMatchObject({ documentId: draft });
      expect(await linked(`stories/${live}?`, name)).toBeNull();
    },
  );

  it.each(FORMS)(
    '18.26 discarding takes none of a document outside the condition: %s',
    async (_form, name) => {
      const { id, live, draft } = await held(name, 'draft', 'live');
      for (const query of ['', '?locale=*'])
        expect(await send('lead', 'post', `stories/${live}/actions/discard${query}`)).toBe(403);
      expect(await linked(`stories/${draft}?status=draft&`, name)).toBe(id);
    },
  );

  it.each(FORMS)('18.26 takes those of documents that meet the condition: %s', async (_form, name) => {
    const { id, live, draft } = await held(name, 'published', 'draft', 'red');
    expect(await send('lead', 'post', `stories/${draft}/actions/publish`)).toMatchObject({
      documentId: draft,
    });
    expect(await linked(`stories/${live}?`, name)).toBeNull();
    expect(await linked(`stories/${draft}?`, name)).toBe(id);
  });

  it('8.39 takes none of an approved draft without the right to approve it', async () => {
    const id = await made('seals', { name: 'S' });
    const approved = await made('papers?status=draft', { title: 'A', seal: id });
    expect(await send('writer', 'put', `papers/${approved}?status=draft`, { seal: id })).toMatchObject({});
    await send('chief', 'put', `papers/${approved}?status=draft`, { stage: 'read' });
    expect(await send('writer', 'post', 'papers?status=draft', { title: 'B', seal: id })).toBe(403);
    expect(await linked(`papers/${approved}?status=draft&`, 'seal')).toBe(id);
    const other = await made('papers?status=draft', { title: 'C' });
    expect(await send('writer', 'put', `papers/${other}?status=draft`, { seal: id })).toBe(403);
    await send('writer', 'put', `papers/${approved}?status=draft`, { title: 'written again' });
    expect(await send('writer', 'put', `papers/${other}?status=draft`, { seal: id })).toMatchObject({
      title: 'C',
    });
    expect(await linked(`papers/${approved}?status=draft&`, 'seal')).toBeNull();
  });
});
