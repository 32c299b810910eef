import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  Controller,
  Get,
  Header,
  Inject,
  type OnModuleInit,
  Param,
  Req,
  StreamableFile,
  UseFilters,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { notFound } from '../../kernel/errors.js';
import { ContentModelError } from '../../content/model/content-model-error.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { ContentErrorFilter } from '../../content/http/error.filter.js';
import { Description } from '../../content/http/metadata.js';
import { type HttpRequest, pathOf } from '../../content/http/request-state.js';
import { PAGE_POLICY, PAGE_SCRIPT, PAGE_STYLE, pageOf } from './openapi-page.js';

const PACKAGE = 'swagger-ui-dist';

/** Files of the package that the page loads, and their content types. */
const FILES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);
/** Files of the library, and their content types. */
const OWN: ReadonlyMap<string, readonly [text: string, type: string]> = new Map([
  ['page.js', [PAGE_SCRIPT, 'text/javascript; charset=utf-8']],
  ['page.css', [PAGE_STYLE, 'text/css; charset=utf-8']],
]);

/** Returns the folder of an installed package, or null. */
function folderOf(name: string): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}

/**
 * Route `GET /api/openapi`: page to read and try the API description. The page is public; the description
 * that it loads depends on the token.
 */
@Controller({ path: 'openapi', version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@Description()
export class OpenApiPageController implements OnModuleInit {
  constructor(@Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings) {}

  /** Throws a ContentModelError if the options require the page, and it cannot be served. */
  onModuleInit(): void {
    const { page, document } = this.settings.openapi;
    if (!page) return;
    const mistakes = [
      ...(document ? [] : ['openapi.page: requires openapi.document: set it to true']),
      ...(folderOf(PACKAGE) === null ? [`openapi.page: requires a package: npm install ${PACKAGE}`] : []),
    ];
    if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
  }

  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', PAGE_POLICY)
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Referrer-Policy', 'no-referrer')
  page(@Req() request: HttpRequest): string {
    return pageOf(this.settings.openapi.title, pathOf(request).endsWith('/') ? '' : 'openapi/');
  }

  @Get(':file')
  @Header('X-Content-Type-Options', 'nosniff')
  async file(@Param('file') name: string): Promise<StreamableFile> {
    const own = OWN.get(name);
    if (own !== undefined) return new StreamableFile(Buffer.from(own[0]), { type: own[1] });
    const type = FILES.get(name);
    // Nest calls no hook of a request-scoped controller, which request-scoped enhancers make of this one.
    const folder = folderOf(PACKAGE);
    if (type === undefined || folder === null) throw notFound();
    return new StreamableFile(await readFile(join(folder, name)), { type });
  }
}
