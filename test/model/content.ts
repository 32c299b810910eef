/**
 * Types with every kind of relation between every kind of type. They have drafts or not, locales or not.
 * Relations are one-way, two-way and with themselves, shared and localized, in components, zones and media,
 * and an owner.
 */
import {
  type ContentModuleOptions,
  defineCollectionType,
  defineComponent,
  defineSingleType,
} from 'nestjs-content-api';

export const LOCALES = ['en', 'fr'] as const;
export const DEFAULT_LOCALE = 'en';

const badge = defineComponent({
  uid: 'parts.badge',
  attributes: {
    text: { type: 'string' },
    topic: { type: 'relation', relation: 'manyToOne', target: 'topic' },
    people: { type: 'relation', relation: 'manyToMany', target: 'person' },
  },
});

const note = defineComponent({
  uid: 'parts.note',
  attributes: {
    text: { type: 'string' },
    stories: { type: 'relation', relation: 'manyToMany', target: 'story' },
  },
});

/** With drafts and locales. */
const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  actions: true,
  localized: true,
  history: true,
  attributes: {
    title: { type: 'string', localized: true },
    rank: { type: 'integer' },
    cover: { type: 'media' },
    gallery: { type: 'media', multiple: true, localized: true },
    main: { type: 'relation', relation: 'manyToOne', target: 'topic', inversedBy: 'mainOf' },
    lmain: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'topic',
      inversedBy: 'lmainOf',
      localized: true,
    },
    emblem: { type: 'relation', relation: 'oneToOne', target: 'topic', inversedBy: 'emblemOf' },
    lemblem: {
      type: 'relation',
      relation: 'oneToOne',
      target: 'topic',
      inversedBy: 'lemblemOf',
      localized: true,
    },
    topics: { type: 'relation', relation: 'manyToMany', target: 'topic', inversedBy: 'stories' },
    ltopics: {
      type: 'relation',
      relation: 'manyToMany',
      target: 'topic',
      inversedBy: 'lstories',
      localized: true,
    },
    lpeople: {
      type: 'relation',
      relation: 'manyToMany',
      target: 'person',
      inversedBy: 'lstories',
      localized: true,
    },
    parent: { type: 'relation', relation: 'manyToOne', target: 'story', inversedBy: 'children' },
    children: { type: 'relation', relation: 'oneToMany', target: 'story', mappedBy: 'parent' },
    friends: {
      type: 'relation',
      relation: 'manyToMany',
      target: 'story',
      inversedBy: 'friendOf',
      localized: true,
    },
    friendOf: {
      type: 'relation',
      relation: 'manyToMany',
      target: 'story',
      mappedBy: 'friends',
      localized: true,
    },
    twin: { type: 'relation', relation: 'oneToOne', target: 'story', inversedBy: 'twinOf' },
    twinOf: { type: 'relation', relation: 'oneToOne', target: 'story', mappedBy: 'twin' },
    likes: { type: 'relation', relation: 'manyToMany', target: 'story' },
    sources: { type: 'relation', relation: 'oneToMany', target: 'tag', localized: true },
    fans: { type: 'relation', relation: 'manyToMany', target: 'person', mappedBy: 'favourites' },
    lfans: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'person',
      mappedBy: 'lfavourite',
      localized: true,
    },
    markedBy: { type: 'relation', relation: 'oneToOne', target: 'tag', mappedBy: 'mark' },
    heroOf: { type: 'relation', relation: 'oneToMany', target: 'page', mappedBy: 'hero', localized: true },
    remarks: { type: 'relation', relation: 'morphMany', target: 'remark', morphBy: 'about' },
    lremark: {
      type: 'relation',
      relation: 'morphOne',
      target: 'remark',
      morphBy: 'lsubject',
      localized: true,
    },
    topRemark: { type: 'relation', relation: 'morphOne', target: 'remark', morphBy: 'tops' },
    badges: { type: 'component', component: 'parts.badge', repeatable: true, localized: true },
    zone: { type: 'dynamiczone', components: ['parts.badge', 'parts.note'] },
  },
});

/** With drafts, without locales. */
const topic = defineCollectionType({
  singularApiId: 'topic',
  pluralApiId: 'topics',
  history: true,
  draftAndPublish: true,
  actions: true,
  attributes: {
    name: { type: 'string' },
    next: { type: 'relation', relation: 'oneToOne', target: 'topic', inversedBy: 'previous' },
    previous: { type: 'relation', relation: 'oneToOne', target: 'topic', mappedBy: 'next' },
    people: { type: 'relation', relation: 'manyToMany', target: 'person', inversedBy: 'topics' },
    lead: { type: 'relation', relation: 'manyToOne', target: 'tag', inversedBy: 'leads' },
    favourite: { type: 'relation', relation: 'oneToOne', target: 'story' },
    mainOf: { type: 'relation', relation: 'oneToMany', target: 'story', mappedBy: 'main' },
    lmainOf: { type: 'relation', relation: 'oneToMany', target: 'story', mappedBy: 'lmain' },
    emblemOf: { type: 'relation', relation: 'oneToOne', target: 'story', mappedBy: 'emblem' },
    lemblemOf: { type: 'relation', relation: 'oneToOne', target: 'story', mappedBy: 'lemblem' },
    stories: { type: 'relation', relation: 'manyToMany', target: 'story', mappedBy: 'topics' },
    lstories: { type: 'relation', relation: 'manyToMany', target: 'story', mappedBy: 'ltopics' },
    marks: { type: 'relation', relation: 'manyToMany', target: 'tag', mappedBy: 'marked' },
    pages: { type: 'relation', relation: 'manyToMany', target: 'page', mappedBy: 'links' },
    remarks: { type: 'relation', relation: 'morphMany', target: 'remark', morphBy: 'lsubject' },
    essay: { type: 'relation', relation: 'oneToOne', target: 'essay', mappedBy: 'subject' },
  },
});

