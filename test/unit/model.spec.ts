import { Test } from '@nestjs/testing';
import fc from 'fast-check';
import {
  type ComponentDefinition,
  ContentModelError,
  ContentModule,
  type ContentTypeDefinition,
  contentEntities,
  defineCollectionType,
  defineComponent,
  defineSingleType,
} from 'nestjs-content-api';
import { checkGrants } from '../../src/content/access/check-grants.ts';
import { columnName, linkTableName, name } from '../../src/content/model/naming.ts';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import { describeModel } from '../../src/content/model/description.ts';
import { DEFAULT_SETTINGS } from '../../src/kernel/settings.ts';
import { MAX_IDENTIFIER_BYTES } from '../../src/kernel/sql.ts';

/** Invalid definitions that JavaScript or a cast accepts. */
const type = (options: object): ContentTypeDefinition => ({
  kind: 'collectionType',
  singularApiId: 'article',
  pluralApiId: 'articles',
  attributes: {},
  ...options,
});
const component = (uid: string, attributes: object): ComponentDefinition =>
  ({ uid, attributes }) as ComponentDefinition;
const tag = component('shared.tag', { name: { type: 'string' } });
const author = type({
  singularApiId: 'author',
  pluralApiId: 'authors',
  attributes: { name: { type: 'string' } },
});

function mistakesOf(
  types: readonly ContentTypeDefinition[],
  components: readonly ComponentDefinition[] = [tag],
  rest: object = {},
): readonly string[] {
  try {
    ContentModule.forRoot({ contentTypes: types, components, ...rest });
    return [];
  } catch (error) {
    if (error instanceof ContentModelError) return error.mistakes;
    throw error;
  }
}

