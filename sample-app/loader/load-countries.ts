/** Loads countries and their relations. Every step first checks which rows exist, so it can run again. */
import type { AtlasContent } from './atlas-content.js';
import { createMissing, documentIds, type Ids, idsOf } from './collection.js';
import { type Run, runStep } from './run.js';
import type { CodeRow, CountryRow, World } from './world.js';

/** Targets of the relations of countries. */
interface Targets {
  readonly regions: Ids;
  readonly languages: Ids;
  readonly currencies: Ids;
}

const codeOf = ({ code }: CodeRow): string => code;

async function loadTargets(content: AtlasContent, world: World, run: Run): Promise<Targets> {
  const name = (row: string): string => row;
  const asIs = (row: CodeRow): object => row;
  const regionOf = (row: string): object => ({ name: row });
  return {
    regions: await createMissing(
      content.regions,
      { name: 'regions', key: 'name', rows: world.regions, keyOf: name, dataOf: regionOf },
      run,
    ),
    languages: await createMissing(
      content.languages,
      { name: 'languages', key: 'code', rows: world.languages, keyOf: codeOf, dataOf: asIs },
      run,
    ),
    currencies: await createMissing(
      content.currencies,
      { name: 'currencies', key: 'code', rows: world.currencies, keyOf: codeOf, dataOf: asIs },
      run,
    ),
  };
}

/** Loads countries in every locale, with their relations. Returns document ids by three-letter code. */
export async function loadCountries(content: AtlasContent, world: World, run: Run): Promise<Ids> {
  const targets = await loadTargets(content, world, run);
  const dataOf = (row: CountryRow): object => ({
    ...row.attributes,
    region: targets.regions.get(row.region),
    languages: idsOf(row.languages, targets.languages),
    currencies: idsOf(row.currencies, targets.currencies),
  });
  const keyOf = ({ cca3 }: CountryRow): string => cca3;
  const ids = await createMissing(
    content.countries,
    { name: 'countries', key: 'cca3', rows: world.countries, keyOf, dataOf },
    run,
  );
  await loadBorders(content, world, ids, run);
  await translate(content, world, { ids, locale: 'fr', step: 'French names' }, run);
  await translate(content, world, { ids, locale: 'de', step: 'German names' }, run);
  return ids;
}

/**
 * Loads borders, after all countries. One write sets a country's whole list, so the list is complete or
 * absent.
 */
async function loadBorders(content: AtlasContent, world: World, ids: Ids, run: Run): Promise<void> {
  const present = await presentBorders(content);
  const rows = world.countries.filter(({ borders }) => borders.length > 0);
  const items = rows.filter(({ cca3, borders }) => present.get(cca3) !== borders.join());
  const work = ({ cca3, borders }: CountryRow): Promise<unknown> =>
    content.countries.update(ids.get(cca3) as string, { borders: idsOf(borders, ids) }, { fields: ['cca3'] });
  await runStep({ name: 'borders', items, total: rows.length, work }, run);
}

/** Returns the existing borders: codes by code, in order. */
async function presentBorders(content: AtlasContent): Promise<Map<string, string>> {
  const borders = new Map<string, string>();
  for (let page = 1; ; page += 1) {
    const { data } = await content.countries.find({
      fields: ['cca3'],
      populate: { borders: { fields: ['cca3'] } },
      sort: 'id',
      pagination: { page, pageSize: 100 },
    });
    for (const country of data)
      borders.set(country.cca3, (country.borders ?? []).map((border) => String(border['cca3'])).join());
    if (data.length < 100) return borders;
  }
}

interface Translation {
  readonly ids: Ids;
  readonly locale: 'fr' | 'de';
  readonly step: string;
}

/** An update in a missing locale creates it, with the values that locales share. */
async function translate(
  content: AtlasContent,
  world: World,
  { ids, locale, step }: Translation,
  run: Run,
): Promise<void> {
  const present = await documentIds(content.countries, 'cca3', { locale });
  const items = world.countries.filter(({ cca3 }) => !present.has(cca3));
  const work = (row: CountryRow): Promise<unknown> =>
    content.countries.update(ids.get(row.cca3) as string, row.translations[locale], {
      locale,
      fields: ['cca3'],
    });
  await runStep({ name: step, items, total: world.countries.length, work }, run);
}
