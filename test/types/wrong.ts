/** Code that does not compile. The comment before each error is a part of its message. */
import {
  AfterContent,
  BeforeContent,
  type ContentEvent,
  ContentService,
  defineCollectionType,
  type DocumentOf,
  InjectContent,
  type InputOf,
  OnContentCommitted,
  type QueryOf,
  type WhereFor,
} from 'nestjs-content-api';

declare const articles: ContentService<'article'>;
declare const authors: ContentService<'author'>;
declare const pins: ContentService<'pin'>;
declare const homepage: ContentService<'homepage'>;

// is not assignable to type 'false | FiltersOf<"article"
export const ofNobody: WhereFor<'article'> = () => ({ autor: { name: 'Ann' } });

export async function queries(): Promise<void> {
  // 'filtres' does not exist in type 'ListQuery<"article"… Did you mean to write 'filters'?
  await articles.find({ filtres: {} });
  // 'sort' does not exist in type 'OneQuery<"article"
  await articles.findOne('x', { sort: 'title' });
  // 'pagination' does not exist in type
  await articles.count({ pagination: { page: 1 } });
  // 'pageSise' does not exist in type 'PaginationQuery'
  await articles.find({ pagination: { pageSise: 3 } });
  // '"drfat"' is not assignable to type '"draft" | "published"
  await articles.find({ status: 'drfat' });
  // '"changed"' is not assignable to type
  await articles.find({ publicationFilter: 'changed' });
  // Type 'number' is not assignable to type 'string'
  await articles.find({ locale: 3 });
}

export async function schedules(): Promise<void> {
  // 'ifMatch' does not exist in type
  await articles.schedule('x', { publishAt: null }, {}, { ifMatch: '*' });
  // 'ifMatch' does not exist in type
  await articles.unschedule('x', {}, { ifMatch: '*' });
}

export async function fields(): Promise<void> {
  // '"titel"' is not assignable to type … "title" … Did you mean '"title"'?
  await articles.find({ fields: ['titel'] });
  // '"titel"' is not assignable to type … Did you mean '"title"'?
  await articles.find({ fields: ['title', 'titel'] });
  // '"author"' is not assignable to type
  await articles.find({ fields: ['author'] });
  // '"secret"' is not assignable to type
  await articles.find({ fields: 'secret' });
  // '"note"' is not assignable to type
  await articles.find({ fields: ['note'] });
  // Property 'views' does not exist on type
  void (await articles.findOne('x', { fields: ['title'] }))?.views;
}

export async function populate(): Promise<void> {
  // '"autor"' is not assignable to type … Did you mean '"author"'?
  await articles.find({ populate: 'autor' });
  // '"autor"' is not assignable to type … "author" … "tags" … "cover" … Did you mean '"author"'?
  await articles.find({ populate: ['author', 'autor'] });
  // '"author.bos"' is not assignable to type … Did you mean '"author.boss"'?
  await articles.find({ populate: ['author.bos'] });
  // '"title"' is not assignable to type
  await articles.find({ populate: ['title'] });
  // 'autor' does not exist in type
  await articles.find({ populate: { autor: true } });
  // NoSuchName<"covr", … "zone" … "author" … "tags" … "cover"
  await articles.find({ populate: { author: true, covr: true } });
  // '"nam"' is not assignable to type … Did you mean '"name"'?
  await articles.find({ populate: { author: { fields: ['nam'] } } });
  // 'nam' does not exist in type 'FiltersOf<"author", Register>'. Did you mean to write 'name'?
  await articles.find({ populate: { author: { filters: { nam: 'x' } } } });
  // NoSuchName<"nam", … "name" … "age"
  await articles.find({ populate: { author: { filters: { name: 'x', nam: 'y' } } } });
  // NoSuchName<"limit", … "filters" … "count"
  await articles.find({ populate: { tags: { sort: 'label', limit: 3 } } });
  // NoSuchName<"bos", … "boss"
  await articles.find({ populate: { author: { populate: { boss: true, bos: true } } } });
  // ''shared.se'' does not exist in type
  await articles.find({ populate: { zone: { on: { 'shared.se': true } } } });
  // NoSuchName<"imag", "image">
  await articles.find({
    populate: { zone: { on: { 'shared.seo': { populate: { image: true, imag: true } } } } },
  });
  // 'filters' does not exist in type
  await articles.find({ populate: { zone: { filters: {} } } });
  // ''api::author.author'' does not exist in type
  await pins.find({ populate: { on: { on: { 'api::author.author': true } } } });
  // Property 'cover' does not exist on type
  void (await articles.findOne('x', { populate: ['author'] }))?.cover;
  // Property 'boss' does not exist on type
  void (await articles.findOne('x', { populate: ['author'] }))?.author?.boss;
}

