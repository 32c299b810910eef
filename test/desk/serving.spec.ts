/** Pages and files of the desk: headers, policy, prefixes, compressed copies. */
import { createHash } from 'node:crypto';
import { request, type ServerResponse } from 'node:http';
import { chmod, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Logger } from '@nestjs/common';
import { ContentModelError, type ContentService, getContentToken } from 'nestjs-content-api';
import { DeskModule, type DeskOptions } from 'nestjs-content-api/desk';
import { failure, NOT_FOUND } from '../http/helpers.ts';
import { ADAPTERS, type TestApp } from '../support/app.ts';
import { client, makeBuild, SCRIPT, startDesk } from './support.ts';

const ENTRY = 'assets/main-Ab12_-x9.js';

const settingsIn = (html: string): any =>
  JSON.parse(/<script type="application\/json" id="settings">(.*?)<\/script>/s.exec(html)?.[1] ?? '');

/** Sends a path exactly as it is written. */
const rawStatus = (url: string, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, path }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });

describe.each(ADAPTERS)('the pages of the desk, on %s', (adapter) => {
  let folder: string;
  let test: TestApp;
  beforeAll(async () => {
    folder = await makeBuild();
    // A read-only disk.
    for (const path of ['assets', '.']) await chmod(join(folder, path), 0o555);
    test = await startDesk({ folder, adapter });
  });
  afterAll(async () => {
    await test.close();
    for (const path of ['.', 'assets']) await chmod(join(folder, path), 0o755);
    await rm(folder, { recursive: true });
  });

  const get = (path: string) => client(test).get(path);

  it.each([
    '/desk',
    '/desk/',
    '/desk/content/articles/abc',
    '/desk/people',
    '/desk/sign-in?next=//evil.example',
    '/desk/invitation',
    '/desk/reset-password',
    '/desk/account',
    '/desk/media/folder.png',
    '/desk/content/%E0%A4%A',
    `/desk/content/${'x'.repeat(500)}`,
  ])('%s is the page', async (path) => {
    const { text, headers } = await get(path).set('Accept', 'text/html,*/*;q=0.8').expect(200);
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).toContain('<base href="/desk/">');
    expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(text).toContain('<meta name="color-scheme" content="light dark">');
    expect(text).toContain('<link rel="stylesheet" href="assets/main-C3.css">');
    expect(text).toContain('<link rel="stylesheet" href="assets/vendor-E5.css">');
    expect(text).toContain('<link rel="modulepreload" href="assets/vendor-D4.js">');
    expect(text).toContain(`<script type="module" src="${ENTRY}"></script>`);
    expect(text).toContain('<div id="root"></div>');
    expect(text).not.toContain('blocks-F6');
    expect(text).not.toContain('evil');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('location');
  });

  it('each page has its own nonce, in the policy and in the settings', async () => {
    const pages = await Promise.all([get('/desk').expect(200), get('/desk').expect(200)]);
    const nonces = pages.map(({ text }) => settingsIn(text).nonce as string);
    expect(new Set(nonces).size).toBe(2);
    pages.forEach(({ headers }, index) => {
      expect(headers['content-security-policy']).toBe(
        [
          "default-src 'none'",
          "script-src 'self'",
          `style-src 'self' 'nonce-${nonces[index]}'`,
          "connect-src 'self'",
          "img-src 'self' data: blob:",
          "media-src 'self' data: blob:",
          "font-src 'self'",
          "frame-src 'none'",
          "frame-ancestors 'none'",
          "base-uri 'self'",
          "form-action 'self'",
        ].join('; '),
      );
    });
  });

  it('the settings name the paths, the languages and the sign-in', async () => {
    const { text } = await get('/desk/people').expect(200);
    expect(settingsIn(text)).toEqual({
      nonce: expect.stringMatching(/^[\w+/]{22}==$/),
      base: '/desk',
      api: '/api',
      session: true,
      signIn: null,
      languages: ['en', 'de'],
      forgotPassword: false,
      extension: null,
      look: { title: null, logo: null, colour: 'indigo', welcome: null },
    });
  });

  it('HEAD has the headers of GET', async () => {
    const page = await client(test).head('/desk').expect(200);
    expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8' });
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    const file = await client(test).head(`/desk/${ENTRY}`).set('Accept-Encoding', 'identity').expect(200);
    expect(file.headers).toMatchObject({
      'content-length': String(SCRIPT.length),
      'cache-control': 'public, max-age=31536000, immutable',
    });
  });

  it.each([
    ['identity', undefined, Buffer.from(SCRIPT).length],
    ['', undefined, Buffer.from(SCRIPT).length],
    ['gzip', 'gzip', gzipSync(SCRIPT).length],
    ['gzip, deflate, br, zstd', 'br', brotliCompressSync(SCRIPT).length],
    ['br;q=0, gzip;q=0.5', 'gzip', gzipSync(SCRIPT).length],
    ['*;q=0', undefined, Buffer.from(SCRIPT).length],
  ])('with Accept-Encoding %j, a script is encoded as %s', async (accepted, coding, length) => {
    const { text, headers } = await get(`/desk/${ENTRY}`).set('Accept-Encoding', accepted).expect(200);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(length),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: expect.stringMatching(/\bAccept-Encoding$/),
    });
    expect(headers['content-encoding']).toBe(coding);
    expect(text).toBe(SCRIPT);
  });

  it.each([
    ['main-C3.css', 'text/css; charset=utf-8'],
    ['inter-G7.woff2', 'font/woff2'],
    ['photo-H8.svg', 'image/svg+xml; charset=utf-8'],
  ])('%s has the type %s', async (name, type) => {
    const { headers } = await get(`/desk/assets/${name}`).expect(200);
    expect(headers['content-type']).toBe(type);
  });

  it.each([
    '/desk/assets/main-Old1.js',
    '/desk/assets',
    '/desk/assets/',
    '/desk/assets/main-Ab12_-x9.js.br',
    '/desk/assets/MAIN-Ab12_-x9.js',
    '/desk/assets/constructor',
  ])('%s is not a file, and is not cached', async (path) => {
    const { body, headers } = await get(path).set('Accept', 'text/html').expect(404);
    expect(body).toEqual(NOT_FOUND);
    expect(headers['cache-control']).toBe('no-store');
  });

  it.each([
    '/desk/assets/../secret.txt',
    '/desk/assets/..%2fsecret.txt',
    '/desk/assets/%2e%2e/secret.txt',
    '/desk/assets/..\\secret.txt',
    '/desk/assets//etc/passwd',
    '/desk/assets/%00',
    '/desk/assets/%',
  ])('%s leaves no file of the disk', async (path) => {
    expect([200, 404]).toContain(await rawStatus(test.url, path));
    const { text } = await get(path);
    expect(text).not.toContain('not below assets');
    if (!path.includes('..')) expect(await rawStatus(test.url, path)).toBe(404);
  });

  it('serves pages to callers that accept HTML only', async () => {
    const { body } = await get('/desk/content').set('Accept', 'application/json').expect(404);
    expect(body).toEqual(NOT_FOUND);
    await client(test).get('/desk/content').unset('Accept').expect(200);
    await client(test).get('/desktop').expect(404);
  });

  it('answers 405 to other methods of its routes, in the format of all errors', async () => {
    const { body } = await client(test).put('/desk/session').send({}).expect(405);
    expect(body).toMatchObject({ data: null, error: { status: 405, name: 'MethodNotAllowedError' } });
    expect((await client(test).post('/desk/people').send({}).expect(404)).body).toEqual(NOT_FOUND);
    expect((await client(test).get('/desk/session').expect(405)).headers['allow']).toContain('POST');
  });
});

