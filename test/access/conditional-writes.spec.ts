/** Grants with `where` and `preset`: writes hold the condition before and after. */
import {
  BeforeContent,
  type ContentEvent,
  type ContentService,
  type Credentials,
  defineCollectionType,
  defineSingleType,
  getContentToken,
  type Grants,
  type Identity,
  type WhereOf,
} from 'nestjs-content-api';
import { Injectable } from '@nestjs/common';
import { ADAPTERS, createTestApp, type TestApp } from '../support/app.ts';
import { failure, snapshot } from '../http/helpers.ts';

const team = defineCollectionType({
  singularApiId: 'team',
  pluralApiId: 'teams',
  attributes: { name: { type: 'string' } },
});
const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  localized: true,
  actions: true,
  attributes: {
    title: { type: 'string', localized: true },
    stage: { type: 'string', localized: true },
    notes: { type: 'string' },
    team: { type: 'relation', relation: 'manyToOne', target: 'team' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'articles' },
    next: { type: 'relation', relation: 'manyToOne', target: 'article' },
    twin: { type: 'relation', relation: 'oneToOne', target: 'tag' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: {
    name: { type: 'string' },
    articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'tags' },
  },
});
const page = defineSingleType({ singularApiId: 'page', attributes: { title: { type: 'string' } } });

const ofTeam: WhereOf = ({ attributes }) => ({ team: { name: attributes?.['team'] } });
const isOpen: WhereOf = () => ({ stage: 'open' });
const READ = ['find', 'findOne', 'readDrafts'] as const;
const OTHERS: Grants = { tag: '*', team: ['find', 'findOne'] };
const ROLES: Readonly<Record<string, Grants>> = {
  member: { ...OTHERS, article: [{ actions: '*', where: ofTeam }] },
  /** Reads all, and writes those of the team. */
  writer: {
    ...OTHERS,
    article: [...READ, { actions: ['create', 'update', 'delete', 'publish'], where: ofTeam }],
  },
  tenant: {
    ...OTHERS,
    article: [{ actions: '*', where: ofTeam, preset: ({ attributes }) => ({ team: attributes?.['id'] }) }],
  },
  signer: {
    ...OTHERS,
    article: [...READ, { actions: ['create', 'update'], preset: ({ id }) => ({ notes: id }) }],
  },
  translator: {
    ...OTHERS,
    article: [...READ, { actions: ['update', 'publish'], where: () => ({ locale: 'de' }) }],
  },
  /** Reads and writes German versions only. */
  secluded: { ...OTHERS, article: [{ actions: '*', where: () => ({ locale: 'de' }) }] },
  /** Reads what is published, and writes German drafts. */
  visitor: {
    ...OTHERS,
    article: ['find', 'findOne', { actions: ['update'], where: () => ({ locale: 'de' }) }],
  },
  opener: {
    ...OTHERS,
    article: [...READ, { actions: ['create', 'update', 'publish', 'delete'], where: isOpen }],
  },
  /** Writes articles of the team, and open ones. */
  either: {
    ...OTHERS,
    article: [...READ, { actions: ['update'], where: ofTeam }, { actions: ['update'], where: isOpen }],
  },
  /** Updates articles without the tag `locked`. */
  tagger: {
    ...OTHERS,
    article: [...READ, { actions: ['update'], where: () => ({ tags: { name: 'free' } }) }],
  },
  pager: { page: [{ actions: '*', where: () => ({ title: 'mine' }) }] },
};

const byHeader = {
  name: 'by-header',
  authenticate: ({ headers }: Credentials): Identity | null => {
    const [role, name, id] = String(headers['x-who'] ?? '').split(' ');
    if (!role) return null;
    return {
      kind: 'user',
      id: 'ann',
      roles: [role],
      attributes: { team: name, id: id === '' ? undefined : id },
    };
  },
};

const seen: string[] = [];

@Injectable()
class Notes {
  @BeforeContent('article', 'update')
  note({ documentId }: ContentEvent): void {
    seen.push(documentId ?? '');
  }
}

interface Named {
  readonly documentId: string;
}

const RED = 'member red';
const FORBIDDEN = failure(403, 'ForbiddenError', 'Forbidden');
const MISSING = failure(404, 'NotFoundError', 'Not Found');

