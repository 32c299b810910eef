/** Stored description of a model: equal for equal models, and sufficient to build the model of the tables. */
import { DEFAULT_SETTINGS } from '../../src/kernel/settings.ts';
import { describeModel, digestOf, schemaOf } from '../../src/content/model/description.ts';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import { entitiesOf } from '../../src/content/store/entities.ts';
import type { ContentTypeDefinition } from '../../src/content/model/definitions.ts';
import { blog } from '../fixtures/blog.ts';
import { embedding } from '../fixtures/components.ts';
import { morphs } from '../fixtures/morphs.ts';
import { relations } from '../fixtures/relations.ts';

const text = { type: 'string' } as const;
const type = (more: Partial<ContentTypeDefinition> = {}): ContentTypeDefinition => ({
  kind: 'collectionType',
  singularApiId: 'post',
  pluralApiId: 'posts',
  attributes: { title: text },
  ...more,
});
const described = (...types: ContentTypeDefinition[]) =>
  describeModel(buildSchema(types, []), DEFAULT_SETTINGS);

const EQUAL: readonly (readonly [string, ContentTypeDefinition, ContentTypeDefinition])[] = [
  [
    'the order of attributes',
    type({ attributes: { a: text, b: text } }),
    type({ attributes: { b: text, a: text } }),
  ],
  ['routes', type(), type({ routes: false })],
  ['validation rules', type(), type({ attributes: { title: { ...text, minLength: 3 } } })],
  ['default options', type(), type({ localized: false, tableName: 'posts' })],
];
const DIFFERENT: readonly (readonly [string, ContentTypeDefinition])[] = [
  ['drafts', type({ draftAndPublish: true })],
  ['privacy', type({ attributes: { title: { ...text, private: true } } })],
  ['the table', type({ tableName: 'blog' })],
  ['a default', type({ attributes: { title: { ...text, default: 'x' } } })],
];

describe('the description of a model', () => {
  it.each(EQUAL)('%s does not change it', (_, a, b) => {
    expect(digestOf(described(a))).toBe(digestOf(described(b)));
  });

  it.each(DIFFERENT)('%s changes it', (_, other) => {
    expect(digestOf(described(other))).not.toBe(digestOf(described(type())));
  });

  it.each([
    ['blog', blog],
    ['embedding', embedding],
    ['morphs', morphs],
    ['relations', relations],
  ])('%s: it builds the same tables and an equal description', (_, model) => {
    const schema = buildSchema(model.contentTypes, 'components' in model ? model.components : []);
    const description = describeModel(schema, DEFAULT_SETTINGS);
    const again = schemaOf(JSON.parse(JSON.stringify(description)), null);
    expect(describeModel(again, DEFAULT_SETTINGS)).toEqual(description);
    const tables = (one: typeof schema) =>
      entitiesOf(one)
        .map(({ meta }) => [meta.tableName, Object.keys(meta.properties).sort(), meta.indexes.length])
        .sort();
    expect(tables(again)).toEqual(tables(schema));
  });
});
