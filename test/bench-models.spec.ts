/** The benches are valid only if the library would fill their tables in the same way. */
import { ContentModule, type ContentModuleOptions } from 'nestjs-content-api';
import supertest from 'supertest';
import { type Host, startHost } from './http/helpers.ts';

type Model = Pick<ContentModuleOptions, 'contentTypes' | 'components' | 'access'>;

interface Seeds {
  readonly seedBlog: (asked: { databaseUrl: string; articles: number }) => Promise<void>;
  readonly seedAtlas: (asked: { databaseUrl: string; rows: number }) => Promise<void>;
}

/** Loads a script of the benches, which are plain JavaScript. */
const bench = async <T>(file: string): Promise<T> =>
  (await import(new URL(`../bench/models/${file}`, import.meta.url).href)) as T;

describe('the tables of the benches', () => {
  let host: Host | null = null;
  afterEach(() => host?.close());

  async function start(model: Model): Promise<{ databaseUrl: string; http: ReturnType<typeof supertest> }> {
    host = await startHost(
      ({ url }) => ({ imports: [ContentModule.forRoot({ ...model, database: { clientUrl: url } })] }),
      { tables: true },
    );
    return { databaseUrl: host.database.url, http: supertest(host.url) };
  }

  it('match the articles of the blog', async () => {
    const { blog } = await bench<{ blog: Model }>('blog.mjs');
    const { databaseUrl, http } = await start(blog);
    await (await bench<Seeds>('seed.mjs')).seedBlog({ databaseUrl, articles: 40 });
    const { body } = await http.get('/api/articles?populate=*&pagination[pageSize]=1').expect(200);
    expect(body.meta.pagination.total).toBeGreaterThanOrEqual(40);
    const found = await http.get('/api/articles?filters[categories][articles][slug][$contains]=bench');
    expect([found.status, found.body.meta.pagination.total]).toEqual([200, 40]);
  });

  it('match the countries of the atlas, from both sides', async () => {
    const { atlas } = await bench<{ atlas: Model }>('atlas.mjs');
    const { databaseUrl, http } = await start(atlas);
    await (await bench<Seeds>('seed.mjs')).seedAtlas({ databaseUrl, rows: 80 });
    const countries = await http.get('/api/countries?populate=*&pagination[pageSize]=1').expect(200);
    expect(countries.body.meta.pagination.total).toBe(80);
    expect(countries.body.data[0].languages).toHaveLength(2);
    expect(countries.body.data[0].borders).toHaveLength(3);
    const languages = await http.get('/api/languages?populate=countries').expect(200);
    expect(languages.body.data.map(({ countries: all }: { countries: object[] }) => all.length)).toEqual(
      Array(4).fill(40),
    );
  });
});
