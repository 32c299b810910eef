import type { NestExpressApplication } from '@nestjs/platform-express';
import { getContentToken } from 'nestjs-content-api';
import supertest from 'supertest';
import { createAtlas } from '../../sample-app/atlas.ts';
import { AtlasLoader, LoadStopped } from '../../sample-app/loader/atlas-loader.ts';
import { readWorld } from '../../sample-app/loader/world.ts';
import { EXAMPLE_PATHS, REFUSED_PATH } from '../../sample-app/requests.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const ALPS = ['CHE', 'AUT', 'FRA', 'ITA', 'LIE', 'DEU'];

type Json = Record<string, any>;

const load = (app: NestExpressApplication, countries?: string[]): Promise<boolean> =>
  app.get(AtlasLoader).load(countries === undefined ? {} : { countries });

/** Loads until `steps` items are written, then fails as a crash would. */
async function interruptedLoad(app: NestExpressApplication, steps: number, countries?: string[]): Promise<void> {
  let done = 0;
  const onProgress = (): void => {
    done += 1;
    if (done >= steps) throw new Error('pulled the plug');
  };
  await expect(app.get(AtlasLoader).load(countries === undefined ? { onProgress } : { countries, onProgress })).rejects.toThrow('pulled the plug');
}

/** How many documents there are of everything, and the codes of every country's borders in every locale. */
async function contents(app: NestExpressApplication): Promise<Json> {
  const total = (type: string, query = {}): Promise<number> => app.get(getContentToken(type), { strict: false }).count(query);
  const counts: Json = {};
  for (const type of ['region', 'language', 'currency', 'country', 'story']) counts[type] = await total(type, { locale: '*' });
  counts.drafts = await total('story', { status: 'draft' });
  for (const locale of ['en', 'fr', 'de']) counts[locale] = await borders(app, locale);
  return counts;
}

async function borders(app: NestExpressApplication, locale: string): Promise<Json> {
  const countries = app.get(getContentToken('country'), { strict: false });
  const found: Json = {};
  for (let start = 0; start === Object.keys(found).length; start += 100) {
    const query = { locale, sort: 'cca3', fields: ['cca3'], populate: { borders: { fields: ['cca3'] } }, pagination: { start, limit: 100 } };
    for (const { cca3, borders } of (await countries.find(query)).data) found[cca3] = borders.map((border: Json) => border.cca3);
  }
  return found;
}

/** What {@link contents} must be. */
function expected(countries?: string[]): Json {
  const world = readWorld(countries);
  const lists = Object.fromEntries(world.countries.map(({ cca3, borders }) => [cca3, borders]));
  return {
    region: world.regions.length,
    language: world.languages.length,
    currency: world.currencies.length,
    country: world.countries.length * 3,
    story: 4,
    drafts: 4,
    en: lists,
    fr: lists,
    de: lists,
  };
}

/** How many items a load writes: a homepage, the stories, and each country in three locales and with its borders. */
function stepsOf(countries?: string[]): number {
  const world = readWorld(countries);
  const bordering = world.countries.filter(({ borders }) => borders.length > 0).length;
  return world.regions.length + world.languages.length + world.currencies.length + world.countries.length * 3 + bordering + 4 + 1;
}