/** One attribute `x` of a type `article`; there are also a type `author` and a component `shared.tag`. */
const ATTRIBUTES: readonly [string, object, string][] = [
  ['an unknown type', { type: 'strng' }, 'article.x: unknown type "strng"; did you mean "string"?'],
  ['a type that resembles no other', { type: 'qqqqqq' }, 'article.x: unknown type "qqqqqq"'],
  ['no type at all', {}, 'article.x: unknown type "undefined"'],
  [
    'a misspelt option',
    { type: 'string', requierd: true },
    'article.x: unknown option "requierd"; did you mean "required"?',
  ],
  [
    'an enumeration without values',
    { type: 'enumeration' },
    'article.x: needs "enum", a list of distinct non-empty strings',
  ],
  [
    'an enumeration with a value twice',
    { type: 'enumeration', enum: ['a', 'a'] },
    'article.x: "enum" must be a list of distinct non-empty strings',
  ],
  [
    'an enumeration of numbers',
    { type: 'enumeration', enum: [1, 2] },
    'article.x: "enum" must be a list of distinct non-empty strings',
  ],
  [
    'an enumeration that is a string',
    { type: 'enumeration', enum: 'abc' },
    'article.x: "enum" must be a list of distinct non-empty strings',
  ],
  [
    'a flag that is a string',
    { type: 'string', required: 'yes' },
    'article.x: "required" must be true or false',
  ],
  [
    'a length that is a string',
    { type: 'string', minLength: 'x' },
    'article.x: "minLength" must be a whole number, 0 or more',
  ],
  [
    'a negative length',
    { type: 'string', maxLength: -1 },
    'article.x: "maxLength" must be a whole number, 0 or more',
  ],
  ['a bound that is not a number', { type: 'integer', min: 'abc' }, 'article.x: "min" must be a number'],
  [
    'a bound of a biginteger with a fraction',
    { type: 'biginteger', min: 1.5 },
    'article.x: "min" must be a whole number of at most 64 bits',
  ],
  [
    'a bound of a biginteger that is not a number',
    { type: 'biginteger', max: 'abc' },
    'article.x: "max" must be a whole number of at most 64 bits',
  ],
  ['a bound on a string', { type: 'string', min: 3 }, 'article.x: unknown option "min"'],
  [
    'an option of Strapi with another meaning',
    { type: 'string', pluginOptions: { i18n: { localized: true } } },
    'article.x: unknown option "pluginOptions"; available: type, required, private, writable, localized, ',
  ],
  [
    'a default that breaks a regular expression',
    { type: 'string', regex: '^a$', default: 'b' },
    'article.x: default: x must match the following',
  ],
  [
    'a default of another type together with a regular expression',
    { type: 'string', regex: '^a$', default: 5 },
    'article.x: default: x must be a `string` type',
  ],
  [
    'a default that is a function',
    { type: 'json', default: () => 1 },
    'article.x: "default" must be plain data',
  ],
  [
    'a default that blocks would clear',
    { type: 'blocks', default: 'nope' },
    'article.x: default: not a value of type "blocks"',
  ],
  [
    'a target field that is the attribute itself',
    { type: 'uid', targetField: 'x' },
    'article.x: targetField "x" must be a text or number attribute of the same definition; available: title',
  ],
  [
    'a target field that is a property of every object',
    { type: 'uid', targetField: 'toString' },
    'article.x: targetField "toString" is not an attribute; available: title',
  ],
  [
    'unknown kinds of files',
    { type: 'media', allowedTypes: ['imgs'] },
    'article.x: "allowedTypes" must be a list of images, videos, audios, files',
  ],
  [
    'an empty zone',
    { type: 'dynamiczone', components: [] },
    'article.x: "components" must be a list of distinct non-empty strings',
  ],
  [
    'a zone with one component twice',
    { type: 'dynamiczone', components: ['shared.tag', 'shared.tag'] },
    'article.x: "components" must be a list of distinct non-empty strings',
  ],
  [
    'a negative count',
    { type: 'component', component: 'shared.tag', repeatable: true, max: -2 },
    'article.x: "max" must be a whole number, 0 or more',
  ],
  [
    'a relation without a target',
    { type: 'relation', relation: 'oneToOne' },
    'article.x: needs "target", a non-empty string',
  ],
  [
    'a relation without a kind',
    { type: 'relation', target: 'author' },
    'article.x: needs "relation", one of oneToOne, oneToMany, manyToOne, manyToMany',
  ],
  [
    'a relation to the file type',
    { type: 'relation', relation: 'oneToOne', target: 'file' },
    'article.x: target "file": files are linked with type "media"',
  ],
  ['a component without a name', { type: 'component' }, 'article.x: needs "component", a non-empty string'],
  [
    'an unknown option together with an unknown target',
    { type: 'relation', relation: 'manyToOne', target: 'autor', requierd: true },
    'article.x: target "autor" is not a content type',
  ],
  ['an index on a long string', { type: 'text', index: true }, 'article.x: unknown option "index"'],
  [
    'an index on a string that may be too long for it',
    { type: 'string', unique: true, maxLength: 20_000 },
    'article.x: an indexed attribute has at most 600 characters',
  ],
  [
    'generate together with a regular expression',
    { type: 'uid', targetField: 'title', generate: true, regex: '^x' },
    'article.x: "generate" cannot be combined with "regex" or "minLength"',
  ],
  [
    'a zone without a list',
    { type: 'dynamiczone' },
    'article.x: needs "components", a list of distinct non-empty strings',
  ],
  ['null for an attribute', null as never, 'article.x: must be an object with a "type"'],
  [
    'a target that resembles no type',
    { type: 'relation', relation: 'oneToOne', target: 'zzz' },
    'article.x: target "zzz" is not a content type; available: article, author',
  ],
  [
    'minLength larger than maxLength',
    { type: 'string', minLength: 5, maxLength: 2 },
    'article.x: minLength is larger than maxLength',
  ],
  ['min larger than max', { type: 'integer', min: 5, max: 2 }, 'article.x: min is larger than max'],
  [
    'min count larger than max count',
    { type: 'component', component: 'shared.tag', repeatable: true, min: 5, max: 2 },
    'article.x: min is larger than max',
  ],
  ['an invalid regular expression', { type: 'string', regex: '(' }, 'article.x: regex does not compile: '],
  [
    'an unknown target field',
    { type: 'uid', targetField: 'titel' },
    'article.x: targetField "titel" is not an attribute; did you mean "title"?',
  ],
  [
    'generate without a target field',
    { type: 'uid', generate: true },
    'article.x: "generate" needs a "targetField"',
  ],
  [
    'generate on another type',
    { type: 'string', generate: true, targetField: 'title' },
    'article.x: unknown option "generate"',
  ],
  [
    'an unknown option of a layout',
    { type: 'string', desk: { lable: 'X' } },
    'article.x: desk: unknown option "lable"; did you mean "label"?',
  ],
  [
    'a width of a layout',
    { type: 'string', desk: { width: 13 } },
    'article.x: desk: "width" must be a whole number from 1 to 12',
  ],
  [
    'a name of no value',
    { type: 'enumeration', enum: ['ready'], desk: { values: { redy: 'Ready' } } },
    'article.x: desk.values: "redy" is not a value of an enumeration; did you mean "ready"?',
  ],
  [
    'a name that is not text',
    { type: 'enumeration', enum: ['ready'], desk: { values: { ready: 1 } } },
    'article.x: desk: "values" must be an object with a name for each value',
  ],
  ['a layout that is text', { type: 'string', desk: 'X' }, 'article.x: "desk" must be an object'],
  ['a default password', { type: 'password', default: 'x' }, 'article.x: unknown option "default"'],
  ['a unique json', { type: 'json', unique: true }, 'article.x: unknown option "unique"'],
  [
    'a default of another type',
    { type: 'integer', default: 'many' },
    'article.x: default: x must be a `number` type',
  ],
  [
    'a default that breaks the rules',
    { type: 'string', maxLength: 2, default: 'abc' },
    'article.x: default: x must be at most 2 characters',
  ],
  [
    'localized in a type that is not localized',
    { type: 'string', localized: true },
    'article.x: is localized, but its type is not: set localized: true on the type',
  ],
  [
    'an unknown component',
    { type: 'component', component: 'shared.tga' },
    'article.x: component "shared.tga" is not in "components"; did you mean "shared.tag"?',
  ],
  [
    'a zone of an unknown component',
    { type: 'dynamiczone', components: ['shared.tag', 'shared.nope'] },
    'article.x: component "shared.nope" is not in "components"',
  ],
  [
    'an unknown kind of relation',
    { type: 'relation', relation: 'oneToMeny', target: 'author' },
    'article.x: "relation" must be one of oneToOne, oneToMany, manyToOne, manyToMany',
  ],
  [
    'an unknown target',
    { type: 'relation', relation: 'oneToOne', target: 'autor' },
    'article.x: target "autor" is not a content type; did you mean "author"?',
  ],
  [
    'a plural target',
    { type: 'relation', relation: 'oneToOne', target: 'authors' },
    'article.x: target "authors" is not a content type; did you mean "author"?',
  ],
  [
    'both sides at once',
    { type: 'relation', relation: 'manyToMany', target: 'author', mappedBy: 'name', inversedBy: 'name' },
    'article.x: has both "mappedBy" and "inversedBy"',
  ],
  [
    'an unknown inverse side',
    { type: 'relation', relation: 'manyToOne', target: 'author', inversedBy: 'nam' },
    'article.x: "nam" is not an attribute of "author"; did you mean "name"?',
  ],
  [
    'an inverse side that is not a relation',
    { type: 'relation', relation: 'manyToOne', target: 'author', inversedBy: 'name' },
    'article.x: "author.name" must be a relation to "article" with mappedBy: "x"',
  ],
  [
    'the wrong side of a one-to-many',
    { type: 'relation', relation: 'oneToMany', target: 'author', inversedBy: 'name' },
    'article.x: the "oneToMany" side does not own the relation: use "mappedBy"',
  ],
  [
    'the wrong side of a many-to-one',
    { type: 'relation', relation: 'manyToOne', target: 'author', mappedBy: 'name' },
    'article.x: the "manyToOne" side owns the relation: use "inversedBy"',
  ],
  [
    'a target of a polymorphic relation',
    { type: 'relation', relation: 'morphToOne', target: 'author' },
    'article.x: a "morphToOne" relation does not accept "target", only "targets"',
  ],
  [
    'an inverse side of a polymorphic relation',
    { type: 'relation', relation: 'morphToMany', inversedBy: 'name' },
    'article.x: a "morphToMany" relation does not accept "inversedBy", only "targets"',
  ],
  [
    'several targets of another relation',
    { type: 'relation', relation: 'oneToMany', target: 'author', targets: ['author'] },
    'article.x: a "oneToMany" relation does not accept "targets", only "target", "inversedBy", "mappedBy"',
  ],
  [
    'unknown targets',
    { type: 'relation', relation: 'morphToMany', targets: ['article', 'autor'] },
    'article.x: targets "autor" is not a content type; did you mean "author"?',
  ],
  [
    'a target twice',
    { type: 'relation', relation: 'morphToMany', targets: ['article', 'article'] },
    'article.x: "targets" must be a list of distinct non-empty strings',
  ],
  [
    'files among the targets',
    { type: 'relation', relation: 'morphToMany', targets: ['file'] },
    'article.x: targets "file": files are linked with type "media"',
  ],
  [
    'an inverse side without an owner',
    { type: 'relation', relation: 'morphMany', target: 'author' },
    'article.x: needs "morphBy", a non-empty string',
  ],
  [
    'an inverse side of an unknown attribute',
    { type: 'relation', relation: 'morphOne', target: 'author', morphBy: 'nam' },
    'article.x: "nam" is not an attribute of "author"; did you mean "name"?',
  ],
  [
    'an inverse side of an attribute that is not polymorphic',
    { type: 'relation', relation: 'morphOne', target: 'author', morphBy: 'name' },
    'article.x: "author.name" must be a "morphToOne" or "morphToMany" relation',
  ],
];

