/** Cards that several pages show, and the requests for them. */
import { element, image } from './elements.js';

export const COUNTRY_CARD = {
  fields: ['name', 'cca3', 'flag'],
  populate: { flagPicture: true, capitals: true },
};
export const STORY_CARD = { fields: ['title', 'slug', 'summary'], populate: { cover: true, byline: true } };

/** The flag is a picture after its upload, and until then an emoji. */
const flagOf = ({ flag, flagPicture }) =>
  flagPicture
    ? image(flagPicture, 'thumbnail', { alt: '' })
    : element('span', { class: 'emoji', 'aria-hidden': 'true' }, flag ?? '');

const countryCard = (country) =>
  element(
    'li',
    {},
    element(
      'a',
      { class: 'card', href: `#/country/${country.cca3}` },
      flagOf(country),
      element(
        'span',
        {},
        element('strong', {}, country.name),
        element('small', {}, (country.capitals ?? []).map(({ name }) => name).join(', ')),
      ),
    ),
  );

const storyCard =
  (text) =>
  ({ slug, title, summary, cover, byline, locale }) =>
    element(
      'li',
      {},
      element(
        'a',
        { class: 'card', href: `#/story/${slug}`, lang: locale },
        image(cover, 'small', { alt: '' }),
        element('strong', {}, title),
        element('span', {}, summary),
        byline?.readingMinutes
          ? element('small', { lang: document.documentElement.lang }, text.minutes(byline.readingMinutes))
          : null,
      ),
    );

export const countryCards = (countries) =>
  element('ul', { class: 'grid countries' }, countries.map(countryCard));

export const storyCards = (stories, text) =>
  element('ul', { class: 'grid stories' }, stories.map(storyCard(text)));
