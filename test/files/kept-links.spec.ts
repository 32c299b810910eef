/** Private files in cached responses: links are valid when they are sent, and only for their caller. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { jest } from '@jest/globals';
import { ContentMetrics } from 'nestjs-content-api';
import { Documents } from '../../src/content/documents/documents.service.ts';
import { raw } from '../http/helpers.ts';
import { adaptersFor } from '../support/adapters.ts';
import { dose } from '../support/dose.ts';
import { createFilesApp, type FilesApp, formOf } from './helpers.ts';

const SECONDS = 60;
const PRIVATE = { secret: 'a secret of at least thirty-two bytes', seconds: SECONDS };

/** Returns all URLs of files in a response. */
const linksIn = (text: string): string[] =>
  [...text.matchAll(/"url":\s*"([^"]*)"/g)].map(([, url = '']) => url);

async function uploaded(api: FilesApp, count: number): Promise<{ documentId: string; url: string }[]> {
  const answer = await api.send(formOf(Array.from({ length: count }, () => ({}))));
  return (await answer.json()) as { documentId: string; url: string }[];
}

async function makePage(api: FilesApp, data: object): Promise<string> {
  const body = JSON.stringify({ data });
  const headers = { 'content-type': 'application/json' };
  const answer = await api.ask('/api/pages', { method: 'POST', body, headers });
  return ((await answer.json()) as { data: { documentId: string } }).data.documentId;
}

