import { LOCALES } from '../content/model.js';
import { STORIES } from '../texts/stories.js';
import type { AtlasContent } from './atlas-content.js';
import type { World } from './world.js';

/** Whether everything is loaded. Counts documents, which is cheap enough for every start. */
export async function isComplete(content: AtlasContent, world: World): Promise<boolean> {
  for (const [count, expected] of countsOf(content, world)) {
    if ((await count()) < expected) return false;
  }
  return true;
}

type Count = readonly [count: () => Promise<number>, expected: number];

/**
 * Returns the counts, the last step of a load first. Stories and themes are counted as drafts: an editor may
 * unpublish one or delete a translation.
 */
function countsOf(content: AtlasContent, world: World): Count[] {
  const { countries, homepage, stories, themes, currencies, languages, regions } = content;
  const bordering = world.countries.filter(({ borders }) => borders.length > 0).length;
  return [
    [async () => ((await homepage.findOne(null)) === null ? 0 : 1), 1],
    [() => stories.count({ status: 'draft' }), STORIES.length + 1],
    [() => themes.count({ status: 'draft' }), 1],
    ...LOCALES.map((locale): Count => [() => countries.count({ locale }), world.countries.length]),
    [() => countries.count({ filters: { borders: { cca3: { $notNull: true } } } }), bordering],
    [() => currencies.count(), world.currencies.length],
    [() => languages.count(), world.languages.length],
    [() => regions.count(), world.regions.length],
  ];
}
