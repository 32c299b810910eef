/** Types whose grants have conditions, for the fuzzer of rights. */
import { defineCollectionType, defineComponent } from 'nestjs-content-api';

const team = defineCollectionType({
  singularApiId: 'team',
  pluralApiId: 'teams',
  attributes: { name: { type: 'string' } },
});

const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: {
    name: { type: 'string' },
    articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'tags' },
    reports: { type: 'relation', relation: 'manyToMany', target: 'report', mappedBy: 'tags' },
    pages: { type: 'relation', relation: 'manyToMany', target: 'page', mappedBy: 'tags' },
    notes: { type: 'relation', relation: 'manyToMany', target: 'note', mappedBy: 'tags' },
    stories: { type: 'relation', relation: 'manyToMany', target: 'story', mappedBy: 'tags' },
    memos: { type: 'relation', relation: 'manyToMany', target: 'memo', mappedBy: 'tags' },
    entries: { type: 'relation', relation: 'manyToMany', target: 'entry', mappedBy: 'tags' },
    items: { type: 'relation', relation: 'manyToMany', target: 'item', mappedBy: 'tags' },
  },
});

/** Target of one document at a time. */
const seal = defineCollectionType({
  singularApiId: 'seal',
  pluralApiId: 'seals',
  attributes: {
    name: { type: 'string' },
    article: { type: 'relation', relation: 'oneToOne', target: 'article', mappedBy: 'seal' },
    report: { type: 'relation', relation: 'oneToOne', target: 'report', mappedBy: 'seal' },
    page: { type: 'relation', relation: 'oneToOne', target: 'page', mappedBy: 'seal' },
    note: { type: 'relation', relation: 'oneToOne', target: 'note', mappedBy: 'seal' },
    story: { type: 'relation', relation: 'oneToOne', target: 'story', mappedBy: 'seal' },
    memo: { type: 'relation', relation: 'oneToOne', target: 'memo', mappedBy: 'seal' },
    entry: { type: 'relation', relation: 'oneToOne', target: 'entry', mappedBy: 'seal' },
    item: { type: 'relation', relation: 'oneToOne', target: 'item', mappedBy: 'seal' },
  },
});

const part = defineComponent({ uid: 'shared.part', attributes: { text: { type: 'string' } } });

const own = {
  title: { type: 'string', localized: true },
  kind: { type: 'string', localized: true },
} as const;

const attributes = {
  topic: { type: 'string' },
  team: { type: 'relation', relation: 'manyToOne', target: 'team' },
  parts: { type: 'component', component: 'shared.part', repeatable: true },
} as const;

const tags = { type: 'relation', relation: 'manyToMany', target: 'tag' } as const;
const seals = { type: 'relation', relation: 'oneToOne', target: 'seal' } as const;
const drafts = { draftAndPublish: true, actions: true, history: true } as const;

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  ...drafts,
  localized: true,
  attributes: {
    ...own,
    ...attributes,
    tags: { ...tags, inversedBy: 'articles' },
    seal: { ...seals, inversedBy: 'article' },
  },
});

/** Articles that are published only with the grant `publish`. */
const report = defineCollectionType({
  singularApiId: 'report',
  pluralApiId: 'reports',
  ...drafts,
  localized: true,
  publishBy: 'right',
  attributes: {
    ...own,
    ...attributes,
    tags: { ...tags, inversedBy: 'reports' },
    seal: { ...seals, inversedBy: 'report' },
  },
});

const page = defineCollectionType({
  singularApiId: 'page',
  pluralApiId: 'pages',
  ...drafts,
  attributes: {
    title: { type: 'string' },
    kind: { type: 'string' },
    ...attributes,
    tags: { ...tags, inversedBy: 'pages' },
    seal: { ...seals, inversedBy: 'page' },
  },
});

const note = defineCollectionType({
  singularApiId: 'note',
  pluralApiId: 'notes',
  localized: true,
  history: true,
  attributes: {
    ...own,
    ...attributes,
    tags: { ...tags, localized: true, inversedBy: 'notes' },
    seal: { ...seals, inversedBy: 'note' },
  },
});

/** Articles that are published only in the stage `read`. */
const story = defineCollectionType({
  singularApiId: 'story',
  pluralApiId: 'stories',
  ...drafts,
  localized: true,
  stages: { written: { to: ['read'] }, read: { to: ['written'], publish: true } },
  attributes: {
    ...own,
    ...attributes,
    tags: { ...tags, inversedBy: 'stories' },
    seal: { ...seals, inversedBy: 'story' },
  },
});

