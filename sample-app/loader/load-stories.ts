/**
 * Loads stories and their theme. Every step first checks which rows exist, and never overwrites later edits.
 */
import { DRAFT, EDIT, FRENCH, THEME, type Translation } from '../texts/drafts.js';
import { type Section, STORIES, type StoryText } from '../texts/stories.js';
import type { AtlasContent } from './atlas-content.js';
import { createMissing, documentIds, type Ids, idsOf } from './collection.js';
import { type Run, runStep } from './run.js';

const DRAFTS = { status: 'draft' } as const;

/** Returns a section as the dynamic zone accepts it. */
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

/** Loads the stories, one write each. All but the last are published, some of them also in French. */
export async function loadStories(content: AtlasContent, countries: Ids, run: Run): Promise<Ids> {
  const wanted = {
    key: 'slug',
    keyOf: ({ slug }: StoryText): string => slug,
    dataOf: (story: StoryText): object => storyData(story, countries),
    query: DRAFTS,
  };
  const { stories } = content;
  const published = await createMissing(stories, { ...wanted, name: 'stories', rows: STORIES }, run);
  await translate(content, published, run);
  await edit(content, published, run);
  await loadTheme(content, published, run);
  return createMissing(stories, { ...wanted, name: 'a draft', rows: [DRAFT], made: DRAFTS }, run);
}

/** The first write in a locale creates its draft; the translation decides whether to publish it. */
async function translate({ stories }: AtlasContent, ids: Ids, run: Run): Promise<void> {
  const locale = 'fr';
  const present = await documentIds(stories, 'slug', { ...DRAFTS, locale });
  const work = ({ slug, published, attributes }: Translation): Promise<unknown> =>
    stories.update(ids.get(slug) as string, attributes, { locale, ...(published ? {} : DRAFTS) });
  const items = FRENCH.filter(({ slug }) => !present.has(slug));
  await runStep({ name: 'French stories', items, total: FRENCH.length, work }, run);
}

async function edit({ stories }: AtlasContent, ids: Ids, run: Run): Promise<void> {
  const asIs = { filters: { slug: EDIT.slug }, ...DRAFTS, publicationFilter: 'unmodified' };
  const items = (await stories.count(asIs)) === 1 ? [EDIT] : [];
  const work = ({ slug, attributes }: typeof EDIT): Promise<unknown> =>
    stories.update(ids.get(slug) as string, attributes, DRAFTS);
  await runStep({ name: 'an edit', items, total: 1, work }, run);
}

/** Stories link back to the theme, so this also writes their side of the relation. */
async function loadTheme({ themes }: AtlasContent, ids: Ids, run: Run): Promise<void> {
  const keyOf = ({ title }: typeof THEME): string => title;
  const dataOf = ({ title, stories }: typeof THEME): object => ({ title, stories: idsOf(stories, ids) });
  const wanted = { name: 'themes', key: 'title', rows: [THEME], keyOf, dataOf, query: DRAFTS };
  await createMissing(themes, wanted, run);
}
