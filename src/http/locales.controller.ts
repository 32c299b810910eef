import { createHash } from 'node:crypto';
import { Controller, Get, Inject, Req, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { CONTENT_SETTINGS, type ContentSettings } from '../settings.js';
import { AccountGuard, callerWith } from './account.guard.js';
import { ContentErrorFilter } from './error.filter.js';
import { Described } from './metadata.js';

/** A locale of the settings, in the shape that clients know (protocol 9.14). */
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

/** Of what is configured nobody knows since when; all instances say the same, at all times. */
const SINCE = new Date(0).toISOString();

const NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' });

/** The name of a code in English; codes that are no language tags are their own names. */
function nameOf(code: string): string {
  try {
    return `${NAMES.of(code) ?? code} (${code})`;
  } catch {
    return code;
  }
}

/** `GET /api/i18n/locales`, for whom `find` on `locale` is granted. */
@Controller({ path: 'i18n', version: VERSION_NEUTRAL })
@UseFilters(ContentErrorFilter)
@UseGuards(AccountGuard)
@Described()
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
