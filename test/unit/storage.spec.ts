/** Database objects of types: each example is a model and the tables that it leads to. */
import { defineCollectionType, defineSingleType } from 'nestjs-content-api';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import type { ContentType } from '../../src/content/model/model.ts';

const left = defineCollectionType({
  singularApiId: 'left',
  pluralApiId: 'lefts',
  attributes: {
    title: { type: 'string', unique: true },
    slug: { type: 'uid', targetField: 'title', generate: true },
    rank: { type: 'integer', index: true },
    one: { type: 'relation', relation: 'oneToOne', target: 'right', inversedBy: 'one' },
    many: { type: 'relation', relation: 'manyToMany', target: 'right', inversedBy: 'many' },
    holder: { type: 'relation', relation: 'manyToOne', target: 'right', inversedBy: 'held' },
    alone: { type: 'relation', relation: 'oneToMany', target: 'right' },
  },
});

const right = defineCollectionType({
  singularApiId: 'right',
  pluralApiId: 'rights',
  attributes: {
    one: { type: 'relation', relation: 'oneToOne', target: 'left', mappedBy: 'one' },
    many: { type: 'relation', relation: 'manyToMany', target: 'left', mappedBy: 'many' },
    held: { type: 'relation', relation: 'oneToMany', target: 'left', mappedBy: 'holder' },
  },
});

const single = defineSingleType({ singularApiId: 'single', attributes: { note: { type: 'text' } } });

const schema = buildSchema([left, right, single], []);
const storageOf = (name: string): ContentType['storage'] => (schema.types.get(name) as ContentType).storage;
const named = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);

describe('storage', () => {
  it('columns: values, targets, and positions on the inverse side', () => {
    expect(storageOf('left').columns.map(({ name, type, placeOf }) => [name, type, placeOf])).toEqual([
      ['title', 'text', null],
      ['slug', 'text', null],
      ['rank', 'int4', null],
      ['one_document_id', 'text', null],
      ['holder_document_id', 'text', null],
      ['holder_position', 'bigint', 'holder_document_id'],
    ]);
    expect(storageOf('right').columns).toEqual([]);
  });

  it('link tables: the owning side has them, with a position on the inverse side if it shows the links', () => {
    expect(
      storageOf('left').links.map(({ table }) => [table.table, table.inversePosition?.name ?? null]),
    ).toEqual([
      ['lefts_many_links', 'inverse_position'],
      ['lefts_alone_links', null],
    ]);
    expect(storageOf('right').links).toEqual([]);
  });

  it('the links of a type have one lock, the same from both sides', () => {
    const locks = (type: string): unknown =>
      Object.fromEntries(storageOf(type).relations.map(({ name, join }) => [name, join.lock]));
    expect(locks('left')).toEqual({
      one: 'lefts links',
      many: 'lefts links',
      holder: 'lefts links',
      alone: 'lefts links',
    });
    expect(locks('right')).toEqual({
      one: 'lefts links',
      many: 'lefts links',
      held: 'lefts links',
    });
  });

  it('references in both directions', () => {
    expect(named(storageOf('left').owning)).toEqual(['one', 'many', 'holder', 'alone']);
    expect(named(storageOf('left').exclusive)).toEqual(['one']);
    expect(storageOf('right').owning).toEqual([]);
    expect(storageOf('right').referrers.map(({ uid }) => uid)).toEqual(['left']);
    expect(storageOf('left').referrers).toEqual([]);
  });

  it('unique values, and the indexes that detect concurrent writers', () => {
    expect(named(storageOf('left').uniques)).toEqual(['title', 'slug']);
    expect(named(storageOf('left').generatedUids)).toEqual(['slug']);
    expect(named(storageOf('left').uniqueNames.get('lefts_slug_unique') ?? [])).toEqual(['slug']);
    expect(storageOf('left').contended).toEqual(
      expect.arrayContaining(['lefts_one_per_version', 'lefts_slug_unique', 'lefts_one_holder']),
    );
    expect(storageOf('left').contended).not.toContain('lefts_title_unique');
    expect(storageOf('right').contended).toContain('lefts_one_holder');
  });

  it('every index of a table has a name that is checked against all others', () => {
    for (const { storage } of schema.types.values()) {
      const checked = named(storage.names);
      expect(named(storage.indexes).filter((name) => !checked.includes(name))).toEqual([]);
    }
    expect(named(storageOf('single').indexes)).toContain('single_one_document');
    expect(named(storageOf('left').indexes)).not.toContain('lefts_one_document');
  });
});