const NAMES: readonly [string, string][] = [
  ['id', 'article.id: the name is reserved'],
  ['documentId', 'article.documentId: the name is reserved'],
  ['createdAt', 'article.createdAt: the name is reserved'],
  ['publishedAt', 'article.publishedAt: the name is reserved'],
  ['locale', 'article.locale: the name is reserved'],
  ['localizations', 'article.localizations: the name is reserved'],
  ['createdBy', 'article.createdBy: the name is reserved'],
  ['constructor', 'article.constructor: the name is reserved'],
  ['toString', 'article.toString: the name is reserved'],
  ['a b', 'article.a b: a name starts with a letter and has only letters, digits and underscores'],
  ['1a', 'article.1a: a name starts with a letter'],
  ['_a', 'article._a: a name starts with a letter'],
  ['ä', 'article.ä: a name starts with a letter'],
  ['a";drop table x', 'article.a";drop table x: a name starts with a letter'],
  ['a'.repeat(64), `article.${'a'.repeat(64)}: the name is longer than 63 bytes`],
];

const MODELS: readonly [string, readonly ContentTypeDefinition[], readonly ComponentDefinition[], string][] =
  [
    [
      'a plural that is the singular',
      [type({ pluralApiId: 'article' })],
      [],
      'article: pluralApiId must differ from singularApiId',
    ],
    [
      'an API id with capitals',
      [type({ singularApiId: 'Article' })],
      [],
      'Article: "Article" is not an API id: lower-case letters, digits and dashes, a letter first',
    ],
    [
      'a plural with a slash',
      [type({ pluralApiId: 'art/icles' })],
      [],
      'article: "art/icles" is not an API id',
    ],
    [
      'the same singular twice',
      [type({}), type({ pluralApiId: 'articles2' })],
      [],
      'article: singularApiId "article" is already used by "article"',
    ],
    [
      'the same route twice',
      [type({}), type({ singularApiId: 'item', pluralApiId: 'articles', tableName: 'items' })],
      [],
      'item: route "articles" is already used by "article"',
    ],
    [
      'a collection and a single type on one route',
      [type({}), defineSingleType({ singularApiId: 'articles', attributes: {} })],
      [],
      'articles: route "articles" is already used by "article"',
    ],
    [
      'the same table twice',
      [type({}), type({ singularApiId: 'item', pluralApiId: 'items', tableName: 'Articles' })],
      [],
      'item: table "articles" is already used by "article"',
    ],
    [
      'the name of the file type',
      [type({ singularApiId: 'file' })],
      [],
      'file: the name is reserved for the built-in file type',
    ],
    ['the table of the file type', [type({ tableName: 'content_files' })], [], 'content_files'],
    [
      'the table of the component ids',
      [type({ tableName: 'content_component_ids' })],
      [],
      'content_component_ids',
    ],
    [
      'a table that is the link table of another',
      [
        type({ attributes: { tags: { type: 'relation', relation: 'manyToMany', target: 'author' } } }),
        author,
        type({ singularApiId: 'odd', pluralApiId: 'odds', tableName: 'articles_tags_links' }),
      ],
      [],
      'articles_tags_links',
    ],
    [
      'two attributes with one column',
      [type({ attributes: { fooBar: { type: 'string' }, foo_bar: { type: 'string' } } })],
      [],
      'article.foo_bar: needs the same column "foo_bar" as "fooBar"; rename one of them',
    ],
    [
      'an attribute with the column of a relation',
      [
        type({
          attributes: {
            author: { type: 'relation', relation: 'manyToOne', target: 'author' },
            author_document_id: { type: 'string' },
          },
        }),
        author,
      ],
      [],
      'article.author_document_id: needs the same column "author_document_id" as "author"',
    ],
    [
      'an attribute with the column of a position',
      [
        type({
          attributes: {
            author: { type: 'relation', relation: 'manyToOne', target: 'author', inversedBy: 'articles' },
            authorPosition: { type: 'integer' },
          },
        }),
        type({
          singularApiId: 'author',
          pluralApiId: 'authors',
          attributes: {
            articles: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'author' },
          },
        }),
      ],
      [],
      'article.authorPosition: needs the same column "author_position" as "author"',
    ],
    [
      'status in a type with drafts (8.21)',
      [type({ draftAndPublish: true, attributes: { status: { type: 'string' } } })],
      [],
      'article.status: the name is reserved',
    ],
    [
      'an inverse side of another kind',
      [
        type({
          attributes: {
            author: { type: 'relation', relation: 'manyToOne', target: 'author', inversedBy: 'articles' },
          },
        }),
        type({
          singularApiId: 'author',
          pluralApiId: 'authors',
          attributes: {
            articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'author' },
          },
        }),
      ],
      [],
      'article.author: "author.articles" must be "oneToMany"',
    ],
    [
      'a polymorphic relation to every type with a route, without any such type',
      [type({ routes: false, attributes: { x: { type: 'relation', relation: 'morphToOne' } } })],
      [],
      'article.x: has no targets, because no content type has routes: set "targets"',
    ],
    [
      'an inverse side of a relation with another target',
      [
        type({
          attributes: { pins: { type: 'relation', relation: 'morphMany', target: 'pin', morphBy: 'on' } },
        }),
        type({
          singularApiId: 'pin',
          pluralApiId: 'pins',
          attributes: { on: { type: 'relation', relation: 'morphToOne', targets: ['pin'] } },
        }),
      ],
      [],
      'article.pins: "pin.on" does not target "article": add it to "targets" there',
    ],
    [
      'a polymorphic relation with two inverse sides on a type',
      [
        type({
          attributes: {
            pins: { type: 'relation', relation: 'morphMany', target: 'pin', morphBy: 'on' },
            pin: { type: 'relation', relation: 'morphOne', target: 'pin', morphBy: 'on' },
          },
        }),
        type({
          singularApiId: 'pin',
          pluralApiId: 'pins',
          attributes: { on: { type: 'relation', relation: 'morphToOne' } },
        }),
      ],
      [],
      'article.pin: "pins" is already the other side of "pin.on"',
    ],
    [
      'an inverse side of a polymorphic relation in a component',
      [type({ attributes: { on: { type: 'relation', relation: 'morphToOne' } } })],
      [
        component('a.b', {
          x: { type: 'relation', relation: 'morphOne', target: 'article', morphBy: 'on' },
        }),
      ],
      'a.b.x: a relation inside a component has no other side: use "morphToOne" or "morphToMany"',
    ],
    [
      'a component uid without a category',
      [],
      [component('tag', {})],
      'tag: a component uid has the form "<category>.<name>"',
    ],
    ['the same component twice', [], [tag, tag], 'shared.tag: another component has the same uid'],
    [
      'a misspelt option of a type',
      [type({ draftAndPublis: true })],
      [],
      'article: unknown option "draftAndPublis"; did you mean "draftAndPublish"?',
    ],
    [
      'another spelling of an option',
      [type({ localised: true })],
      [],
      'article: unknown option "localised"; did you mean "localized"?',
    ],
    [
      'options of Strapi',
      [type({ options: { draftAndPublish: true } })],
      [],
      'article: unknown option "options"; did you mean "actions"?',
    ],
    [
      'a misspelt option of a component',
      [],
      [{ ...tag, attribute: {} } as ComponentDefinition],
      'shared.tag: unknown option "attribute"; did you mean "attributes"?',
    ],
    ['no kind', [type({ kind: undefined })], [], 'article: needs "kind", one of collectionType, singleType'],
    [
      'a misspelt kind',
      [type({ kind: 'collectionTyp' })],
      [],
      'article: "kind" must be one of collectionType, singleType',
    ],
    [
      'no singular',
      [type({ singularApiId: undefined })],
      [],
      'contentTypes[0]: needs "singularApiId", a non-empty string',
    ],
    [
      'no singular name, and a relation to it',
      [
        type({ singularApiId: undefined }),
        type({
          singularApiId: 'book',
          pluralApiId: 'books',
          attributes: { x: { type: 'relation', relation: 'manyToOne', target: 'articel' } },
        }),
      ],
      [],
      'book.x: target "articel" is not a content type; available: book',
    ],
    [
      'no uid, and a use of it',
      [type({ attributes: { x: { type: 'component', component: 'a.b' } } })],
      [{ attributes: {} } as never],
      'components[0]: needs "uid", a non-empty string',
    ],
    [
      'the name of the list of locales',
      [type({ singularApiId: 'locale' })],
      [],
      'locale: the name is reserved for the grant of the list of locales',
    ],
    [
      'the route of the list of locales',
      [type({ pluralApiId: 'i18n' })],
      [],
      'article: the route "i18n" is reserved for the list of locales',
    ],
    [
      'the sequence of another table',
      [type({}), type({ singularApiId: 'odd', pluralApiId: 'odds', tableName: 'articles_id_seq' })],
      [],
      'odd: needs the same name "articles_id_seq"',
    ],
    [
      'generate in a component',
      [],
      [component('a.b', { t: { type: 'string' }, x: { type: 'uid', targetField: 't', generate: true } })],
      'a.b.x: "generate" inside a component is not supported',
    ],
    [
      'many paths to a component that requires itself',
      [],
      Array.from({ length: 40 }, (_, i) =>
        component(`a.c${i}`, {
          x: { type: 'component', component: `a.c${(i + 1) % 40}`, required: true },
          y: { type: 'component', component: `a.c${(i + 1) % 40}`, required: true },
        }),
      ),
      'requires a component that requires itself',
    ],
    [
      'no attributes',
      [type({ attributes: undefined })],
      [],
      'article: needs "attributes", an object of attributes',
    ],
    [
      'an empty entry in the list of types',
      [undefined as never],
      [],
      'contentTypes[0]: must be a definition',
    ],
    [
      'an empty entry in the list of components',
      [],
      [undefined as never],
      'components[0]: must be a definition',
    ],
    ['an empty table name', [type({ tableName: '' })], [], 'article: "tableName" must be a non-empty string'],
    [
      'a table name that begins with a digit',
      [type({ tableName: '1abc' })],
      [],
      'article: "1abc" cannot name a table',
    ],
    [
      'a table of PostgreSQL',
      [type({ tableName: 'pg_class' })],
      [],
      'article: "pg_class" cannot name a table',
    ],
    [
      'the table of the migrations',
      [type({ tableName: 'mikro_orm_migrations' })],
      [],
      'article: needs the same name "mikro_orm_migrations" in the database as the migrations of MikroORM',
    ],
    [
      'a component uid that is too long',
      [],
      [component(`a.${'b'.repeat(70)}`, {})],
      'the uid is longer than 63 bytes',
    ],
    [
      'a component that requires itself',
      [],
      [
        component('a.b', { x: { type: 'component', component: 'a.c', required: true } }),
        component('a.c', { y: { type: 'component', component: 'a.b', required: true } }),
      ],
      'a.b.x: requires a component that requires itself: a.c → a.b → a.c; make one of them optional',
    ],
    [
      '__component in a component',
      [],
      [component('a.b', { __component: { type: 'string' } })],
      'a.b.__component: ',
    ],
    [
      'a two-way relation in a component',
      [author],
      [
        component('a.b', {
          x: { type: 'relation', relation: 'manyToOne', target: 'author', inversedBy: 'name' },
        }),
      ],
      'a.b.x: a relation inside a component is one-way: remove "mappedBy" and "inversedBy"',
    ],
  ];

