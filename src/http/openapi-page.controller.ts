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
  StreamableFile,
  UseFilters,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { notFound } from '../errors.js';
import { ContentModelError } from '../schema/content-model-error.js';
import { CONTENT_SETTINGS, type ContentSettings } from '../settings.js';
import { ContentErrorFilter } from './error.filter.js';
import { Described } from './metadata.js';
import { PAGE_POLICY, PAGE_SCRIPT, pageOf } from './openapi-page.js';

const PACKAGE = 'swagger-ui-dist';

/** The files of the package that the page loads, and their types. */
const FILES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);
const SCRIPT = 'page.js';
const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** The folder of a package that hosts install, or null. */
function folderOf(name: string): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}

/**
 * `GET /api/openapi`: a page to read the description of the API and to try it. It holds nothing that anybody
 * might not see; what it shows is what its visitor's token may do.
 */
@Controller({ path: 'openapi', version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@Described()
export class OpenApiPageController implements OnModuleInit {
  private folder = '';

  constructor(@Inject(CONTENT_SETTINGS) private readonly settings: ContentSettings) {}

  /** Throws a ContentModelError where the page is asked for and cannot be. */
  onModuleInit(): void {
    const { page, document } = this.settings.openapi;
    if (!page) return;
    const folder = folderOf(PACKAGE);
    const mistakes = [
      ...(document ? [] : ['openapi.page: shows the document, and openapi.document is false']),
      ...(folder === null ? [`openapi.page: npm install ${PACKAGE}, which the page is made with`] : []),
    ];
    if (mistakes.length > 0) throw new ContentModelError(mistakes, 'options');
    this.folder = folder ?? '';
  }

  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', PAGE_POLICY)
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Referrer-Policy', 'no-referrer')
  page(): string {
    return pageOf(this.settings.openapi.title);
  }

  @Get(':file')
  @Header('X-Content-Type-Options', 'nosniff')
  async file(@Param('file') name: string): Promise<StreamableFile> {
    const type = FILES.get(name);
    if (name === SCRIPT) return new StreamableFile(Buffer.from(PAGE_SCRIPT), { type: SCRIPT_TYPE });
    if (type === undefined) throw notFound();
    return new StreamableFile(await readFile(join(this.folder, name)), { type });
  }
}
