/** Application of the journeys: a newsroom with every kind of attribute, drafts, languages and files. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamicModule, INestApplication } from '@nestjs/common';
import {
  type ContentModuleOptions,
  defineCollectionType,
  defineComponent,
  defineSingleType,
  type Grants,
} from 'nestjs-content-api';
import {
  ApiTokensModule,
  apiTokenType,
  type MailSender,
  UsersModule,
  userTypes,
} from 'nestjs-content-api/accounts';
import { DeskModule, type DeskOptions } from 'nestjs-content-api/desk';
import { FilesModule, LocalStorage, SharpImages } from 'nestjs-content-api/files';
import { AuditModule, HistoryModule } from 'nestjs-content-api/history';
import { ReleasesModule } from 'nestjs-content-api/releases';
import { DeskInvitations } from '../../../src/features/desk/desk-invitations.ts';
import { SECRET } from '../../accounts/helpers.ts';
import { type Adapter, createTestApp, type TestApp } from '../../support/app.ts';

const seo = defineComponent({
  uid: 'part.seo',
  desk: { description: 'What search engines show.' },
  attributes: {
    metaTitle: { type: 'string', maxLength: 60, desk: { label: 'Title for search engines' } },
    metaDescription: { type: 'text' },
    shareImage: { type: 'media', allowedTypes: ['images'] },
  },
});
const quote = defineComponent({
  uid: 'part.quote',
  desk: { title: 'text', description: 'A sentence with its speaker.' },
  attributes: {
    text: { type: 'text', required: true },
    speaker: { type: 'string' },
    source: { type: 'relation', relation: 'oneToOne', target: 'author' },
  },
});
const cell = defineComponent({ uid: 'part.cell', attributes: { text: { type: 'string' } } });
const row = defineComponent({
  uid: 'part.row',
  attributes: {
    heading: { type: 'string' },
    cells: { type: 'component', component: 'part.cell', repeatable: true },
  },
});
const table = defineComponent({
  uid: 'part.table',
  desk: { description: 'Rows of cells.' },
  attributes: {
    caption: { type: 'string' },
    rows: { type: 'component', component: 'part.row', repeatable: true },
  },
});

/** Site that shows previews; a journey sets its address. */
export const site = { url: 'http://site.invalid' };

const article = defineCollectionType({
  singularApiId: 'article',
  pluralApiId: 'articles',
  draftAndPublish: true,
  localized: true,
  actions: true,
  history: true,
  desk: {
    group: { en: 'Magazine', de: 'Magazin' },
    label: { en: 'Article', de: 'Artikel' },
    plural: { en: 'Articles', de: 'Artikel' },
    title: 'title',
    list: ['title', 'author', 'tags', 'kind', 'updatedAt'],
    description: {
      en: 'Texts of the magazine, in all languages.',
      de: 'Texte des Magazins, in allen Sprachen.',
    },
    preview: ({ documentId }, { token }) => `${site.url}/articles/${String(documentId)}?token=${token ?? ''}`,
  },
  attributes: {
    title: {
      type: 'string',
      required: true,
      maxLength: 80,
      localized: true,
      desk: {
        label: { en: 'Title', de: 'Titel' },
        description: { en: 'As it stands on the cover.', de: 'Wie er auf dem Umschlag steht.' },
        placeholder: { en: 'At most ten words', de: 'Höchstens zehn Wörter' },
        width: 8,
      },
    },
    slug: { type: 'uid', targetField: 'title', generate: true, localized: true, desk: { width: 4 } },
    lead: { type: 'text', maxLength: 300, localized: true, desk: { label: { en: 'Lead', de: 'Vorspann' } } },
    body: { type: 'richtext', localized: true },
    story: { type: 'blocks', localized: true },
    kind: { type: 'enumeration', enum: ['news', 'report', 'interview'], default: 'news' },
    featured: { type: 'boolean', default: false },
    rating: { type: 'integer', min: 0, max: 10 },
    price: { type: 'decimal' },
    weight: { type: 'float' },
    views: { type: 'biginteger' },
    appears: { type: 'date' },
    meeting: { type: 'datetime' },
    hour: { type: 'time' },
    contact: { type: 'email' },
    extra: { type: 'json' },
    author: { type: 'relation', relation: 'manyToOne', target: 'author', inversedBy: 'articles' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'tag', inversedBy: 'articles' },
    cover: { type: 'media', allowedTypes: ['images'] },
    gallery: { type: 'media', multiple: true },
    seo: { type: 'component', component: 'part.seo', localized: true },
    sections: { type: 'dynamiczone', components: ['part.quote', 'part.table', 'part.seo'], localized: true },
  },
});
const author = defineCollectionType({
  singularApiId: 'author',
  pluralApiId: 'authors',
  desk: {
    group: { en: 'Magazine', de: 'Magazin' },
    label: { en: 'Author', de: 'Autorin' },
    plural: { en: 'Authors', de: 'Autorinnen' },
    title: 'name',
    order: 'position',
  },
  attributes: {
    name: { type: 'string', required: true, unique: true },
    biography: { type: 'text' },
    position: { type: 'integer' },
    articles: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'author' },
  },
});
const tag = defineCollectionType({
  singularApiId: 'tag',
  pluralApiId: 'tags',
  attributes: {
    label: { type: 'string', required: true },
    articles: { type: 'relation', relation: 'manyToMany', target: 'article', mappedBy: 'tags' },
  },
});
const homepage = defineSingleType({
  singularApiId: 'homepage',
  draftAndPublish: true,
  actions: true,
  history: true,
  attributes: {
    headline: { type: 'string', required: true },
    highlights: { type: 'relation', relation: 'oneToMany', target: 'article' },
  },
});