describe.each([...ADAPTERS.map((adapter) => [adapter, false] as const), ['express', true] as const])(
  'conditional writes on %s, with hooks: %s',
  (adapter, hooked) => {
    let test: TestApp;
    const ids: Record<string, string> = {};
    const service = (name: string) => test.app.get<ContentService>(getContentToken(name), { strict: false });
    type Query = Readonly<Record<string, unknown>>;
    const make = async (type: string, data: object, query: Query = {}): Promise<string> => {
      const made: unknown = await service(type).create(data, query);
      return (made as Named).documentId;
    };
    const one = async (id: string, query: Query = {}): Promise<Readonly<Record<string, unknown>> | null> =>
      (await service('article').findOne(id, query)) as never;

    beforeAll(async () => {
      test = await createTestApp(
        {
          contentTypes: [team, article, tag, page],
          locales: ['de'],
          access: { roles: ROLES },
          auth: { strategies: [byHeader] },
          schedule: { everySeconds: 3600 },
          providers: hooked ? [Notes] : [],
        },
        adapter,
      );
      for (const name of ['red', 'blue']) ids[name] = await make('team', { name });
      for (const name of ['free', 'locked']) ids[name] = await make('tag', { name });
    });
    afterAll(() => test.close());

    const send = (method: 'get' | 'post' | 'put' | 'delete', path: string, who: string, data?: object) => {
      const sent = test.http[method](`/api/${path}`).set('x-who', who);
      return data === undefined ? sent : sent.send({ data });
    };
    const written = (data: object = {}, query: Query = {}): Promise<string> =>
      make('article', { title: 'first', stage: 'open', team: ids['red'], ...data }, query);
    const unchanged = async (act: () => Promise<unknown>): Promise<void> => {
      const before = await snapshot(test);
      await act();
      expect(await snapshot(test)).toEqual(before);
    };

    it('18.23 an update needs a document of the condition', async () => {
      const mine = await written();
      const other = await written({ team: ids['blue'] });
      await send('put', `articles/${mine}`, RED, { title: 'second' }).expect(200);
      expect((await one(mine))?.['title']).toBe('second');
      await unchanged(async () => {
        const hidden = await send('put', `articles/${other}`, RED, { title: 'stolen' });
        const missing = await send('put', 'articles/nothing', RED, { title: 'stolen' });
        expect([hidden.status, hidden.body]).toEqual([missing.status, missing.body]);
        expect(hidden.body).toEqual(MISSING);
        const shown = await send('put', `articles/${other}`, 'writer red', { title: 'stolen' });
        expect([shown.status, shown.body]).toEqual([403, FORBIDDEN]);
      });
    });

    it('18.23 an update cannot move a document out of the condition', async () => {
      const mine = await written();
      for (const data of [
        { team: ids['blue'] },
        { team: null },
        { title: 'x', team: { disconnect: [ids['red']] } },
      ])
        await unchanged(async () => {
          const { status, body } = await send('put', `articles/${mine}`, RED, data);
          expect([status, body]).toEqual([403, FORBIDDEN]);
        });
    });

    it('18.23 a created document must meet the condition', async () => {
      await unchanged(async () => {
        for (const data of [{ title: 'x' }, { title: 'x', team: ids['blue'] }])
          for (const query of ['', '?status=draft', '?locale=de']) {
            const { status, body } = await send('post', `articles${query}`, RED, data);
            expect([status, body]).toEqual([403, FORBIDDEN]);
          }
      });
      await send('post', 'articles', RED, { title: 'x', team: ids['red'] }).expect(201);
    });

    it('18.23 every other write needs a document of the condition', async () => {
      const [mine, other] = [await written(), await written({ team: ids['blue'] })];
      const times = { publishAt: '2999-01-01T00:00:00.000Z' };
      const acts = [
        ['post', '/actions/unpublish'],
        ['post', '/actions/publish'],
        ['post', '/actions/discard'],
        ['put', '/actions/schedule', times],
        ['get', '/actions/schedule'],
        ['delete', '/actions/schedule'],
        ['delete', ''],
      ] as const;
      for (const [method, path, data] of acts) {
        await unchanged(async () => {
          const hidden = await send(method, `articles/${other}${path}`, RED, data);
          const missing = await send(method, `articles/nothing${path}`, RED, data);
          expect([path, hidden.status, hidden.body]).toEqual([path, missing.status, missing.body]);
        });
        const { status } = await send(method, `articles/${mine}${path}`, RED, data);
        expect([path, status < 300]).toEqual([path, true]);
      }
      expect(await one(mine)).toBeNull();
      expect(await one(other)).not.toBeNull();
      for (const query of ['', '?locale=*'])
        await unchanged(() => send('delete', `articles/${other}${query}`, 'writer red').expect(403));
    });

    it('18.23 a precondition has the same result for a hidden document as for a missing one', async () => {
      const other = await written({ team: ids['blue'] });
      for (const id of [other, 'nothing'])
        await send('put', `articles/${id}`, RED, { title: 'x' }).set('if-match', '"1"').expect(412);
    });

    it('18.24 the condition holds in each version that the write changes', async () => {
      const id = await written({ stage: 'closed' });
      await service('article').update(id, { stage: 'open' }, { status: 'draft' });
      await send('put', `articles/${id}?status=draft`, 'opener', { title: 'drafted' }).expect(200);
      await unchanged(async () => {
        await send('put', `articles/${id}`, 'opener', { title: 'live' }).expect(403);
        await send('post', `articles/${id}/actions/publish`, 'opener').expect(403);
        await send('post', `articles/${id}/actions/discard`, 'opener').expect(403);
        await send('post', `articles/${id}/actions/unpublish`, 'opener').expect(403);
        await send('delete', `articles/${id}`, 'opener').expect(403);
        await send('put', `articles/${id}?status=draft`, 'opener', { stage: 'closed' }).expect(403);
      });
      const open = await written();
      await service('article').update(open, { stage: 'closed' }, { status: 'draft' });
      await unchanged(async () => {
        await send('put', `articles/${open}?status=draft`, 'opener', { stage: 'open' }).expect(403);
        await send('delete', `articles/${open}`, 'opener').expect(403);
      });
      await send('put', `articles/${await written()}`, 'opener', { title: 'live' }).expect(200);
    });

    it('18.24 a shared value is not written into a locale that the condition does not cover', async () => {
      const id = await written({ team: ids['blue'] });
      await service('article').update(id, { stage: 'closed' }, { locale: 'de' });
      await unchanged(() => send('put', `articles/${id}`, 'either red', { team: ids['red'] }).expect(403));
      await service('article').update(id, { stage: 'open' }, { locale: 'de' });
      await send('put', `articles/${id}`, 'either red', { team: ids['red'] }).expect(200);
      await service('article').update(id, { stage: 'closed' }, { locale: 'de' });
      await unchanged(() => send('put', `articles/${id}`, 'either red', { team: ids['blue'] }).expect(403));
    });

    it('18.24 a condition on the locale allows its versions, and no change of shared attributes', async () => {
      const id = await written();
      await service('article').update(
        id,
        { title: 'erster', stage: 'open' },
        {
          locale: 'de',
          status: 'draft',
        },
      );
      await send('put', `articles/${id}?locale=de&status=draft`, 'translator', { title: 'zweiter' }).expect(
        200,
      );
      expect((await one(id, { locale: 'de', status: 'draft' }))?.['title']).toBe('zweiter');
      await unchanged(async () => {
        await send('put', `articles/${id}?status=draft`, 'translator', { title: 'x' }).expect(403);
        await send('put', `articles/${id}?locale=de&status=draft`, 'translator', { notes: 'x' }).expect(403);
        await send('put', `articles/${id}?locale=de`, 'translator', { title: 'x' }).expect(403);
        await send('post', `articles/${id}/actions/publish?locale=*`, 'translator').expect(403);
      });
    });

    it('18.24 a condition on the locale covers no publication and no discard of shared values', async () => {
      const id = await written({ notes: 'published' });
      await service('article').update(id, { title: 'erster' }, { locale: 'de' });
      await service('article').update(id, { notes: 'drafted' }, { status: 'draft' });
      const path = `articles/${id}/actions`;
      const schedule = (times: object) =>
        send('put', `${path}/schedule?locale=de`, 'translator', { publishAt: null, ...times });
      await unchanged(async () => {
        await send('post', `${path}/publish?locale=de`, 'translator').expect(403);
        await send('post', `${path}/discard?locale=de`, 'translator').expect(403);
        await send('post', 'articles/bulk', 'translator', [
          { action: 'discard', documentId: id, locale: 'de' },
        ]).expect(403);
        await schedule({ publishAt: '2999-01-02T03:04:05Z' }).expect(403);
      });
      await schedule({ unpublishAt: '2999-01-02T03:04:05Z' }).expect(200);
      await send('post', `${path}/unpublish?locale=de`, 'translator').expect(200);
      expect(await one(id)).toMatchObject({ notes: 'published' });
    });

    it('18.24 publishing a new locale needs the condition in the published versions of the others', async () => {
      const id = await written({ team: ids['blue'] });
      await service('article').update(id, { title: 'erster' }, { locale: 'de', status: 'draft' });
      await service('article').update(id, { team: ids['red'] }, { status: 'draft' });
      await unchanged(() =>
        send('post', `articles/${id}/actions/publish?locale=de`, 'writer red').expect(403),
      );
    });

    it('18.24 a condition on the locale allows to add it to documents that the caller reads', async () => {
      const id = await written({ notes: 'shared' }, { status: 'draft' });
      const path = `articles/${id}?locale=de&status=draft`;
      await unchanged(async () => {
        await send('put', path, 'secluded', { title: 'x' }).expect(404, MISSING);
        await send('put', path, 'visitor', { title: 'x' }).expect(404, MISSING);
        await send('put', path, 'translator', { title: 'x', notes: 'x' }).expect(403, FORBIDDEN);
        await send('put', path, 'member blue', { title: 'x', stage: 'open' }).expect(404, MISSING);
        await send('put', path, 'opener', { title: 'x' }).expect(403, FORBIDDEN);
        await send('put', `articles/${id}?locale=de`, 'translator', { title: 'x' }).expect(403, FORBIDDEN);
      });
      const english = await one(id, { status: 'draft' });
      await send('put', path, 'translator', { title: 'zuerst' }).expect(200);
      expect(await one(id, { locale: 'de', status: 'draft' })).toMatchObject({
        title: 'zuerst',
        notes: 'shared',
      });
      expect(await one(id, { status: 'draft' })).toEqual(english);
      await send('put', path, 'secluded', { title: 'danach' }).expect(200);
      await unchanged(() =>
        send('put', `articles/${id}?status=draft`, 'translator', { title: 'x' }).expect(403, FORBIDDEN),
      );
    });

    it('18.24 a write of a single type needs the condition before and after it', async () => {
      await unchanged(() => send('put', 'page', 'pager', { title: 'other' }).expect(403));
      await send('put', 'page', 'pager', { title: 'mine' }).expect(200);
      await unchanged(() => send('put', 'page', 'pager', { title: 'other' }).expect(403));
      await service('page').update(null, { title: 'other' });
      await unchanged(async () => {
        await send('put', 'page', 'pager', { title: 'mine' }).expect(404);
        await send('get', 'page', 'pager').expect(404);
        await send('delete', 'page', 'pager');
      });
    });

    it('18.25 preset values are set by the server, and cannot be sent', async () => {
      const who = `tenant red ${ids['red'] ?? ''}`;
      const { body } = await send('post', 'articles?populate=team', who, { title: 'x' }).expect(201);
      expect(body.data.team.name).toBe('red');
      await unchanged(async () => {
        for (const to of ['red', 'blue']) {
          await send('post', 'articles', who, { title: 'x', team: ids[to] }).expect(400);
          await send('put', `articles/${String(body.data.documentId)}`, who, { team: ids[to] }).expect(400);
        }
        await send('post', 'articles', 'tenant red', { title: 'x' }).expect(403);
        await send('post', 'articles', `tenant red ${ids['blue'] ?? ''}`, { title: 'x' }).expect(403);
      });
      await send('put', `articles/${String(body.data.documentId)}`, who, { title: 'y' }).expect(200);
      const signed = await send('post', 'articles', 'signer', { title: 'x' }).expect(201);
      expect(signed.body.data.notes).toBe('ann');
      await send('put', `articles/${await written()}`, 'signer', { title: 'signed' }).expect(200);
      await send('put', `articles/${await written()}`, 'signer', { notes: 'bob' }).expect(400);
    });

    it('18.26 a link can lead to documents of the condition only', async () => {
      const [mine, other] = [await written(), await written({ team: ids['blue'] })];
      const [row] = await test.sql('select id from articles where document_id = $1 and published', [other]);
      const path = `articles/${mine}`;
      await unchanged(async () => {
        for (const next of [other, { connect: [other] }, { set: [other] }]) {
          const hidden = await send('put', path, RED, { next });
          const missing = await send(
            'put',
            path,
            RED,
            JSON.parse(JSON.stringify({ next }).replaceAll(other, 'nothing')),
          );
          expect(hidden.status).toBe(400);
          expect(JSON.stringify(hidden.body).replaceAll(other, 'nothing')).toBe(JSON.stringify(missing.body));
        }
        await send('put', path, RED, { next: row?.['id'] }).expect(400);
      });
      await send('put', path, RED, { next: await written() }).expect(200);
      await service('article').update(mine, { next: other });
      for (const next of [other, { disconnect: [other] }])
        await unchanged(() => send('put', path, RED, { next }).expect(400));
    });

    it('18.26 a write does not take the target of another document', async () => {
      const [mine, other] = [await written(), await written({ team: ids['blue'], twin: ids['free'] })];
      await unchanged(() => send('put', `articles/${mine}`, RED, { twin: ids['free'] }).expect(400));
      await unchanged(() =>
        send('post', 'articles', RED, { team: ids['red'], twin: ids['free'] }).expect(400),
      );
      expect((await one(other, { populate: 'twin' }))?.['twin']).not.toBeNull();
    });

    it('18.26 the inverse side changes documents of the condition only', async () => {
      const [mine, other] = [await written(), await written({ team: ids['blue'], tags: [ids['free']] })];
      const path = `tags/${ids['free'] ?? ''}`;
      const another = `tags/${ids['locked'] ?? ''}`;
      await unchanged(() => send('put', another, RED, { articles: { connect: [other] } }).expect(400));
      await unchanged(() =>
        send('put', another, 'writer red', { articles: { connect: [other] } }).expect(400),
      );
      for (const articles of [{ disconnect: [other] }, []]) {
        await send('put', path, 'writer red', { articles });
        await send('put', path, RED, { articles });
      }
      await send('put', path, RED, { articles: { connect: [mine] } }).expect(200);
      const tags = async (id: string): Promise<unknown> => (await one(id, { populate: 'tags' }))?.['tags'];
      expect(await tags(mine)).toHaveLength(1);
      expect(await tags(other)).toHaveLength(1);
      await send('put', path, RED, { articles: { disconnect: [mine] } }).expect(200);
      expect(await tags(mine)).toHaveLength(0);
      expect(await tags(other)).toHaveLength(1);
    });

    it('18.26 an anchor that a condition hides is that of an unknown id', async () => {
      const mine = await written();
      const other = await written({ team: ids['blue'], tags: [ids['free']] });
      await unchanged(async () => {
        for (const id of [other, 'nothing']) {
          const articles = { connect: [{ documentId: mine, position: { before: id } }] };
          const { status, body } = await send('put', `tags/${ids['free'] ?? ''}`, RED, { articles });
          expect([status, body.error.message.replaceAll(id, 'an id')]).toEqual([
            400,
            expect.stringContaining('The relation with id an id needs to be connected first'),
          ]);
        }
      });
    });

    it('18.26 the documents of an inverse side meet the condition after the write', async () => {
      const free = await written({ tags: [ids['free']] });
      await unchanged(async () => {
        const { status } = await send('put', `tags/${ids['free'] ?? ''}`, 'tagger', {
          articles: { disconnect: [free] },
        });
        expect(status).toBe(403);
        const locked = await written({ tags: [ids['locked']] });
        expect(
          (await send('put', `tags/${ids['free'] ?? ''}`, 'tagger', { articles: { connect: [locked] } }))
            .status,
        ).toBe(400);
        await service('article').delete(locked);
      });
      await send('put', `tags/${ids['locked'] ?? ''}`, 'tagger', { articles: { connect: [free] } }).expect(
        200,
      );
    });

    it('18.23 hooks do not run for a document that the caller may not write', async () => {
      const other = await written({ team: ids['blue'] });
      seen.length = 0;
      await send('put', `articles/${other}`, RED, { title: 'x' }).expect(404);
      expect(seen).toEqual([]);
      const mine = await written();
      await send('put', `articles/${mine}`, RED, { title: 'x' }).expect(200);
      expect(seen).toEqual(hooked ? [mine] : []);
    });
  },
);
