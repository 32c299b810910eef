/**
 * Types for concurrent writes: one relation of every kind, uniqueness, generated uids, locales, single types.
 */
import { defineCollectionType, defineComponent, defineSingleType } from 'nestjs-content-api';

const badge = defineComponent({ uid: 'shared.badge', attributes: { text: { type: 'string' } } });

const box = defineComponent({
  uid: 'shared.box',
  attributes: {
    label: { type: 'string' },
    topic: { type: 'relation', relation: 'manyToOne', target: 'topic' },
    topics: { type: 'relation', relation: 'manyToMany', target: 'topic' },
    badges: { type: 'component', component: 'shared.badge', repeatable: true },
  },
});

/** Has no drafts. */
const person = defineCollectionType({
  singularApiId: 'person',
  pluralApiId: 'people',
  attributes: {
    name: { type: 'string', required: true },
    code: { type: 'string', unique: true },
    slug: { type: 'uid', targetField: 'name', generate: true },
    groups: { type: 'relation', relation: 'manyToMany', target: 'group', inversedBy: 'people' },
    list: { type: 'relation', relation: 'manyToMany', target: 'group' },
    home: { type: 'relation', relation: 'manyToOne', target: 'group', inversedBy: 'residents' },
    friends: { type: 'relation', relation: 'manyToMany', target: 'person', inversedBy: 'friendOf' },
    friendOf: { type: 'relation', relation: 'manyToMany', target: 'person', mappedBy: 'friends' },
    partner: { type: 'relation', relation: 'oneToOne', target: 'person', inversedBy: 'partnerOf' },
    partnerOf: { type: 'relation', relation: 'oneToOne', target: 'person', mappedBy: 'partner' },
    parent: { type: 'relation', relation: 'manyToOne', target: 'person', inversedBy: 'children' },
    children: { type: 'relation', relation: 'oneToMany', target: 'person', mappedBy: 'parent' },
    badge: { type: 'component', component: 'shared.badge' },
  },
});

const group = defineCollectionType({
  singularApiId: 'group',
  pluralApiId: 'groups',
  attributes: {
    name: { type: 'string' },
    people: { type: 'relation', relation: 'manyToMany', target: 'person', mappedBy: 'groups' },
    residents: { type: 'relation', relation: 'oneToMany', target: 'person', mappedBy: 'home' },
  },
});

/** Has drafts and locales. */
const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  draftAndPublish: true,
  localized: true,
  attributes: {
    title: { type: 'string', required: true, localized: true },
    code: { type: 'string', unique: true, localized: true },
    slug: { type: 'uid', targetField: 'title', generate: true, localized: true },
    rank: { type: 'integer' },
    topics: { type: 'relation', relation: 'manyToMany', target: 'topic', inversedBy: 'stories' },
    main: { type: 'relation', relation: 'manyToOne', target: 'topic', inversedBy: 'mainOf' },
    emblem: { type: 'relation', relation: 'oneToOne', target: 'topic', inversedBy: 'emblemOf' },
    list: { type: 'relation', relation: 'manyToMany', target: 'topic' },
    badges: { type: 'component', component: 'shared.badge', repeatable: true },
    box: { type: 'component', component: 'shared.box', localized: true },
    zone: { type: 'dynamiczone', components: ['shared.badge', 'shared.box'] },
  },
});

const topic = defineCollectionType({
  singularApiId: 'topic',
  pluralApiId: 'topics',
  draftAndPublish: true,
  attributes: {
    name: { type: 'string' },
    stories: { type: 'relation', relation: 'manyToMany', target: 'story', mappedBy: 'topics' },
    mainOf: { type: 'relation', relation: 'oneToMany', target: 'story', mappedBy: 'main' },
    emblemOf: { type: 'relation', relation: 'oneToOne', target: 'story', mappedBy: 'emblem' },
  },
});

const setting = defineSingleType({
  singularApiId: 'setting',
  attributes: { name: { type: 'string' }, amount: { type: 'integer' } },
});

const frontpage = defineSingleType({
  singularApiId: 'frontpage',
  draftAndPublish: true,
  localized: true,
  attributes: { heading: { type: 'string', localized: true }, rank: { type: 'integer' } },
});

export const busy = {
  contentTypes: [person, group, story, topic, setting, frontpage],
  components: [badge, box],
  locales: ['en', 'fr', 'de'],
  access: { public: { '*': '*' as const } },
};
