/** The examples of relations to several types in the documentation are correct (D33). */
import { readFileSync } from 'node:fs';
import type { ContentTypeDefinition } from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';
import { snippetWith } from '../support/snippets.ts';

const PAGE = new URL('../../docs/writing.md', import.meta.url);
const [, SECTION = ''] = readFileSync(PAGE, 'utf8').split('## Relations to several types');

/** Requests of the section, in order. */
const REQUESTS = [...SECTION.matchAll(/```http\n([A-Z]+) (\S+)\n([\s\S]*?)```/g)].map(
  ([, method = '', path = '', body = '']) => ({ method, path, body }),
);

describe('examples of relations to several types in the documentation', () => {
  let test: TestApp;
  const ids = new Map<string, string>();
  const filled = (text: string): string =>
    text.replaceAll(/<(\w+)>/g, (_, name: string) => ids.get(name) ?? '');

  beforeAll(async () => {
    const types = await snippetWith<Record<string, ContentTypeDefinition>>(
      'docs/content-types.md',
      "morphBy: 'subject'",
    );
    test = await createTestApp({ contentTypes: Object.values(types), access: { public: { '*': '*' } } });
    for (const [name, data] of [
      ['page', { title: 'Home' }],
      ['product', { name: 'Lamp' }],
    ] as const)
      ids.set(name, (await test.http.post(`/api/${name}s`).send({ data }).expect(201)).body.data.documentId);
  });
  afterAll(() => test.close());

  it('D33 succeed, with the type of each item', async () => {
    const shown: unknown[] = [];
    for (const { method, path, body } of REQUESTS) {
      const response = await fetch(`${test.url}${filled(path)}`, {
        method,
        ...(body.trim() === ''
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: filled(body) }),
      });
      expect([200, 201]).toContain(response.status);
      const { data } = (await response.json()) as { data: any };
      if (method === 'POST') ids.set('comment', data.documentId);
      shown.push(data);
    }
    const home = { title: 'Home', __type: 'api::page.page' };
    expect(shown).toMatchObject([
      { text: 'Nice', subject: home },
      { mentions: [{ name: 'Lamp', __type: 'api::product.product' }, home] },
      [{ mentions: [home], subject: { count: 1 } }],
      { title: 'Home', comments: [{ text: 'Nice', subject: home }] },
    ]);
  });
});
