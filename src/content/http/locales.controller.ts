import { createHash } from 'node:crypto';
import { Controller, Get, Inject, Req, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { CONTENT_SETTINGS, type ContentSettings } from '../../kernel/settings.js';
import { AccountGuard, callerWith } from './account.guard.js';
import { ContentErrorFilter } from './error.filter.js';
import { Description } from './metadata.js';

/** Locale of the settings, in the format of the protocol (9.14). */
interface Locale {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly code: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly publishedAt: string;
  readonly isDefault: boolean;
}

/** Fixed date, because the settings have none, and all instances must agree. */
const SINCE = new Date(0).toISOString();

const NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' });

/** Returns the English name of a code; a code that is not a language tag is its own name. */
function nameOf(code: string): string {
  try {
    return `${NAMES.of(code) ?? code} (${code})`;
  } catch {
    return code;
  }
}

/** Route `GET /api/i18n/locales`; requires the grant `find` on `locale`. */
@Controller({ path: 'i18n', version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@UseGuards(AccountGuard)
@Description()
export class LocalesController {
  private readonly locales: readonly Locale[];

  constructor(@Inject(CONTENT_SETTINGS) settings: ContentSettings) {
    this.locales = settings.locales.map((code, i) => ({
      id: i + 1,
      documentId: `l${createHash('sha256').update(`locale ${code}`).digest('hex').slice(0, 23)}`,
      name: nameOf(code),
      code,
      createdAt: SINCE,
      updatedAt: SINCE,
      publishedAt: SINCE,
      isDefault: code === settings.defaultLocale,
    }));
  }

  @Get('locales')
  find(@Req() request: object): readonly Locale[] {
    callerWith(request, 'locale', 'find');
    return this.locales;
  }
}
