/**
 * Site of the documentation: `npm run docs`. Everything is served from its own origin: search, fonts and diagrams
 * need no other server. A link without a target fails the build.
 */
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { deadLinksIn } from './dead-links.js';
import { diagrams } from './diagrams.js';
import { indexLinks } from './index-links.js';

const ROOT = new URL('../../', import.meta.url);

/** Anchor of a heading, in the spelling of GitHub and npm, where the same pages are read. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** Pages by task, from the table of docs/README.md. */
function sidebar() {
  const groups = [];
  for (const line of readFileSync(new URL('docs/README.md', ROOT), 'utf8').split('\n')) {
    const [, group] = /^\| \*\*(.+)\*\* \| \|$/.exec(line) ?? [];
    if (group !== undefined) groups.push({ text: group[0].toUpperCase() + group.slice(1), items: [] });
    for (const [, text, page] of line.matchAll(/\[([^\]]+)\]\(([\w-]+)\.md\)/g))
      groups.at(-1)?.items.push({ text: text[0].toUpperCase() + text.slice(1), link: `/docs/${page}` });
  }
  return [{ text: 'All pages', link: '/docs/' }, ...groups];
}

export default defineConfig({
  title: 'nestjs-content-api',
  description: 'A content REST API for NestJS applications, from PostgreSQL.',
  srcDir: '..',
  srcExclude: ['{bench,desk,sample-app,src,test,node_modules,dist*}/**'],
  outDir: '../dist-docs',
  cacheDir: '../node_modules/.cache/vitepress',
  rewrites: { 'README.md': 'index.md', 'docs/README.md': 'docs/index.md' },
  cleanUrls: false,
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    anchor: { slugify },
    config: (md) => void md.use(diagrams).use(indexLinks),
  },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/docs/start' },
      { text: 'Documentation', link: '/docs/' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    search: { provider: 'local' },
  },
  // The configuration of TypeScript is that of the library.
  vite: { esbuild: { tsconfigRaw: '{}' } },
  buildEnd({ outDir }) {
    const dead = deadLinksIn(outDir);
    if (dead.length > 0) throw new Error(`Links without a target:\n${dead.join('\n')}`);
  },
});
