/**
 * S8, M9: component values stored under an older model are read, filtered, sorted and written without errors.
 */
import { type ContentTypeDefinition, defineCollectionType } from 'nestjs-content-api';
import supertest from 'supertest';
import { adaptersFor } from '../support/adapters.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Host, type Model, startModel } from './helpers.ts';

type Attributes = ContentTypeDefinition['attributes'];

const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: { name: { type: 'string' } },
});
const inner = (attributes: Attributes) => ({ uid: 'm.inner', attributes });
const modelOf = (attributes: Attributes, ofInner: Attributes, drafts = false): Model => ({
  contentTypes: [
    {
      kind: 'collectionType',
      singularApiId: 'item',
      pluralApiId: 'items',
      draftAndPublish: drafts,
      attributes,
    },
    tag,
  ],
  components: [inner(ofInner)],
});

const TO_ONE = { type: 'relation', relation: 'manyToOne', target: 'tag' } as const;
const TO_MANY = { type: 'relation', relation: 'manyToMany', target: 'tag' } as const;
const ONE = { type: 'component', component: 'm.inner' } as const;
const MANY = { ...ONE, repeatable: true } as const;

describe.each(adaptersFor('fastify'))('changed components on %s', (adapter) => {
  let database: TestDatabase;
  let host: Host;
  beforeAll(async () => void (database = await createDatabase()));
  afterAll(async () => {
    await host.close();
    await database.drop();
  });
  const become = async (model: Model): Promise<void> => {
    await host?.close();
    host = await startModel(database, model, adapter);
  };
  const get = async (query: string): Promise<any> =>
    (await supertest(host.url).get(`/api/items?${query}`).expect(200)).body.data;
  const send = async (method: 'post' | 'put', path: string, data: object): Promise<any> =>
    (await supertest(host.url)[method](`/api/${path}`).send({ data })).body.data;
  const DEEP = 'populate[c][populate]=*&populate[z][on][m.inner][populate]=*&populate[d][populate]=*';

  describe('S8: a single component becomes a list, a list becomes a single component', () => {
    const title = { title: { type: 'string' } } as const;
    const text = { text: { type: 'string' } } as const;
    const zone = { type: 'dynamiczone', components: ['m.inner'] } as const;
    let made: any;
    let ids: string[];
    beforeAll(async () => {
      await become(modelOf({ ...title, c: ONE, d: MANY, z: MANY }, { ...text, few: TO_ONE, all: TO_MANY }));
      ids = [];
      for (const name of ['a', 'b']) ids.push((await send('post', 'tags', { name })).documentId);
      const instance = (word: string) => ({ text: word, few: ids[0], all: ids });
      made = await send('post', 'items', {
        title: 'x',
        c: instance('one'),
        d: [instance('first'), instance('second')],
        z: [instance('zone')],
      });
      await send('post', 'items', { title: 'empty' });
      await become(modelOf({ ...title, c: MANY, d: ONE, z: zone }, { ...text, few: TO_MANY, all: TO_ONE }));
    });

    it('returns a list of one, or the first of a list, with their relations; never 400', async () => {
      const [shown, empty] = await get(`${DEEP}&sort=id`);
      expect(shown).toMatchObject({
        c: [{ text: 'one', few: [{ name: 'a' }], all: { name: 'a' } }],
        d: { text: 'first', few: [{ name: 'a' }], all: { name: 'a' } },
        z: [],
      });
      expect(empty).toMatchObject({ c: [], d: null, z: [] });
      expect(await get('populate[c][count]=true&filters[title]=x')).toMatchObject([{ c: { count: 1 } }]);
    });

    it.each([
      'filters[c][text]=one',
      'filters[c][few][name]=a',
      'filters[c][all][name]=a',
      'filters[title]=x',
    ])('finds by %s', async (query) => {
      expect(await get(query)).toMatchObject([{ documentId: made.documentId }]);
    });
    it.each([
      'sort=c.text',
      'sort=d.text',
      'filters[d][text]=first',
      'sort=c.few.name',
      'filters[c][id][$notNull]=true',
    ])('returns %s', async (query) => void (await get(query)));

    it('accepts its own response as input in the form of the new model', async () => {
      const [shown] = await get(`${DEEP}&filters[title]=x`);
      const path = `items/${made.documentId}?${DEEP}`;
      expect(await send('put', path, { title: 'x' })).toMatchObject({ c: [{ text: 'one' }] });
      const changed = await send('put', path, {
        c: [{ id: shown.c[0].id, few: { connect: [ids[1]] } }, { text: 'two' }],
        d: { id: shown.d.id, text: 'only' },
      });
      expect(changed).toMatchObject({
        c: [{ id: shown.c[0].id, text: 'one', few: [{ name: 'a' }, { name: 'b' }] }, { text: 'two' }],
        d: { id: shown.d.id, text: 'only', all: { name: 'a' } },
      });
      expect(await get('filters[d][text]=only')).toHaveLength(1);
    });
  });

  describe('M9: attributes inside components change their types', () => {
    const TYPES = [
      'integer',
      'biginteger',
      'float',
      'decimal',
      'boolean',
      'date',
      'time',
      'datetime',
      'timestamp',
      'json',
    ] as const;
    const VALUES: Readonly<Record<(typeof TYPES)[number], readonly [unknown, unknown]>> = {
      integer: [3, 7],
      biginteger: ['-9007199254740993', '9007199254740993'],
      float: [1.5, 20.25],
      decimal: [1.5, 20.25],
      boolean: [false, true],
      date: ['2024-02-29', '2024-10-01'],
      time: ['09:00:00', '09:00:00.500'],
      datetime: ['2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.001Z'],
      timestamp: ['1700000000000', '1800000000000'],
      json: [{ a: 1 }, { a: 2 }],
    };
    const attributes = { title: { type: 'string' }, c: ONE, d: MANY } as const;
    const each = <T>(make: (type: (typeof TYPES)[number]) => T) =>
      Object.fromEntries(TYPES.map((type) => [`a_${type}`, make(type)]));
    beforeAll(async () => {
      await become(
        modelOf(
          attributes,
          each(() => ({ type: 'string' })),
        ),
      );
      await host.sql('delete from items');
      const words = ['hello', '', '-', '12-3', '2024-02-30', 'true', '99999999999999999999999', 'NaN'];
      for (const word of words) {
        const old = each(() => word);
        await send('post', 'items', { title: `old ${word}`, c: old, d: [old] });
      }
      await become(
        modelOf(
          attributes,
          each((type) => ({ type }) as never),
        ),
      );
      for (const i of [0, 1] as const) {
        const fresh = each((type) => VALUES[type][i]);
        await send('post', 'items', { title: `new ${i}`, c: fresh, d: [fresh] });
      }
    });

    it.each(TYPES)(
      '%s: filters and sorts skip values that do not fit, and find those that do',
      async (type) => {
        const [low, high] = VALUES[type].map((value) =>
          encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value)),
        );
        for (const at of ['c', 'd']) {
          const titles = async (query: string): Promise<string[]> =>
            (await get(query)).map((row: any) => row.title);
          const field = `filters[${at}][a_${type}]`;
          expect(await titles(`${field}=${high}`)).toContain('new 1');
          expect(await titles(`${field}=${high}`)).not.toContain('new 0');
          expect(
            (
              await titles(`${field}[$in]=${low}&${field}[$in]=${high}&filters[title][$startsWith]=new`)
            ).sort(),
          ).toEqual(['new 0', 'new 1']);
          if (type !== 'json') {
            expect(await titles(`${field}[$lt]=${high}&filters[title][$startsWith]=new`)).toEqual(['new 0']);
            expect(
              await titles(
                `${field}[$between]=${low}&${field}[$between]=${high}&filters[title][$startsWith]=new`,
              ),
            ).toHaveLength(2);
          }
          // The text of floats and decimals has the format of PostgreSQL.
          if (!['float', 'decimal'].includes(type))
            expect(await titles(`${field}[$containsi]=hello`)).toContain('old hello');
          await get(`${field}[$containsi]=hello`);
          expect(await titles(`sort=${at}.a_${type}:desc&filters[title][$startsWith]=new`)).toEqual(
            at === 'c' || type !== 'json' ? ['new 1', 'new 0'] : expect.any(Array),
          );
          expect(await titles(`sort=${at}.a_${type}`)).toHaveLength(10);
          expect(await titles(`${field}[$null]=true`)).not.toContain('new 0');
        }
      },
    );
  });
});