describe.each(ADAPTERS)('the desk in other applications, on %s', (adapter) => {
  let folder: string;
  beforeAll(async () => void (folder = await makeBuild()));
  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    [{ path: '/admin/desk' }, 'v1', '/v1/admin/desk', '/v1/api'],
    [{ path: 'api/editors' }, null, '/api/editors', '/api'],
    [{}, 'api', '/api/desk', '/api'],
  ])('with %j and the global prefix %j, it is at %s', async (desk, prefix, base, api) => {
    const test = await startDesk({
      folder,
      adapter,
      desk,
      prepare: (app) => void (prefix === null || app.setGlobalPrefix(prefix)),
    });
    const { text } = await client(test).get(`${base}/content/notes`).expect(200);
    expect(text).toContain(`<base href="${base}/">`);
    expect(settingsIn(text)).toMatchObject({ base, api });
    await client(test).get(`${base}/${ENTRY}`).expect(200);
    await client(test).get(`${base}/assets/none.js`).expect(404);
    await client(test).get(`${base}/model`).expect(401);
    await client(test).post(`${base}/session`).send({}).expect(400);
    await client(test).post(`${base}/session`).set('Content-Type', 'application/json').send('{').expect(400);
    await test.close();
  });

  it('names the origins of storage and previews in the policy', async () => {
    const test = await startDesk({
      folder,
      adapter,
      desk: {
        origins: {
          images: ['https://files.example'],
          frames: ['https://www.example', 'http://localhost:4000'],
        },
        languages: ['de'],
      },
    });
    const { headers, text } = await client(test).get('/desk').expect(200);
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("connect-src 'self' https://files.example;");
    expect(policy).toContain("img-src 'self' data: blob: https://files.example;");
    expect(policy).toContain("media-src 'self' data: blob: https://files.example;");
    expect(policy).toContain('frame-src https://www.example http://localhost:4000;');
    expect(text).toContain('<html lang="de">');
    await test.close();
  });

  it('replaces the policy that a middleware sets for all paths, and keeps other headers', async () => {
    const test = await startDesk({
      folder,
      adapter,
      prepare: (app) =>
        void app.use((_request: object, response: ServerResponse, next: () => void) => {
          response.setHeader('Content-Security-Policy', "default-src 'self' 'unsafe-inline'");
          response.setHeader('X-Frame-Options', 'SAMEORIGIN');
          response.setHeader('Strict-Transport-Security', 'max-age=1');
          next();
        }),
    });
    const { headers } = await client(test).get('/desk').expect(200);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src/);
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'strict-transport-security': 'max-age=1' });
    await test.close();
  });

  it('has no session route without UsersModule, without passwords, and with another sign-in', async () => {
    const sites = [
      { users: null, signIn: null },
      { users: { local: false }, signIn: null },
      { desk: { signIn: { url: '/login?a=</script>' } }, signIn: { url: '/login?a=</script>' } },
    ];
    for (const { signIn, ...site } of sites) {
      const test = await startDesk({ folder, adapter, ...site });
      const { text } = await client(test).get('/desk').expect(200);
      expect(settingsIn(text)).toMatchObject({ session: false, signIn, forgotPassword: false });
      for (const path of ['', '/refresh', '/invitation', '/forgot', '/reset'])
        expect((await client(test).post(`/desk/session${path}`).send({}).expect(404)).body).toEqual(
          NOT_FOUND,
        );
      await client(test).delete('/desk/session').expect(404);
      await test.close();
    }
  });

  it('19.7 19.9 without passwords, no user registers, and a code sets no password', async () => {
    const test = await startDesk({ folder, adapter, users: { local: false } });
    const [username, password] = ['ann', 'correct horse'];
    const user = { username, email: 'ann@example.com', password };
    const refused = failure(400, 'ApplicationError', 'This provider is disabled');
    const registered = await client(test).post('/api/auth/local/register').send(user).expect(400);
    expect(registered.body).toEqual(refused);
    const { body: description } = await client(test).get('/api/openapi.json').expect(200);
    expect(Object.keys(description.paths).filter((path) => path.startsWith('/api/auth/local'))).toEqual([]);
    await test.app.get<ContentService>(getContentToken('user')).create(user);
    const hash = createHash('sha256').update('a code').digest('base64url');
    await test.sql(
      `update content_users set reset_password_token = $1, reset_password_expires = now() + interval '1 hour'`,
      [hash],
    );
    const given = { code: 'a code', password, passwordConfirmation: password };
    const { body } = await client(test).post('/api/auth/reset-password').send(given).expect(400);
    expect(body).toEqual(refused);
    await test.close();
  });

  it('without a build, pages are a 503, and a log line tells what to do', async () => {
    const lines: string[] = [];
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => {
      lines.push(String(line));
    });
    const test = await startDesk({ folder: join(folder, 'none'), adapter });
    warn.mockRestore();
    expect(lines.filter((line) => line.includes('pages of the desk'))).toEqual([
      expect.stringMatching(/ENOENT.*npm run build/),
    ]);
    const { body, headers } = await client(test).get('/desk/people').expect(503);
    expect(body.error).toMatchObject({ status: 503, name: 'ServiceUnavailableError' });
    expect(headers['cache-control']).toBe('no-store');
    await client(test).get('/desk/assets/x.js').expect(404);
    await client(test).get('/desk/model').expect(401);
    await test.close();
  });

  it('files that a deployment removed are a 404', async () => {
    const other = await makeBuild();
    const test = await startDesk({ folder: other, adapter });
    await rename(join(other, ENTRY), join(other, 'assets/main-new.js'));
    expect((await client(test).get(`/desk/${ENTRY}`).set('Accept-Encoding', '').expect(404)).body).toEqual(
      failure(404, 'NotFoundError', 'Not Found'),
    );
    await client(test).get('/desk/assets/main-new.js').expect(404);
    await test.close();
    await rm(other, { recursive: true });
  });
});

