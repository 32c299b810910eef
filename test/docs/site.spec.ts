/** Parts of the site of the documentation, which `npm run docs` builds. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const part = async <T>(name: string): Promise<T> =>
  (await import(pathToFileURL(join(import.meta.dirname, '../../docs/.vitepress', name)).href)) as T;

interface Rule {
  fence: (...args: readonly unknown[]) => string;
}

it('a link to a page or an anchor that does not exist fails the build', async () => {
  const { deadLinksIn } = await part<{ deadLinksIn: (folder: string) => string[] }>('dead-links.js');
  const folder = mkdtempSync(join(tmpdir(), 'content-site-'));
  mkdirSync(join(folder, 'docs'));
  writeFileSync(
    join(folder, 'index.html'),
    '<h1 id="top"></h1><a href="./docs/a.html#here">a</a><a href="/">b</a>',
  );
  writeFileSync(
    join(folder, 'docs/a.html'),
    '<h2 id="here"></h2><a href="#here">a</a><a href="#gone">b</a><a href="../index.html#no">c</a><a class="x" href="b.html">d</a>' +
      '<a href="https://example.org">e</a>',
  );
  expect(deadLinksIn(folder)).toEqual([
    '/docs/a.html: #gone',
    '/docs/a.html: ../index.html#no',
    '/docs/a.html: b.html',
  ]);
  rmSync(folder, { recursive: true });
});

it('diagrams become images for light and dark, which request nothing from other servers', async () => {
  const { diagrams } = await part<{ diagrams: (md: object) => void }>('diagrams.js');
  const rules: Rule = { fence: () => 'code' };
  diagrams({ renderer: { rules }, utils: { escapeHtml: (text: string) => text.replaceAll('>', '&gt;') } });
  const render = (info: string): string => rules.fence([{ info, content: 'flowchart LR\n  a --> b\n' }], 0);
  expect(render('ts')).toBe('code');
  const html = render('mermaid');
  expect(html.match(/<img class="diagram-(?:light|dark)" src="data:image\/svg\+xml,/g)).toHaveLength(2);
  expect(decodeURIComponent(html)).not.toMatch(/@import|url\((?!#)|https?:\/\/(?!www\.w3\.org)/);
});
