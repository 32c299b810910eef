/** The page to try the API, in a browser. */
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { Scope } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { ContentModelError, ContentModule } from 'nestjs-content-api';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import supertest from 'supertest';
import { blog } from '../fixtures/blog.ts';
import { startHost } from '../http/helpers.ts';
import { NamedCallers } from '../fuzz/apps.ts';
import { adaptersFor } from '../support/adapters.ts';
import { createTestApp, type TestApp } from '../support/app.ts';

const TITLE = 'News & "views" <b>';

const options = {
  ...blog,
  access: { public: { category: ['find', 'findOne'] } },
  auth: { strategies: [new NamedCallers({ writer: { category: '*', author: '*' } })] },
  openapi: { page: true, title: TITLE, info: { license: { name: 'MIT', identifier: 'MIT' } } },
} as const;

describe.each(adaptersFor('fastify'))('the page on %s', (adapter) => {
  let test: TestApp;
  beforeAll(async () => void (test = await createTestApp(options, adapter)));
  afterAll(() => test.close());

  it.each(['/api/openapi', '/api/openapi/'])('finds its files at %s', async (path) => {
    const { text } = await test.http.get(path).expect(200);
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    for (const file of files) {
      const { pathname } = new URL(file, `http://host${path}`);
      await test.http.get(pathname).expect(200);
    }
  });

  it('loads files only from this server, and runs no script in its content', async () => {
    const { text, headers } = await test.http.get('/api/openapi').expect(200);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(headers['content-security-policy']).not.toMatch(/unsafe|http|\*/);
    expect(text).toContain('<title>News &amp; &quot;views&quot; &lt;b></title>');
    expect(text).not.toMatch(/<script>|<style>|style="|onclick|https?:/);
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(files).toHaveLength(5);
    for (const file of files) {
      const response = await test.http.get(`/api/${file}`).expect(200);
      expect(response.headers['x-content-type-options']).toBe('nosniff');
    }
    const { body } = await test.http.get('/api/openapi.json').expect(200);
    expect(body.info).toEqual({ title: TITLE, version: '1', ...options.openapi.info });
    for (const file of ['package.json', '..%2Fpackage.json', 'swagger-ui.js.map'])
      expect((await test.http.get(`/api/openapi/${file}`)).status).toBe(404);
  });
});

describe('the page', () => {
  it('is off by default', async () => {
    const test = await createTestApp({ ...blog, openapi: { document: false } });
    const statuses = await Promise.all(
      ['/api/openapi', '/api/openapi/page.js', '/api/openapi.json'].map(
        async (path) => (await test.http.get(path)).status,
      ),
    );
    await test.close();
    expect(statuses).toEqual([404, 404, 404]);
  });

  it('has its files in an application with a request-scoped interceptor, too', async () => {
    class Passing {
      intercept(_context: unknown, next: { handle(): unknown }): unknown {
        return next.handle();
      }
    }
    const host = await startHost(({ url }) => ({
      imports: [ContentModule.forRoot({ ...blog, openapi: { page: true }, database: { clientUrl: url } })],
      providers: [{ provide: APP_INTERCEPTOR, useClass: Passing, scope: Scope.REQUEST }],
    }));
    await supertest(host.url).get('/api/openapi/swagger-ui.css').expect(200);
    await host.close();
  });

  it('needs the OpenAPI document', async () => {
    await expect(createTestApp({ ...blog, openapi: { page: true, document: false } })).rejects.toThrow(
      'openapi.page: requires openapi.document',
    );
    expect(() => ContentModule.forRoot({ ...blog, openapi: { pages: true } } as never)).toThrow(
      ContentModelError,
    );
  });
});

// The npm package of the browser supports only this platform.
const platform = `${process.platform}-${process.arch}`;
const isHere = platform === 'linux-x64';
if (!isHere) console.log(`Skipped: npm has no browser for ${platform}`);

(isHere ? describe : describe.skip)('the page in a browser', () => {
  let test: TestApp;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    test = await createTestApp(options);
    await test.http
      .post('/api/categories')
      .set('authorization', 'Bearer writer')
      .send({ data: { name: 'Gardens' } })
      .expect(201);
    browser = await puppeteer.launch({
      args: puppeteer.defaultArgs({ args: chromium.args, headless: 'shell' }),
      executablePath: await chromium.executablePath(),
      headless: 'shell',
    });
    page = await browser.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith(test.url) && !request.url().startsWith('data:'))
        complaints.push(request.url());
    });
  });
  afterAll(async () => {
    await browser?.close();
    await test.close();
  });

  const operations = (): Promise<string[]> =>
    page.$$eval('.opblock-summary', (all) =>
      all.map((one) => one.textContent?.replace(/\u200b/g, '').trim() ?? ''),
    );

  it('sends a request and shows the response and the operations of a token', async () => {
    await page.goto(`${test.url}/api/openapi`);
    await page.waitForSelector('.opblock');
    const open = await operations();
    expect(open.some((one) => one.startsWith('GET/api/categories'))).toBe(true);
    expect(open.filter((one) => /POST|PUT|DELETE|authors/.test(one))).toEqual([]);

    await page.click('#operations-category-Category_find .opblock-summary-control');
    await page.waitForSelector('#operations-category-Category_find .execute');
    const block = '#operations-category-Category_find';
    expect(await page.$eval(block, (one) => one.textContent)).toMatch(/Needs the grant find on category/);
    // Errors are one line each, until a reader asks for more.
    const errors = (): Promise<number> => page.$$eval(`${block} .error-response`, (rows) => rows.length);
    const all = await errors();
    expect(all).toBeGreaterThan(4);
    await page.click(`${block} .error-response button`);
    expect(await errors()).toBe(all - 1);
    expect(await page.$$('.authorize, .authorization__btn')).toEqual([]);
    await page.click('#operations-category-Category_find .execute');
    await page.waitForSelector(
      '#operations-category-Category_find .live-responses-table .response .response-col_status',
    );
    const [status, body] = await page.$eval(
      '#operations-category-Category_find .live-responses-table',
      (table) => [
        table.querySelector('.response .response-col_status')?.textContent?.trim(),
        table.querySelector('.response .highlight-code, .response .microlight')?.textContent,
      ],
    );
    expect(status).toMatch(/^200/);
    expect(body).toContain('"name": "Gardens"');

    await page.type('#token', 'writer');
    await page.click('#caller button');
    await page.waitForSelector('#operations-author-Author_create');
    const more = await operations();
    expect(more.some((one) => one.startsWith('POST/api/categories'))).toBe(true);

    expect(await page.$eval('#who', (one) => one.textContent)).toBe('Operations of this token');
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await page.waitForSelector('html.dark-mode');
    await page.setViewport({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

    const screenshot = join(mkdtempSync(join(tmpdir(), 'content-page-')), 'page.png');
    await page.screenshot({ path: screenshot });
    expect(statSync(screenshot).size).toBeGreaterThan(10_000);
    console.log(`Screenshot of the page: ${screenshot}`);
    expect(complaints).toEqual([]);
  });
});
