/** Types derived from definitions: this file passes if it compiles. */
import { ContentModule, defineCollectionType, defineComponent, type DocumentOf } from 'nestjs-content-api';

const seo = defineComponent({ uid: 'shared.seo', attributes: { title: { type: 'string', required: true }, hidden: { type: 'string', private: true } } });
const quote = defineComponent({ uid: 'shared.quote', attributes: { text: { type: 'text' } } });
const author = defineCollectionType({
  singularApiId: 'author', pluralApiId: 'authors',
  attributes: { name: { type: 'string', required: true }, articles: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'author' } },
});
const article = defineCollectionType({
  singularApiId: 'article', pluralApiId: 'articles',
  attributes: {
    title: { type: 'string', required: true },
    views: { type: 'integer', default: 0 },
    big: { type: 'biginteger' },
    mood: { type: 'enumeration', enum: ['good', 'bad'] },
    secret: { type: 'password' },
    author: { type: 'relation', relation: 'manyToOne', target: 'author', inversedBy: 'articles' },
    cover: { type: 'media' },
    gallery: { type: 'media', multiple: true },
    seo: { type: 'component', component: 'shared.seo' },
    quotes: { type: 'component', component: 'shared.quote', repeatable: true },
    zone: { type: 'dynamiczone', components: ['shared.seo', 'shared.quote'] },
  },
});
const model = { contentTypes: [article, author], components: [seo, quote] } as const;

