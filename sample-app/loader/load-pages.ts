/** Stories and the homepage. */
import { HOMEPAGE } from '../texts/homepage.js';
import { type Section, STORIES, type StoryText } from '../texts/stories.js';
import type { AtlasContent } from './atlas-content.js';
import { createMissing, type Ids, idsOf } from './collection.js';
import { type Run, runStep } from './run.js';

/** A section as the dynamic zone takes it. */
function sectionData(section: Section, countries: Ids): object {
  const { kind, ...attributes } = section;
  const country = section.kind === 'spotlight' ? { country: countries.get(section.country) ?? null } : {};
  return { ...attributes, ...country, __component: `story.${kind}` };
}

const storyData = (story: StoryText, countries: Ids): object => ({
  title: story.title,
  slug: story.slug,
  summary: story.summary,
  byline: { author: 'The Atlas desk', readingMinutes: story.readingMinutes },
  body: story.body,
  facts: story.facts,
  sections: story.sections.map((section) => sectionData(section, countries)),
  countries: idsOf(story.countries, countries),
});

/** Loads the stories; each is written and published in one piece. */
export async function loadPages(content: AtlasContent, countries: Ids, run: Run): Promise<void> {
  const keyOf = ({ slug }: StoryText): string => slug;
  const dataOf = (story: StoryText): object => storyData(story, countries);
  const stories = await createMissing(
    content.stories,
    { name: 'stories', key: 'slug', rows: STORIES, keyOf, dataOf },
    run,
  );
  await loadHomepage(content, stories, countries, run);
}

async function loadHomepage(content: AtlasContent, stories: Ids, countries: Ids, run: Run): Promise<void> {
  const { featuredStories, countryOfTheDay, ...attributes } = HOMEPAGE;
  const data = {
    ...attributes,
    featuredStories: idsOf(featuredStories, stories),
    countryOfTheDay: countries.get(countryOfTheDay) ?? null,
  };
  const items = (await content.homepage.findOne(null)) === null ? [data] : [];
  await runStep({ name: 'homepage', items, total: 1, work: () => content.homepage.update(null, data) }, run);
}
