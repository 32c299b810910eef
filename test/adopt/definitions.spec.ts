/** Schema files of Strapi as definitions: kinds of attributes, options, names and layouts. */
import { userTypes } from 'nestjs-content-api/accounts';
import { buildSchema } from '../../src/content/model/build-schema.ts';
import { checkModel } from '../../src/content/model/check-model.ts';
import { definitionsOf } from '../../src/features/adopt/definitions-of.ts';
import { printDefinitions } from '../../src/features/adopt/print-definitions.ts';

type Json = Readonly<Record<string, unknown>>;

const typeSchema = (attributes: Json, more: Json = {}): Json => ({
  kind: 'collectionType',
  collectionName: 'things',
  info: { singularName: 'thing', pluralName: 'things', displayName: 'Thing' },
  options: {},
  pluginOptions: {},
  attributes,
  ...more,
});

const sources = (attributes: Json, more: Json = {}) => [
  { uid: 'api::thing.thing', file: 'thing/schema.json', schema: typeSchema(attributes, more) },
  {
    uid: 'shared.seo',
    file: 'seo.json',
    schema: {
      collectionName: 'seos',
      info: { displayName: 'Seo' },
      attributes: { title: { type: 'string' } },
    },
  },
  {
    uid: 'api::other.other',
    file: 'other/schema.json',
    schema: typeSchema(
      { things: { type: 'relation', relation: 'oneToMany', target: 'api::thing.thing', mappedBy: 'other' } },
      { info: { singularName: 'other', pluralName: 'others' } },
    ),
  },
];

/** Returns the attribute `one` of a type with it, and the remarks about it. */
function adopted(attribute: Json, more: Json = {}) {
  const { contentTypes, remarks } = definitionsOf(
    sources({ one: attribute, name: { type: 'string' } }, more),
  );
  return {
    attribute: contentTypes.find(({ singularApiId }) => singularApiId === 'thing')?.attributes['one'],
    remarks: remarks.filter(({ key }) => key === 'one').map(({ list, text }) => `${list}: ${text}`),
  };
}

