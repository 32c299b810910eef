import { readFile } from 'node:fs/promises';
import { Controller, Get, Header, NotFoundException, Param, StreamableFile } from '@nestjs/common';

/** Files of the public site. They need no build, so the compiled sample reads them here, too. */
const FOLDER = new URL('../sample-app/site/', import.meta.url);

const SCRIPT = 'text/javascript; charset=utf-8';

const TYPES: Readonly<Record<string, string>> = {
  'api.js': SCRIPT,
  'cards.js': SCRIPT,
  'elements.js': SCRIPT,
  'icon.svg': 'image/svg+xml',
  'map.js': SCRIPT,
  'pages.js': SCRIPT,
  'site.css': 'text/css; charset=utf-8',
  'site.js': SCRIPT,
  'texts.js': SCRIPT,
};

/** Content security policy: everything comes from this server, and no script is inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Public site at the root URL: a front end that uses the API with plain requests. */
@Controller()
export class Site {
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', POLICY)
  @Header('Cache-Control', 'no-cache')
  page(): Promise<string> {
    return readFile(new URL('index.html', FOLDER), 'utf8');
  }

  @Get('site/:file')
  @Header('Cache-Control', 'no-cache')
  @Header('X-Content-Type-Options', 'nosniff')
  async file(@Param('file') name: string): Promise<StreamableFile> {
    const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
    if (type === undefined) throw new NotFoundException();
    return new StreamableFile(await readFile(new URL(name, FOLDER)), { type });
  }
}
