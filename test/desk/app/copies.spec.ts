/** Copies of documents: which values the form of the new document has, and which form gets them. */
import { newForm, offerCopy } from '../../../desk/src/editor/copies.ts';
import { emptyIn } from '../../../desk/src/form/copy.ts';
import { newItem, type Values } from '../../../desk/src/form/values.ts';
import type { Attribute, Type } from '../../../desk/src/model/model.ts';
import { componentOf, link, MODEL } from './model.ts';

const attributeOf = (rest: Partial<Attribute>): Attribute => ({
  name: 'value',
  type: 'string',
  label: 'Value',
  required: false,
  localized: false,
  actions: ['find', 'findOne', 'create', 'update'],
  ...rest,
});

function typeOf(rest: Partial<Attribute>): Type {
  const article = MODEL.type('article');
  if (article === null) throw new Error('The model has no articles');
  return { ...article, attributes: [attributeOf(rest)] };
}

const copied = (values: Values, type: Type): Values => {
  offerCopy(values, type);
  return newForm(type, true).values;
};

const relation = (kind: string): Partial<Attribute> => ({
  type: 'relation',
  relation: kind,
  targets: ['tag'],
});
const item = {
  ...newItem('part.seo', componentOf('part.seo')),
  key: 'i7',
  id: 7,
  values: { metaTitle: 'Sea', about: null },
};
const copiedItem = { ...item, id: null };

describe('a copy', () => {
  it.each<[name: string, attribute: Partial<Attribute>, value: unknown, expected: unknown]>([
    ['a text', {}, 'Sea', 'Sea'],
    ['no value instead of a default', { default: 'land' }, null, null],
    ['JSON', { type: 'json' }, { a: [1] }, { a: [1] }],
    ['files', { type: 'media', multiple: true }, [link('f', 'file')], [link('f', 'file')]],
    ['a link to one', relation('manyToOne'), [link('a')], [link('a')]],
    ['links to many', relation('manyToMany'), [link('a'), link('b')], [link('a'), link('b')]],
    ['an item as a new one', { type: 'component', component: 'part.seo' }, item, copiedItem],
    [
      'the entries of a zone as new ones',
      { type: 'dynamiczone', components: ['part.seo'] },
      [item],
      [copiedItem],
    ],
  ])('has %s', (_name, attribute, value, expected) => {
    expect(copied({ value }, typeOf(attribute))).toEqual({ value: expected });
  });

  it.each<[name: string, attribute: Partial<Attribute>, value: unknown, expected: unknown]>([
    ['an address, which the server makes', { type: 'uid' }, 'sea', null],
    ['a unique value', { unique: true }, 'Sea', null],
    ['a value that the editor may not set', { actions: ['find', 'update'], default: 'land' }, 'Sea', 'land'],
    ['a target of one document only, to one', relation('oneToOne'), [link('a')], []],
    ['targets of one document only, to many', relation('oneToMany'), [link('a')], []],
    ['targets that name one document, to one', relation('morphOne'), [link('a')], []],
    ['targets that name one document, to many', relation('morphMany'), [link('a')], []],
  ])('does not have %s', (_name, attribute, value, expected) => {
    expect(copied({ value }, typeOf(attribute))).toEqual({ value: expected });
  });

  it('is a change of the new form, so that it is saved', () => {
    offerCopy({ value: 'Sea' }, typeOf({}));
    expect(newForm(typeOf({}), true)).toMatchObject({ isChanged: true, base: { value: null } });
  });

  it('is for the next new document of its type only', () => {
    const [type, other] = [typeOf({}), { ...typeOf({}), name: 'author' }];
    offerCopy({ value: 'Sea' }, type);
    expect(newForm(type, false).values).toEqual({ value: null });
    expect(newForm(other, true).values).toEqual({ value: null });
    expect(newForm(type, true).values).toEqual({ value: null });
    expect(copied({ value: 'Sea' }, type)).toEqual({ value: 'Sea' });
    expect(newForm(type, true).values).toEqual({ value: null });
  });
});

describe('empty fields of a language', () => {
  const emptyOf = (type: Type): readonly string[] =>
    emptyIn(type, { from: { value: 'Sea', stage: 'approved' }, to: {}, isNew: false }).map(
      ({ name }) => name,
    );
  const attributes = [attributeOf({ localized: true }), attributeOf({ name: 'stage', localized: true })];

  it('are filled from another one, but for the stage of the draft', () => {
    const type = { ...typeOf({}), attributes };
    const stages = { draft: { to: ['approved'], publish: false }, approved: { to: [], publish: true } };
    expect(emptyOf(type)).toEqual(['value', 'stage']);
    expect(emptyOf({ ...type, stages })).toEqual(['value']);
  });
});
