/** Code that compiles, and its types: this file passes if it has no errors. */
/* eslint-disable @typescript-eslint/no-unused-vars -- values that are asked for their type alone */
import {
  AfterContent,
  BeforeContent,
  type ContentEvent,
  ContentService,
  type DocumentOf,
  InjectContent,
  type InputOf,
  type QueryOf,
  type Grant,
  type ResultOf,
  type WhereFor,
} from 'nestjs-content-api';
import type { userTypes } from 'nestjs-content-api/accounts';
import type { model } from './model.ts';

/** Is true if two types are equal. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare const holds: <T extends true>(given?: T) => void;

declare const articles: ContentService<'article'>;
declare const authors: ContentService<'author'>;
declare const tags: ContentService<'tag'>;
declare const pins: ContentService<'pin'>;
declare const homepage: ContentService<'homepage'>;
declare const files: ContentService<'file'>;
declare const untyped: ContentService;
declare const flag: boolean;

interface Identity {
  readonly id: number;
  readonly documentId: string;
}

export function conditions(): Grant {
  const ofAnn: WhereFor<'article'> = ({ id }) => ({ author: { name: { $eq: id ?? '' } } });
  return { actions: ['find'], where: ofAnn };
}

export async function fields(): Promise<void> {
  const whole = (await articles.find()).data;
  holds<Same<(typeof whole)[number]['title'], string>>();
  holds<Same<(typeof whole)[number]['views'], number>>();
  holds<Same<(typeof whole)[number]['big'], string | null>>();
  holds<Same<(typeof whole)[number]['mood'], 'good' | 'bad' | null>>();
  holds<Same<(typeof whole)[number]['updatedAt'], string>>();
  holds<'secret' extends keyof (typeof whole)[number] ? false : true>();
  holds<'note' extends keyof (typeof whole)[number] ? false : true>();
  holds<'author' extends keyof (typeof whole)[number] ? false : true>();
  const all = (await articles.find({ fields: '*' })).data;
  holds<Same<typeof all, typeof whole>>();
  const none = (await articles.find({ fields: [] })).data;
  holds<Same<typeof none, typeof whole>>();
  const one = await authors.findOne('x', { fields: 'name' });
  holds<
    Same<typeof one, (Identity & { readonly name: string }) | null> extends true
      ? true
      : SameShape<typeof one>
  >();
  const two = (await articles.find({ fields: ['title', 'views'] })).data;
  holds<Same<keyof (typeof two)[number], 'id' | 'documentId' | 'title' | 'views'>>();
  const open: ('title' | 'views')[] = ['title'];
  const some = (await articles.find({ fields: open })).data;
  holds<Same<(typeof some)[number]['title'], string | undefined>>();
  holds<Same<(typeof some)[number]['id'], number>>();
}
type SameShape<T> = Same<keyof NonNullable<T>, 'id' | 'documentId' | 'name'>;

export async function populate(): Promise<void> {
  const byName = (await articles.find({ populate: 'author' })).data;
  holds<Same<NonNullable<(typeof byName)[number]['author']>['name'], string>>();
  holds<'cover' extends keyof (typeof byName)[number] ? false : true>();
  const byNames = (await articles.find({ populate: ['cover', 'tags'] })).data;
  holds<Same<NonNullable<(typeof byNames)[number]['cover']>['url'], string>>();
  holds<Same<(typeof byNames)[number]['tags'][number]['label'], string>>();
  const dotted = (await articles.find({ populate: ['author.boss', 'author.articles', 'zone.image'] })).data;
  holds<Same<NonNullable<NonNullable<(typeof dotted)[number]['author']>['boss']>['age'], number | null>>();
  holds<Same<NonNullable<(typeof dotted)[number]['author']>['articles'][number]['title'], string>>();
  const everything = (await articles.find({ populate: '*' })).data;
  holds<Same<(typeof everything)[number]['gallery'][number]['width'], number | null>>();
  holds<Same<(typeof everything)[number]['localizations'][number]['locale'], string>>();
  holds<'boss' extends keyof NonNullable<(typeof everything)[number]['author']> ? false : true>();
  const deep = await articles.findOne('x', {
    populate: {
      author: { fields: ['name'], populate: { boss: { fields: ['age'] } } },
      seo: { populate: '*' },
      tags: { count: true },
      cover: false,
      gallery: flag,
      quotes: '*',
    },
  });
  type Deep = NonNullable<typeof deep>;
  holds<Same<keyof NonNullable<Deep['author']>, 'id' | 'documentId' | 'name' | 'boss'>>();
  holds<Same<keyof NonNullable<NonNullable<Deep['author']>['boss']>, 'id' | 'documentId' | 'age'>>();
  holds<Same<NonNullable<NonNullable<Deep['seo']>['image']>['mime'], string>>();
  holds<'hidden' extends keyof NonNullable<Deep['seo']> ? false : true>();
  holds<Same<Deep['tags'], { readonly count: number }>>();
  holds<'cover' extends keyof Deep ? false : true>();
  holds<Same<NonNullable<Deep['gallery']>[number]['url'], string>>();
  holds<undefined extends Deep['gallery'] ? true : false>();
  holds<Same<Deep['quotes'][number]['text'], string>>();
  const wide: QueryOf<'article'> = { populate: { author: true } };
  const unknown = (await articles.find(wide)).data;
  holds<undefined extends (typeof unknown)[number]['author'] ? true : false>();
  const either = (await articles.find({ populate: flag ? 'author' : 'cover' })).data;
  holds<'author' extends keyof (typeof either)[number] ? false : true>();
}

export async function mixed(): Promise<void> {
  const zone = (await articles.find({ populate: { zone: true } })).data.flatMap((one) => one.zone);
  const [first] = zone;
  if (first?.__component === 'shared.seo') holds<Same<(typeof first)['metaTitle'], string>>();
  if (first?.__component === 'shared.quote') holds<Same<(typeof first)['text'], string>>();
  const some = (
    await articles.find({
      populate: { zone: { on: { 'shared.quote': { populate: { by: { fields: ['name'] } } } } } },
    })
  ).data.flatMap((one) => one.zone);
  holds<Same<(typeof some)[number]['__component'], 'shared.quote'>>();
  holds<Same<NonNullable<(typeof some)[number]['by']>['name'], string>>();
  const pin = await pins.findOne('x', {
    populate: {
      on: { on: { 'api::article.article': { fields: ['title'] }, 'api::tag.tag': true } },
      all: true,
    },
  });
  const target = pin?.on;
  if (target?.__type === 'api::article.article') holds<Same<(typeof target)['title'], string>>();
  if (target?.__type === 'api::tag.tag') holds<Same<(typeof target)['label'], string>>();
  holds<Same<NonNullable<typeof pin>['all'][number]['__type'], string>>();
  const tag = await tags.findOne('x', { populate: { by: true } });
  holds<Same<NonNullable<typeof tag>['by'][number]['id'], number>>();
}

export async function filters(): Promise<void> {
  await articles.find({
    filters: {
      title: 'x',
      views: { $gte: 3, $lt: [5, 6], $not: { $between: [1, 2] } },
      big: '12345678901234567890',
      mood: { $in: ['good'], $containsi: 'oo' },
      open: true,
      at: { $lt: new Date() },
      meta: { $jsonSupersetOf: { a: 1 } },
      author: { name: { $startsWith: 'A' }, boss: { $null: true } },
      tags: { id: { $in: [1, 2] } },
      cover: { mime: 'image/png' },
      seo: { metaTitle: { $eqi: 'x' } },
      gallery: 3,
      localizations: { locale: 'fr' },
      $or: [{ slug: 'a' }, { $and: [{ documentId: 'x' }, { id: 3 }] }],
      $not: { publishedAt: null },
    },
    sort: ['title', 'author.name:desc', { author: { boss: { name: 'asc' } } }],
    pagination: { page: 2, pageSize: 10, withCount: false },
    status: 'draft',
    locale: 'fr',
    fallbackLocale: ['en'],
    publicationFilter: 'modified',
    withState: true,
    _q: 'x',
  });
  await articles.find({
    pagination: { start: 10, limit: 5 },
    sort: 'views',
    populate: { tags: { sort: 'label', filters: { label: 'x' } } },
  });
  await articles.count({ filters: { author: 3 }, status: 'draft' });
  await files.find({ filters: { mime: { $startsWith: 'image/' } } });
}

export async function writes(): Promise<void> {
  const created = await articles.create({ title: 'x' });
  holds<Same<(typeof created)['slug'], string>>();
  const shown = await articles.create(
    { title: 'x', author: 'abc' },
    { populate: ['author'], fields: ['title'] },
  );
  holds<Same<keyof typeof shown, 'id' | 'documentId' | 'title' | 'author'>>();
  await articles.create({}, { status: 'draft' });
  await articles.create({ title: null }, { status: 'draft' });
  await articles.update('x', { views: 3, mood: null, at: new Date(), big: 3, secret: 'x', note: null });
  await articles.update('x', {
    title: 'x',
    author: { connect: [{ documentId: 'a', position: { start: true } }], disconnect: [3] },
    tags: { set: [1, 'b', { id: 3 }] },
    gallery: [1, 2],
    cover: null,
    seo: { metaTitle: 'x', image: 3 },
    quotes: [{ id: 3, text: 'y' }, { text: 'new', by: { documentId: 'a' } }, { id: 4 }],
    zone: [
      { __component: 'shared.seo', metaTitle: 'x' },
      { __component: 'shared.quote', id: 3 },
    ],
  });
  const linked = await articles.findOne('x', { populate: ['author', 'tags'] });
  if (linked !== null) await articles.update('y', { author: linked.author, tags: linked.tags });
  await tags.create({ label: 'x' });
  await pins.create({
    on: { __type: 'api::tag.tag', id: 3 },
    all: { connect: [{ __type: 'api::pin.pin', documentId: 'x' }] },
  });
  const home = await homepage.update(null, { heading: 'x', stage: 'ready' });
  holds<Same<(typeof home)['stage'], 'draft' | 'ready' | null>>();
  const published = await articles.publish('x', { locale: '*', fields: ['title'] });
  holds<Same<keyof typeof published, 'id' | 'documentId' | 'title'>>();
  await articles.delete('x', { locale: 'fr' });
}

export function named(): void {
  holds<Same<DocumentOf<'author'>['name'], string>>();
  holds<Same<DocumentOf<'author', typeof model>['name'], string>>();
  holds<Same<NonNullable<NonNullable<DocumentOf<'article'>['author']>['boss']>['name'], string>>();
  const data: InputOf<'article'> = { title: 'x', tags: [1] };
  const draft: InputOf<'article', typeof model, 'draft'> = {};
  const query = {
    fields: ['title'],
    populate: { author: { fields: ['name'] } },
  } as const satisfies QueryOf<'article'>;
  type Row = ResultOf<'article', typeof query>;
  holds<Same<keyof Row, 'id' | 'documentId' | 'title' | 'author'>>();
  holds<Same<keyof NonNullable<Row['author']>, 'id' | 'documentId' | 'name'>>();
  const listed: DocumentOf<'article'> = {} as ResultOf<'article', object>;
  void [data, draft, listed];
}

export class Hooks {
  constructor(
    @InjectContent('article') readonly articles: ContentService<'article'>,
    @InjectContent('file') readonly files: ContentService<'file'>,
    @InjectContent('author') readonly loose: ContentService<{ documentId: string }>,
  ) {}

  @BeforeContent('article', 'create', 'update')
  before({ type, data }: ContentEvent<'article'>): void {
    holds<Same<typeof type, 'article'>>();
    data.title = 'x';
    data.author = { connect: ['a'] };
    data.stamp = 'x';
  }

  @AfterContent('article', 'create')
  after({ document }: ContentEvent<'article'>): void {
    holds<Same<NonNullable<typeof document>['title'], string>>();
    holds<Same<NonNullable<NonNullable<typeof document>['author']>['name'], string>>();
  }

  @BeforeContent('*', 'delete')
  @BeforeContent('article', 'delete')
  any(event: ContentEvent): void {
    event.data['anything'] = event.document?.['anything'];
  }
}

/** Without type arguments, the types are unchanged. */
export async function loose(): Promise<void> {
  const { data } = await untyped.find({ filters: { anything: 3 }, populate: 'deep' });
  holds<Same<(typeof data)[number]['documentId'], string>>();
  await untyped.create({ anything: 3 });
  const any: ContentService = articles;
  await any.count();
}

