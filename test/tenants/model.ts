/** Model of two tenants in one database, with every way in which documents refer to each other. */
import {
  type ContentModuleOptions,
  type Credentials,
  defineCollectionType,
  defineComponent,
  type Grants,
  type Identity,
  type PresetOf,
  type WhereOf,
} from 'nestjs-content-api';

const part = defineComponent({
  uid: 'tenant.part',
  attributes: {
    text: { type: 'string' },
    image: { type: 'media' },
    article: { type: 'relation', relation: 'manyToOne', target: 'article' },
    articles: { type: 'relation', relation: 'manyToMany', target: 'article' },
    about: { type: 'relation', relation: 'morphToOne', targets: ['article', 'tag', 'topic'] },
  },
});

const organisation = defineCollectionType({
  singularApiId: 'organisation',
  pluralApiId: 'organisations',
  attributes: {
    name: { type: 'string' },
    articles: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'organisation' },
    tags: { type: 'relation', relation: 'oneToMany', target: 'tag', mappedBy: 'organisation' },
  },
});

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  localized: true,
  actions: true,
  history: true,
  stages: { draft: { to: ['ready'] }, ready: { to: ['draft'], publish: true } },
  indexes: [{ attributes: ['organisation', 'path'], unique: true }],
  attributes: {
    title: { type: 'string', localized: true },
    path: { type: 'uid', targetField: 'title', generate: true, localized: true },
    rank: { type: 'integer' },
    organisation: { type: 'relation', relation: 'manyToOne', target: 'organisation', inversedBy: 'articles' },
    next: { type: 'relation', relation: 'manyToOne', target: 'article', inversedBy: 'previous' },
    previous: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'next' },
    similar: { type: 'relation', relation: 'manyToMany', target: 'article' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'articles' },
    topics: { type: 'relation', relation: 'manyToMany', target: 'topic', inversedBy: 'articles' },
    subject: { type: 'relation', relation: 'morphToOne', targets: ['article', 'tag', 'topic'] },
    subjects: { type: 'relation', relation: 'morphToMany', targets: ['article', 'tag', 'topic'] },
    about: { type: 'relation', relation: 'morphMany', target: 'article', morphBy: 'subjects' },
    cover: { type: 'media' },
    part: { type: 'component', component: 'tenant.part' },
    zone: { type: 'dynamiczone', components: ['tenant.part'], localized: true },
  },
});

const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  history: true,
  attributes: {
    name: { type: 'string' },
    organisation: { type: 'relation', relation: 'manyToOne', target: 'organisation', inversedBy: 'tags' },
    articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'tags' },
    about: { type: 'relation', relation: 'morphMany', target: 'article', morphBy: 'subjects' },
  },
});

/** Shared by all tenants. */
const topic = defineCollectionType({
  singularApiId: 'topic',
  pluralApiId: 'topics',
  attributes: {
    name: { type: 'string' },
    articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'topics' },
    lead: { type: 'relation', relation: 'manyToOne', target: 'article' },
  },
});

/** Types whose documents belong to one tenant. */
export const OWNED = ['article', 'tag'] as const;
export const contentTypes = [organisation, article, tag, topic];
/** The same types, of which the option `tenant` separates documents. */
const separated = [
  organisation,
  { ...article, tenant: 'organisation' },
  { ...tag, tenant: 'organisation' },
  topic,
];
export const components = [part];

const theirs: WhereOf = ({ attributes }) => ({ organisation: { documentId: attributes?.['organisation'] } });
const preset: PresetOf = ({ attributes }) => ({ organisation: attributes?.['organisation'] });
const itself: WhereOf = ({ attributes }) => ({ documentId: attributes?.['organisation'] });
const shared: Grants = {
  topic: ['find', 'findOne', 'update', 'create'],
  organisation: [{ actions: ['find', 'findOne', 'update'], where: itself }],
  'content-type-builder': ['find'],
  locale: ['find'],
  releases: ['open'],
};
const reading = ['find', 'findOne', 'readDrafts'] as const;

/** Ways to separate tenants: conditions in grants, or the option of types. */
export const WAYS = ['grants', 'option'] as const;
export type Way = (typeof WAYS)[number];

const CONDITIONAL: Readonly<Record<string, Grants>> = {
  /** The grants of the page on tenants. */
  member: {
    ...shared,
    article: [{ actions: '*', where: theirs, preset }],
    tag: [{ actions: '*', where: theirs, preset }],
  },
  /** Without preset values: a new document must name the tenant. */
  mover: { ...shared, article: [{ actions: '*', where: theirs }], tag: [{ actions: '*', where: theirs }] },
  /** Without drafts, and with some attributes only. */
  author: {
    ...shared,
    article: [
      { actions: ['find', 'findOne'], where: theirs },
      { actions: ['create', 'update'], where: theirs, fields: ['title', 'tags', 'subjects', 'part'] },
    ],
    tag: [{ actions: [...reading, 'update'], where: theirs }],
  },
};

const PLAIN: Readonly<Record<string, Grants>> = {
  member: { ...shared, article: '*', tag: '*' },
  author: {
    ...shared,
    article: [
      'find',
      'findOne',
      { actions: ['create', 'update'], fields: ['title', 'tags', 'subjects', 'part'] },
    ],
    tag: [...reading, 'update'],
  },
};

export const ROLES: Readonly<Record<Way, Readonly<Record<string, Grants>>>> = {
  grants: CONDITIONAL,
  option: PLAIN,
};

/** Headers of a member of an organisation. */
export const memberOf = (role: string, organisationId: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${role}/${organisationId}`,
});

export const optionsOf = (way: Way): Omit<ContentModuleOptions, 'database'> => ({
  contentTypes: way === 'grants' ? contentTypes : separated,
  components,
  locales: ['en', 'fr'],
  access: { roles: ROLES[way] },
  auth: {
    strategies: [
      {
        name: 'members',
        authenticate: ({ bearer }: Credentials): Identity | null => {
          const [role = '', organisationId] = (bearer ?? '').split('/');
          if (!(role in ROLES[way])) return null;
          return { kind: 'user', id: 'ann', roles: [role], attributes: { organisation: organisationId } };
        },
      },
    ],
  },
  schedule: { everySeconds: 3600 },
});

/** Name of a type in polymorphic relations. */
export const uid = (type: string): string => `api::${type}.${type}`;
