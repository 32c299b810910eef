/** Converts the npm package `world-countries` to rows for the loader. */
import { createRequire } from 'node:module';
import type { Country as SourceCountry } from 'world-countries';

export interface CodeRow {
  readonly code: string;
  readonly name: string;
}

interface CurrencyRow extends CodeRow {
  readonly symbol: string | null;
}

interface Names {
  readonly name: string;
  readonly officialName: string;
}

/** Country: its attributes, its names in other locales, and the codes of its relations. */
export interface CountryRow {
  readonly cca3: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly translations: Readonly<Record<'fr' | 'de', Names>>;
  readonly region: string;
  readonly languages: readonly string[];
  readonly currencies: readonly string[];
  readonly borders: readonly string[];
}

export interface World {
  readonly regions: readonly string[];
  readonly languages: readonly CodeRow[];
  readonly currencies: readonly CurrencyRow[];
  readonly countries: readonly CountryRow[];
}

/** Current names of languages that the package names otherwise: it has "Moldavian" for Romanian. */
const LANGUAGE_NAMES: Readonly<Record<string, string>> = { ron: 'Romanian' };

// A plain `import` has wrong types: they declare a default export that the CommonJS entry lacks.
const source = (): readonly SourceCountry[] =>
  createRequire(import.meta.url)('world-countries') as readonly SourceCountry[];

/**
 * Returns all countries, or those that `only` lists by three-letter code. Borders to other countries are
 * omitted.
 */
export function readWorld(only?: readonly string[]): World {
  const countries = source().filter(({ cca3 }) => only === undefined || only.includes(cca3));
  const known = new Set(countries.map(({ cca3 }) => cca3));
  return {
    regions: [...new Set(countries.map(({ region }) => region))].sort(),
    languages: languagesOf(countries),
    currencies: currenciesOf(countries),
    countries: countries.map((country) => countryRow(country, known)),
  };
}

/** Keeps the first spelling of each code: countries spell shared languages and currencies in several ways. */
function firstOfEachCode<T extends CodeRow>(rows: readonly T[]): T[] {
  const byCode = new Map<string, T>();
  for (const row of rows) if (!byCode.has(row.code)) byCode.set(row.code, row);
  return [...byCode.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
}

const languagesOf = (countries: readonly SourceCountry[]): CodeRow[] =>
  firstOfEachCode(
    countries.flatMap(({ languages }) =>
      Object.entries(languages).map(([code, name]) => ({ code, name: LANGUAGE_NAMES[code] ?? name })),
    ),
  );

const currenciesOf = (countries: readonly SourceCountry[]): CurrencyRow[] =>
  firstOfEachCode(
    countries.flatMap(({ currencies }) =>
      Object.entries(currencies).map(([code, { name, symbol }]) => ({
        code,
        name,
        symbol: symbol === '' ? null : symbol,
      })),
    ),
  );

function countryRow(country: SourceCountry, known: ReadonlySet<string>): CountryRow {
  return {
    cca3: country.cca3,
    attributes: attributesOf(country),
    translations: { fr: namesIn(country, 'fra'), de: namesIn(country, 'deu') },
    region: country.region,
    languages: Object.keys(country.languages),
    currencies: Object.keys(country.currencies),
    borders: country.borders.filter((code) => known.has(code)),
  };
}

/** The package uses an empty string or an area of -1 for unknown values. */
function attributesOf(country: SourceCountry): Record<string, unknown> {
  const [latitude, longitude] = country.latlng;
  const { cca2, cca3, independent, unMember, landlocked } = country;
  return {
    name: country.name.common,
    officialName: country.name.official,
    cca2,
    cca3,
    ccn3: country.ccn3 || null,
    flag: country.flag || null,
    independent,
    unMember,
    landlocked,
    area: country.area < 0 ? null : country.area,
    subregion: country.subregion || null,
    capitals: country.capital.map((name) => ({ name })),
    coordinates: { latitude, longitude },
  };
}

function namesIn({ name, translations }: SourceCountry, language: string): Names {
  const translation = translations[language] ?? name;
  return { name: translation.common, officialName: translation.official };
}
