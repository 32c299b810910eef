/** Example requests. The start prints them, the start page links to them, and tests check them. */
export const EXAMPLES = [
  {
    path: '/api/countries?sort=name:asc&populate=region&pagination[pageSize]=5',
    shows: 'Five countries by name, each with its region',
  },
  { path: '/api/countries?populate=borders', shows: 'Countries with their neighbours, in a stored order' },
  {
    path: '/api/countries?filters[landlocked]=true&filters[region][name]=Europe&sort=area:desc&locale=fr&populate[0]=region&populate[1]=languages',
    shows: 'Landlocked Europe, the largest first, in French',
  },
  {
    path: '/api/stories?locale=fr&fallbackLocale=en&sort=slug&populate=theme',
    shows: 'Stories in French, or in English if they are not translated, with the theme they belong to',
  },
  {
    path: '/api/countries?filters[cca3]=CHE&populate=flagPicture',
    shows: 'A country with its flag, as a file in several sizes; `/uploads/<its hash>/card` is one more',
  },
] as const;

/** Page with these requests as links. */
export const START_PAGE = '/start';

/** Page to try all requests. */
export const API_PAGE = '/api/openapi';

/** Path of the desk, where editors write. */
export const DESK_PATH = '/desk';

/** Refused request: unauthenticated callers may not read visitors' notes. */
export const REFUSED_PATH = '/api/visitor-notes';

/** Requests that create a user, sign in and leave a note, in this order. */
export const REGISTER = {
  path: '/api/auth/local/register',
  body: { username: 'visitor', email: 'visitor@example.org', password: 'round the world' },
} as const;
export const SIGN_IN = {
  path: '/api/auth/local',
  body: { identifier: 'visitor', password: 'round the world' },
} as const;
export const LEAVE_NOTE = {
  path: '/api/visitor-notes?populate=author',
  body: { data: { message: 'Greetings from Bern' } },
} as const;
