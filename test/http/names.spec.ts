/** Attributes may have all names that the model check accepts, names used in statements included. */
import { type ContentTypeDefinition, defineCollectionType, defineComponent } from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';
import { dose } from '../support/dose.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
/**
 * Aliases of statements, system columns of PostgreSQL, SQL keywords, and names similar to those of the
 * library.
 */
const NAMES = [
  ...LETTERS,
  ...['t', 'l', 'c', 'k', 'j'].flatMap((letter) => Array.from({ length: 12 }, (_, n) => `${letter}${n}`)),
  // protocol 4.33
  'filters',
  'sort',
  'populate',
  'fields',
  'page',
  'data',
  'total',
  'over',
  'found',
  'xmin',
  'xmax',
  'cmin',
  'cmax',
  'ctid',
  'tableoid',
  'oid',
  'select',
  'user',
  'order',
  'table',
  'group',
  'published',
  'position',
  'owner',
  'ownerId',
  'target',
  'targetDocumentId',
  'inversePosition',
  'versions',
  'stored',
  'keys',
  'values',
  'attributes',
  'meta',
  'document',
];

const scalars = Object.fromEntries(NAMES.map((name) => [name, { type: 'string' }] as const));
const text = (i: number): Record<string, string> =>
  Object.fromEntries(NAMES.map((name) => [name, `${name} ${i}`]));

const part = defineComponent({
  uid: 'x.part',
  attributes: { ...scalars, rel: { type: 'relation', relation: 'manyToMany', target: 'leaf' } },
});
const leaf = defineCollectionType({ singularApiId: 'leaf', pluralApiId: 'leaves', attributes: scalars });
const plain = defineCollectionType({
  singularApiId: 'plain',
  pluralApiId: 'plains',
  draftAndPublish: true,
  attributes: scalars,
});

/**
 * Type with relations, components and zones of all these names. It has a dozen at a time, because a table has
 * a limited number of columns.
 */
function linked(kind: number): ContentTypeDefinition {
  const kinds = [
    { type: 'relation', relation: 'manyToMany', target: 'leaf' },
    { type: 'relation', relation: 'manyToOne', target: 'leaf' },
    { type: 'component', component: 'x.part', repeatable: true },
    { type: 'component', component: 'x.part' },
    { type: 'dynamiczone', components: ['x.part'] },
  ] as const;
  const attributes = Object.fromEntries(NAMES.map((name) => [name, kinds[kind] as (typeof kinds)[number]]));
  return defineCollectionType({
    singularApiId: `linked-${kind}`,
    pluralApiId: `linkeds-${kind}`,
    attributes,
  });
}

describe('any attribute name', () => {
  let test: TestApp;
  beforeAll(async () => {
    const contentTypes = [leaf, plain, ...[0, 1, 2, 3, 4].map(linked)];
    test = await createTestApp({
      contentTypes,
      components: [part],
      access: { public: { '*': '*' } },
      limits: { populateNodes: 1000 },
    });
  });
  afterAll(() => test.close());

  it('of a scalar can be stored, returned, changed, filtered and sorted', async () => {
    const [one, two] = [text(1), text(2)];
    const { body } = await test.http.post('/api/plains').send({ data: one }).expect(201);
    await test.http.post('/api/plains').send({ data: two }).expect(201);
    expect(body.data).toMatchObject(one);
    expect(
      (
        await test.http
          .get(`/api/plains/${body.data.documentId}`)
          .set('strapi-response-format', 'v4')
          .expect(200)
      ).body.data.attributes,
    ).toMatchObject(one);
    expect(
      (
        await test.http
          .put(`/api/plains/${body.data.documentId}`)
          .send({ data: { d: 'changed', j: 'changed' } })
          .expect(200)
      ).body.data,
    ).toMatchObject({ ...one, d: 'changed', j: 'changed' });
    for (const name of NAMES) {
      const list = await test.http
        .get(
          `/api/plains?filters[${name}]=${encodeURIComponent(`${name} 2`)}&sort=${name}:desc&fields=${name}`,
        )
        .expect(200);
      expect(list.body.data).toEqual([expect.objectContaining({ [name]: `${name} 2` })]);
    }
  });

  it.each([0, 1, 2, 3, 4])('of a relation, component or zone can be populated (kind %d)', async (kind) => {
    const target = (
      await test.http
        .post('/api/leaves')
        .send({ data: text(3) })
        .expect(201)
    ).body.data.documentId as string;
    const inner = { d: 'd 4', z: 'z 4', rel: [target] };
    const value = [[target], target, [inner], inner, [{ __component: 'x.part', ...inner }]][kind];
    const data = Object.fromEntries(NAMES.map((name) => [name, value]));
    const { body } = await test.http.post(`/api/linkeds-${kind}`).send({ data }).expect(201);
    const isMany = kind !== 1 && kind !== 3;
    for (const [i, name] of NAMES.entries()) {
      // Tests each name in both formats with one of the kinds.
      for (const format of dose(i % 5 === kind, true) ? ['v5', 'v4'] : ['v5']) {
        const response = await test.http
          .get(`/api/linkeds-${kind}/${body.data.documentId}?populate[${name}]=true`)
          .set('strapi-response-format', format)
          .expect(200);
        const own = format === 'v4' ? response.body.data.attributes : response.body.data;
        const found = kind < 2 && format === 'v4' ? own[name].data : own[name];
        const item = isMany ? found[0] : found;
        expect(kind < 2 && format === 'v4' ? item.attributes : item).toMatchObject({
          z: `z ${kind < 2 ? 3 : 4}`,
        });
      }
    }
  });
});

it('accepts a string attribute whose name starts with the column name of a relation', async () => {
  const node = defineCollectionType({
    singularApiId: 'node',
    pluralApiId: 'nodes',
    attributes: {
      parent_document: { type: 'string' },
      parent_position: { type: 'string' },
      parent: { type: 'relation', relation: 'manyToOne', target: 'node', inversedBy: 'children_of' },
      children_of: { type: 'relation', relation: 'oneToMany', target: 'node', mappedBy: 'parent' },
      sibling_document: { type: 'string' },
      sibling: { type: 'relation', relation: 'oneToOne', target: 'node' },
    },
  });
  // The position of a parent has its own column, whose name is in use here.
  await expect(createTestApp({ contentTypes: [node] })).rejects.toThrow(
    'node.parent: needs the same column "parent_position" as "parent_position"',
  );
  const { parent_position: _taken, ...attributes } = node.attributes;
  const test = await createTestApp({
    contentTypes: [{ ...node, attributes }],
    access: { public: { node: '*' } },
  });
  try {
    const root = (
      await test.http
        .post('/api/nodes')
        .send({ data: { parent_document: 'none' } })
        .expect(201)
    ).body.data;
    const { body } = await test.http
      .post('/api/nodes?populate=*')
      .send({
        data: {
          parent_document: 'a text',
          sibling_document: 'another',
          parent: root.documentId,
          sibling: root.documentId,
        },
      })
      .expect(201);
    expect(body.data).toMatchObject({
      parent_document: 'a text',
      sibling_document: 'another',
      parent: { documentId: root.documentId },
      sibling: { documentId: root.documentId },
    });
  } finally {
    await test.close();
  }
});