export async function filters(): Promise<void> {
  // 'titel' does not exist in type 'FiltersOf<"article", Register>'. Did you mean to write 'title'?
  await articles.find({ filters: { titel: 'x' } });
  // 'titel' does not exist in type
  await articles.find({ filters: { title: 'x', titel: 'y' } });
  // '$contains' does not exist in type
  await articles.find({ filters: { views: { $contains: 'x' } } });
  // '$jsonSupersetOf' does not exist in type
  await articles.find({ filters: { title: { $jsonSupersetOf: 'x' } } });
  // '$EQ' does not exist in type
  await articles.find({ filters: { title: { $EQ: 'x' } } });
  // Type 'string' is not assignable to type 'OneOrMany<number> | undefined'
  await articles.find({ filters: { views: { $gt: '3' } } });
  // '"ugly"' is not assignable to type
  await articles.find({ filters: { mood: 'ugly' } });
  // 'number' is not assignable to type
  await articles.find({ filters: { open: 3 } });
  // 'nam' does not exist in type … RelatedFiltersOf<"author", Register>'
  await articles.find({ filters: { author: { nam: 'x' } } });
  // 'nam' does not exist in type … RelatedFiltersOf<"author", Register>'
  await articles.find({ filters: { author: { boss: { nam: 'x' } } } });
  // 'zone' does not exist in type
  await articles.find({ filters: { zone: {} } });
  // 'on' does not exist in type
  await pins.find({ filters: { on: {} } });
  // 'secret' does not exist in type
  await articles.find({ filters: { secret: 'x' } });
  // 'titel' does not exist in type 'FiltersOf<"article", Register>'
  await articles.find({ filters: { $or: [{ titel: 'x' }] } });
  // Source has 1 element(s) but target requires 2
  await articles.find({ filters: { views: { $between: [1] } } });
  // '"titel"' is not assignable to type 'SortOf<"article", Register>… Did you mean '"title"'?
  await articles.find({ sort: 'titel' });
  // '"author.nam:desc"' is not assignable to type … Did you mean '"author.name:desc"'?
  await articles.find({ sort: ['title', 'author.nam:desc'] });
  // '"up"' is not assignable to type
  await articles.find({ sort: { title: 'up' } });
  // 'nam' does not exist in type 'SortTree<"author", Register>'
  await articles.find({ sort: { author: { nam: 'asc' } } });
}