describe.each(adaptersFor('express'))('cached responses with links to private files, on %s', (adapter) => {
  let api: FilesApp;
  let paths: string[];
  let secret: string;
  const hits = (): number => api.app.get(ContentMetrics).cache.hits;

  beforeAll(async () => {
    api = await createFilesApp({ private: PRIVATE }, adapter);
    const [cover, other] = await uploaded(api, 2);
    secret = other?.url.split('?')[0] ?? '';
    const id = await makePage(api, {
      title: 'one',
      cover: cover?.documentId,
      gallery: [other?.documentId],
      hero: { file: other?.documentId },
    });
    const query = 'populate[cover]=true&populate[gallery]=true&populate[hero][populate]=*';
    paths = [`/api/pages?${query}`, `/api/pages/${id}?${query}`, '/api/upload/files'];
  });
  afterAll(() => api.close());

  it('sends no link that is about to expire, and no 304 to a client with such links, at any time', async () => {
    const clock = jest.spyOn(Date, 'now');
    const start = SECONDS * 40_000_000;
    /** Responses of clients, by path and ETag. */
    const known = new Map<string, Map<string, string[]>>(paths.map((path) => [path, new Map()]));
    const seen = { kept: 0, unchanged: 0, anew: 0 };
    const areGood = async (links: readonly string[], at: number): Promise<void> => {
      // Just before the promised lifetime ends.
      clock.mockReturnValue((at + SECONDS) * 1000 - 1);
      for (const link of new Set(links))
        expect([at, link, (await api.ask(link, { as: '' })).status]).toEqual([at, link, 200]);
      clock.mockReturnValue(at * 1000);
    };
    try {
      for (const passed of [0, 1, 59, 60, 61, 119.999, 120, 121, 300, 30]) {
        const at = start + passed;
        clock.mockReturnValue(at * 1000);
        for (const [path, tags] of known) {
          for (const [tag, links] of tags)
            for (const method of ['HEAD', 'GET']) {
              const { status } = await api.ask(path, { method, headers: { 'if-none-match': tag } });
              seen[status === 304 ? 'unchanged' : 'anew'] += 1;
              if (status === 304) await areGood(links, at);
            }
          const before = hits();
          for (let i = 0; i < 3; i += 1) {
            const answer = await api.ask(path);
            const links = linksIn(await answer.text());
            expect(links.length).toBeGreaterThan(1);
            await areGood(links, at);
            const tag = answer.headers.get('etag');
            if (tag !== null) tags.set(tag, links);
          }
          seen.kept += hits() - before;
        }
      }
    } finally {
      clock.mockRestore();
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
  });

  it('S25, S34: a link is valid only in its exact spelling, also for ranges and conditions', async () => {
    const [link = ''] = linksIn(await (await api.ask(paths[2] ?? '')).text());
    const [path = '', query = ''] = link.split('?');
    const ask = (url: string, method = 'GET', headers: Record<string, string> = {}) =>
      raw(api.url, method, url, headers);
    expect([(await ask(link)).status, (await ask(link, 'HEAD')).status]).toEqual([200, 200]);
    const others = [
      `${path}?expires=9999999999&${query}`,
      `${path}?${query.replace('=', '=%20')}`,
      `${path}?${query}#x`,
      `${path}/?${query}`,
      `${path}%00?${query}`,
      `${path.toUpperCase()}?${query}`,
      `${path.replace('/uploads/', '/uploads/./')}?${query}`,
      `${path.replace('/uploads/', '/uploads/%2e/')}?${query}`,
      `${path.replace('/uploads/', '/%75ploads/')}?${query}`,
      `/${path}?${query}`,
      `http://elsewhere.example${path}?${query}`,
    ];
    for (const url of others) {
      const { status, text } = await ask(url);
      expect([url, [403, 404].includes(status), text[0]]).toEqual([url, true, '{']);
    }
    // Access is checked before conditions on existing bytes are evaluated.
    const conditions: Record<string, string>[] = [
      { Range: 'bytes=0-0' },
      { Range: 'bytes=99999999-' },
      { 'If-None-Match': '*' },
      { 'If-Modified-Since': 'Fri, 31 Dec 9999 23:59:59 GMT' },
    ];
    const [there, nowhere] = [path, path.replace(/.{10}\.png/, '0000000000.png')];
    for (const method of ['GET', 'HEAD'])
      for (const headers of conditions) {
        const [one, none] = [await ask(there, method, headers), await ask(nowhere, method, headers)];
        expect([one.status, one.text, one.headers['etag']]).toEqual([403, none.text, none.headers['etag']]);
        expect([none.status, none.headers['content-length']]).toEqual([403, one.headers['content-length']]);
      }
  });

  it('a response cached for one caller shows no link to another, in either order', async () => {
    const asked = async (path: string, as: string): Promise<{ status: number; text: string }> => {
      const answer = await api.ask(path, { as });
      return { status: answer.status, text: await answer.text() };
    };
    for (const order of [
      ['editor', 'narrow', 'nobody', ''],
      ['', 'nobody', 'narrow', 'editor'],
    ]) {
      await api.sql('update pages set title = title; update content_files set name = name');
      for (const as of [...order, ...order, ...order])
        for (const path of paths) {
          const { status, text } = await asked(path, as);
          const sees = as === 'editor' || (as === '' && path.startsWith('/api/pages'));
          const isListed = as === 'narrow' && path.startsWith('/api/pages?');
          expect([path, as, status]).toEqual([path, as, sees || isListed ? 200 : 403]);
          expect([path, as, text.includes(secret)]).toEqual([path, as, sees]);
        }
    }
  });
});

describe('memory of cached responses', () => {
  const BYTES = dose(4_000_000, 16_000_000);
  const KEYS = dose(25, 100);
  /** Allows for plans and prepared statements, which come and go. */
  const SLACK = 3_000_000;
  let api: FilesApp;
  beforeAll(async () => {
    setFlagsFromString('--expose-gc');
    api = await createFilesApp({ private: PRIVATE }, 'express', { cache: { bytes: BYTES } });
  });
  afterAll(() => api.close());

  async function used(): Promise<number> {
    const collect = runInNewContext('gc') as () => void;
    for (let i = 0; i < 3; i += 1) {
      collect();
      await new Promise((done) => setTimeout(done, 20));
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }

  it.each([
    ['links that are signed', 'one'],
    ['texts beyond Latin letters', '日本語'],
  ])('stays within its limit with %s', async (_what, title) => {
    const [file] = await uploaded(api, 1);
    const image = { __component: 'shared.image', file: file?.documentId };
    await makePage(api, { title, zone: Array.from({ length: 150 }, () => image) });
    const ask = async (): Promise<number> => {
      let sent = 0;
      for (let i = 1; i <= KEYS; i += 1) {
        const query = `populate[zone][on][shared.image][populate]=*&filters[title]=${title}&pagination[pageSize]=${i}`;
        sent += (await (await api.ask(`/api/pages?${query}`)).text()).length;
      }
      return sent;
    };
    const { cache } = api.app.get(Documents).reads;
    await ask();
    cache.clear();
    const before = await used();
    expect(await ask()).toBeGreaterThan(BYTES / 3);
    expect(cache.bytes).toBeGreaterThan(BYTES / 3);
    expect((await used()) - before).toBeLessThan(cache.bytes + SLACK);
    expect(cache.bytes).toBeLessThanOrEqual(BYTES);
  });
});
