/** Exports of Astro's `astro:content` that @sensinum/astro-strapi-loader needs. */
export const defineCollection = (collection) => collection;