/** Is true if two types are equal. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(given: T = true as T): void => expect(given).toBe(true);

type Article = DocumentOf<typeof article>;
type Full = DocumentOf<typeof article, typeof model>;

it('the model is valid', () => {
  expect(() => ContentModule.forRoot(model)).not.toThrow();
});

describe('the type of a document', () => {
  it('has its scalars, null unless required', () => {
    holds<Same<Article['title'], string>>();
    holds<Same<Article['views'], number | null>>();
    holds<Same<Article['big'], string | null>>();
    holds<Same<Article['mood'], 'good' | 'bad' | null>>();
    holds<Same<Article['publishedAt'], string | null>>();
    holds<'secret' extends keyof Article ? false : true>();
  });

  it('has the populated relations that the definition contains', () => {
    holds<Same<NonNullable<Article['author']>['documentId'], string>>();
    holds<Same<NonNullable<Article['author']>['name'], unknown>>();
    holds<Same<NonNullable<Article['zone']>[number]['__component'], 'shared.seo' | 'shared.quote'>>();
    holds<Same<NonNullable<Article['cover']>['url'], string>>();
    holds<Same<NonNullable<Article['gallery']>[number]['width'], number | null>>();
  });

  it('has relations with the registered model', () => {
    holds<Same<NonNullable<Full['author']>['name'], string>>();
    holds<Same<NonNullable<NonNullable<Full['author']>['articles']>[number]['title'], string>>();
    holds<Same<NonNullable<Full['seo']>['title'], string>>();
    holds<'hidden' extends keyof NonNullable<Full['seo']> ? false : true>();
    holds<Same<NonNullable<Full['quotes']>[number]['text'], string | null>>();
    const show = (item: NonNullable<Full['zone']>[number]): string | null => (item.__component === 'shared.seo' ? item.title : item.text);
    expect(show({ id: 1, documentId: 'x', __component: 'shared.quote', text: 'to be' })).toBe('to be');
  });

  it('has the type of an item of a polymorphic relation (D33)', () => {
    const pin = defineCollectionType({
      singularApiId: 'pin', pluralApiId: 'pins',
      attributes: {
        on: { type: 'relation', relation: 'morphToOne', targets: ['article', 'pin'] },
        list: { type: 'relation', relation: 'morphToMany' },
        by: { type: 'relation', relation: 'morphMany', target: 'pin', morphBy: 'on' },
      },
    });
    const pins = { ...model, contentTypes: [article, author, pin] } as const;
    expect(() => ContentModule.forRoot(pins)).not.toThrow();
    type Pin = DocumentOf<typeof pin, typeof pins>;
    type Target = NonNullable<Pin['on']>;
    holds<Same<Target['__type'], 'api::article.article' | 'api::pin.pin'>>();
    holds<Same<Extract<Target, { __type: 'api::article.article' }>['title'], string>>();
    holds<Same<NonNullable<Pin['list']>[number]['__type'], string>>();
    holds<Same<NonNullable<NonNullable<Pin['by']>[number]['by']>[number]['documentId'], string>>();
  });

  it('of a component has no fields of documents', () => {
    holds<Same<keyof DocumentOf<typeof quote>, 'id' | 'documentId' | 'text'>>();
  });
});

describe('definitions that do not compile', () => {
  it('misspelt options, and options of another type', () => {
    const start = (): unknown => ContentModule.forRoot({ contentTypes: [
      // @ts-expect-error -- a misspelt option of a type
      defineCollectionType({ singularApiId: 'a', pluralApiId: 'as', draftAndPublis: true, attributes: {} }),
      // @ts-expect-error -- a misspelt option of an attribute
      defineCollectionType({ singularApiId: 'b', pluralApiId: 'bs', attributes: { x: { type: 'string', requierd: true } } }),
      // @ts-expect-error -- an option of another type
      defineCollectionType({ singularApiId: 'c', pluralApiId: 'cs', attributes: { x: { type: 'string', min: 3 } } }),
      // @ts-expect-error -- a default of another type
      defineCollectionType({ singularApiId: 'd', pluralApiId: 'ds', attributes: { x: { type: 'integer', default: 'abc' } } }),
      // @ts-expect-error -- an enumeration of nothing
      defineCollectionType({ singularApiId: 'e', pluralApiId: 'es', attributes: { x: { type: 'enumeration' } } }),
      // @ts-expect-error -- a relation to nothing
      defineCollectionType({ singularApiId: 'f', pluralApiId: 'fs', attributes: { x: { type: 'relation', relation: 'oneToOne' } } }),
      // @ts-expect-error -- an option of another kind of relation
      defineCollectionType({ singularApiId: 'g', pluralApiId: 'gs', attributes: { x: { type: 'relation', relation: 'morphToOne', target: 'f' } } }),
      // @ts-expect-error -- the other side of no relation
      defineCollectionType({ singularApiId: 'h', pluralApiId: 'hs', attributes: { x: { type: 'relation', relation: 'morphMany', target: 'g' } } }),
      // @ts-expect-error -- a title that is not an attribute
      defineCollectionType({ singularApiId: 'i', pluralApiId: 'is', desk: { title: 'nam' }, attributes: { name: { type: 'string' } } }),
      // @ts-expect-error -- a column that is not an attribute
      defineCollectionType({ singularApiId: 'j', pluralApiId: 'js', desk: { list: ['name', 'nam'] }, attributes: { name: { type: 'string' } } }),
      // @ts-expect-error -- a misspelt option of a layout
      defineCollectionType({ singularApiId: 'k', pluralApiId: 'ks', desk: { tilte: 'name' }, attributes: { name: { type: 'string' } } }),
      // @ts-expect-error -- an order that is not an attribute
      defineCollectionType({ singularApiId: 'o', pluralApiId: 'os', desk: { order: 'createdAt' }, attributes: { name: { type: 'string' } } }),
      defineCollectionType({ singularApiId: 'l', pluralApiId: 'ls', desk: { title: 'name', list: ['name', 'createdAt'], hidden: true }, attributes: { name: { type: 'string', desk: { label: 'Name', width: 6 } } } }),
    ], components: [
      // @ts-expect-error -- a misspelt option of a component
      defineComponent({ uid: 'a.b', repeatable: true, attributes: {} }),
    ] });
    expect(start).toThrow('The content model has 13 mistakes');
  });
});
