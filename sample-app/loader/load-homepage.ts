import { HOMEPAGE } from '../texts/homepage.js';
import type { AtlasContent } from './atlas-content.js';
import { type Ids, idsOf } from './collection.js';
import { type Run, runStep } from './run.js';

/** Targets of the homepage's relations. */
interface Targets {
  readonly stories: Ids;
  readonly countries: Ids;
}

/** Loads the homepage, the last step. */
export async function loadHomepage(
  content: AtlasContent,
  { stories, countries }: Targets,
  run: Run,
): Promise<void> {
  const { featuredStories, countryOfTheDay, ...attributes } = HOMEPAGE;
  const data = {
    ...attributes,
    featuredStories: idsOf(featuredStories, stories),
    countryOfTheDay: countries.get(countryOfTheDay) ?? null,
  };
  const items = (await content.homepage.findOne(null)) === null ? [data] : [];
  await runStep({ name: 'homepage', items, total: 1, work: () => content.homepage.update(null, data) }, run);
}
