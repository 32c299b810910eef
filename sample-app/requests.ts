/** Requests to try, printed at the start and checked by the tests. */
export const EXAMPLE_PATHS = [
  '/api/countries?sort=name:asc&populate=region&pagination[pageSize]=5',
  '/api/countries?populate=borders',
  '/api/countries?filters[landlocked]=true&filters[region][name]=Europe&sort=area:desc&locale=fr&populate[0]=region&populate[1]=languages',
] as const;

/** A request that is refused, because nobody may read the letter box. */
export const REFUSED_PATH = '/api/visitor-notes';
