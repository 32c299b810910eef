/** The examples of bodies in docs/writing.md are correct, request by request. */
import { readFileSync } from 'node:fs';
import type { ComponentDefinition, ContentTypeDefinition } from 'nestjs-content-api';
import { createTestApp, type TestApp } from '../support/app.ts';
import { snippetWith } from '../support/snippets.ts';

const PAGE = readFileSync(new URL('../../docs/writing.md', import.meta.url), 'utf8');
const [SECTIONS = ''] = PAGE.split('## Publishing');

/** Requests in order, each with the documented response, or null. */
const REQUESTS = [
  ...SECTIONS.matchAll(
    /```http\n([A-Z]+) (\S+)\n((?:[\w-]+: .*\n)*)([\s\S]*?)```\n(?:\n```json\n([\s\S]*?)```)?/g,
  ),
].map(([, method = '', path = '', headers = '', body = '', shown]) => ({
  method,
  path,
  headers: Object.fromEntries(
    headers.split('\n').flatMap((line) => (line === '' ? [] : [line.split(': ')])),
  ) as Record<string, string>,
  body,
  shown: shown === undefined ? null : (JSON.parse(shown) as object),
}));

/** Returns the page's name of a document: its name or title in lower case. */
const nameOf = ({ name, title }: { name?: string; title?: string }): string =>
  (name ?? title ?? '').toLowerCase();

describe('docs/writing.md', () => {
  let test: TestApp;
  beforeAll(async () => {
    const exported = await snippetWith<Record<string, ComponentDefinition | ContentTypeDefinition>>(
      'docs/content-types.md',
      'export const homepage',
    );
    const all = Object.values(exported);
    test = await createTestApp({
      contentTypes: all.filter((one): one is ContentTypeDefinition => 'singularApiId' in one),
      components: all.filter((one): one is ComponentDefinition => 'uid' in one),
      access: { public: { '*': '*' } },
    });
  });
  afterAll(() => test.close());

  it('has requests, and each returns the documented response', async () => {
    expect(REQUESTS.length).toBeGreaterThanOrEqual(5);
    expect(REQUESTS.filter(({ shown }) => shown !== null).length).toBeGreaterThanOrEqual(4);
    const ids = new Map<string, string>();
    const filled = (text: string): string =>
      text.replaceAll(/<(\w+)>/g, (_, name: string) => ids.get(name) ?? '');
    for (const { method, path, headers, body, shown } of REQUESTS) {
      const response = await fetch(`${test.url}${filled(path)}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        body: filled(body),
      });
      const answer = (await response.json()) as { data: any };
      expect([path, response.status]).toEqual([path, method === 'POST' ? 201 : 200]);
      ids.set(nameOf(answer.data), answer.data.documentId);
      if (shown !== null) expect(answer).toMatchObject(shown);
    }
  });
});
