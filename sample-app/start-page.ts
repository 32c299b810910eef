import { createHash } from 'node:crypto';
import { Controller, Get, Header } from '@nestjs/common';
import { API_PAGE, DESK_PATH, EXAMPLES, REFUSED_PATH, START_PAGE } from './requests.js';
import { CREDIT } from './texts/credit.js';

const STYLE =
  'body{max-width:44rem;margin:3rem auto;padding:0 1rem;font:1rem/1.5 sans-serif}a{word-break:break-all}';

/** Content security policy: no scripts, no resources, only the inline style with this hash. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const link = (path: string): string => `<a href="${escape(path)}"><code>${escape(path)}</code></a>`;

const EXAMPLE_ITEMS = EXAMPLES.map(({ path, shows }) => `<li>${escape(shows)}:<br>${link(path)}</li>`);

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Atlas</title>
<style>${STYLE}</style>
<h1>Atlas</h1>
<p>250 countries, served as a content REST API by a Nest application. Nothing here is written by hand but the
content types: routes, filters, relations and locales come from the module.</p>
<ul>
${EXAMPLE_ITEMS.join('\n')}
<li>A homepage with everything that belongs to it:<br>${link('/api/homepage?populate=*')}</li>
<li>Visitors' notes, which the public may not read, so this is a 403:<br>${link(REFUSED_PATH)}</li>
<li>Every request there is, on a page to try them:<br>${link(API_PAGE)}</li>
<li>The desk, where editors write; the first start prints an invitation:<br>${link(DESK_PATH)}</li>
</ul>
<p>Users may leave notes. The lines that the start has printed register one, sign in and write.</p>
<p><small>${escape(CREDIT)}</small></p>
</html>
`;

/** Page with example requests. */
@Controller(START_PAGE.slice(1))
export class StartPage {
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', POLICY)
  page(): string {
    return PAGE;
  }
}