interface AuthoredPost {
  readonly singularApiId: 'post';
  readonly pluralApiId: 'posts';
  readonly kind: 'collectionType';
  readonly authors: true;
  readonly attributes: { readonly title: { readonly type: 'string'; readonly required: true } };
}
interface User {
  readonly singularApiId: 'user';
  readonly pluralApiId: 'users';
  readonly kind: 'collectionType';
  readonly attributes: { readonly username: { readonly type: 'string'; readonly required: true } };
}
interface AuthoredModel {
  readonly contentTypes: readonly [AuthoredPost, User];
}

export function authorsOfDocuments(): void {
  const query = {
    populate: { createdBy: { fields: ['username'] } },
    filters: { updatedBy: { username: 'ann' } },
    sort: 'createdBy.username',
  } as const satisfies QueryOf<AuthoredPost, AuthoredModel>;
  type Creator = ResultOf<AuthoredPost, typeof query, AuthoredModel>['createdBy'];
  holds<Same<NonNullable<Creator>['username'], string>>();
  holds<null extends Creator ? true : false>();
  holds<'email' extends keyof NonNullable<Creator> ? false : true>();
  holds<'createdBy' extends keyof InputOf<AuthoredPost, AuthoredModel> ? false : true>();
  holds<
    'createdBy' extends keyof ResultOf<AuthoredPost, { readonly populate: '*' }, AuthoredModel> ? false : true
  >();
}

interface Note {
  readonly singularApiId: 'note';
  readonly pluralApiId: 'notes';
  readonly kind: 'collectionType';
  readonly attributes: {
    readonly about: {
      readonly type: 'relation';
      readonly relation: 'morphToOne';
      readonly targets: readonly ['user', 'note'];
    };
  };
}
interface NotesModel {
  readonly contentTypes: readonly [Note, ReturnType<typeof userTypes<Record<never, never>>>[0]];
}

export function polymorphicLinksToUsers(): void {
  const query = { populate: { about: true } } as const satisfies QueryOf<Note, NotesModel>;
  type About = NonNullable<ResultOf<Note, typeof query, NotesModel>['about']>;
  type Marked = Extract<About, { readonly __type: 'plugin::users-permissions.user' }>;
  holds<Same<About['__type'], 'api::note.note' | 'plugin::users-permissions.user'>>();
  holds<Same<Marked['username'], string>>();
  const data: InputOf<Note, NotesModel> = {
    about: { __type: 'plugin::users-permissions.user', documentId: 'x' },
  };
  void data;
}