describe('atlas on PostgreSQL', () => {
  let database: TestDatabase;
  let app: NestExpressApplication;

  const get = async (path: string, status = 200): Promise<Json> => (await supertest(app.getHttpServer()).get(encodeURI(path)).expect(status)).body;

  beforeAll(async () => {
    database = await createDatabase();
    app = await createAtlas({ databaseUrl: database.url });
    await load(app);
  });

  afterAll(async () => {
    await app?.close();
    await database.drop();
  });

  it('has all 250 countries, in three locales, with all borders in order', async () => {
    const found = await contents(app);
    expect(Object.keys(found.en)).toHaveLength(250);
    expect(found).toEqual(expected());
  });

  it('answers the first example: five countries by name, with their region', async () => {
    const { data, meta } = await get(EXAMPLE_PATHS[0]);
    expect(data.map((country: Json) => [country.name, country.region.name])).toEqual([
      ['Afghanistan', 'Asia'], ['Albania', 'Europe'], ['Algeria', 'Africa'], ['American Samoa', 'Oceania'], ['Andorra', 'Europe'],
    ]);
    expect(meta.pagination).toEqual({ page: 1, pageSize: 5, pageCount: 50, total: 250 });
  });

  it('answers the second example: countries with their borders', async () => {
    const { data } = await get(EXAMPLE_PATHS[1]);
    expect(data).toHaveLength(25);
    const codes = Object.fromEntries(data.map((country: Json) => [country.cca3, country.borders.map((border: Json) => border.cca3)]));
    expect(codes.AFG).toEqual(['IRN', 'PAK', 'TKM', 'UZB', 'TJK', 'CHN']);
    expect(codes.ABW).toEqual([]);
  });

  it('answers the third example: landlocked Europe, the largest first, in French', async () => {
    const { data } = await get(EXAMPLE_PATHS[2]);
    expect(data.slice(0, 3).map((country: Json) => country.name)).toEqual(['Biélorussie', 'Hongrie', 'Serbie']);
    expect(data.every((country: Json) => country.landlocked && country.region.name === 'Europe' && country.locale === 'fr')).toBe(true);
    expect(data.find((country: Json) => country.cca3 === 'CHE').languages.map((language: Json) => language.code)).toEqual(['fra', 'gsw', 'ita', 'roh']);
  });

  it('shows everything about a country', async () => {
    const { data: [country] } = await get('/api/countries?filters[cca3]=CHE&locale=de&populate=*');
    expect(country).toMatchObject({
      name: 'Schweiz', officialName: 'Schweizerische Eidgenossenschaft', cca2: 'CH', ccn3: '756', area: 41284, landlocked: true, flag: '🇨🇭',
      capitals: [{ name: 'Bern' }], coordinates: { latitude: 47, longitude: 8 }, currencies: [{ code: 'CHF', name: 'Swiss franc' }],
    });
    expect(country.borders.map((border: Json) => border.name)).toEqual(['Österreich', 'Frankreich', 'Italien', 'Liechtenstein', 'Deutschland']);
    expect(country.localizations.map((other: Json) => other.name).sort()).toEqual(['Suisse', 'Switzerland']);
  });

  it('keeps both sides of two-way relations', async () => {
    const { data: [region] } = await get('/api/regions?filters[name]=Antarctic&populate=countries');
    expect(region.countries.map((country: Json) => country.cca3).sort()).toEqual(['ATA', 'ATF', 'BVT', 'HMD', 'SGS']);
    const { data: [language] } = await get('/api/languages?filters[code]=roh&populate=countries');
    expect(language.countries.map((country: Json) => country.cca3)).toEqual(['CHE']);
  });

  it('shows stories with components, a dynamic zone and countries', async () => {
    const { data: [story] } = await get('/api/stories?filters[slug]=twice-from-the-sea&populate[sections][populate]=*&populate[countries]=true&populate[facts]=true');
    expect(story.sections[0]).toMatchObject({ __component: 'story.spotlight', country: { name: 'Liechtenstein' } });
    expect(story.countries.map((country: Json) => country.cca3)).toEqual(['LIE', 'UZB', 'CHE', 'AUT']);
    expect(story.facts).toHaveLength(2);
    expect(story.body[0].type).toBe('paragraph');
  });

  it('has a homepage whose links work', async () => {
    const { data } = await get('/api/homepage?populate=*');
    expect(data.credit).toContain('ODbL-1.0');
    expect(data.featuredStories.map((story: Json) => story.slug)).toEqual(['twice-from-the-sea', 'four-ways-to-say-switzerland']);
    for (const { path } of data.links) expect((await get(path)).data.length).toBeGreaterThan(0);
  });

  it('answers 404 for an unknown type and 403 for one without a grant', async () => {
    expect((await get('/api/planets', 404)).error.name).toBe('NotFoundError');
    expect((await get(REFUSED_PATH, 403)).error.name).toBe('ForbiddenError');
    expect((await get('/api/countries/unknown', 404)).error.name).toBe('NotFoundError');
  });

  it('takes visitors\' notes, and keeps their addresses to itself', async () => {
    const note = { message: 'Grüezi', email: 'visitor@example.org' };
    const { body } = await supertest(app.getHttpServer()).post('/api/visitor-notes').send({ data: note }).expect(201);
    expect(body.data.message).toBe('Grüezi');
    expect(body.data).not.toHaveProperty('email');
    await supertest(app.getHttpServer()).post('/api/countries').send({ data: {} }).expect(403);
  });

  it('takes bodies of up to one megabyte', async () => {
    const post = (length: number): supertest.Test => supertest(app.getHttpServer()).post('/api/visitor-notes').send({ data: { message: 'x'.repeat(length) } });
    expect((await post(500_000)).status).toBe(400);
    expect((await post(1_100_000)).status).toBe(413);
  });

  it('loads nothing twice', async () => {
    const documentId = async (): Promise<string> => (await get('/api/countries?filters[cca3]=CHE')).data[0].documentId;
    const before = await documentId();
    await app.close();
    app = await createAtlas({ databaseUrl: database.url });
    expect(await load(app)).toBe(false);
    expect(await documentId()).toBe(before);
    expect(await contents(app)).toEqual(expected());
  });
});