describe('an invalid model', () => {
  it.each(ATTRIBUTES)('%s', (_what, attribute, mistake) => {
    expect(
      mistakesOf([type({ attributes: { title: { type: 'string' }, x: attribute } }), author]),
    ).toContainEqual(expect.stringContaining(mistake));
  });

  it.each(NAMES)('an attribute called %j', (key, mistake) => {
    expect(mistakesOf([type({ attributes: { [key]: { type: 'string' } } })])).toEqual([
      expect.stringContaining(mistake),
    ]);
  });

  it.each(MODELS)('%s', (_what, types, components, mistake) => {
    expect(mistakesOf(types, components)).toContainEqual(expect.stringContaining(mistake));
  });

  it('reports all its errors at once, in the order of the definitions', () => {
    const mistakes = mistakesOf(
      [
        type({
          attributes: {
            id: { type: 'string' },
            cover: { type: 'media' },
            who: { type: 'relation', relation: 'oneToOne', target: 'autor' },
            bad: { type: 'strng' },
          },
        }),
        type({
          singularApiId: 'author',
          pluralApiId: 'authors',
          attributes: { tags: { type: 'component', component: 'shared.tga' } },
        }),
      ],
      [component('shared.tag', { n: { type: 'enumeration' } })],
    );
    expect(mistakes).toEqual([
      'article.id: the name is reserved',
      'article.who: target "autor" is not a content type; did you mean "author"?',
      'article.bad: unknown type "strng"; did you mean "string"?',
      'author.tags: component "shared.tga" is not in "components"; did you mean "shared.tag"?',
      'shared.tag.n: needs "enum", a list of distinct non-empty strings',
    ]);
    const thrown = () =>
      ContentModule.forRoot({
        contentTypes: [type({ attributes: { id: { type: 'string' }, locale: { type: 'string' } } })],
      });
    expect(thrown).toThrow(
      'The content model has 2 mistakes:\n  - article.id: the name is reserved\n  - article.locale: the name is reserved',
    );
  });

  it('is reported together with conflicting names and controllers for unknown types', () => {
    const mistakes = mistakesOf(
      [
        type({
          attributes: {
            bad: { type: 'strng' },
            tags: { type: 'relation', relation: 'manyToMany', target: 'author' },
            back: { type: 'relation', relation: 'oneToOne', target: 'gone' },
          },
        }),
        author,
        type({ singularApiId: 'odd', pluralApiId: 'odds', tableName: 'articles_tags_links' }),
        type({ singularApiId: 'gone', pluralApiId: 'gone', attributes: {} }),
      ],
      [tag],
      { controllers: { articel: class {} } },
    );
    expect(mistakes).toEqual([
      'article.bad: unknown type "strng"; did you mean "string"?',
      'gone: pluralApiId must differ from singularApiId',
      'odd: needs the same name "articles_tags_links" in the database as article.tags; rename it or set tableName',
      'controllers: "articel" is not a content type; did you mean "article"?',
    ]);
  });

  it.each([
    ['contentTypes that is not a list', { contentTypes: {} }, 'contentTypes must be a list of definitions'],
    ['no contentTypes', {}, 'contentTypes must be a list of definitions'],
    [
      'components that is not a list',
      { contentTypes: [], components: 'x' },
      'components must be a list of definitions',
    ],
    [
      'controllers that is not an object',
      { contentTypes: [], controllers: null },
      'controllers must be an object of classes',
    ],
    ['a schema that is not a string', { contentTypes: [], schema: null }, 'schema must be a string'],
  ])('%s', (_what, options, message) => {
    expect(() => ContentModule.forRoot(options as never)).toThrow(message);
  });

  it('stops the entities and the asynchronous start', () => {
    const wrong = { contentTypes: [type({ attributes: { id: { type: 'string' } } })] };
    expect(() => contentEntities(wrong)).toThrow(ContentModelError);
    expect(() => ContentModule.forRootAsync({ ...wrong, useFactory: () => ({}) })).toThrow(ContentModelError);
  });

  it('differs from a valid one', () => {
    expect(
      mistakesOf([
        type({
          attributes: {
            title: { type: 'string', default: 'x', maxLength: 3 },
            slug: { type: 'uid', targetField: 'title', generate: true },
          },
        }),
        author,
      ]),
    ).toEqual([]);
    // A type without routes leaves its plural name to a route.
    expect(
      mistakesOf([type({ routes: false, tableName: 'stored' }), type({ singularApiId: 'item' })]),
    ).toEqual([]);
    expect(
      mistakesOf([
        defineCollectionType({
          singularApiId: 'a-b',
          pluralApiId: 'a-bs',
          attributes: { publishedOn: { type: 'date' }, status: { type: 'string' } },
        }),
      ]),
    ).toEqual([]);
    expect(
      mistakesOf(
        [],
        [
          defineComponent({ uid: 'a.b', attributes: { more: { type: 'component', component: 'a.c' } } }),
          defineComponent({ uid: 'a.c', attributes: {} }),
        ],
      ),
    ).toEqual([]);
  });
});