export async function writes(): Promise<void> {
  // 'titel' does not exist in type 'NewInput<"article", Register, "published">'. Did you mean to write 'title'?
  await articles.create({ titel: 'x' });
  // Property 'title' is missing in type
  await articles.create({ views: 3 });
  // Property 'heading' is missing in type
  await homepage.create({});
  // Type 'number' is not assignable to type 'string'
  await articles.create({ title: 3 });
  // Type 'string' is not assignable to type 'number'
  await articles.update('x', { views: 'many' });
  // Type 'null' is not assignable to type
  await articles.update('x', { title: null });
  // '"ugly"' is not assignable to type '"good" | "bad"
  await articles.update('x', { mood: 'ugly' });
  // 'nope' does not exist in type 'ChangeInput<"article", Register, "published">'
  await articles.update('x', { nope: true });
  // 'createdAt' does not exist in type
  await articles.update('x', { createdAt: 'x' });
  // 'stamp' does not exist in type
  await articles.update('x', { stamp: 'x' });
  // 'conect' does not exist in type
  await articles.update('x', { author: { conect: ['a'] } });
  // Type 'true' is not assignable to type 'Reference | readonly [Reference] | Change<Reference>
  await articles.update('x', { author: true });
  // 'foo' does not exist in type
  await authors.update('x', { boss: { connect: [{ documentId: 'a', foo: 1 }] } });
  // 'metaTitel' does not exist in type
  await articles.update('x', { seo: { metaTitel: 'x' } });
  // is not assignable to type 'Instance<"shared.seo", Register, "published">
  await articles.update('x', { seo: { image: 3 } });
  // '"shared.nope"' is not assignable to type
  await articles.update('x', { zone: [{ __component: 'shared.nope' }] });
  // Type '{ id: number; }' is not assignable to type … "api::article.article"
  await pins.update('x', { on: { id: 3 } });
  // '"api::author.author"' is not assignable to type
  await pins.update('x', { on: { __type: 'api::author.author', id: 3 } });
  // Type 'null' is not assignable to type
  await articles.update('x', { quotes: null });
  // '"titel"' is not assignable to type
  await articles.update('x', {}, { fields: ['titel'] });
  // 'pagination' does not exist in type
  await articles.update('x', {}, { pagination: { page: 1 } });
}

export class Names {
  constructor(
    // '"artcle"' is not assignable to parameter of type … "article" … "author"
    @InjectContent('artcle') readonly one: object,
    // '"artcle"' does not satisfy the constraint
    readonly two: ContentService<'artcle'>,
  ) {}

  // '"artcle"' is not assignable to parameter of type
  @BeforeContent('artcle', 'create')
  misspelt(event: ContentEvent): void {
    void event;
  }

  // '"creat"' is not assignable to parameter of type
  @AfterContent('article', 'creat')
  action(event: ContentEvent<'article'>): void {
    void event;
  }

  // Type '"article"' is not assignable to type '"author"'
  @OnContentCommitted('article', 'create')
  another(event: ContentEvent<'author'>): void {
    void event;
  }

  data(event: ContentEvent<'article'>): void {
    // Property 'titel' does not exist on type 'HookData<"article", Register>'. Did you mean 'title'?
    event.data.titel = 'x';
    // Type 'number' is not assignable to type 'string'
    event.data.title = 3;
  }
}

// '"artcle"' does not satisfy the constraint
export type Document = DocumentOf<'artcle'>;
// 'titel' does not exist in type
export const input: InputOf<'article'> = { title: 'x', titel: 'x' };
// 'filtres' does not exist in type
export const query = { filtres: {} } satisfies QueryOf<'article'>;

const names = { singularApiId: 'song', pluralApiId: 'songs' } as const;
const attributes = { title: { type: 'string' } } as const;

export function stages(): void {
  const draftAndPublish = true;
  // '"redy"' is not assignable to type '"draft" | "ready"'
  defineCollectionType({
    ...names,
    draftAndPublish,
    attributes,
    stages: { draft: { to: ['redy'] }, ready: { to: [] } },
  });
  // 'true' is not assignable to type 'never'
  defineCollectionType({
    ...names,
    draftAndPublish,
    attributes,
    stages: { draft: { to: ['draft'], publsh: true } },
  });
  // '"stage"' is not assignable to type
  defineCollectionType({ ...names, attributes, desk: { list: ['stage'] } });
}

export function indexes(): void {
  // '"titel"' is not assignable to type
  defineCollectionType({ ...names, attributes, indexes: [{ attributes: ['createdAt', 'titel'] }] });
  // 'true' is not assignable to type 'undefined'
  defineCollectionType({ ...names, attributes, indexes: [{ attributes: ['title'], uniqe: true }] });
  // '"hash"' is not assignable to type '"trigram"'
  defineCollectionType({ ...names, attributes, indexes: [{ attributes: ['title'], using: 'hash' }] });
}
