/** Entries of the palette for some letters, and the address of a list that an editor has left. */
import { keepList, listAddress } from '../../../desk/src/model/last-list.ts';
import { entriesFor, type Entry, searchAll } from '../../../desk/src/model/palette-order.ts';

const entries = (...labels: readonly string[]): readonly Entry[] =>
  labels.map((label) => ({ path: `/${label}`, label, hint: '' }));

const SCREENS = entries('Articles', 'Authors', 'Media library', 'New: Article', 'Trash: Articles');
const DOCUMENTS = entries('Art of cooking', 'A year of rain');

const FIELDS = entries('Art director', 'Start', 'Title');

describe('the palette', () => {
  it.each<[name: string, search: string, expected: readonly string[]]>([
    ['all screens in the order of the menu without letters', '', SCREENS.map(({ label }) => label)],
    ['no documents for one letter', 'm', ['Media library']],
    [
      'screens by the start of a word before documents',
      'art',
      ['Articles', 'New: Article', 'Trash: Articles', 'Art of cooking', 'A year of rain'],
    ],
    [
      'documents before screens that contain the letters',
      'thors',
      ['Art of cooking', 'A year of rain', 'Authors'],
    ],
    [
      'the same for other letters and blanks',
      '  LIB ',
      ['Media library', 'Art of cooking', 'A year of rain'],
    ],
    ['words in the middle of a label', 'library', ['Media library', 'Art of cooking', 'A year of rain']],
    ['documents only if no screen has the letters', 'rain', ['Art of cooking', 'A year of rain']],
  ])('shows %s', (_name, search, expected) => {
    const found = entriesFor(search, { fields: [], screens: SCREENS, documents: DOCUMENTS });
    expect(found.map(({ label }) => label)).toEqual(expected);
  });

  it.each<[name: string, search: string, expected: readonly string[]]>([
    ['no field without letters', '', SCREENS.map(({ label }) => label)],
    [
      'fields for one letter',
      't',
      ['Title', 'Trash: Articles', 'Art director', 'Start', 'Articles', 'Authors'],
    ],
    [
      'fields before screens, and those with the letters inside a word at the end',
      'art',
      [
        'Art director',
        'Articles',
        'New: Article',
        'Trash: Articles',
        ...DOCUMENTS.map(({ label }) => label),
        'Start',
      ],
    ],
  ])('shows, on a form, %s', (_name, search, expected) => {
    const found = entriesFor(search, { fields: FIELDS, screens: SCREENS, documents: DOCUMENTS });
    expect(found.map(({ label }) => label).slice(0, expected.length)).toEqual(expected);
  });

  it('shows twelve entries at most', () => {
    const screens = entries(...Array.from({ length: 20 }, (_, at) => `List ${at}`));
    const found = entriesFor('list', { fields: [], screens, documents: DOCUMENTS });
    expect(found).toEqual(screens.slice(0, 12));
  });
});

describe('a search of the palette', () => {
  const TYPES = Array.from({ length: 20 }, (_, at) => at);

  it('finds documents of every type, also if another type refuses', async () => {
    const found = await searchAll(TYPES, (type) =>
      type === 2 ? Promise.reject(new Error('Forbidden')) : Promise.resolve(type === 9 ? DOCUMENTS : []),
    );
    expect(found).toEqual(DOCUMENTS);
  });

  it('asks no further types once the palette is full', async () => {
    const asked: number[] = [];
    const found = await searchAll(TYPES, (type) => {
      asked.push(type);
      return Promise.resolve(DOCUMENTS);
    });
    expect(asked).toEqual(TYPES.slice(0, 8));
    expect(found).toHaveLength(16);
  });

  it('fails if all types refuse', async () => {
    await expect(searchAll(TYPES, (type) => Promise.reject(new Error(`${type}`)))).rejects.toThrow('0');
    expect(await searchAll([], () => Promise.reject(new Error()))).toEqual([]);
  });
});

describe('the way back to a list', () => {
  it.each<[name: string, left: string, locale: string | null, address: string]>([
    ['keeps search, filters and page', 'page=2&q=sea', null, '/content/article?page=2&q=sea'],
    ['keeps the page of a language', 'page=2&locale=fr', 'fr', '/content/article?page=2&locale=fr'],
    ['begins again in another language', 'page=2&q=sea', 'fr', '/content/article?q=sea&locale=fr'],
    ['begins again in the default language', 'page=2&locale=fr', null, '/content/article'],
  ])('%s', (_name, left, locale, address) => {
    keepList('article', left);
    expect(listAddress('article', locale)).toBe(address);
  });

  it('knows nothing of lists that were not open', () => {
    keepList('article', 'q=sea');
    expect(listAddress('author', null)).toBe('/content/author');
    expect(listAddress('author', 'fr')).toBe('/content/author?locale=fr');
  });
});