/** Without drafts, with locales; owns essays. */
const person = defineCollectionType({
  singularApiId: 'person',
  pluralApiId: 'people',
  history: true,
  localized: true,
  attributes: {
    name: { type: 'string', localized: true },
    age: { type: 'integer' },
    favourites: { type: 'relation', relation: 'manyToMany', target: 'story', inversedBy: 'fans' },
    lfavourite: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'story',
      inversedBy: 'lfans',
      localized: true,
    },
    lbadge: {
      type: 'relation',
      relation: 'oneToOne',
      target: 'tag',
      inversedBy: 'lbadgeOf',
      localized: true,
    },
    boss: { type: 'relation', relation: 'manyToOne', target: 'person', inversedBy: 'staff', localized: true },
    staff: { type: 'relation', relation: 'oneToMany', target: 'person', mappedBy: 'boss', localized: true },
    mate: { type: 'relation', relation: 'oneToOne', target: 'person', inversedBy: 'mateOf' },
    mateOf: { type: 'relation', relation: 'oneToOne', target: 'person', mappedBy: 'mate' },
    lstories: {
      type: 'relation',
      relation: 'manyToMany',
      target: 'story',
      mappedBy: 'lpeople',
      localized: true,
    },
    topics: { type: 'relation', relation: 'manyToMany', target: 'topic', mappedBy: 'people' },
    essays: { type: 'relation', relation: 'oneToMany', target: 'essay', mappedBy: 'author' },
    lremarks: {
      type: 'relation',
      relation: 'morphMany',
      target: 'remark',
      morphBy: 'labout',
      localized: true,
    },
  },
});

/** Without drafts and locales. */
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  history: true,
  attributes: {
    name: { type: 'string' },
    marked: { type: 'relation', relation: 'manyToMany', target: 'topic', inversedBy: 'marks' },
    mark: { type: 'relation', relation: 'oneToOne', target: 'story', inversedBy: 'markedBy' },
    near: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'nearOf' },
    nearOf: { type: 'relation', relation: 'manyToMany', target: 'tag', mappedBy: 'near' },
    head: { type: 'relation', relation: 'manyToOne', target: 'person' },
    leads: { type: 'relation', relation: 'oneToMany', target: 'topic', mappedBy: 'lead' },
    lbadgeOf: { type: 'relation', relation: 'oneToOne', target: 'person', mappedBy: 'lbadge' },
    essays: { type: 'relation', relation: 'manyToMany', target: 'essay', mappedBy: 'tags' },
  },
});

/** Owned by people, who may change their own. What they change needs a new approval. */
const essay = defineCollectionType({
  singularApiId: 'essay',
  pluralApiId: 'essays',
  history: true,
  draftAndPublish: true,
  actions: true,
  owner: 'author',
  stages: { idea: { to: ['ready'] }, ready: { to: ['idea'], publish: true } },
  attributes: {
    text: { type: 'string' },
    author: { type: 'relation', relation: 'manyToOne', target: 'person', inversedBy: 'essays' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'essays' },
    subject: { type: 'relation', relation: 'oneToOne', target: 'topic', inversedBy: 'essay' },
  },
});

/** One document, with drafts and locales. */
const page = defineSingleType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  history: true,
  draftAndPublish: true,
  actions: true,
  localized: true,
  attributes: {
    heading: { type: 'string', localized: true },
    hero: { type: 'relation', relation: 'manyToOne', target: 'story', inversedBy: 'heroOf', localized: true },
    links: { type: 'relation', relation: 'manyToMany', target: 'topic', inversedBy: 'pages' },
  },
});

/** Relates to several types, shared and localized; some targets have one owner at most. */
const remark = defineCollectionType({
  singularApiId: 'remark',
  pluralApiId: 'remarks',
  history: true,
  draftAndPublish: true,
  actions: true,
  localized: true,
  attributes: {
    text: { type: 'string', localized: true },
    about: { type: 'relation', relation: 'morphToOne', targets: ['story', 'tag'] },
    lsubject: { type: 'relation', relation: 'morphToOne', targets: ['story', 'topic'], localized: true },
    labout: { type: 'relation', relation: 'morphToMany', targets: ['person', 'topic'], localized: true },
    tops: { type: 'relation', relation: 'morphToMany', targets: ['story', 'person'] },
  },
});

/** Grants of signed-in people: essays that they own, and tags of one name, also from their other sides. */
export const PEOPLE = {
  '*': ['find', 'findOne', 'readDrafts'],
  topic: ['update'],
  tag: [{ actions: ['update'], where: { name: 'a' } }],
  essay: ['create', { actions: ['update', 'delete'], own: true }],
} as const;

export const content = {
  contentTypes: [story, topic, person, tag, essay, page, remark],
  components: [badge, note],
  locales: LOCALES,
  defaultLocale: DEFAULT_LOCALE,
} satisfies Pick<ContentModuleOptions, 'contentTypes' | 'components' | 'locales' | 'defaultLocale'>;