describe('an interrupted load', () => {
  let database: TestDatabase;
  let app: NestExpressApplication;

  beforeEach(async () => {
    database = await createDatabase();
    app = await createAtlas({ databaseUrl: database.url });
  });

  afterEach(async () => {
    await app.close();
    await database.drop();
  });

  // The number is in the test's name, to try it again. After the very last step nothing would be missing.
  const last = stepsOf(ALPS) - 1;
  const anywhere = Array.from({ length: 5 }, () => 1 + Math.floor(Math.random() * last));

  it.each([1, ...anywhere, last])('that broke off after %i steps is completed by the next', async (steps) => {
    await interruptedLoad(app, steps, ALPS);
    expect(await load(app, ALPS)).toBe(true);
    expect(await contents(app)).toEqual(expected(ALPS));
    expect(await load(app, ALPS)).toBe(false);
  });

  it('comes to its end although it breaks off every few steps', async () => {
    let complete = false;
    for (let attempt = 0; attempt < 200 && !complete; attempt += 1) {
      let steps = 1 + Math.floor(Math.random() * 12);
      const onProgress = (): void => {
        steps -= 1;
        if (steps < 0) throw new Error('pulled the plug');
      };
      complete = await app.get(AtlasLoader).load({ countries: ALPS, onProgress }).then(() => true, () => false);
    }
    expect(complete).toBe(true);
    expect(await contents(app)).toEqual(expected(ALPS));
  });

  it('of all countries is completed, however often it broke off', async () => {
    const steps = Array.from({ length: 4 }, () => 1 + Math.floor((Math.random() * stepsOf()) / 5));
    for (const count of steps) await interruptedLoad(app, count);
    expect(await load(app)).toBe(true);
    expect({ steps, ...(await contents(app)) }).toEqual({ steps, ...expected() });
  });

  it('stops when the application closes, and goes on after the restart', async () => {
    let started = (): void => undefined;
    const underWay = new Promise<void>((resolve) => {
      started = resolve;
    });
    const stopped = expect(app.get(AtlasLoader).load({ countries: ALPS, onProgress: started })).rejects.toThrow(LoadStopped);
    await underWay;
    await app.close();
    await stopped;
    app = await createAtlas({ databaseUrl: database.url });
    expect(await load(app, ALPS)).toBe(true);
    expect(await contents(app)).toEqual(expected(ALPS));
  });
});
