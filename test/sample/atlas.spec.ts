import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { getContentToken } from 'nestjs-content-api';
import { Client } from 'pg';
import supertest from 'supertest';
import { createAtlas } from '../../sample-app/atlas.ts';
import { AtlasLoader, LoadStopped } from '../../sample-app/loader/atlas-loader.ts';
import { readWorld } from '../../sample-app/loader/world.ts';
import {
  API_PAGE,
  DESK_PATH,
  EXAMPLES,
  LEAVE_NOTE,
  REFUSED_PATH,
  REGISTER,
  SIGN_IN,
  START_PAGE,
} from '../../sample-app/requests.ts';
import { DRAFT, EDIT, FRENCH, THEME } from '../../sample-app/texts/drafts.ts';
import { HOMEPAGE } from '../../sample-app/texts/homepage.ts';
import { STORIES } from '../../sample-app/texts/stories.ts';
import { firstInvitation } from '../../sample-app/accounts/first-invitation.ts';
import { deskLines, welcome } from '../../sample-app/welcome.ts';
import { runToken as run } from '../../src/module/token-command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { dose } from '../support/dose.ts';
import { randomFrom } from '../support/random.ts';
import { MailLog, post, register } from './visitors.ts';

/** `npm test` gets the same numbers in each run, so that it never fails by chance. */
const chance = dose(randomFrom(1), Math.random);

const ALPS = ['CHE', 'AUT', 'FRA', 'ITA', 'LIE', 'DEU'];

type Json = Record<string, any>;

const load = (app: NestExpressApplication, countries?: string[]): Promise<boolean> =>
  app.get(AtlasLoader).load(countries === undefined ? {} : { countries });

/** Loads until `steps` items are written, then fails as a crash does. */
async function interruptedLoad(
  app: NestExpressApplication,
  steps: number,
  countries?: string[],
): Promise<void> {
  let done = 0;
  const onProgress = (): void => {
    done += 1;
    if (done >= steps) throw new Error('pulled the plug');
  };
  await expect(
    app.get(AtlasLoader).load(countries === undefined ? { onProgress } : { countries, onProgress }),
  ).rejects.toThrow('pulled the plug');
}

/** Returns the number of documents per type, and the codes of every country's borders in every locale. */
async function contents(app: NestExpressApplication): Promise<Json> {
  const total = (type: string, query = {}): Promise<number> =>
    app.get(getContentToken(type), { strict: false }).count(query);
  const counts: Json = {};
  for (const type of ['region', 'language', 'currency', 'country', 'story', 'theme'])
    counts[type] = await total(type, { locale: '*' });
  counts.drafts = await total('story', { status: 'draft' });
  counts.frenchDrafts = await total('story', { status: 'draft', locale: 'fr' });
  counts.edited = await total('story', { filters: { title: EDIT.attributes.title }, status: 'draft' });
  counts.modified = await total('story', { publicationFilter: 'modified', status: 'draft' });
  counts.listed = await total('story', { filters: { theme: { title: THEME.title } } });
  for (const locale of ['en', 'fr', 'de']) counts[locale] = await borders(app, locale);
  return counts;
}

async function borders(app: NestExpressApplication, locale: string): Promise<Json> {
  const countries = app.get(getContentToken('country'), { strict: false });
  const found: Json = {};
  for (let start = 0; start === Object.keys(found).length; start += 100) {
    const query = {
      locale,
      sort: 'cca3',
      fields: ['cca3'],
      populate: { borders: { fields: ['cca3'] } },
      pagination: { start, limit: 100 },
    };
    for (const { cca3, borders } of (await countries.find(query)).data)
      found[cca3] = borders.map((border: Json) => border.cca3);
  }
  return found;
}

/** Expected value of {@link contents}. */
function expected(countries?: string[]): Json {
  const world = readWorld(countries);
  const lists = Object.fromEntries(world.countries.map(({ cca3, borders }) => [cca3, borders]));
  return {
    region: world.regions.length,
    language: world.languages.length,
    currency: world.currencies.length,
    country: world.countries.length * 3,
    story: 5,
    theme: 1,
    drafts: 5,
    frenchDrafts: 2,
    edited: 1,
    modified: 1,
    listed: 3,
    en: lists,
    fr: lists,
    de: lists,
  };
}

/**
 * Returns the number of items that a load writes. Stories include their translations, an edit and a theme;
 * countries have three locales and their borders.
 */