describe('options of the desk', () => {
  it.each([
    { url: 'desk' },
    { url: 'javascript:alert(1)' },
    { url: 'https://a.example/desk?x=1' },
    { signIn: { url: '//evil.example' } },
    { signIn: { url: '/\\evil.example' } },
    { signIn: { url: 'javascript:alert(1)' } },
    { signIn: { url: 'data:text/html,x' } },
    { signIn: { url: 'login' } },
    { signIn: {} },
    { origins: { images: ['https://a.example/'] } },
    { origins: { images: ["'unsafe-inline'"] } },
    { origins: { images: ['*'] } },
    { origins: { frames: ['https://a.example; script-src *'] } },
    { origins: { frames: 'https://a.example' } },
    { languages: [] },
    { languages: ['xx'] },
    { preview: { secret: 'short' } },
    { preview: { seconds: 1 } },
    { extension: 'https://other.example/x.js' },
    { extension: '//other.example/x.js' },
    { look: { colour: 'yellow' } },
    { look: { logo: 'javascript:alert(1)' } },
    { look: { font: 'x' } },
  ])('%j stops the start', (options) =>
    expect(() => DeskModule.forRoot(options as DeskOptions)).toThrow(ContentModelError),
  );

  it.each([
    { signIn: { url: '/login' } },
    { signIn: { url: 'https://sso.example/login?to=desk' } },
    { url: 'https://a.example/desk/' },
    { origins: {} },
  ])('%j is accepted', (options) =>
    expect(DeskModule.forRoot(options)).toMatchObject({ module: DeskModule }),
  );
});