const WRITES = ['find', 'findOne', 'create', 'update', 'delete', 'readDrafts'] as const;

const ROLES = {
  editor: {
    desk: ['open'],
    locale: ['find'],
    article: '*',
    author: '*',
    tag: '*',
    homepage: '*',
    file: '*',
    user: [{ actions: ['find'], fields: ['username'] }],
    releases: ['open'],
  },
  writer: {
    desk: ['open'],
    locale: ['find'],
    article: [...WRITES],
    author: ['find', 'findOne'],
    tag: ['find', 'findOne'],
    file: ['find', 'findOne', 'create'],
  },
  looker: { desk: ['open'], article: ['find', 'findOne', 'readDrafts'] },
  reader: { article: ['find', 'findOne'] },
  chief: { '*': '*' },
  auditor: { '*': '*', audit: ['open'] },
} as const;

const NEWSROOM = {
  contentTypes: [article, author, tag, homepage, apiTokenType, ...userTypes()],
  components: [seo, quote, cell, row, table],
  locales: ['en', 'fr', 'ar'],
  access: { roles: ROLES },
} as const satisfies Partial<ContentModuleOptions>;

export interface Newsroom extends TestApp {
  readonly desk: string;
  /** Creates an editor, and returns the link of the invitation. */
  readonly invite: (email: string, role?: string) => Promise<string>;
}

export interface NewsroomOptions {
  /** Global prefix of the application. */
  readonly prefix?: string;
  /** Options of the desk. */
  readonly desk?: DeskOptions;
  /** Further content types of the application. */
  readonly contentTypes?: ContentModuleOptions['contentTypes'];
  /** Further components of the application. */
  readonly components?: ContentModuleOptions['components'];
  /** Sender of mails, such as those for forgotten passwords. */
  readonly mail?: MailSender;
  /** Further roles of the application. */
  readonly roles?: Readonly<Record<string, Grants>>;
  /** Called before the application starts. */
  readonly prepare?: (app: INestApplication) => void;
  /** Largest page of a response. */
  readonly maxLimit?: number;
  /** Further modules of the application. */
  readonly imports?: readonly DynamicModule[];
}

export async function startNewsroom(adapter: Adapter, options: NewsroomOptions = {}): Promise<Newsroom> {
  const { prefix = null, desk: deskOptions = {}, imports = [] } = options;
  const { contentTypes = [], components = [], roles = {} } = options;
  const limit = options.maxLimit === undefined ? {} : { maxLimit: options.maxLimit };
  const mail = options.mail === undefined ? {} : { mail: options.mail };
  const folder = await mkdtemp(join(tmpdir(), 'content-newsroom-'));
  const test = await createTestApp(
    {
      ...NEWSROOM,
      ...limit,
      contentTypes: [...NEWSROOM.contentTypes, ...contentTypes],
      components: [...NEWSROOM.components, ...components],
      access: { roles: { ...ROLES, ...roles } },
      imports: [
        UsersModule.forRoot({ secret: SECRET, refresh: true, rateLimit: false, ...mail }),
        ApiTokensModule,
        FilesModule.forRoot({ storage: new LocalStorage(folder), images: new SharpImages() }),
        DeskModule.forRoot(deskOptions),
        HistoryModule.forRoot(),
        ReleasesModule.forRoot(),
        AuditModule.forRoot({ addresses: true }),
        ...imports,
      ],
    },
    adapter,
    (app) => {
      if (prefix !== null) app.setGlobalPrefix(prefix);
      options.prepare?.(app);
    },
  );
  const desk = `${test.url}${prefix === null ? '' : `/${prefix}`}/desk`;
  const invitations = test.app.get(DeskInvitations);
  return {
    ...test,
    desk,
    invite: (email, role = 'editor') => invitations.invite({ email, role, url: desk }),
    close: async () => {
      await test.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
