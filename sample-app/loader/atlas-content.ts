import { Injectable } from '@nestjs/common';
import { ContentService, InjectContent } from 'nestjs-content-api';
import type { Country } from '../content/country.js';
import type { Currency } from '../content/currency.js';
import type { Homepage } from '../content/homepage.js';
import type { Language } from '../content/language.js';
import type { Region } from '../content/region.js';
import type { Story } from '../content/story.js';
import type { Theme } from '../content/theme.js';

/** Services of all types that the loader fills. */
@Injectable()
export class AtlasContent {
  constructor(
    @InjectContent('region') readonly regions: ContentService<Region>,
    @InjectContent('language') readonly languages: ContentService<Language>,
    @InjectContent('currency') readonly currencies: ContentService<Currency>,
    @InjectContent('country') readonly countries: ContentService<Country>,
    @InjectContent('story') readonly stories: ContentService<Story>,
    @InjectContent('theme') readonly themes: ContentService<Theme>,
    @InjectContent('homepage') readonly homepage: ContentService<Homepage>,
  ) {}
}
