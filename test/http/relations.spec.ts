import { type ContentService, getContentToken } from 'nestjs-content-api';
import {
  CHANGES,
  type Ids,
  KINDS_OF_CHANGE,
  onePerRule,
  placed,
  refused,
  REFUSALS,
  type Row,
} from '../fixtures/relation-changes.ts';
import { relations } from '../fixtures/relations.ts';
import { countStatements, recordBatches, createTestApp, type TestApp } from '../support/app.ts';
import { badKey, snapshot, withinTransaction } from './helpers.ts';

const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
/**
 * To-many relations from a node to leaves: owning and inverse sides, and relations without an inverse side.
 */
const TO_MANY = ['many', 'list', 'leaves', 'owned'];
const TO_ONE = ['one', 'single', 'toOne'];

// `test/unit/links.spec.ts` covers all forms of input; they do not depend on the adapter.
describe('section 11: relations', () => {
  let test: TestApp;
  let L: Ids;

  const make = async (plural: string, data: object, query = ''): Promise<Row> =>
    (await test.http.post(`/api/${plural}${query}`).send({ data }).expect(201)).body.data;
  const put = (plural: string, { documentId }: Row, data: object, query = '') =>
    test.http.put(`/api/${plural}/${documentId}${query}`).send({ data });
  const change = (plural: string, row: Row, data: object, query = '') =>
    put(plural, row, data, query).expect(200);
  const show = async (plural: string, { documentId }: Row, name: string, query = ''): Promise<any> =>
    (await test.http.get(`/api/${plural}/${documentId}?populate[${name}][fields]=name${query}`).expect(200))
      .body.data[name];
  const names = async (plural: string, row: Row, name: string, query = ''): Promise<string> =>
    (await show(plural, row, name, query)).map((item: Row) => item['name']).join('');
  const nameOf = async (plural: string, row: Row, name: string, query = ''): Promise<string | null> =>
    (await show(plural, row, name, query))?.name ?? null;
  const leafs = async (...which: string[]): Promise<Ids> =>
    Object.fromEntries(
      await Promise.all(which.map(async (name) => [name, await make('leaves', { name })] as const)),
    );
  const ids = (from: Ids, which: string): string[] => [...which].map((name) => from[name]!.documentId);

  beforeAll(async () => {
    test = await createTestApp(relations);
    L = await leafs(...LETTERS);
  });
  afterAll(() => test.close());

  it('11.3, 11.5, 11.11 an example: connect, position, disconnect and set', async () => {
    const leaf = async (name: string): Promise<string> =>
      (await test.http.post('/api/leaves').send({ data: { name } }).expect(201)).body.data.documentId;
    const [oak, elm, ash] = [await leaf('oak'), await leaf('elm'), await leaf('ash')];
    const node = await test.http
      .post('/api/nodes')
      .send({ data: { name: 'wood', many: [oak, elm] } })
      .expect(201);
    const after = async (many: object): Promise<string[]> => {
      const path = `/api/nodes/${node.body.data.documentId}?populate=many`;
      const { body } = await test.http.put(path).send({ data: { many } }).expect(200);
      return body.data.many.map(({ name }: { name: string }) => name);
    };

    expect(await after({ connect: [ash] })).toEqual(['oak', 'elm', 'ash']);
    expect(await after({ connect: [{ documentId: ash, position: { before: oak } }] })).toEqual([
      'ash',
      'oak',
      'elm',
    ]);
    expect(await after({ disconnect: [elm] })).toEqual(['ash', 'oak']);
    expect(await after({ set: [elm] })).toEqual(['elm']);
  });

  describe.each(TO_MANY)('to-many: %s', (attribute) => {
    const first = attribute === TO_MANY[0];
    let owner: Row;
    beforeAll(async () => void (owner = await make('nodes', { name: 'n' })));
    beforeEach(() => change('nodes', owner, { [attribute]: ids(L, 'abc') }));

    it.each(first ? onePerRule(CHANGES) : KINDS_OF_CHANGE)('%s', async (_what, payload, expected) => {
      const { body } = await change('nodes', owner, { [attribute]: payload(L) }, `?populate=${attribute}`);
      expect(body.data[attribute].map((item: Row) => item['name']).join('')).toBe(expected);
      expect(await names('nodes', owner, attribute)).toBe(expected);
    });

    it.each(first ? onePerRule(REFUSALS) : REFUSALS.slice(0, 1))(
      'rejects %s, and writes nothing',
      async (_what, payload, expected) => {
        const before = await snapshot(test);
        expect(
          (await put('nodes', owner, { name: 'changed', [attribute]: payload(L, attribute) }).expect(400))
            .body,
        ).toEqual(expected(L, attribute));
        expect(await snapshot(test)).toEqual(before);
      },
    );

    it('11.4 connect on create sets', async () => {
      const own = await leafs('x', 'y', 'z');
      const made = await make('nodes', {
        [attribute]: {
          connect: [
            own['y']!.documentId,
            { documentId: own['x']!.documentId, position: { start: true } },
            own['z']!.id,
          ],
        },
      });
      expect(await names('nodes', made, attribute)).toBe('xyz');
    });

    it('11.27 an omitted key leaves the links unchanged', async () => {
      await change('nodes', owner, { name: 'other' });
      expect(await names('nodes', owner, attribute)).toBe('abc');
    });

    it('1.25 accepts the response of a GET as input', async () => {
      const shown = (await test.http.get(`/api/nodes/${owner.documentId}?populate=${attribute}`).expect(200))
        .body.data[attribute];
      await change('nodes', owner, { [attribute]: [...shown].reverse() });
      expect(await names('nodes', owner, attribute)).toBe('cba');
      expect(
        await test.sql('select name from leaves where name = any($1) order by 1', [['a', 'b', 'c']]),
      ).toEqual([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    });

    it('11.25 deleting a target removes it and keeps the order of the others', async () => {
      const own = await leafs('x', 'y', 'z');
      const made = await make('nodes', { [attribute]: ids(own, 'zxy') });
      await test.http.delete(`/api/leaves/${own['x']!.documentId}`).expect(204);
      expect(await names('nodes', made, attribute)).toBe('zy');
    });

    it('11.26 deleting the owner keeps the targets', async () => {
      const own = await leafs('x', 'y');
      const made = await make('nodes', { [attribute]: ids(own, 'xy') });
      await test.http.delete(`/api/nodes/${made.documentId}`).expect(204);
      for (const row of Object.values(own))
        await test.http.get(`/api/leaves/${row.documentId}?populate=*`).expect(200);
    });
  });

  describe.each(TO_ONE)('to-one: %s', (attribute) => {
    let owner: Row;
    let M: Ids;
    beforeAll(async () => {
      owner = await make('nodes', { name: 'n' });
      M = await leafs('p', 'q', 'r');
    });
    beforeEach(() => change('nodes', owner, { [attribute]: M['p']!.documentId }));

    it.each<[string, (M: Ids) => unknown, string | null]>([
      ['11.1 a document id', (M) => M['q']!.documentId, 'q'],
      ['11.1 a row id', (M) => M['q']!.id, 'q'],
      ['11.1 { id }', (M) => ({ id: M['q']!.id }), 'q'],
      ['11.1 { documentId }', (M) => ({ documentId: M['q']!.documentId }), 'q'],
      ['11.1 a list of one', (M) => [M['q']!.documentId], 'q'],
      ['11.1 a list of several: the last', (M) => [M['q']!.documentId, M['r']!.documentId], 'r'],
      ['11.1 null clears', () => null, null],
      ['11.2 an empty list clears', () => [], null],
      ['11.3 set', (M) => ({ set: [M['q']!.documentId] }), 'q'],
      ['11.3 an empty set clears', () => ({ set: [] }), null],
      ['11.3 connect replaces', (M) => ({ connect: [M['q']!.documentId] }), 'q'],
      [
        '11.10 of several in connect the last',
        (M) => ({ connect: [M['q']!.documentId, M['r']!.documentId] }),
        'r',
      ],
      ['11.3 disconnect', (M) => ({ disconnect: [M['p']!.documentId] }), null],
      ['11.8 disconnecting another one', (M) => ({ disconnect: [M['q']!.documentId] }), 'p'],
      [
        '11.7 connect and disconnect',
        (M) => ({ connect: [M['q']!.documentId], disconnect: [M['p']!.documentId] }),
        'q',
      ],
      ['11.9 nothing', () => ({ connect: [] }), 'p'],
      ['11.9 an empty object', () => ({}), 'p'],
      [
        'a position has no effect',
        (M) => ({ connect: [{ documentId: M['q']!.documentId, position: { before: M['r']!.documentId } }] }),
        'q',
      ],
    ])('%s', async (_what, payload, expected) => {
      await change('nodes', owner, { [attribute]: payload(M) });
      expect(await nameOf('nodes', owner, attribute)).toBe(expected);
    });

    it.each<[string, unknown, unknown]>([
      ['an unknown document', 'nope', refused('Document with id "nope", locale "null" not found')],
      [
        'an unknown row id',
        999_999,
        refused('1 relation(s) of type api::leaf.leaf associated with this entity do not exist'),
      ],
      ['a foreign key', { documentId: 'x', foo: 1 }, badKey('foo', attribute, attribute)],
      ['a boolean', false, refused('Invalid relations', expect.anything())],
    ])('rejects %s', async (_what, payload, expected) => {
      const { body } = await put('nodes', owner, { [attribute]: payload }).expect(400);
      expect(body).toEqual(expected);
      expect(body.error.details).toMatchObject({ path: attribute });
      expect(await nameOf('nodes', owner, attribute)).toBe('p');
    });

    it('11.25 deleting the target leaves null', async () => {
      const { x } = (await leafs('x')) as { x: Row };
      const made = await make('nodes', { [attribute]: x.documentId });
      await test.http.delete(`/api/leaves/${x.documentId}`).expect(204);
      expect(await nameOf('nodes', made, attribute)).toBeNull();
      expect(
        (
          await test.http
            .get(
              `/api/nodes?filters[${attribute}][documentId][$notNull]=true&filters[documentId]=${made.documentId}`,
            )
            .expect(200)
        ).body.data,
      ).toEqual([]);
    });
  });

  describe('targets of another owner', () => {
    it('11.22 one-to-one: a linked target changes its owner', async () => {
      const { x } = (await leafs('x')) as { x: Row };
      const [first, second] = [
        await make('nodes', { name: 'first', one: x.documentId }),
        await make('nodes', { name: 'second' }),
      ];
      await change('nodes', second, { one: { connect: [x.documentId] } });
      expect([await nameOf('nodes', first, 'one'), await nameOf('nodes', second, 'one')]).toEqual([
        null,
        'x',
      ]);
      expect(await nameOf('leaves', x, 'mate')).toBe('second');
      await make('nodes', { name: 'third', one: x.documentId });
      expect([await nameOf('nodes', second, 'one'), await nameOf('leaves', x, 'mate')]).toEqual([
        null,
        'third',
      ]);
    });

    it('11.22 one-to-one from the other side', async () => {
      const own = await leafs('x', 'y');
      const [first, second] = [
        await make('nodes', { name: 'first', one: own['x']!.documentId }),
        await make('nodes', { name: 'second', one: own['y']!.documentId }),
      ];
      await change('leaves', own['y']!, { mate: first.documentId });
      expect([await nameOf('nodes', first, 'one'), await nameOf('nodes', second, 'one')]).toEqual([
        'y',
        null,
      ]);
      expect([await nameOf('leaves', own['x']!, 'mate'), await nameOf('leaves', own['y']!, 'mate')]).toEqual([
        null,
        'first',
      ]);
      await change('leaves', own['y']!, { mate: null });
      expect(await nameOf('nodes', first, 'one')).toBeNull();
    });

    it('11.22 two one-to-one partners can be swapped', async () => {
      const own = await leafs('x', 'y');
      const [first, second] = [
        await make('nodes', { name: 'first', one: own['x']!.documentId }),
        await make('nodes', { name: 'second', one: own['y']!.documentId }),
      ];
      await change('nodes', first, { one: own['y']!.documentId });
      await change('nodes', second, { one: own['x']!.documentId });
      expect([await nameOf('nodes', first, 'one'), await nameOf('nodes', second, 'one')]).toEqual(['y', 'x']);
    });

    it('11.23 one-to-many: a child leaves its old owner', async () => {
      const own = await leafs('x', 'y', 'z');
      const first = await make('nodes', { name: 'first', leaves: ids(own, 'xyz') });
      const second = await make('nodes', { name: 'second', leaves: { connect: [own['y']!.documentId] } });
      expect([await names('nodes', first, 'leaves'), await names('nodes', second, 'leaves')]).toEqual([
        'xz',
        'y',
      ]);
      expect(await nameOf('leaves', own['y']!, 'holder')).toBe('second');
      await change('leaves', own['z']!, { holder: second.documentId });
      expect([await names('nodes', first, 'leaves'), await names('nodes', second, 'leaves')]).toEqual([
        'x',
        'yz',
      ]);
    });
  });

  describe('11.24 both sides', () => {
    it('many-to-many: each side shows the other, in its own order', async () => {
      const own = await leafs('x', 'y');
      const [p, q, r] = [
        await make('nodes', { name: 'p', many: ids(own, 'xy') }),
        await make('nodes', { name: 'q', many: ids(own, 'yx') }),
        await make('nodes', { name: 'r' }),
      ];
      expect(await names('leaves', own['x']!, 'nodes')).toBe('pq');
      await change('leaves', own['x']!, {
        nodes: { connect: [{ documentId: r.documentId, position: { start: true } }] },
      });
      expect([await names('leaves', own['x']!, 'nodes'), await names('leaves', own['y']!, 'nodes')]).toEqual([
        'rpq',
        'pq',
      ]);
      expect([
        await names('nodes', p, 'many'),
        await names('nodes', q, 'many'),
        await names('nodes', r, 'many'),
      ]).toEqual(['xy', 'yx', 'x']);
      await change('leaves', own['x']!, { nodes: [q.documentId, r.documentId, p.documentId] });
      expect(await names('leaves', own['x']!, 'nodes')).toBe('qrp');
      await change('nodes', p, { many: ids(own, 'yx') });
      expect([
        await names('leaves', own['x']!, 'nodes'),
        await names('leaves', own['y']!, 'nodes'),
        await names('nodes', p, 'many'),
      ]).toEqual(['qrp', 'pq', 'yx']);
      await change('leaves', own['x']!, { nodes: { disconnect: [r.documentId] } });
      expect([await names('leaves', own['x']!, 'nodes'), await names('nodes', r, 'many')]).toEqual([
        'qp',
        '',
      ]);
    });

    describe('many-to-many from the inverse side', () => {
      let N: Ids;
      let own: Row;
      beforeAll(async () => {
        N = Object.fromEntries(
          await Promise.all(LETTERS.map(async (name) => [name, await make('nodes', { name })] as const)),
        );
        own = await make('leaves', {});
      });

      it.each(KINDS_OF_CHANGE)('%s', async (_what, payload, expected) => {
        await change('leaves', own, { nodes: ids(N, 'abc') });
        await change('leaves', own, { nodes: payload(N) });
        expect(await names('leaves', own, 'nodes')).toBe(expected);
      });
    });

    it('many-to-many: a link made from one side comes last on the other', async () => {
      const own = await leafs('x', 'y', 'z');
      const [p, q] = [
        await make('nodes', { name: 'p', many: ids(own, 'yx') }),
        await make('nodes', { name: 'q' }),
      ];
      await change('leaves', own['z']!, { nodes: [q.documentId, p.documentId] });
      expect([await names('nodes', p, 'many'), await names('nodes', q, 'many')]).toEqual(['yxz', 'z']);
      await change('nodes', q, {
        many: { connect: [{ documentId: own['y']!.documentId, position: { start: true } }] },
      });
      expect([
        await names('nodes', q, 'many'),
        await names('leaves', own['y']!, 'nodes'),
        await names('leaves', own['z']!, 'nodes'),
      ]).toEqual(['yz', 'pq', 'qp']);
    });

    it('one-to-many: the many side keeps the order of the one side', async () => {
      const own = await leafs('x', 'y', 'z');
      const owner = await make('nodes', { name: 'o' });
      for (const name of 'zxy') await change('leaves', own[name]!, { holder: owner.documentId });
      expect(await names('nodes', owner, 'leaves')).toBe('zxy');
      await change('nodes', owner, { leaves: ids(own, 'xyz') });
      await change('leaves', own['x']!, { name: 'X' });
      expect(await names('nodes', owner, 'leaves')).toBe('Xyz');
    });
  });

  describe('11.31 self relations', () => {
    it('a document can link itself, on every side', async () => {
      const own = await make('nodes', { name: 's' });
      const me = own.documentId;
      await change('nodes', own, { self: me, friends: [me], twin: me, parent: me, follows: [me] });
      for (const name of ['self', 'twin', 'twinOf', 'parent'])
        expect([name, await nameOf('nodes', own, name)]).toEqual([name, 's']);
      for (const name of ['friends', 'children', 'follows', 'followers'])
        expect([name, await names('nodes', own, name)]).toEqual([name, 's']);
      await change('nodes', own, { self: null, friends: [], twin: null, parent: null, follows: [] });
      for (const name of ['self', 'twin', 'twinOf', 'parent'])
        expect([name, await nameOf('nodes', own, name)]).toEqual([name, null]);
      for (const name of ['friends', 'children', 'follows', 'followers'])
        expect([name, await names('nodes', own, name)]).toEqual([name, '']);
    });

    it('two-way to-many: followers and followed', async () => {
      const [a, b, c] = [
        await make('nodes', { name: 'a' }),
        await make('nodes', { name: 'b' }),
        await make('nodes', { name: 'c' }),
      ];
      await change('nodes', a, { follows: [b.documentId, c.documentId] });
      await change('nodes', b, { follows: [c.documentId], followers: { connect: [c.documentId] } });
      expect([
        await names('nodes', a, 'follows'),
        await names('nodes', b, 'followers'),
        await names('nodes', c, 'followers'),
        await names('nodes', c, 'follows'),
      ]).toEqual(['bc', 'ac', 'ab', 'b']);
    });

    it('a tree: parents and children', async () => {
      const [root, left, right] = [
        await make('nodes', { name: 'r' }),
        await make('nodes', { name: 'x' }),
        await make('nodes', { name: 'y' }),
      ];
      await change('nodes', root, { children: [right.documentId, left.documentId] });
      expect([await nameOf('nodes', left, 'parent'), await names('nodes', root, 'children')]).toEqual([
        'r',
        'yx',
      ]);
      await test.http.delete(`/api/nodes/${root.documentId}`).expect(204);
      expect(await nameOf('nodes', left, 'parent')).toBeNull();
    });

    it('both sides of a one-to-one with itself in one body: the links are consistent afterwards', async () => {
      const [a, b] = [await make('nodes', { name: 'a' }), await make('nodes', { name: 'b' })];
      await change('nodes', a, { twin: b.documentId });
      expect([await nameOf('nodes', b, 'twinOf'), await nameOf('nodes', b, 'twin')]).toEqual(['a', null]);
    });
  });

  describe('11.28 permissions', () => {
    it('rejects a relation to a type that the caller cannot read', async () => {
      const vault = await make('vaults', { name: 'v' });
      const own = await make('nodes', { name: 'n' });
      const before = await snapshot(test);
      for (const value of [vault.documentId, { connect: [vault.documentId] }, null]) {
        expect((await put('nodes', own, { vault: value }).expect(400)).body).toEqual(
          badKey('vault', '', 'vault'),
        );
      }
      expect((await put('nodes', own, { box: { vault: vault.documentId } }).expect(400)).body).toEqual(
        badKey('vault', 'box.vault', 'box.vault'),
      );
      expect((await put('nodes', own, { parts: [{ vault: vault.documentId }] }).expect(400)).body).toEqual(
        badKey('vault', 'parts.vault', 'parts.vault'),
      );
      expect(
        (
          await put('nodes', own, { zone: [{ __component: 'shared.part', vault: vault.documentId }] }).expect(
            400,
          )
        ).body,
      ).toMatchObject({ error: { status: 400, details: { key: 'vault', source: 'body' } } });
      expect(await snapshot(test)).toEqual(before);
    });

    it('15.2 rejects a relation that is not writable', async () => {
      const own = await make('nodes', { name: 'n' });
      expect((await put('nodes', own, { readOnly: L['a']!.documentId }).expect(400)).body).toEqual(
        badKey('readOnly', '', 'readOnly'),
      );
    });
  });

  describe('11.29 inside components and zones', () => {
    const inside = async (own: Row): Promise<string> =>
      (
        await test.http
          .get(`/api/nodes/${own.documentId}?populate[box][populate][links][fields]=name`)
          .expect(200)
      ).body.data.box.links
        .map((item: Row) => item['name'])
        .join('');

    it.each(KINDS_OF_CHANGE)('%s', async (_what, payload, expected) => {
      const own = await make('nodes', { box: { links: ids(L, 'abc') } });
      const { id } = (await test.http.get(`/api/nodes/${own.documentId}?populate=box`).expect(200)).body.data
        .box;
      await change('nodes', own, { box: { id, links: payload(L) } });
      expect(await inside(own)).toBe(expected);
    });

    it.each(REFUSALS.slice(0, 1))('rejects %s', async (_what, payload, expected) => {
      const own = await make('nodes', { box: { links: ids(L, 'abc') } });
      const { id } = (await test.http.get(`/api/nodes/${own.documentId}?populate=box`).expect(200)).body.data
        .box;
      expect((await put('nodes', own, { box: { id, links: payload(L, 'links') } }).expect(400)).body).toEqual(
        expected(L, 'links'),
      );
      expect(await inside(own)).toBe('abc');
    });

    it('11.20 reports the path of a foreign key violation', async () => {
      expect(
        (
          await test.http
            .post('/api/nodes')
            .send({ data: { parts: [{}, { link: 'nope' }] } })
            .expect(400)
        ).body.error.details,
      ).toEqual(placed('link', 'parts.1.link'));
      expect(
        (
          await test.http
            .post('/api/nodes')
            .send({ data: { parts: [{ link: { documentId: L['a']!.documentId, foo: 1 } }] } })
            .expect(400)
        ).body,
      ).toEqual(badKey('foo', 'parts.link', 'parts.link'));
    });

    it('in a repeatable one and in a zone', async () => {
      const own = await make('nodes', {
        parts: [
          { label: '1', link: L['a']!.id },
          { label: '2', links: { connect: [L['b']!.documentId, L['c']!.documentId] } },
        ],
        zone: [
          {
            __component: 'shared.part',
            link: { documentId: L['d']!.documentId },
            links: [L['a']!.documentId],
          },
        ],
      });
      const { body } = await test.http
        .get(
          `/api/nodes/${own.documentId}?populate[parts][populate]=*&populate[zone][on][shared.part][populate]=*`,
        )
        .expect(200);
      expect(body.data.parts).toMatchObject([
        { label: '1', link: { name: 'a' }, links: [] },
        { label: '2', link: null, links: [{ name: 'b' }, { name: 'c' }] },
      ]);
      expect(body.data.zone).toMatchObject([{ link: { name: 'd' }, links: [{ name: 'a' }] }]);
    });

    it('11.25 a deleted target disappears from components, and the instance can be sent back', async () => {
      const own = await leafs('x', 'y');
      const made = await make('nodes', {
        box: { label: 'b', link: own['x']!.documentId, links: ids(own, 'xy') },
      });
      await test.http.delete(`/api/leaves/${own['x']!.documentId}`).expect(204);
      const { box } = (
        await test.http.get(`/api/nodes/${made.documentId}?populate[box][populate]=*`).expect(200)
      ).body.data;
      expect(box).toMatchObject({ link: null, links: [{ name: 'y' }] });
      await change('nodes', made, { box: { id: box.id, label: 'again' } });
      await change('nodes', made, { box: { id: box.id, links: { connect: [L['a']!.documentId] } } });
      expect(await inside(made)).toBe('ya');
    });
  });

  describe('20.13–20.15 media attributes', () => {
    let F: Ids;
    let owner: Row;
    const urls = async (name: string): Promise<string> =>
      [await show('nodes', owner, name)]
        .flat()
        .map((item: Row | null) => item?.['name'] ?? '-')
        .join('');
    beforeAll(async () => {
      const files =
        await test.sql(`insert into content_files (document_id, locale, published, created_at, updated_at, published_at, name, hash, mime, size, url, provider)
        select 'file' || n, 'en', true, now(), now(), now(), n, n, 'image/png', 1, '/' || n, 'local' from unnest(array['x', 'y', 'z']) n returning id, document_id, name`);
      F = Object.fromEntries(
        files.map((row) => [
          String(row['name']),
          { id: Number(row['id']), documentId: String(row['document_id']) },
        ]),
      );
    });
    beforeEach(
      async () => void (owner = await make('nodes', { cover: F['x']!.documentId, gallery: ids(F, 'xy') })),
    );

    it.each<[string, string, (F: Ids) => unknown, string]>([
      ['by row id', 'cover', (F) => F['y']!.id, 'y'],
      ['by object', 'cover', (F) => ({ id: F['y']!.id }), 'y'],
      ['of a list the last', 'cover', (F) => [F['y']!.documentId, F['z']!.documentId], 'z'],
      ['null clears', 'cover', () => null, '-'],
      [
        'set, in order, duplicates once',
        'gallery',
        (F) => [F['z']!.id, F['x']!.documentId, F['z']!.documentId],
        'zx',
      ],
      ['{ set }', 'gallery', (F) => ({ set: [F['z']!.id] }), 'z'],
      ['[] clears', 'gallery', () => [], ''],
      ['connect', 'gallery', (F) => ({ connect: [F['z']!.documentId] }), 'xyz'],
      ['disconnect', 'gallery', (F) => ({ disconnect: [F['x']!.documentId] }), 'y'],
      ['an empty change', 'gallery', () => ({ connect: [] }), 'xy'],
    ])('%s', async (_what, name, payload, expected) => {
      await change('nodes', owner, { [name]: payload(F) });
      expect(await urls(name)).toBe(expected);
      expect(await urls(name === 'cover' ? 'gallery' : 'cover')).toBe(name === 'cover' ? 'xy' : 'x'); // 20.15
    });

    it('rejects an unknown file', async () => {
      expect((await put('nodes', owner, { cover: 999_999 }).expect(400)).body).toEqual(
        refused(
          '1 relation(s) of type plugin::upload.file associated with this entity do not exist',
          placed('cover', 'cover'),
        ),
      );
      expect(await urls('cover')).toBe('x');
    });
  });

  describe('drafts and published versions (D13)', () => {
    const both = (data: object) => make('topics', data);
    const draft = (data: object) => make('topics', data, '?status=draft');

    it('11.33 a published document shows published targets, a draft shows drafts', async () => {
      const [one, two] = [await both({ name: '1' }), await draft({ name: '2' })];
      const post = await make('posts', {
        name: 'p',
        topics: [two.documentId, one.documentId],
        main: two.documentId,
      });
      expect([
        await names('posts', post, 'topics'),
        await names('posts', post, 'topics', '&status=draft'),
      ]).toEqual(['1', '21']);
      expect([
        await nameOf('posts', post, 'main'),
        await nameOf('posts', post, 'main', '&status=draft'),
      ]).toEqual([null, '2']);
      await change('topics', two, {});
      expect([await names('posts', post, 'topics'), await nameOf('posts', post, 'main')]).toEqual([
        '21',
        '2',
      ]);
    });

    it('11.33 row ids of the draft and of the published row identify the same document', async () => {
      const published = await both({ name: '1' });
      const { id } = (await test.http.get(`/api/topics/${published.documentId}?status=draft`).expect(200))
        .body.data;
      expect(id).not.toBe(published.id);
      for (const reference of [id, published.id])
        expect(await names('posts', await make('posts', { name: 'p', topics: [reference] }), 'topics')).toBe(
          '1',
        );
    });

    it('11.34 a type without drafts links both versions, and the request selects one', async () => {
      const target = await make('posts', { name: 'new' }, '?status=draft');
      const shelf = await make('shelves', {
        posts: [{ documentId: target.documentId, status: 'published' }],
        best: target.documentId,
      });
      expect([await names('shelves', shelf, 'posts'), await nameOf('shelves', shelf, 'best')]).toEqual([
        '',
        null,
      ]);
      expect([
        await names('shelves', shelf, 'posts', '&status=draft'),
        await nameOf('shelves', shelf, 'best', '&status=draft'),
      ]).toEqual(['new', 'new']);
      await change('posts', target, { name: 'old' });
      await change('posts', target, { name: 'new' }, '?status=draft');
      expect([
        await names('shelves', shelf, 'posts'),
        await names('shelves', shelf, 'posts', '&status=draft'),
      ]).toEqual(['old', 'new']);
    });

    it('8.15 a link removed in the draft stays published until the next publish', async () => {
      const [one, two] = [await both({ name: '1' }), await both({ name: '2' })];
      const post = await make('posts', {
        name: 'p',
        topics: [one.documentId, two.documentId],
        main: one.documentId,
      });
      await change('posts', post, { topics: { disconnect: [one.documentId] }, main: null }, '?status=draft');
      expect([await names('posts', post, 'topics'), await nameOf('posts', post, 'main')]).toEqual([
        '12',
        '1',
      ]);
      expect([await names('topics', one, 'posts'), await names('topics', one, 'mainOf')]).toEqual(['p', 'p']);
      expect([
        await names('topics', one, 'posts', '&status=draft'),
        await names('topics', one, 'mainOf', '&status=draft'),
      ]).toEqual(['', '']);
      await change('posts', post, {});
      expect([
        await names('posts', post, 'topics'),
        await nameOf('posts', post, 'main'),
        await names('topics', one, 'posts'),
        await names('topics', one, 'mainOf'),
      ]).toEqual(['2', null, '', '']);
    });

    it('8.14 publishing a target again keeps it everywhere, at its position (peers 3)', async () => {
      const T = Object.fromEntries(
        await Promise.all(['1', '2', '3'].map(async (name) => [name, await both({ name })] as const)),
      );
      const posts = [
        await make('posts', { name: 'p', topics: ids(T, '213') }),
        await make('posts', { name: 'q', topics: ids(T, '321') }),
      ];
      for (const name of '123') await change('topics', T[name]!, { name });
      await change('posts', posts[0]!, { name: 'p' });
      expect(await Promise.all(posts.map((post) => names('posts', post, 'topics')))).toEqual(['213', '321']);
      expect(await Promise.all([...'123'].map((name) => names('topics', T[name]!, 'posts')))).toEqual([
        'pq',
        'pq',
        'pq',
      ]);
    });

    it('8.17 publishing both sides in turn keeps the order of each side', async () => {
      const T = Object.fromEntries(
        await Promise.all(['1', '2', '3'].map(async (name) => [name, await both({ name })] as const)),
      );
      const post = await make('posts', { name: 'p', topics: ids(T, '123') });
      const other = await make('posts', { name: 'o', topics: ids(T, '321') });
      await change('topics', T['2']!, { posts: [other.documentId, post.documentId] });
      await change('posts', post, { topics: ids(T, '312') });
      await change('topics', T['2']!, { name: '2' });
      await change('posts', other, { name: 'o' });
      expect([
        await names('posts', post, 'topics'),
        await names('posts', other, 'topics'),
        await names('topics', T['2']!, 'posts'),
      ]).toEqual(['312', '321', 'op']);
    });

    it('publishing does not include a draft that the inverse side wrote', async () => {
      const one = await both({ name: '1' });
      const post = await make('posts', { name: 'p' });
      await change('topics', one, { posts: [post.documentId], mainOf: [post.documentId] }, '?status=draft');
      expect([
        await names('topics', one, 'posts'),
        await names('posts', post, 'topics'),
        await nameOf('posts', post, 'main'),
      ]).toEqual(['', '', null]);
      expect([
        await names('topics', one, 'posts', '&status=draft'),
        await names('posts', post, 'topics', '&status=draft'),
        await nameOf('posts', post, 'main', '&status=draft'),
      ]).toEqual(['p', '1', '1']);
      await change('topics', one, { posts: [post.documentId], mainOf: [post.documentId] });
      expect([
        await names('topics', one, 'posts'),
        await names('posts', post, 'topics'),
        await nameOf('posts', post, 'main'),
      ]).toEqual(['p', '1', '1']);
    });

    it.each([
      ['mate', 'leaves', 'postMate'],
      ['partner', 'topics', 'partnerOf'],
    ])(
      '11.22 a one-to-one target (%s) taken in a draft changes its owner when that draft is published',
      async (attribute, plural, back) => {
        const target = await make(plural, { name: 't' });
        const [first, second] = [
          await make('posts', { name: 'first', [attribute]: target.documentId }),
          await make('posts', { name: 'second' }),
        ];
        await change('posts', second, { [attribute]: target.documentId }, '?status=draft');
        expect([
          await nameOf('posts', first, attribute),
          await nameOf('posts', second, attribute),
          await nameOf(plural, target, back),
        ]).toEqual(['t', null, 'first']);
        expect([
          await nameOf('posts', first, attribute, '&status=draft'),
          await nameOf('posts', second, attribute, '&status=draft'),
          await nameOf(plural, target, back, '&status=draft'),
        ]).toEqual([null, 't', 'second']);
        await change('posts', second, {});
        expect([
          await nameOf('posts', first, attribute),
          await nameOf('posts', second, attribute),
          await nameOf(plural, target, back),
        ]).toEqual([null, 't', 'second']);
        await change('posts', first, {});
        expect([await nameOf('posts', first, attribute), await nameOf('posts', second, attribute)]).toEqual([
          null,
          't',
        ]);
      },
    );

    it('11.22 a discarded draft gets its one-to-one target back', async () => {
      const target = await make('leaves', { name: 't' });
      const [first, second] = [
        await make('posts', { name: 'first', mate: target.documentId }),
        await make('posts', { name: 'second' }),
      ];
      await change('posts', second, { mate: target.documentId }, '?status=draft');
      await test.app.get<ContentService>(getContentToken('post')).discardDraft(first.documentId);
      expect([
        await nameOf('posts', first, 'mate', '&status=draft'),
        await nameOf('posts', second, 'mate', '&status=draft'),
        await nameOf('leaves', target, 'postMate', '&status=draft'),
      ]).toEqual(['t', null, 'first']);
    });

    it.each(['create', 'update', 'create a draft and publish it'])(
      '11.22 two one-to-one targets change their owners in one write: %s',
      async (way) => {
        const [leaf, topic] = [await make('leaves', { name: 'l' }), await both({ name: 't' })];
        const first = await make('posts', {
          name: 'first',
          mate: leaf.documentId,
          partner: topic.documentId,
        });
        const wanted = { mate: leaf.documentId, partner: topic.documentId };
        const second = await make(
          'posts',
          way === 'create' ? { name: 'second', ...wanted } : { name: 'second' },
        );
        if (way === 'update') await change('posts', second, wanted);
        if (way.startsWith('create a draft')) {
          await change('posts', second, wanted, '?status=draft');
          await change('posts', second, { name: 'second' });
        }
        for (const query of ['', '&status=draft']) {
          expect([
            await nameOf('posts', first, 'mate', query),
            await nameOf('posts', first, 'partner', query),
          ]).toEqual([null, null]);
          expect([
            await nameOf('posts', second, 'mate', query),
            await nameOf('posts', second, 'partner', query),
          ]).toEqual(['l', 't']);
          expect([
            await nameOf('leaves', leaf, 'postMate', query),
            await nameOf('topics', topic, 'partnerOf', query),
          ]).toEqual(['second', 'second']);
        }
      },
    );

    it('11.22 two one-to-one targets taken at once from different documents: each document loses its own', async () => {
      const [leaf, topic] = [await make('leaves', { name: 'l' }), await both({ name: 't' })];
      const [first, second] = [
        await make('posts', { name: 'first', mate: leaf.documentId }),
        await make('posts', { name: 'second', partner: topic.documentId }),
      ];
      const other = await both({ name: 'u' });
      await change('posts', first, { partner: other.documentId });
      const third = await make('posts', { name: 'third', mate: leaf.documentId, partner: topic.documentId });
      expect([
        await nameOf('posts', first, 'mate'),
        await nameOf('posts', first, 'partner'),
        await nameOf('posts', second, 'partner'),
      ]).toEqual([null, 'u', null]);
      expect([await nameOf('posts', third, 'mate'), await nameOf('posts', third, 'partner')]).toEqual([
        'l',
        't',
      ]);
    });

    it('11.31 a published document linked to itself shows itself', async () => {
      const post = await make('posts', { name: 'me' });
      await change('posts', post, { related: [post.documentId] });
      expect([
        await names('posts', post, 'related'),
        await names('posts', post, 'related', '&status=draft'),
      ]).toEqual(['me', 'me']);
    });

    it('11.25 deleting a target removes it from drafts and published documents', async () => {
      const [one, two] = [await both({ name: '1' }), await both({ name: '2' })];
      const post = await make('posts', {
        name: 'p',
        topics: [one.documentId, two.documentId],
        main: one.documentId,
      });
      await test.http.delete(`/api/topics/${one.documentId}`).expect(204);
      for (const query of ['', '&status=draft'])
        expect([
          await names('posts', post, 'topics', query),
          await nameOf('posts', post, 'main', query),
        ]).toEqual(['2', null]);
      expect(
        await test.sql('select count(*)::int as n from posts_topics_links where target_document_id = $1', [
          one.documentId,
        ]),
      ).toEqual([{ n: 0 }]);
    });

    it('11.32 publishes 550 links with the document', async () => {
      const docs =
        await test.sql(`insert into leaves (document_id, locale, published, created_at, updated_at, published_at, name)
        select 'published' || lpad(i::text, 4, '0'), 'en', true, now(), now(), now(), i::text from generate_series(1, 550) i returning document_id`);
      const wanted = docs.map((row) => String(row['document_id'])).reverse();
      const post = await make('posts', { name: 'p', leaves: wanted }, '?status=draft');
      await change('posts', post, {});
      const { body } = await test.http
        .get(`/api/posts/${post.documentId}?populate[leaves][fields]=documentId`)
        .expect(200);
      expect(body.data.leaves.map((item: Row) => item.documentId)).toEqual(wanted);
    });
  });

  describe('statements of a write, publish included', () => {
    const bodyOf = (leaves: readonly string[], topics: readonly string[]) => ({
      name: 'counted',
      leaves,
      topics,
      box: { label: 'box', link: leaves[0], links: leaves },
      parts: [
        { label: '1', link: leaves[1] },
        { label: '2', links: leaves },
      ],
    });

    it('POST and PUT need at most six, for any number of targets', async () => {
      const [few, many] = [3, 550];
      await test.sql(`insert into leaves (document_id, locale, published, created_at, updated_at, published_at, name)
        select 'counted' || lpad(i::text, 4, '0'), 'en', true, now(), now(), now(), i::text from generate_series(1, 550) i`);
      const leaves = (count: number): string[] =>
        Array.from({ length: count }, (_, i) => `counted${String(i + 1).padStart(4, '0')}`);
      const topics = [
        (await make('topics', { name: '1' })).documentId,
        (await make('topics', { name: '2' })).documentId,
      ];
      const counts: number[] = [];
      for (const count of [few, many]) {
        let post: Row | undefined;
        counts.push(
          withinTransaction(
            await countStatements(
              async () => void (post = await make('posts', bodyOf(leaves(count), topics))),
            ),
          ).length,
        );
        counts.push(
          withinTransaction(
            await countStatements(() =>
              change('posts', post!, bodyOf(leaves(count).reverse(), [...topics].reverse())),
            ),
          ).length,
        );
        counts.push(withinTransaction(await countStatements(() => change('posts', post!, {}))).length);
        expect(await names('posts', post!, 'topics')).toBe('21');
      }
      expect(Math.max(...counts)).toBeLessThanOrEqual(6);
      expect(counts.slice(3)).toEqual(counts.slice(0, 3));
    });

    it('a create needs one round trip, an update and a delete need two', async () => {
      const own = await make('nodes', { name: 'n', many: ids(L, 'ab') });
      const batches = async (work: () => Promise<unknown>) => (await recordBatches(work)).length;
      expect(await batches(() => make('nodes', { name: 'n' }))).toBe(1);
      expect(await batches(() => make('nodes', { name: 'n', many: ids(L, 'ab') }))).toBe(1);
      expect(await batches(() => change('nodes', own, { name: 'm', many: ids(L, 'ba') }))).toBe(2);
      expect(await batches(() => test.http.delete(`/api/nodes/${own.documentId}`).expect(204))).toBe(2);
    });
  });

  it.each(TO_MANY.flatMap((attribute) => [100, 550].map((count) => [attribute, count] as const)))(
    '11.32 %s: %i targets at once, counted and in order',
    async (attribute, count) => {
      const docs = await test.sql(
        `insert into leaves (document_id, locale, published, created_at, updated_at, published_at, name)
       select 'bulk' || $1 || 'x' || $2 || 'x' || lpad(i::text, 4, '0'), 'en', true, now(), now(), now(), i::text from generate_series(1, $1::int) i returning document_id`,
        [count, attribute.toLowerCase()],
      );
      const shuffled = docs
        .map((row) => String(row['document_id']))
        .sort((x, y) => (x.slice(-1) + x < y.slice(-1) + y ? -1 : 1));
      const made = await make('nodes', { [attribute]: shuffled });
      const { body } = await test.http
        .get(`/api/nodes/${made.documentId}?populate[${attribute}][fields]=documentId`)
        .expect(200);
      expect(body.data[attribute].map((item: Row) => item.documentId)).toEqual(shuffled);
      const counted = await test.http
        .get(`/api/nodes/${made.documentId}?populate[${attribute}][count]=true`)
        .expect(200);
      expect(counted.body.data[attribute]).toEqual({ count });
    },
  );

  it('11.36 does not enforce a required relation', async () => {
    const own = await make('nodes', { name: 'n', needed: null });
    await change('nodes', own, { needed: [] });
  });

  it('23.5 concurrent connects and disconnects leave links that match a serial order', async () => {
    const own = await leafs('x', 'y', 'z');
    const node = await make('nodes', { name: 'n', many: [own['x']!.documentId] });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        put('nodes', node, {
          many:
            i % 2 === 0
              ? { connect: [own['y']!.documentId, own['z']!.documentId] }
              : { disconnect: [own['y']!.documentId, own['z']!.documentId] },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
    expect(['x', 'xyz']).toContain(await names('nodes', node, 'many'));
  });

  it('23.5 concurrent documents that take one target from each other: one of them has it', async () => {
    const { x } = (await leafs('x')) as { x: Row };
    const owners = await Promise.all(Array.from({ length: 8 }, (_, i) => make('nodes', { name: String(i) })));
    const answers = await Promise.all(
      owners.map((owner, i) => put('nodes', owner, { one: i % 2 === 0 ? x.documentId : x.id })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const holders = await Promise.all(owners.map((owner) => nameOf('nodes', owner, 'one')));
    expect(holders.filter((name) => name !== null)).toEqual(['x']);
    expect(await nameOf('leaves', x, 'mate')).not.toBeNull();
  });
});
