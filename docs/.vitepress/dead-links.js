/** Links of the built site whose page or anchor does not exist. VitePress itself checks pages only. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const decoded = (text) => decodeURIComponent(text.replaceAll('&amp;', '&'));

/** Returns `page: link` of each dead link. */
export function deadLinksIn(folder) {
  const pages = new Map(
    globSync('**/*.html', { cwd: folder }).map((name) => [
      `/${name}`,
      readFileSync(join(folder, name), 'utf8'),
    ]),
  );
  const ids = new Map(
    [...pages].map(([name, html]) => [
      name,
      new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => decoded(id))),
    ]),
  );
  const isDead = (name, href) => {
    const { pathname, hash } = new URL(decoded(href), `https://site${name}`);
    const target = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    if (!target.endsWith('.html')) return !globSync(target.slice(1), { cwd: folder }).length;
    const known = ids.get(target);
    return known === undefined || (hash !== '' && !known.has(decodeURIComponent(hash.slice(1))));
  };
  return [...pages].flatMap(([name, html]) =>
    [...html.matchAll(/<a[^>]* href="((?!https?:|mailto:)[^"]+)"/g)]
      .map(([, href]) => href)
      .filter((href) => isDead(name, href))
      .map((href) => `${name}: ${href}`),
  );
}