describe('names in the database', () => {
  const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,62}$/);
  const apiId = fc.stringMatching(/^[a-z][a-z0-9-]{0,90}$/);

  it('have at most 63 bytes, and are stable', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(word, apiId), { minLength: 1, maxLength: 5 }), (words) => {
        const made = name(...words);
        expect(Buffer.byteLength(made)).toBeLessThanOrEqual(MAX_IDENTIFIER_BYTES);
        expect(made).toMatch(/^[a-z0-9_]+$/);
        expect(name(...words)).toBe(made);
      }),
    );
  });

  it('are unique when they are too long', () => {
    fc.assert(
      fc.property(apiId, word, word, (table, one, other) => {
        const long = `${table}${'x'.repeat(60)}`;
        const same = name(one) === name(other);
        expect(linkTableName(long, one) === linkTableName(long, other)).toBe(same);
        expect(name(long, one, 'index') === name(long, other, 'index')).toBe(same);
        expect(name(long, one, 'index')).not.toBe(name(long, one, 'unique'));
      }),
    );
  });

  it('never equal a system column', () => {
    for (const key of [
      'document',
      'published',
      'publishedAt',
      'createdAt',
      'updatedAt',
      'document_id',
      'locale',
    ]) {
      expect([
        'id',
        'document_id',
        'created_at',
        'updated_at',
        'published_at',
        'published',
        'locale',
      ]).not.toContain(columnName(key));
    }
    expect(columnName('published')).toBe('published_');
  });

  /** Table, column and index names of a model as MikroORM creates them. */
  const namesOf = (
    types: readonly ContentTypeDefinition[],
  ): Record<'tables' | 'indexes', string[]> & { columns: string[][] } => {
    const entities = contentEntities({ contentTypes: types }).map(
      (entity) =>
        entity.meta as unknown as {
          tableName: string;
          properties: Record<string, { fieldName?: string; fieldNames?: string[] }>;
          indexes: { name: string }[];
          uniques: { name: string }[];
        },
    );
    return {
      tables: entities.map(({ tableName }) => tableName),
      columns: entities.map(({ properties }) =>
        Object.values(properties).flatMap(({ fieldName, fieldNames }) => fieldNames ?? [fieldName ?? '']),
      ),
      indexes: entities.flatMap(({ indexes, uniques }) =>
        [...indexes, ...uniques].map((index) => index.name),
      ),
    };
  };

  it('never collide in a valid model', () => {
    const attribute = fc.constantFrom<object>(
      { type: 'string', unique: true },
      { type: 'string', index: true },
      { type: 'relation', relation: 'manyToMany', target: 't0' },
      { type: 'relation', relation: 'manyToOne', target: 't0' },
      { type: 'media' },
      { type: 'media', multiple: true },
      { type: 'integer' },
    );
    const near = fc.constantFrom(
      'a',
      'b',
      'aB',
      'a_b',
      'aBLinks',
      'tags',
      'tagsLinks',
      'version',
      'list',
      'owner',
      'x'.repeat(60),
      `${'x'.repeat(59)}y`,
      'position',
      'aPosition',
      'a_document_id',
      'documentId2',
    );
    const attributes = fc.dictionary(near, attribute, { maxKeys: 8 });
    const table = fc.constantFrom(
      't',
      'ts',
      't-a',
      't-a-links',
      't-tags',
      'x'.repeat(60),
      `${'x'.repeat(60)}y`,
      't-version',
      't-list',
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(table, attributes), { minLength: 1, maxLength: 4, selector: ([key]) => key }),
        (drawn) => {
          const types = drawn.map(([tableName, own], i) =>
            type({ singularApiId: `t${i}`, pluralApiId: `t${i}s`, tableName, attributes: own }),
          );
          try {
            buildSchema(types, []);
          } catch (error) {
            if (error instanceof ContentModelError) return;
            throw error;
          }
          const { tables, columns, indexes } = namesOf(types);
          // Tables and indexes share one name space in PostgreSQL.
          const all = [...tables, ...indexes];
          expect(all.filter((one, i) => all.indexOf(one) !== i)).toEqual([]);
          for (const own of columns) expect(own.filter((one, i) => own.indexOf(one) !== i)).toEqual([]);
          for (const one of [...all, ...columns.flat()])
            expect(Buffer.byteLength(one)).toBeLessThanOrEqual(MAX_IDENTIFIER_BYTES);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('invalid grants', () => {
  /** No server listens there: grants are validated before a connection is opened. */
  const database = { clientUrl: 'postgres://127.0.0.1:1/none' };
  const start = (access: object): Promise<unknown> =>
    Test.createTestingModule({
      imports: [ContentModule.forRoot({ contentTypes: [author], access, database })],
    }).compile();

  it.each<[string, object, string[]]>([
    [
      'an unknown type',
      { public: { autor: ['find'] } },
      ['access.public: "autor" is not a content type; did you mean "author"?'],
    ],
    [
      'a plural',
      { public: { authors: ['find'] } },
      ['access.public: "authors" is not a content type; did you mean "author"?'],
    ],
    [
      'an unknown action',
      { public: { author: ['fnd'] } },
      ['access.public.author: "fnd" is not an action; did you mean "find"?'],
    ],
    [
      'a grant on a component',
      { public: { 'shared.tag': '*' } },
      [
        'access.public: "shared.tag" is not a content type; available: locale, content-type-builder, desk, audit, releases, file, author',
      ],
    ],
    [
      'several',
      { public: { autor: ['find'], author: ['read', 'find'] } },
      [
        'access.public: "autor" is not a content type; did you mean "author"?',
        'access.public.author: "read" is not an action; available: find, findOne, create, update, delete, readDrafts, publish, move',
      ],
    ],
  ])('%s', async (_what, access, mistakes) => {
    await expect(start(access)).rejects.toMatchObject({ name: 'ContentModelError', mistakes });
  });

  it('accepts valid ones', async () => {
    const module = (await start({
      public: {
        author: ['find', 'findOne', 'create', 'update', 'delete', 'readDrafts', 'publish'],
        '*': '*',
      },
    })) as { close(): Promise<void> };
    await module.close();
  });
});

describe('stages', () => {
  const withStages = (stages: object, more: object = {}): readonly string[] => {
    const attributes = { title: { type: 'string' } };
    const options = { ...type({ attributes, draftAndPublish: true }), stages, ...more };
    return mistakesOf([defineCollectionType(options as never)]);
  };

  it.each([
    [{ draft: { to: ['ready'] }, ready: { to: [], publish: true } }, []],
    [{}, ['article: stages: name at least one stage']],
    [{ draft: {} }, ['article: "stages" must be an object with a stage by name, each with "to"']],
    [
      { draft: { to: ['redy'] }, ready: { to: [] } },
      ['article: stages.draft: "redy" is not a stage; did you mean "ready"?'],
    ],
    [
      { draft: { to: [], publsh: true } },
      ['article: stages.draft: unknown option "publsh"; did you mean "publish"?'],
    ],
    [
      { draft: { to: [], label: 1 } },
      ['article: stages.draft: "label" must be a non-empty string, or such strings by language'],
    ],
    [{ draft: { to: [], previousName: 'open' }, done: { to: [], previousName: 'closed' } }, []],
    [
      { draft: { to: [], previousName: 'done' }, done: { to: [] } },
      [
        'article: stages.draft: previousName: "done" is the name of a current definition; a former name must not be in use',
      ],
    ],
    [
      { draft: { to: [], previousName: 'open' }, done: { to: [], previousName: 'open' } },
      ['article: stages.done: previousName: "open" is already the previousName of "draft"'],
    ],
    [{ draft: { to: [], previousName: 1 } }, ['article: stages.draft: "previousName" must be a string']],
    [{ draft: { to: [], publish: 1 } }, ['article: stages.draft: "publish" must be true or false']],
    [
      { '1': { to: [] } },
      ['article: stages.1: a name has letters, digits, dashes and underscores, a letter first'],
    ],
  ])('%j', (stages, expected) => {
    const found = withStages(stages);
    expect(found.filter((one) => !one.startsWith('article: stages: define'))).toEqual(expected);
  });

  it('need drafts, and their attribute for themselves', () => {
    const stages = { draft: { to: [] } };
    expect(withStages(stages, { draftAndPublish: false })).toEqual([
      'article: stages: the type needs draftAndPublish: true',
    ]);
    expect(withStages(stages, { attributes: { stage: { type: 'string' } } })).toEqual([
      'article: stages: "stage" is the attribute of the stages: rename yours',
    ]);
    expect(mistakesOf([{ ...type({}), draftAndPublish: true, stages }])).toEqual([
      'article: stages: define the type with defineCollectionType or defineSingleType, which add "stage"',
    ]);
  });

  it('of grants are stages of the type, and limit `move`', () => {
    const stages = { draft: { to: ['ready'] }, ready: { to: [] } } as const;
    const article = defineCollectionType({
      singularApiId: 'article',
      pluralApiId: 'articles',
      draftAndPublish: true,
      stages,
      attributes: { title: { type: 'string' } },
    });
    const schema = buildSchema([article, type({ singularApiId: 'plain', pluralApiId: 'plains' })], []);
    const grants = {
      article: [
        { actions: ['move'], stages: ['redy'] },
        { actions: ['find'], stages: ['ready'] },
        { actions: '*', stages: ['ready'] },
      ],
      plain: [{ actions: ['move'], stages: ['ready'] }],
      '*': [{ actions: ['move'], stages: ['ready'] }],
    } as const;
    expect(checkGrants(grants, { schema, check: null }, 'roles.x')).toEqual([
      'roles.x.article: "redy" is not a stage of article; did you mean "ready"?',
      'roles.x.article: "stages" limits "move", which is not among the actions',
      'roles.x.plain: "stages" needs a content type with the option "stages"',
      'roles.x.*: "stages" needs a content type with the option "stages"',
    ]);
  });
});

describe('declared indexes', () => {
  const attributes = {
    title: { type: 'string' },
    note: { type: 'text' },
    data: { type: 'json' },
    pass: { type: 'password' },
    tag: { type: 'component', component: 'shared.tag' },
    writer: { type: 'relation', relation: 'manyToOne', target: 'author' },
    local: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'author',
      inversedBy: 'written',
      localized: true,
    },
    authors: { type: 'relation', relation: 'manyToMany', target: 'author' },
  };
  const written = { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'local' };
  const other = type({
    singularApiId: 'author',
    pluralApiId: 'authors',
    attributes: { name: { type: 'string' }, written },
  });
  const withIndexes = (indexes: unknown): readonly string[] =>
    mistakesOf([type({ attributes, localized: true, indexes }), other]);

  it.each([
    ['title', 'article: "indexes" must be a list of objects with "attributes"'],
    [[{}], 'article: indexes[0]: needs "attributes", a list of distinct non-empty strings'],
    [
      [{ attributes: ['title'], sing: 1 }],
      'article: indexes[0]: unknown option "sing"; did you mean "using"?',
    ],
    [[{ attributes: ['title'], using: 'hash' }], 'article: indexes[0]: "using" must be one of trigram'],
    [[{ attributes: ['titel'] }], 'article: indexes[0]: "titel" is not an attribute; did you mean "title"?'],
    [[{ attributes: ['locale'] }], 'article: indexes[0]: "locale" is not an attribute'],
    [[{ attributes: ['note'] }], 'article: indexes[0]: "note" may be too long for a sorted index'],
    [[{ attributes: ['data'] }], 'article: indexes[0]: "data" has the type json, which cannot be sorted'],
    [[{ attributes: ['pass'], using: 'trigram' }], 'article: indexes[0]: "pass" is not a text attribute'],
    [
      [{ attributes: ['createdAt'], using: 'trigram' }],
      'article: indexes[0]: "createdAt" is not a text attribute',
    ],
    [
      [{ attributes: ['tag'] }],
      'article: indexes[0]: "tag" is a component; set index: true on the attribute',
    ],
    [[{ attributes: ['authors'] }], 'article: indexes[0]: "authors" has several targets'],
    [[{ attributes: ['local'] }], 'article: indexes[0]: "local" is not stored in the row of the document'],
    [
      [{ attributes: ['createdAt', 'title'], unique: true }],
      'article: indexes[0]: "createdAt" is set by the server',
    ],
    [
      [{ attributes: ['title'], using: 'trigram', unique: true }],
      'article: indexes[0]: a trigram index cannot be unique',
    ],
    [
      [{ attributes: ['title'] }, { attributes: ['title'] }],
      'article: indexes[1]: is the same as indexes[0]',
    ],
  ])('%j are a mistake', (indexes, message) =>
    expect(withIndexes(indexes)).toEqual([expect.stringContaining(message)]),
  );

  it('accept scalars, to-one relations, texts for trigrams, and the times and id of documents', () => {
    expect(
      withIndexes([
        { attributes: ['createdAt', 'writer'] },
        { attributes: ['publishedAt'] },
        { attributes: ['writer', 'title'], unique: true },
        { attributes: ['documentId', 'title', 'note'], using: 'trigram' },
      ]),
    ).toEqual([]);
  });

  it('are in the description of the model, in any order, and absent if there are none', () => {
    const described = (indexes: readonly object[]) =>
      describeModel(
        buildSchema([type({ attributes: { title: attributes.title }, indexes })], []),
        DEFAULT_SETTINGS,
      ).types['article'];
    const [a, b] = [{ attributes: ['title'] }, { attributes: ['createdAt'], unique: false }];
    expect(described([a, b])).toEqual(described([b, a]));
    expect(described([a])?.indexes).toEqual([{ attributes: ['title'] }]);
    expect(described([])).not.toHaveProperty('indexes');
  });
});

describe('layouts of the desk', () => {
  const attributes = {
    title: { type: 'string' },
    note: { type: 'string', private: true },
    pass: { type: 'password' },
    tag: { type: 'component', component: 'shared.tag' },
  };
  const inType = (desk: unknown): readonly string[] => mistakesOf([type({ attributes, desk })]);
  const inComponent = (desk: unknown): readonly string[] =>
    mistakesOf([type({ attributes })], [{ ...tag, desk } as ComponentDefinition]);

  it.each([
    [{ title: 'titel' }, 'article: desk.title: "titel" is not an attribute; did you mean "title"?'],
    [{ list: ['title', 'tilte'] }, 'article: desk.list: "tilte" is not an attribute; did you mean "title"?'],
    [{ list: ['note'] }, 'article: desk.list: "note" is never shown: it is private'],
    [{ title: 'pass' }, 'article: desk.title: "pass" is never shown: it is a password'],
    [{ list: [] }, 'article: desk: "list" must be a list of distinct non-empty strings'],
    [{ preview: 'https://a.example' }, 'article: desk: "preview" must be a function that returns a URL'],
    [{ tilte: 'title' }, 'article: desk: unknown option "tilte"; did you mean "title"?'],
    [{ order: 'title' }, 'article: desk.order: "title" must be an integer attribute'],
    [{ order: 'createdAt' }, 'article: desk.order: "createdAt" must be an integer attribute'],
    [{ order: 'titel' }, 'article: desk.order: "titel" is not an attribute; did you mean "title"?'],
    [{ order: ['title'] }, 'article: desk: "order" must be a non-empty string'],
    [true, 'article: "desk" must be an object'],
  ])('%j in a type is a mistake', (desk, message) => expect(inType(desk)).toEqual([message]));

  it.each([
    [{ title: 'nam' }, 'shared.tag: desk.title: "nam" is not an attribute; did you mean "name"?'],
    [{ title: 'createdAt' }, 'shared.tag: desk.title: "createdAt" is not an attribute; available: name'],
    [
      { list: ['name'] },
      'shared.tag: desk: unknown option "list"; available: label, title, description, group',
    ],
  ])('%j in a component is a mistake', (desk, message) => expect(inComponent(desk)).toEqual([message]));

  it('accepts attributes and the names of every document', () => {
    const preview = (): string => 'https://a.example';
    expect(inType({ title: 'title', list: ['title', 'updatedAt'], hidden: true, preview })).toEqual([]);
    expect(inComponent({ title: 'name', description: 'A tag', group: 'Parts' })).toEqual([]);
  });

  it('does not affect the description of the model', () => {
    const plain = describeModel(buildSchema([type({ attributes })], [tag]), DEFAULT_SETTINGS);
    const laid = Object.fromEntries(
      Object.entries(attributes).map(([key, def]) => [key, { ...def, desk: { label: 'Label', width: 6 } }]),
    );
    const schema = buildSchema([type({ attributes: laid, desk: { title: 'title', group: 'A' } })], [tag]);
    expect(describeModel(schema, DEFAULT_SETTINGS)).toEqual(plain);
  });
});
