/** Pages of the site. Each one reads its content and returns elements, or null if it does not exist. */
import { read } from './api.js';
import { COUNTRY_CARD, countryCards, STORY_CARD, storyCards } from './cards.js';
import { block, element, image } from './elements.js';
import { map } from './map.js';

const PAGE_SIZE = 24;

/** Section with a heading, or nothing without content. */
const section = (heading, list, content) =>
  list?.length > 0 ? element('section', {}, element('h2', {}, heading), content(list)) : null;

export async function home({ locale, text }) {
  const [{ data }, picture] = await Promise.all([
    read('homepage', {
      populate: { hero: true, featuredStories: STORY_CARD, countryOfTheDay: COUNTRY_CARD },
      locale,
      fallbackLocale: 'en',
    }),
    map(locale),
  ]);
  const day = data.countryOfTheDay ? [data.countryOfTheDay] : [];
  return [
    element('h1', {}, data.hero?.title ?? data.title),
    element('p', { class: 'lead' }, data.hero?.text ?? ''),
    picture,
    section(text.featured, data.featuredStories, (stories) => storyCards(stories, text)),
    section(text.dayCountry, day, countryCards),
    element('p', { class: 'quiet' }, data.credit),
  ];
}

export async function countries({ locale, text, query, change }) {
  const search = query.get('q') ?? '';
  const region = query.get('region') ?? '';
  const size = Number(query.get('size') ?? PAGE_SIZE);
  const filters = {
    ...(search === '' ? {} : { name: { $containsi: search } }),
    ...(region === '' ? {} : { region: { name: region } }),
  };
  const [{ data, meta }, regions] = await Promise.all([
    read('countries', { ...COUNTRY_CARD, filters, sort: 'name', locale, pagination: { pageSize: size } }),
    read('regions', { fields: ['name'], sort: 'name' }),
  ]);
  const { total } = meta.pagination;
  const more = () => change({ size: Math.min(size + 3 * PAGE_SIZE, 100) });
  return [
    element('h1', {}, text.countries),
    tools({ search, region, text, change, names: regions.data.map(({ name }) => name) }),
    element(
      'div',
      { id: 'results' },
      element('p', { class: 'quiet', role: 'status' }, text.found(total)),
      countryCards(data),
      total > data.length && size < 100
        ? element('button', { type: 'button', onclick: more }, text.more)
        : null,
    ),
  ];
}

const tools = ({ search, region, names, text, change }) =>
  element(
    'form',
    { class: 'tools', role: 'search', onsubmit: (event) => event.preventDefault() },
    element('input', {
      type: 'search',
      value: search,
      placeholder: text.search,
      'aria-label': text.search,
      oninput: ({ target }) => change({ q: target.value, size: '' }),
    }),
    element(
      'select',
      { 'aria-label': text.region, onchange: ({ target }) => change({ region: target.value, size: '' }) },
      element('option', { value: '' }, text.everywhere),
      names.map((name) => element('option', { value: name, selected: name === region ? '' : null }, name)),
    ),
  );

const facts = (rows) =>
  element(
    'dl',
    {},
    rows
      .filter(([, value]) => value)
      .map(([label, value]) => element('div', {}, element('dt', {}, label), element('dd', {}, value))),
  );

export async function country({ locale, text, name: cca3 }) {
  const {
    data: [found],
  } = await read('countries', {
    filters: { cca3 },
    populate: {
      flagPicture: true,
      capitals: true,
      region: true,
      languages: true,
      currencies: true,
      borders: COUNTRY_CARD,
      stories: STORY_CARD,
    },
    locale,
  });
  if (!found) return null;
  const names = (list) => (list ?? []).map(({ name }) => name).join(', ');
  return [
    element(
      'div',
      { class: 'country' },
      image(found.flagPicture, 'medium', { class: 'flag', loading: 'eager' }),
      element(
        'div',
        {},
        element('h1', {}, found.name),
        facts([
          [text.officialName, found.officialName],
          [text.capital, names(found.capitals)],
          [text.region, [found.region?.name, found.subregion].filter(Boolean).join(', ')],
          [text.area, found.area && `${new Intl.NumberFormat(locale).format(found.area)} km²`],
          [text.languages, names(found.languages)],
          [text.currencies, names(found.currencies)],
        ]),
      ),
    ),
    section(text.stories, found.stories, (list) => storyCards(list, text)),
    section(text.borders, found.borders, countryCards),
  ];
}

export async function stories({ locale, text }) {
  const { data } = await read('stories', { ...STORY_CARD, sort: 'title', locale, fallbackLocale: 'en' });
  return [element('h1', {}, text.stories), storyCards(data, text)];
}

/** Components of the dynamic zone `sections`, by name. */
const SECTIONS = {
  'story.quote': ({ text, source }) =>
    element('blockquote', {}, element('p', {}, text), source ? element('cite', {}, source) : null),
  'story.fact': ({ label, value }) =>
    element('p', { class: 'fact' }, element('strong', {}, value), element('span', {}, label)),
  'story.spotlight': ({ note, country: shown }) =>
    element(
      'aside',
      {},
      shown ? element('a', { href: `#/country/${shown.cca3}` }, shown.name) : null,
      element('p', {}, note),
    ),
};

export async function story({ locale, text, name: slug }) {
  const {
    data: [found],
  } = await read('stories', {
    filters: { slug },
    populate: {
      cover: true,
      byline: true,
      facts: true,
      sections: {
        on: { 'story.quote': true, 'story.fact': true, 'story.spotlight': { populate: { country: true } } },
      },
      countries: COUNTRY_CARD,
      theme: { fields: ['title'] },
    },
    locale,
    fallbackLocale: 'en',
  });
  if (!found) return null;
  const { byline, theme } = found;
  const by = [theme?.title, byline?.author, byline?.readingMinutes && text.minutes(byline.readingMinutes)];
  const desk = `/desk/content/story/${found.documentId}${found.locale === 'en' ? '' : `?locale=${found.locale}`}`;
  return [
    element(
      'article',
      { lang: found.locale },
      element('h1', {}, found.title),
      element('p', { class: 'quiet', lang: locale }, by.filter(Boolean).join(' · ')),
      element('p', { class: 'lead' }, found.summary),
      image(found.cover, 'large', { loading: 'eager' }),
      (found.body ?? []).map(block),
      found.facts?.length > 0
        ? element('div', { class: 'facts' }, found.facts.map(SECTIONS['story.fact']))
        : null,
      (found.sections ?? []).map((one) => SECTIONS[one.__component]?.(one)),
      element(
        'p',
        { class: 'quiet', lang: locale },
        element('a', { href: desk, target: '_blank' }, text.edit),
        ` ${text.watch}`,
      ),
    ),
    section(text.about, found.countries, countryCards),
  ];
}