function stepsOf(countries?: string[]): number {
  const world = readWorld(countries);
  const bordering = world.countries.filter(({ borders }) => borders.length > 0).length;
  return (
    world.regions.length +
    world.languages.length +
    world.currencies.length +
    world.countries.length * 3 +
    bordering +
    STORIES.length +
    FRENCH.length +
    [EDIT, THEME, DRAFT, HOMEPAGE].length
  );
}

describe('atlas on PostgreSQL', () => {
  let database: TestDatabase;
  let app: NestExpressApplication;
  let folder: string;
  const mails = new MailLog();

  const start = (): Promise<NestExpressApplication> =>
    createAtlas({ databaseUrl: database.url, dataFolder: join(folder, 'atlas'), log: mails.log });
  const get = async (path: string, status = 200): Promise<Json> =>
    (await supertest(app.getHttpServer()).get(encodeURI(path)).expect(status)).body;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'atlas-'));
    database = await createDatabase();
    app = await start();
    await load(app);
  });

  afterAll(async () => {
    await app?.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  it('has all 250 countries, in three locales, with all borders in order', async () => {
    const found = await contents(app);
    expect(Object.keys(found.en)).toHaveLength(250);
    expect(found).toEqual(expected());
  });

  it('returns the first example: five countries by name, with their region', async () => {
    const { data, meta } = await get(EXAMPLES[0].path);
    expect(data.map((country: Json) => [country.name, country.region.name])).toEqual([
      ['Afghanistan', 'Asia'],
      ['Albania', 'Europe'],
      ['Algeria', 'Africa'],
      ['American Samoa', 'Oceania'],
      ['Andorra', 'Europe'],
    ]);
    expect(meta.pagination).toEqual({ page: 1, pageSize: 5, pageCount: 50, total: 250 });
  });

  it('returns the second example: countries with their borders', async () => {
    const { data } = await get(EXAMPLES[1].path);
    expect(data).toHaveLength(25);
    const codes = Object.fromEntries(
      data.map((country: Json) => [country.cca3, country.borders.map((border: Json) => border.cca3)]),
    );
    expect(codes.AFG).toEqual(['IRN', 'PAK', 'TKM', 'UZB', 'TJK', 'CHN']);
    expect(codes.ABW).toEqual([]);
  });

  it('returns the third example: landlocked Europe, the largest first, in French', async () => {
    const { data } = await get(EXAMPLES[2].path);
    expect(data.slice(0, 3).map((country: Json) => country.name)).toEqual([
      'Biélorussie',
      'Hongrie',
      'Serbie',
    ]);
    expect(
      data.every(
        (country: Json) => country.landlocked && country.region.name === 'Europe' && country.locale === 'fr',
      ),
    ).toBe(true);
    expect(
      data.find((country: Json) => country.cca3 === 'CHE').languages.map((language: Json) => language.code),
    ).toEqual(['fra', 'gsw', 'ita', 'roh']);
  });

  it('returns the fourth example: stories in French, else in English', async () => {
    const { data } = await get(EXAMPLES[3].path);
    expect(data.map(({ locale, title, theme }: Json) => [locale, title, theme?.title ?? null])).toEqual([
      ['en', 'Countries inside a country', THEME.title],
      ['en', 'Four ways to say Switzerland', null],
      ['en', 'One island, three flags', THEME.title],
      ['fr', 'Deux fois loin de la mer', THEME.title],
    ]);
  });

  it('returns everything about a country', async () => {
    const {
      data: [country],
    } = await get('/api/countries?filters[cca3]=CHE&locale=de&populate=*');
    expect(country).toMatchObject({
      name: 'Schweiz',
      officialName: 'Schweizerische Eidgenossenschaft',
      cca2: 'CH',
      ccn3: '756',
      area: 41284,
      landlocked: true,
      flag: '🇨🇭',
      capitals: [{ name: 'Bern' }],
      coordinates: { latitude: 47, longitude: 8 },
      currencies: [{ code: 'CHF', name: 'Swiss franc' }],
    });
    expect(country.borders.map((border: Json) => border.name)).toEqual([
      'Österreich',
      'Frankreich',
      'Italien',
      'Liechtenstein',
      'Deutschland',
    ]);
    expect(country.localizations.map((other: Json) => other.name).sort()).toEqual(['Suisse', 'Switzerland']);
  });

  it('keeps both sides of two-way relations', async () => {
    const {
      data: [region],
    } = await get('/api/regions?filters[name]=Antarctic&populate=countries');
    expect(region.countries.map((country: Json) => country.cca3).sort()).toEqual([
      'ATA',
      'ATF',
      'BVT',
      'HMD',
      'SGS',
    ]);
    const {
      data: [language],
    } = await get('/api/languages?filters[code]=roh&populate=countries');
    expect(language.countries.map((country: Json) => country.cca3)).toEqual(['CHE']);
  });

  it('returns stories with components, a dynamic zone and countries', async () => {
    const {
      data: [story],
    } = await get(
      '/api/stories?filters[slug]=twice-from-the-sea&populate[sections][populate]=*&populate[countries]=true&populate[facts]=true',
    );
    expect(story.sections[0]).toMatchObject({
      __component: 'story.spotlight',
      country: { name: 'Liechtenstein' },
    });
    expect(story.countries.map((country: Json) => country.cca3)).toEqual(['LIE', 'UZB', 'CHE', 'AUT']);
    expect(story.facts).toHaveLength(2);
    expect(story.body[0].type).toBe('paragraph');
  });

  it('has stories in all states: published, modified, unpublished, translated and scheduled', async () => {
    const titles = async (query: object): Promise<string[]> => {
      const stories = app.get(getContentToken('story'), { strict: false });
      const { data } = await stories.find({ ...query, fields: ['title'], sort: 'title' });
      return data.map(({ title }: Json) => title);
    };
    const draft = { status: 'draft' };
    const fr = { locale: 'fr' };
    expect(await titles({})).toEqual([
      'Countries inside a country',
      'Four ways to say Switzerland',
      'One island, three flags',
      'Twice from the sea',
    ]);
    expect(await titles({ ...draft, publicationFilter: 'modified' })).toEqual(['Surrounded']);
    expect(await titles({ ...draft, publicationFilter: 'never-published' })).toEqual([
      'Where the day begins',
    ]);
    expect(await titles(fr)).toEqual(['Deux fois loin de la mer']);
    expect(await titles({ ...fr, ...draft, publicationFilter: 'never-published' })).toEqual([
      'Une île, trois drapeaux',
    ]);
    const {
      data: [theme],
    } = await get('/api/themes?populate=stories');
    expect(theme.stories.map(({ slug }: Json) => slug)).toEqual(THEME.stories);
    const {
      data: [country],
    } = await get('/api/countries?filters[cca3]=LIE&locale=fr&populate=stories');
    expect(country.stories).toMatchObject([{ title: 'Deux fois loin de la mer' }]);
  });

  it('N2: has a start page that links its own requests, and loads nothing from other sites', async () => {
    const { text, headers } = await supertest(app.getHttpServer()).get(START_PAGE).expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
    expect(text).not.toMatch(/<script|<img|<link|\bon\w+=|\bsrc=|style=/);
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
    const others = ['/api/homepage?populate=*', REFUSED_PATH, API_PAGE, DESK_PATH];
    expect(links).toEqual([...EXAMPLES.map(({ path }) => path), ...others]);
    // The tests run without a build of the desk.
    for (const link of links.slice(0, -1)) await get(link, link === REFUSED_PATH ? 403 : 200);
    const { status } = await supertest(app.getHttpServer()).get(DESK_PATH);
    expect([200, 503]).toContain(status);
    const style = /<style>([^<]*)<\/style>/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).toContain(`'sha256-${hash}'`);
  });

  it('serves a site at the root URL: no inline script or style, and no address of another server', async () => {
    const { text, headers } = await supertest(app.getHttpServer()).get('/').expect(200);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(text).not.toMatch(/<style|\bon\w+=|style=|https?:/);
    const linked = [...text.matchAll(/(?:src|href)="\/site\/([^"]+)"/g)].map(([, name = '']) => name);
    expect(linked).toEqual(expect.arrayContaining(['icon.svg', 'site.css', 'site.js']));
    const files = readdirSync(join(import.meta.dirname, '../../sample-app/site'));
    for (const name of files.filter((one) => one !== 'index.html')) {
      const file = await supertest(app.getHttpServer()).get(`/site/${name}`).expect(200);
      expect(file.headers['content-type']).toMatch(
        /^(?:text\/(?:javascript|css); charset=utf-8|image\/svg\+xml)$/,
      );
    }
    for (const name of ['index.html', '..%2Fatlas.ts', 'constructor'])
      await supertest(app.getHttpServer()).get(`/site/${name}`).expect(404);
    expect(welcome('http://atlas')[0]).toMatch(/http:\/\/atlas, .*http:\/\/atlas\/start:$/);
  });

  it('sends tags with the content of the site, so that it can follow changes', async () => {
    for (const path of ['homepage?populate=featuredStories', 'countries?populate=flagPicture', 'stories']) {
      const { headers } = await supertest(app.getHttpServer()).get(`/api/${path}`).expect(200);
      expect(headers['content-tags']).toBeDefined();
    }
  });

  it('invites the first editor, who may write, publish and upload', async () => {
    const link = (await firstInvitation(app, 'http://atlas')) ?? '';
    expect(deskLines('http://atlas', link).join('\n')).toContain('http://atlas/desk/invitation#');
    expect(await firstInvitation(app, 'http://atlas')).toBeNull();
    expect(deskLines('http://atlas', null)).toEqual(['Editors write at http://atlas/desk.']);
    const invited = { code: link.split('#')[1], password: 'ink and paper' };
    const { jwt, user } = (await post(app, '/desk/session/invitation', invited).expect(200)).body;
    expect(user.email).toBe('editor@example.org');
    const model = await supertest(app.getHttpServer())
      .get('/desk/model')
      .set('authorization', `Bearer ${jwt}`)
      .expect(200);
    const verbs = Object.fromEntries(model.body.data.types.map((one: Json) => [one.name, one.verbs]));
    expect(verbs['story']).toMatchObject({ create: 'all', update: 'all', publish: 'all', readDrafts: 'all' });
    expect(verbs['file']).toMatchObject({ create: 'all', delete: 'all' });
    expect(verbs['user']).toEqual({});
    const titles = Object.fromEntries(model.body.data.types.map((one: Json) => [one.name, one.title]));
    expect(titles).toMatchObject({ country: 'name', currency: 'name', language: 'name', region: 'name' });
    const data = { name: 'Nowhere' };
    const made = await post(app, '/api/regions', { data }, jwt).expect(201);
    await supertest(app.getHttpServer())
      .delete(`/api/regions/${made.body.data.documentId}`)
      .set('authorization', `Bearer ${jwt}`)
      .expect(204);
    await post(app, '/api/regions', { data }).expect(403);
    const visitor = await register(app, 'curious');
    await supertest(app.getHttpServer())
      .get('/desk/model')
      .set('authorization', `Bearer ${visitor}`)
      .expect(403);
    const credentials = { identifier: 'curious', password: 'round the world' };
    await post(app, '/desk/session', credentials).expect(403);
  });

  it('has a homepage whose links work', async () => {
    const { data } = await get('/api/homepage?populate=*');
    expect(data.credit).toContain('ODbL-1.0');
    expect(data.featuredStories.map((story: Json) => story.slug)).toEqual([
      'twice-from-the-sea',
      'four-ways-to-say-switzerland',
    ]);
    for (const { path } of data.links) expect((await get(path)).data.length).toBeGreaterThan(0);
  });

  it('returns 404 for an unknown type and 403 for one without a grant', async () => {
    expect((await get('/api/planets', 404)).error.name).toBe('NotFoundError');
    expect((await get(REFUSED_PATH, 403)).error.name).toBe('ForbiddenError');
    expect((await get('/api/countries/unknown', 404)).error.name).toBe('NotFoundError');
  });

  it('lets a user register, sign in and post a note, with the requests that the start prints', async () => {
    const lines = welcome('http://atlas').filter((line) => line.includes(' -d '));
    expect(lines).toHaveLength(3);
    [REGISTER, SIGN_IN, LEAVE_NOTE].forEach(({ path, body }, i) =>
      expect(lines[i]).toContain(
        `'http://atlas${path}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`,
      ),
    );
    await post(app, REGISTER.path, REGISTER.body).expect(200);
    const {
      body: { jwt },
    } = await post(app, SIGN_IN.path, SIGN_IN.body).expect(200);
    const {
      body: { data },
    } = await post(app, LEAVE_NOTE.path, LEAVE_NOTE.body, jwt).expect(201);
    expect(data).toMatchObject({ message: 'Greetings from Bern', author: { username: 'visitor' } });
    expect(Object.keys(data.author).sort()).toEqual([
      'createdAt',
      'documentId',
      'id',
      'locale',
      'publishedAt',
      'updatedAt',
      'username',
    ]);
  });

  it('returns notes and the names of their authors to users only', async () => {
    const [ann, bob] = [await register(app, 'ann'), await register(app, 'bob')];
    const {
      body: { data: note },
    } = await post(
      app,
      '/api/visitor-notes',
      { data: { message: 'Grüezi', email: 'ann@example.org' } },
      ann,
    ).expect(201);
    expect(note).not.toHaveProperty('email');
    const as = (method: 'get' | 'put' | 'delete', path: string, token: string): supertest.Test =>
      supertest(app.getHttpServer())[method](path).set('authorization', `Bearer ${token}`);
    const path = `/api/visitor-notes/${note.documentId}`;
    const {
      body: {
        data: { author },
      },
    } = await as('get', `${path}?populate=*`, bob).expect(200);
    expect(author).toMatchObject({ username: 'ann' });
    expect(author).not.toHaveProperty('email');
    for (const secret of ['email', 'provider', 'role'])
      await as('get', `/api/visitor-notes?filters[author][${secret}][$notNull]=true`, bob).expect(400);
    await as('put', path, bob)
      .send({ data: { message: 'Salü' } })
      .expect(403);
    await as('delete', path, bob).expect(403);
    await as('put', path, ann)
      .send({ data: { message: 'Salü' } })
      .expect(200);
    await post(
      app,
      '/api/visitor-notes',
      { data: { message: 'I am Ann', author: author.documentId } },
      bob,
    ).expect(400);
    await as('get', '/api/countries?pagination[pageSize]=1', bob).expect(200);
    await post(app, '/api/countries', { data: {} }, bob).expect(403);

    for (const closed of [REFUSED_PATH, path, '/api/users', '/api/users/me']) await get(closed, 403);
    for (const closed of ['/api/visitor-notes', '/api/countries'])
      await post(app, closed, { data: {} }).expect(403);
    await as('delete', path, ann).expect(204);
  });

  it('writes a code for a new password to a file', async () => {
    await register(app, 'forgetful');
    const mail = mails.next();
    await post(app, '/api/auth/forgot-password', { email: 'forgetful@example.org' }).expect(200);
    const file = await mail;
    expect(readdirSync(join(folder, 'mail')).map((name) => join(folder, 'mail', name))).toEqual([file]);
    expect(statSync(file).mode & 0o077).toBe(0);
    const [to, subject, , code] = readFileSync(file, 'utf8').split('\n');
    expect([to, subject]).toEqual(['To: forgetful@example.org', 'Subject: Reset password']);
    await post(app, '/api/auth/reset-password', {
      code,
      password: 'a new one',
      passwordConfirmation: 'a new one',
    }).expect(200);
    await post(app, '/api/auth/local', { identifier: 'forgetful', password: 'round the world' }).expect(400);
    await post(app, '/api/auth/local', { identifier: 'forgetful', password: 'a new one' }).expect(200);
  });

  it('M9: the README commands that wait for the mail run as one block, also repeatedly', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../sample-app/README.md'), 'utf8');
    const block = /```sh\n([^`]*forgot-password[^`]*)```/.exec(page)?.[1] ?? '';
    const home = mkdtempSync(join(tmpdir(), 'atlas-'));
    const dataFolder = join(home, '.data', 'atlas');
    const other = await createAtlas({ databaseUrl: database.url, dataFolder });
    try {
      await other.listen(0);
      const url = (await other.getUrl()).replace('[::1]', 'localhost');
      await post(other, REGISTER.path, REGISTER.body); // Unless an earlier test has created it.
      for (const password of ['once more around', 'and once more']) {
        const script = block
          .replaceAll('http://localhost:3000', url)
          .replaceAll('once more around', password);
        const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: home });
        expect(JSON.parse(stdout.split('\n').at(-1) ?? '')).toMatchObject({ user: { username: 'visitor' } });
        await post(other, SIGN_IN.path, { identifier: 'visitor', password }).expect(200);
      }
    } finally {
      await other.close();
      rmSync(home, { recursive: true });
    }
  });

  it('has a module that creates API tokens', async () => {
    const command = welcome('http://atlas').at(-1) ?? '';
    const args = (/cli\.js (.*)/.exec(command)?.[1] ?? '')
      .split(' ')
      .map((arg) =>
        arg === 'dist-sample/token-module.js'
          ? join(import.meta.dirname, '../../sample-app/token-module.ts')
          : arg,
      );
    const before = process.env['DATABASE_URL'];
    process.env['DATABASE_URL'] = database.url;
    try {
      const token = (await run(args, {})).split('\n')[1] ?? '';
      await supertest(app.getHttpServer())
        .get('/api/visitor-notes')
        .set('authorization', `Bearer ${token}`)
        .expect(200);
      await post(app, '/api/visitor-notes', { data: { message: 'Beep' } }, token).expect(403);
    } finally {
      if (before === undefined) delete process.env['DATABASE_URL'];
      else process.env['DATABASE_URL'] = before;
    }
  });

  it('accepts bodies of up to one megabyte', async () => {
    const jwt = await register(app, 'wordy');
    const send = (length: number): supertest.Test =>
      post(app, '/api/visitor-notes', { data: { message: 'x'.repeat(length) } }, jwt);
    expect((await send(500_000)).status).toBe(400);
    expect((await send(1_100_000)).status).toBe(413);
  });

  it('loads nothing twice', async () => {
    const documentId = async (): Promise<string> =>
      (await get('/api/countries?filters[cca3]=CHE')).data[0].documentId;
    const before = await documentId();
    await app.close();
    app = await start();
    expect(await load(app)).toBe(false);
    expect(await documentId()).toBe(before);
    expect(await contents(app)).toEqual(expected());
  });

  it('updates a database from before accounts, and keeps its data', async () => {
    const notes = (): Promise<number> => app.get(getContentToken('visitor-note'), { strict: false }).count();
    const before = await notes();
    await app.close();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(
      'drop table content_users, content_roles, content_api_tokens; alter table visitor_notes drop column author_document_id',
    );
    await client.end();
    app = await start();
    expect(await notes()).toBe(before);
    const {
      body: { data },
    } = await post(
      app,
      '/api/visitor-notes?populate=author',
      { data: { message: 'Back again' } },
      await register(app, 'ann'),
    ).expect(201);
    expect(data.author).toMatchObject({ username: 'ann' });
    expect(await load(app)).toBe(false);
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

  // The number is in the test title, to repeat the test. After the last step nothing is missing.
  const last = stepsOf(ALPS) - 1;
  const anywhere = Array.from({ length: dose(1, 10) }, () => 1 + Math.floor(chance() * last));

  it.each([1, ...anywhere, last])('that fails after %i steps is completed by the next one', async (steps) => {
    await interruptedLoad(app, steps, ALPS);
    expect(await load(app, ALPS)).toBe(true);
    expect(await contents(app)).toEqual(expected(ALPS));
    expect(await load(app, ALPS)).toBe(false);
  });

  it('is completed although it fails every few steps', async () => {
    let complete = false;
    for (let attempt = 0; attempt < 200 && !complete; attempt += 1) {
      let steps = 1 + Math.floor(chance() * 12);
      const onProgress = (): void => {
        steps -= 1;
        if (steps < 0) throw new Error('pulled the plug');
      };
      complete = await app
        .get(AtlasLoader)
        .load({ countries: ALPS, onProgress })
        .then(
          () => true,
          () => false,
        );
    }
    expect(complete).toBe(true);
    expect(await contents(app)).toEqual(expected(ALPS));
  });

  it('of all countries is completed after any number of failures', async () => {
    const steps = Array.from({ length: dose(1, 4) }, () => 1 + Math.floor((chance() * stepsOf()) / 5));
    for (const count of steps) await interruptedLoad(app, count);
    expect(await load(app)).toBe(true);
    expect({ steps, ...(await contents(app)) }).toEqual({ steps, ...expected() });
  });

  it('stops when the application closes, and continues after the restart', async () => {
    let started = (): void => undefined;
    const underWay = new Promise<void>((resolve) => {
      started = resolve;
    });
    const stopped = expect(
      app.get(AtlasLoader).load({ countries: ALPS, onProgress: started }),
    ).rejects.toThrow(LoadStopped);
    await underWay;
    await app.close();
    await stopped;
    app = await createAtlas({ databaseUrl: database.url });
    expect(await load(app, ALPS)).toBe(true);
    expect(await contents(app)).toEqual(expected(ALPS));
  });
});
