/**
 * Server on MikroORM alone: entities with foreign keys, `em.findAndCount` with `populate`, `serialize`,
 * behind node:http. It cannot use the library's tables, whose relations refer to documents instead of rows.
 * Its own tables contain the same articles, in the schema `orm` of the same database. The repeatable
 * component is a JSON column there too.
 *
 * node mikro-orm.mjs --database-url postgresql://… [--tables]
 *
 * `--tables` creates and fills the tables from the library's and ends.
 */
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { EntitySchema, MikroORM, serialize } from '@mikro-orm/postgresql';

const { values: options } = parseArgs({
  options: { 'database-url': { type: 'string' }, tables: { type: 'boolean', default: false } },
});

const text = { type: 'text', nullable: true };
const instant = { type: 'datetime', columnType: 'timestamptz(3)', nullable: true };
const json = { type: 'json', nullable: true };
const document = {
  id: { type: 'integer', primary: true },
  documentId: { type: 'text', index: true },
  createdAt: instant,
  updatedAt: instant,
  publishedAt: instant,
  locale: text,
};

const Company = new EntitySchema({
  name: 'Company',
  tableName: 'companies',
  properties: { ...document, name: text },
});
const Author = new EntitySchema({
  name: 'Author',
  tableName: 'authors',
  properties: {
    ...document,
    name: text,
    email: text,
    employer: { kind: 'm:1', entity: () => Company, nullable: true, hidden: true },
  },
});
const Category = new EntitySchema({
  name: 'Category',
  tableName: 'categories',
  properties: { ...document, name: text },
});
const Article = new EntitySchema({
  name: 'Article',
  tableName: 'articles',
  indexes: [{ properties: ['published', 'locale', 'id'] }],
  properties: {
    ...document,
    published: { type: 'boolean', hidden: true },
    title: text,
    slug: { ...text, index: true },
    body: json,
    summary: text,
    views: { type: 'integer', nullable: true },
    rating: { type: 'decimal', runtimeType: 'number', columnType: 'numeric(10,2)', nullable: true },
    bignum: { type: 'bigint', runtimeType: 'string', nullable: true },
    score: { type: 'double', nullable: true },
    featured: { type: 'boolean', nullable: true },
    status_label: text,
    contactEmail: text,
    secret: { ...text, hidden: true },
    password: { ...text, hidden: true },
    publishedOn: { type: 'date', nullable: true },
    startTime: { type: 'time', nullable: true },
    eventAt: instant,
    meta: json,
    sections: { ...json, lazy: true },
    author: { kind: 'm:1', entity: () => Author, nullable: true, index: true },
    categories: { kind: 'm:n', entity: () => Category, pivotTable: 'articles_categories', fixedOrder: true },
  },
});

const FILL = `
  insert into orm.companies select id, document_id, created_at, updated_at, published_at, locale, name from public.companies;
  insert into orm.authors (id, document_id, created_at, updated_at, published_at, locale, name, email, employer_id)
    select a.id, a.document_id, a.created_at, a.updated_at, a.published_at, a.locale, a.name, a.email, c.id
    from public.authors a left join public.companies c on c.document_id = a.employer_document_id;
  insert into orm.categories select id, document_id, created_at, updated_at, published_at, locale, name from public.categories;
  insert into orm.articles (
      id, document_id, created_at, updated_at, published_at, locale, published, title, slug, body, summary, views, rating, bignum, score,
      featured, status_label, contact_email, secret, password, published_on, start_time, event_at, meta, sections, author_id)
    select a.id, a.document_id, a.created_at, a.updated_at, a.published_at, a.locale, a.published, title, slug, body, summary, views, rating, bignum, score,
      featured, status_label, contact_email, secret, password, published_on, start_time, event_at, meta, sections, u.id
    from public.articles a left join public.authors u on u.document_id = a.author_document_id;
  insert into orm.articles_categories (article_id, category_id)
    select a.id, c.id from public.articles_categories_links l join public.categories c on c.document_id = l.target_document_id
    join public.articles a on a.document_id = l.owner_document_id and a.published = l.published order by a.id, l.position;
  create index on orm.articles_categories (article_id, id);
  create index on orm.articles_categories (category_id);`;

const orm = await MikroORM.init({
  entities: [Company, Author, Category, Article],
  clientUrl: options['database-url'],
  schema: 'orm',
  pool: { min: 0, max: 10 },
});

if (options.tables) {
  await orm.schema.create();
  await orm.em.getConnection().execute(FILL);
  await orm.em.getConnection().execute('vacuum (analyze)');
  await orm.close();
} else {
  serve();
}

const LIVE = { published: true, locale: 'en' };
const FULL = ['author', 'categories', 'sections'];
const CONDITIONS = {
  'by-slug': (slug) => ({ slug }),
  'by-author': (documentId) => ({ author: { documentId } }),
  'by-employer': (name) => ({ author: { employer: { name } } }),
  'by-category': (name) => ({ categories: { name } }),
};

async function answer(url) {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const [, , first, value] = pathname.split('/');
  const populate = searchParams.has('full') ? FULL : [];
  const em = orm.em.fork();
  const shown = (found) => serialize(found, { populate, exclude: populate.length === 0 ? FULL : [] });
  if (first !== undefined && value === undefined) {
    return {
      data: shown(await em.findOneOrFail(Article, { ...LIVE, documentId: first }, { populate })),
      meta: {},
    };
  }
  const where = value === undefined ? LIVE : { ...LIVE, ...CONDITIONS[first](decodeURIComponent(value)) };
  const page = Number(searchParams.get('page') ?? 1);
  const window = { populate, orderBy: { id: 'asc' }, limit: 25, offset: (page - 1) * 25 };
  if (searchParams.get('count') === '0')
    return {
      data: shown(await em.find(Article, where, window)),
      meta: { pagination: { page, pageSize: 25 } },
    };
  const [found, total] = await em.findAndCount(Article, where, window);
  return {
    data: shown(found),
    meta: { pagination: { page, pageSize: 25, pageCount: Math.ceil(total / 25), total } },
  };
}

function serve() {
  const server = createServer((request, response) => {
    answer(request.url)
      .then(JSON.stringify)
      .then(
        (body) =>
          response
            .writeHead(200, {
              'content-type': 'application/json; charset=utf-8',
              'content-length': Buffer.byteLength(body),
            })
            .end(body),
        (error) => response.writeHead(500).end(String(error)),
      );
  });
  server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
}