/** Articles of tenants. */
const memo = defineCollectionType({
  singularApiId: 'memo',
  pluralApiId: 'memos',
  ...drafts,
  localized: true,
  tenant: 'org',
  attributes: {
    ...own,
    ...attributes,
    org: { type: 'string' },
    tags: { ...tags, inversedBy: 'memos' },
    seal: { ...seals, inversedBy: 'memo' },
  },
});

const strictPart = defineComponent({
  uid: 'shared.strict-part',
  attributes: { text: { type: 'string', required: true, regex: '^p$' } },
});

const constrained = {
  title: { type: 'string', localized: true, required: true, unique: true },
  kind: { type: 'enumeration', enum: ['open', 'closed'], localized: true },
  topic: { type: 'string', required: true, unique: true },
  team: { type: 'relation', relation: 'manyToOne', target: 'team' },
  parts: { type: 'component', component: 'shared.strict-part', repeatable: true, required: true, min: 1 },
} as const;

/** Articles whose attributes have constraints. */
const entry = defineCollectionType({
  singularApiId: 'entry',
  pluralApiId: 'entries',
  ...drafts,
  localized: true,
  attributes: {
    ...constrained,
    tags: { ...tags, inversedBy: 'entries' },
    seal: { ...seals, inversedBy: 'entry' },
  },
});

/** Notes whose attributes have constraints. */
const item = defineCollectionType({
  singularApiId: 'item',
  pluralApiId: 'items',
  localized: true,
  history: true,
  attributes: {
    ...constrained,
    tags: { ...tags, inversedBy: 'items' },
    seal: { ...seals, inversedBy: 'item' },
  },
});

export const contentTypes = [team, tag, seal, article, report, page, note, story, memo, entry, item];
export const components = [part, strictPart];

export const TYPES = ['article', 'report', 'page', 'note', 'story', 'memo', 'entry', 'item'] as const;
export type TypeName = (typeof TYPES)[number];
export const PLURALS = {
  article: 'articles',
  report: 'reports',
  page: 'pages',
  note: 'notes',
  story: 'stories',
  memo: 'memos',
  entry: 'entries',
  item: 'items',
} as const;
export const hasLocales = (type: TypeName): boolean => type !== 'page';
export const hasDrafts = (type: TypeName): boolean => type !== 'note' && type !== 'item';
export const isConstrained = (type: TypeName): boolean => type === 'entry' || type === 'item';

/** Stored version of a document. */
export interface Version {
  readonly type: TypeName;
  readonly documentId: string;
  readonly locale: string;
  readonly published: boolean;
  readonly title: string | null;
  readonly kind: string | null;
  readonly topic: string | null;
  readonly team: string | null;
  readonly seal: string | null;
  readonly tags: readonly string[];
  readonly parts: readonly string[];
  /** Of stories. */
  readonly stage: string | null;
  /** Tenant of memos. */
  readonly org: string | null;
}

interface Condition {
  readonly where: Readonly<Record<string, unknown>>;
  readonly meets: (version: Version) => boolean;
}

const open: Condition = { where: { kind: 'open' }, meets: ({ kind }) => kind === 'open' };
const german: Condition = { where: { locale: 'de' }, meets: ({ locale }) => locale === 'de' };
const topicA: Condition = { where: { topic: 'a' }, meets: ({ topic }) => topic === 'a' };

/** Conditions of grants, as filters and as a function of a stored version. */
export const CONDITIONS: readonly Condition[] = [
  open,
  german,
  topicA,
  { where: { team: { name: 'red' } }, meets: ({ team: name }) => name === 'red' },
  { where: { tags: { name: 'free' } }, meets: ({ tags: names }) => names.includes('free') },
  { where: { parts: { text: 'p' } }, meets: ({ parts }) => parts.includes('p') },
  {
    where: { publishedAt: { $null: true } },
    meets: ({ type, published }) => hasDrafts(type) && !published,
  },
  { where: { $or: [german.where, topicA.where] }, meets: (one) => german.meets(one) || topicA.meets(one) },
  { where: { $not: open.where }, meets: (one) => !open.meets(one) },
];