describe('attributes of schema files', () => {
  it.each<[string, Json, Json]>([
    [
      'string',
      { type: 'string', required: true, unique: true, maxLength: 9, regex: '^a' },
      { type: 'string', required: true, unique: true, maxLength: 9, regex: '^a' },
    ],
    [
      'string with limits as texts',
      { type: 'string', minLength: '3', maxLength: '9' },
      { type: 'string', minLength: 3, maxLength: 9 },
    ],
    ['text', { type: 'text', default: 'a' }, { type: 'text', default: 'a' }],
    [
      'boolean with a text as default',
      { type: 'boolean', default: 'true' },
      { type: 'boolean', default: true },
    ],
    [
      'boolean that is false at first',
      { type: 'boolean', default: false },
      { type: 'boolean', default: false },
    ],
    ['number that is 0 at first', { type: 'integer', default: 0 }, { type: 'integer', default: 0 }],
    ['text that is empty at first', { type: 'string', default: '' }, { type: 'string', default: '' }],
    [
      'JSON whose default is spelled as a text',
      { type: 'json', default: '[]' },
      { type: 'json', default: [] },
    ],
    [
      'enumeration without a default',
      { type: 'enumeration', enum: ['a'], default: '' },
      { type: 'enumeration', enum: ['a'] },
    ],
    [
      'description of a value',
      { type: 'decimal', min: 0, description: 'Without tax' },
      { type: 'decimal', min: 0, desk: { description: 'Without tax' } },
    ],
    [
      'description of a relation',
      { type: 'relation', relation: 'oneToOne', target: 'api::other.other', description: 'Its owner' },
      { type: 'relation', relation: 'oneToOne', target: 'other', desk: { description: 'Its owner' } },
    ],
    ['number with a text as default', { type: 'integer', default: '5' }, { type: 'integer', default: 5 }],
    [
      'time with a number as default',
      { type: 'datetime', default: 0 },
      { type: 'datetime', default: '1970-01-01T00:00:00.000Z' },
    ],
    ['big number', { type: 'biginteger', default: '5' }, { type: 'biginteger', default: '5' }],
    ['blocks', { type: 'blocks' }, { type: 'blocks' }],
    [
      'private biginteger',
      { type: 'biginteger', min: '1', private: true },
      { type: 'biginteger', private: true, min: '1' },
    ],
    [
      'enumeration of numbers',
      { type: 'enumeration', enum: [1, 'in progress', 1], default: 1 },
      { type: 'enumeration', enum: ['1', 'in progress'], default: '1' },
    ],
    [
      'number whose limits no column has, without its options',
      { type: 'biginteger', private: true, max: '99999999999999999999', default: '5' },
      { type: 'biginteger', private: true },
    ],
    [
      'biginteger with a limit that is not a whole number',
      { type: 'biginteger', min: 3.5, default: '5' },
      { type: 'biginteger', default: '5' },
    ],
    [
      'enumeration',
      { type: 'enumeration', enum: ['a', 'b'], default: 'a' },
      { type: 'enumeration', enum: ['a', 'b'], default: 'a' },
    ],
    ['uid', { type: 'uid', targetField: 'name' }, { type: 'uid', targetField: 'name', generate: true }],
    [
      'media',
      { type: 'media', multiple: true, allowedTypes: ['images', 'files'] },
      { type: 'media', multiple: true, allowedTypes: ['images', 'files'] },
    ],
    [
      'media of any type',
      { type: 'media', multiple: false, allowedTypes: ['images', 'files', 'videos', 'audios'] },
      { type: 'media' },
    ],
    [
      'component',
      { type: 'component', component: 'shared.seo', repeatable: true, min: 1 },
      { type: 'component', component: 'shared.seo', repeatable: true, min: 1 },
    ],
    [
      'dynamiczone',
      { type: 'dynamiczone', components: ['shared.seo'], max: 3 },
      { type: 'dynamiczone', components: ['shared.seo'], max: 3 },
    ],
    ['custom field', { type: 'customField', customField: 'plugin::color-picker.color' }, { type: 'string' }],
    ['list of tags', { type: 'customField', customField: 'plugin::tagsinput.tags' }, { type: 'json' }],
    [
      'value that Strapi hides under a condition',
      { type: 'string', required: true, conditions: { visible: { '==': [{ var: 'name' }, 'a'] } } },
      { type: 'string' },
    ],
    [
      'one-way relation',
      { type: 'relation', relation: 'oneToOne', target: 'api::other.other' },
      { type: 'relation', relation: 'oneToOne', target: 'other' },
    ],
    [
      'relation to users',
      { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.user' },
      { type: 'relation', relation: 'manyToOne', target: 'user' },
    ],
    [
      'relation to files',
      { type: 'relation', relation: 'oneToMany', target: 'plugin::upload.file' },
      { type: 'media', multiple: true },
    ],
    [
      'polymorphic relation',
      { type: 'relation', relation: 'morphToMany' },
      { type: 'relation', relation: 'morphToMany' },
    ],
  ])('adopts a %s', (_name, attribute, expected) => {
    expect(adopted(attribute).attribute).toEqual(expected);
  });

  it('makes two sides that both name an owner two one-way relations', () => {
    const side = (name: string): Json => ({
      ...{ type: 'relation', relation: 'oneToOne', target: 'api::thing.thing' },
      ...{ inversedBy: name, mappedBy: name },
    });
    const { contentTypes } = definitionsOf(sources({ one: side('two'), two: side('one') }));
    const oneWay = { type: 'relation', relation: 'oneToOne', target: 'thing' };
    expect(contentTypes[0]?.attributes).toEqual({ one: oneWay, two: oneWay });
  });

  it('hides the attributes that the options of their type hide, and reports those that no type can hide', () => {
    const more = { options: { privateAttributes: ['id', 'one', 'createdBy'] } };
    const relation = { type: 'relation', relation: 'oneToOne', target: 'api::other.other' };
    for (const attribute of [relation, { type: 'string' }, { type: 'media' }])
      expect(adopted(attribute, more).attribute).toMatchObject({ private: true });
    const { remarks } = definitionsOf(sources({ one: relation }, more));
    expect(remarks.filter(({ text }) => text.includes('not private')).map(({ key }) => key)).toEqual(['id']);
  });

  it('generates the uid of a user from the name of the account', () => {
    const attributes = { slug: { type: 'uid', targetField: 'username' }, username: { type: 'string' } };
    const { userAttributes } = definitionsOf([{ uid: USERS.target, file: 'user', schema: { attributes } }]);
    expect(userAttributes).toEqual({ slug: { type: 'uid', targetField: 'username', generate: true } });
  });

  it.each([
    ['manyToMany', 'manyToMany', ['inversedBy', 'mappedBy']],
    ['oneToOne', 'oneToOne', ['inversedBy', 'mappedBy']],
    ['oneToMany', 'manyToOne', ['mappedBy', 'inversedBy']],
  ])(
    'gives a %s one owner if both sides claim to own it',
    (relation, opposite, [first = '', second = '']) => {
      const uid = 'api::thing.thing';
      const up = { type: 'relation', relation, target: uid, inversedBy: 'down' };
      const down = { type: 'relation', relation: opposite, target: uid, inversedBy: 'up' };
      const { contentTypes, models } = definitionsOf(sources({ up, down }));
      expect(contentTypes[0]?.attributes).toMatchObject({
        up: { [first]: 'down' },
        down: { [second]: 'up' },
      });
      expect(models.get(uid)?.attributes).toMatchObject({
        up: { [first]: 'down' },
        down: { [second]: 'up' },
      });
    },
  );

  it('keeps both sides of a relation', () => {
    const other = {
      type: 'relation',
      relation: 'manyToOne',
      target: 'api::other.other',
      inversedBy: 'things',
    };
    const { contentTypes } = definitionsOf(sources({ other }));
    expect(contentTypes.map(({ attributes }) => attributes)).toEqual([
      { other: { type: 'relation', relation: 'manyToOne', target: 'other', inversedBy: 'things' } },
      { things: { type: 'relation', relation: 'oneToMany', target: 'thing', mappedBy: 'other' } },
    ]);
  });

  it('stores uids, relations and marked attributes of a localized type per locale', () => {
    const more = { pluginOptions: { i18n: { localized: true } } };
    const relation = { type: 'relation', relation: 'oneToOne', target: 'api::other.other' };
    const marked = { type: 'string', pluginOptions: { i18n: { localized: true } } };
    expect(adopted({ type: 'uid' }, more).attribute).toMatchObject({ localized: true });
    expect(adopted({ type: 'string' }, more).attribute).not.toHaveProperty('localized');
    expect(adopted(relation, more).attribute).toMatchObject({ localized: true });
    expect(adopted(marked, more).attribute).toMatchObject({ localized: true });
    expect(adopted({ type: 'media' }, more).attribute).not.toHaveProperty('localized');
  });

  it.each<[string, Json, RegExp]>([
    ['an unknown type', { type: 'strange' }, /^changed: .*The type "strange" is unknown: it becomes "json"/],
    ['a missing component', { type: 'component', component: 'no.thing' }, /^none: .*no component "no.thing"/],
    [
      'a missing target',
      { type: 'relation', relation: 'oneToOne', target: 'api::gone.gone' },
      /^none: .*"api::gone.gone" is not moved/,
    ],
    [
      'administrators',
      { type: 'relation', relation: 'oneToOne', target: 'admin::user' },
      /^none: .*not moved/,
    ],
    [
      'an unknown custom field',
      { type: 'customField', customField: 'plugin::x.y' },
      /^changed: .*becomes "json"/,
    ],
    ['an option without counterpart', { type: 'string', sparkle: 3 }, /^none: The option "sparkle"/],
    ['a default that is not a value', { type: 'integer', default: 'many' }, /^none: The default is left out/],
    [
      'a regular expression that does not compile',
      { type: 'string', regex: '(' },
      /^none: The option "regex" is left out/,
    ],
    [
      'an option of a relation without counterpart',
      { type: 'relation', relation: 'oneToOne', target: 'api::other.other', conditions: {} },
      /^none: The option "conditions" of "relation"/,
    ],
    ['an enumeration without values', { type: 'enumeration', enum: [] }, /^changed: .*becomes a "string"/],
    [
      'a side without the other',
      { type: 'relation', relation: 'manyToOne', target: 'api::other.other', inversedBy: 'gone' },
      /^changed: The relation is one-way/,
    ],
    ['a source of uids that is missing', { type: 'uid', targetField: 'gone' }, /has no attribute "gone"/],
    [
      'a source of uids that is not text',
      { type: 'uid', targetField: 'one' },
      /"one" is not a text or number/,
    ],
  ])('reports %s', (_name, attribute, expected) => {
    expect(adopted(attribute).remarks.join('\n')).toMatch(expected);
  });
});

describe('names of schema files', () => {
  it('change if they are reserved, and the change is reported', () => {
    const more = { options: { draftAndPublish: true }, info: { singularName: 'file', pluralName: 'users' } };
    const { contentTypes, remarks } = definitionsOf(
      sources({ status: { type: 'string' }, 'a-b': { type: 'string' } }, more),
    );
    expect(contentTypes[0]).toMatchObject({
      singularApiId: 'file-2',
      pluralApiId: 'users-2',
      draftAndPublish: true,
    });
    expect(Object.keys(contentTypes[0]?.attributes ?? {})).toEqual(['status_', 'aB']);
    expect(remarks.filter(({ list }) => list === 'changed').map(({ key }) => key)).toEqual([
      'status',
      'a-b',
      'file',
      'users',
      'things',
    ]);
  });

  it('stay up to 60 characters, and become shorter beyond', () => {
    const named = (singularName: string) => {
      const uid = `api::${singularName}.${singularName}`;
      const info = { singularName, pluralName: `${singularName}s` };
      return { uid, file: uid, schema: typeSchema({ name: { type: 'string' } }, { info }) };
    };
    const long = 'consultation-contenu-reponse-du-commanditaire';
    const longest = `${long}-et-de-la-ministre`;
    const { contentTypes } = definitionsOf([named(long), named(longest)]);
    expect(contentTypes.map(({ singularApiId, pluralApiId }) => [singularApiId, pluralApiId])).toEqual([
      [long, `${long}s`],
      [longest.slice(0, 60), `${longest.slice(0, 60)}-list`],
    ]);
  });

  it('stay if only a route of other modules could have them, and change if they name a grant', () => {
    const named = (singularName: string, pluralName: string) => {
      const uid = `api::${singularName}.${singularName}`;
      const schema = typeSchema({ name: { type: 'string' } }, { info: { singularName, pluralName } });
      return { uid, file: uid, schema };
    };
    const { contentTypes } = definitionsOf([named('event', 'events'), named('audit', 'audits')]);
    expect(contentTypes.map(({ singularApiId, pluralApiId }) => [singularApiId, pluralApiId])).toEqual([
      ['event', 'events'],
      ['audit-2', 'audits'],
    ]);
  });

  it('of plugins change if a type of the project has them, although archives list plugins first', () => {
    const schema = typeSchema(
      { name: { type: 'string' } },
      { info: { singularName: 'menu', pluralName: 'menus' } },
    );
    const uids = ['plugin::menus.menu', 'api::menu.menu'];
    const { contentTypes } = definitionsOf(uids.map((uid) => ({ uid, file: uid, schema })));
    expect(contentTypes.map(({ pluralApiId, routes }) => [pluralApiId, routes])).toEqual([
      ['menus-2', false],
      ['menus', undefined],
    ]);
  });

  it('stay although a type that comes first would get them', () => {
    const named = (singularName: string) => ({
      uid: `api::${singularName}.${singularName}`,
      file: singularName,
      schema: typeSchema(
        { name: { type: 'string' } },
        { info: { singularName, pluralName: `${singularName}s` } },
      ),
    });
    const { contentTypes } = definitionsOf([named('role'), named('role-2')]);
    expect(contentTypes.map(({ singularApiId, pluralApiId }) => [singularApiId, pluralApiId])).toEqual([
      ['role-3', 'roles'],
      ['role-2', 'role-2s'],
    ]);
  });

  it('of routes differ from the name of the type if both change', () => {
    const named = (singularName: string, pluralName: string) => ({
      uid: `api::${singularName}-${pluralName}.${singularName}`,
      file: pluralName,
      schema: typeSchema({ name: { type: 'string' } }, { info: { singularName, pluralName } }),
    });
    const { contentTypes } = definitionsOf([
      named('sheet', 'page'),
      named('page', 'pages'),
      named('page', 'page'),
    ]);
    expect(contentTypes.map(({ singularApiId, pluralApiId }) => [singularApiId, pluralApiId])).toEqual([
      ['sheet', 'page'],
      ['page', 'pages'],
      ['page-2', 'page-3'],
    ]);
  });

  it('lose the marks of letters, and change if no letter is left', () => {
    const { contentTypes } = definitionsOf(
      sources({ Überschrift: { type: 'string' }, название: { type: 'string' }, 名前: { type: 'string' } }),
    );
    expect(Object.keys(contentTypes[0]?.attributes ?? {})).toEqual(['Uberschrift', 'x', 'x_2']);
  });

  it('stay in components, which have no columns', () => {
    const text = { type: 'string' };
    const attributes = { subTitle: text, sub_title: text, SubTitle: text };
    const [part] = definitionsOf([
      { uid: 'shared.hero', file: 'hero.json', schema: { attributes } },
    ]).components;
    expect(part?.attributes).toEqual(attributes);
    expect(checkModel([], part === undefined ? [] : [part])).toEqual([]);
  });

  it('keep the uid of a component, which answers show', () => {
    const schema = { attributes: { text: { type: 'string' } } };
    const long = `${'x'.repeat(70)}.text`;
    const uids = ['Page_Parts.RichText', 'shared.rich-text', 'blocks.3-columns', long];
    const { components } = definitionsOf(uids.map((uid) => ({ uid, file: `${uid}.json`, schema })));
    expect(components.map(({ uid }) => uid)).toEqual([
      'Page_Parts.RichText',
      'shared.rich-text',
      'blocks.x-3-columns',
      `${'x'.repeat(29)}.text`,
    ]);
    expect(checkModel([], components)).toEqual([]);
  });

  it('of components may be those of system attributes in documents, and change', () => {
    const text = { type: 'string' };
    const attributes = {
      id: text,
      locale: text,
      createdAt: { type: 'date' },
      publishedAt: text,
      updatedBy: text,
    };
    const part = { uid: 'shared.video', file: 'video.json', schema: { attributes } };
    const own = sources({
      id: { type: 'increments' },
      locale: text,
      publishedAt: { type: 'datetime', private: true },
    });
    const { components, contentTypes, remarks } = definitionsOf([part, ...own]);
    expect(Object.keys(components[0]?.attributes ?? {})).toEqual([
      ...['locale_', 'createdAt_', 'publishedAt_', 'updatedBy_'],
    ]);
    expect(Object.keys(contentTypes[0]?.attributes ?? {})).toEqual(['locale_']);
    expect(remarks.filter(({ text: said }) => said.startsWith('Every document has'))).toMatchObject([
      { list: 'none', subject: 'api::thing.thing', key: 'publishedAt', file: 'thing/schema.json' },
    ]);
  });

  it('keep a name of which another attribute would take the column', () => {
    const { contentTypes } = definitionsOf(
      sources({ fooBar: { type: 'string' }, foo_bar: { type: 'string' } }),
    );
    expect(Object.keys(contentTypes[0]?.attributes ?? {})).toEqual(['fooBar', 'foo_bar_2']);
  });
});

describe('names of attributes that need several columns', () => {
  const thing = 'api::thing.thing';
  const text = { type: 'string' };
  const attributes = {
    team: { type: 'relation', relation: 'manyToOne', target: thing, inversedBy: 'players' },
    players: { type: 'relation', relation: 'oneToMany', target: thing, mappedBy: 'team' },
    author: { type: 'media' },
    next: { type: 'relation', relation: 'manyToOne', target: thing },
    ...{ teamPosition: text, team_former_position: text, teamDocumentId: text, authorDocumentId: text },
    ...{ nextPosition: text, playersDocumentId: text },
  };
  const changed = (more: Json): unknown => {
    const { contentTypes, components, names } = definitionsOf(sources(attributes, more));
    expect(buildSchema(contentTypes, components).types.get('thing')?.attributes.size).toBeGreaterThan(10);
    return [...(names.get(thing)?.attributes ?? [])].flatMap(([from, to]) => (from === to ? [] : [to]));
  };

  it('change if a link to one document needs the column', () => {
    expect(changed({ options: { draftAndPublish: true } })).toEqual([
      ...['teamPosition_2', 'team_former_position_2', 'teamDocumentId_2', 'authorDocumentId_2'],
    ]);
    expect(changed({})).toEqual(['teamPosition_2', 'teamDocumentId_2', 'authorDocumentId_2']);
    // A localized type has a table of these links.
    expect(changed({ pluginOptions: { i18n: { localized: true } } })).toEqual(['authorDocumentId_2']);
  });

  it('change if a built-in attribute of users needs the column', () => {
    const own = { token_version: text, name_key: text, reset_password_expires: text, rolePosition: text };
    const schema = { attributes: { ...own, nickname: text } };
    const { userAttributes } = definitionsOf([{ uid: USERS.target, file: 'user', schema }]);
    expect(Object.keys(userAttributes)).toEqual([
      ...['token_version_2', 'name_key_2', 'reset_password_expires_2', 'rolePosition_2', 'nickname'],
    ]);
    expect(buildSchema(userTypes(userAttributes), []).types.has('user')).toBe(true);
  });
});

const USERS = { type: 'relation', target: 'plugin::users-permissions.user' };

describe('definitions', () => {
  it('name attributes that a project has added to files', () => {
    const attributes = { name: { type: 'string' }, focalPoint: { type: 'json' }, credit: { type: 'string' } };
    const file = { uid: 'plugin::upload.file', file: 'file/schema.json', schema: { attributes } };
    expect(definitionsOf([file]).remarks).toMatchObject([
      { list: 'none', subject: 'plugin::upload.file', key: 'credit', file: 'file/schema.json' },
    ]);
  });

  it('report the place of folders, locales and permissions, and types of Strapi that have none', () => {
    const uids = [
      'upload.folder',
      'i18n.locale',
      'users-permissions.permission',
      'review-workflows.workflow',
    ];
    const { remarks } = definitionsOf(
      uids.map((name) => ({ uid: `plugin::${name}`, file: 'schemas', schema: { attributes: {} } })),
    );
    expect(remarks.map(({ list, subject }) => [list, subject.replace('plugin::', '')])).toEqual([
      ['changed', 'upload.folder'],
      ['changed', 'i18n.locale'],
      ['changed', 'users-permissions.permission'],
      ['none', 'review-workflows.workflow'],
    ]);
  });

  it('keep the attributes of localized users, in one locale', () => {
    const i18n = { pluginOptions: { i18n: { localized: true } } };
    const attributes = { bio: { type: 'text', ...i18n }, friend: { ...USERS, relation: 'manyToOne' } };
    const uid = USERS.target;
    const { userAttributes, remarks } = definitionsOf([
      { uid, file: 'user', schema: { ...i18n, attributes } },
    ]);
    expect(userAttributes).toEqual({
      bio: { type: 'text' },
      friend: { type: 'relation', relation: 'manyToOne', target: 'user' },
    });
    expect(remarks).toMatchObject([{ list: 'changed', subject: uid, key: 'i18n', file: 'user' }]);
  });

  it('have the components of a plugin, which archives mark as components', () => {
    const uid = 'plugin::shop.zone';
    const part = {
      uid,
      file: 'schemas',
      schema: { modelType: 'component', attributes: { city: { type: 'string' } } },
    };
    const zones = { type: 'component', component: uid, repeatable: true };
    const { components, contentTypes } = definitionsOf([...sources({ zones }), part]);
    expect(components.map(({ uid: name }) => name)).toEqual(['shared.seo', 'plugin-shop.zone']);
    expect(contentTypes[0]?.attributes).toEqual({ zones: { ...zones, component: 'plugin-shop.zone' } });
  });

  it('report what the check of the model refuses with the name and the file of the source', () => {
    const { remarks } = definitionsOf(
      sources({ one: { type: 'component', component: 'shared.seo', repeatable: true, min: 5, max: 2 } }),
    );
    expect(remarks.filter(({ key }) => key === 'one')).toMatchObject([
      { list: 'none', subject: 'api::thing.thing', file: 'thing/schema.json' },
    ]);
  });

  it('are sound for broken schemas', () => {
    const broken = sources({
      one: null,
      two: { type: 3 },
      three: { type: 'dynamiczone' },
      four: 'text',
    });
    const { contentTypes, components } = definitionsOf(broken);
    expect(checkModel(contentTypes, components)).toEqual([]);
  });

  it('have the titles, columns and labels of the content manager', () => {
    const layout = {
      settings: { mainField: 'name' },
      metadatas: { name: { edit: { label: 'Full name', description: 'As printed', placeholder: 'Ann' } } },
      layouts: { list: ['id', 'name', 'gone'], edit: [[{ name: 'name', size: 6 }]] },
    };
    const { contentTypes } = definitionsOf(sources({ name: { type: 'string' } }), {
      layouts: new Map([['api::thing.thing', layout]]),
    });
    expect(contentTypes[0]).toMatchObject({
      desk: { title: 'name', list: ['id', 'name'] },
      attributes: {
        name: { desk: { label: 'Full name', description: 'As printed', width: 6, placeholder: 'Ann' } },
      },
    });
  });

  it('stay if their list shows attributes that are left out, or have the name of a system attribute', () => {
    const morph = { type: 'relation', relation: 'morphMany', target: 'api::thing.thing', morphBy: 'about' };
    const uid = 'plugin::shop.offer';
    const offer = {
      uid,
      file: 'schemas',
      schema: typeSchema(
        { name: { type: 'string' }, things: morph, locale: { type: 'string', private: true } },
        { info: { singularName: 'offer', pluralName: 'offers' } },
      ),
    };
    const about = { type: 'relation', relation: 'morphToMany' };
    const layouts = new Map([
      [uid, { settings: { mainField: 'things' }, layouts: { list: ['id', 'things', 'name', 'locale'] } }],
    ]);
    const { contentTypes, remarks } = definitionsOf([...sources({ about }), offer], { layouts });
    expect(contentTypes.find(({ singularApiId }) => singularApiId === 'offer')).toMatchObject({
      desk: { list: ['id', 'name'] },
      attributes: { name: { type: 'string' }, locale_: { type: 'string' } },
    });
    expect(remarks).toContainEqual(
      expect.objectContaining({ list: 'none', subject: uid, key: 'things', file: 'schemas' }),
    );
  });

  it('stay if the only attribute of their list is left out', () => {
    const morph = { type: 'relation', relation: 'morphMany', target: 'api::thing.thing', morphBy: 'about' };
    const uid = 'plugin::shop.offer';
    const attributes = { name: { type: 'string' }, things: morph };
    const info = { singularName: 'offer', pluralName: 'offers' };
    const offer = { uid, file: 'schemas', schema: typeSchema(attributes, { info }) };
    const { contentTypes } = definitionsOf(
      [...sources({ about: { type: 'relation', relation: 'morphToMany' } }), offer],
      { layouts: new Map([[uid, { layouts: { list: ['things'] } }]]) },
    );
    const found = contentTypes.find(({ singularApiId }) => singularApiId === 'offer');
    expect(found).toMatchObject({ attributes: { name: { type: 'string' } } });
    expect(found?.desk).not.toHaveProperty('list');
  });

  it('are printed as files with an index', () => {
    const files = printDefinitions(definitionsOf(sources({ name: { type: 'string' } })), {
      access: { public: { thing: ['find'] } },
      locales: ['en'],
      defaultLocale: 'en',
    });
    expect(files.map(({ path }) => path)).toEqual([
      'types/thing.ts',
      'types/other.ts',
      'components/shared/seo.ts',
      'user-attributes.ts',
      'access.ts',
      'index.ts',
    ]);
    expect(files[0]?.text).toContain(
      "export const thing = defineCollectionType({\n  singularApiId: 'thing',",
    );
    expect(files.at(-1)?.text).toContain('export const contentTypes = [thing, other];');
  });

  it('have files of their own if components differ only in case', () => {
    const component = (uid: string) => ({
      uid,
      file: uid,
      schema: { attributes: {}, modelType: 'component' },
    });
    const { components, ...others } = definitionsOf(['shared.card', 'Shared.Card'].map(component));
    expect(components.map(({ uid }) => uid)).toEqual(['shared.card', 'Shared.Card']);
    const files = printDefinitions(
      { components, ...others },
      { access: {}, locales: ['en'], defaultLocale: 'en' },
    );
    const paths = files.map(({ path }) => path).filter((path) => path.startsWith('components/'));
    expect(paths).toEqual(['components/shared/card.ts', 'components/shared/card-2.ts']);
    expect(files.at(-1)?.text).toContain("import { SharedCard } from './components/shared/card-2.js';");
  });
});
