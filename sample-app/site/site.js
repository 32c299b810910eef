/** Routes of the site, its language, and its updates while the content changes. */
import { follow, forgetTags } from './api.js';
import { element } from './elements.js';
import { countries, country, home, stories, story } from './pages.js';
import { TEXTS } from './texts.js';

const PAGES = { '': home, countries, country, stories, story };

const main = document.getElementById('content');
const select = document.getElementById('locale');
const stored = localStorage.getItem('atlas-locale') ?? navigator.language.slice(0, 2);
select.value = stored in TEXTS ? stored : 'en';

/** Number of the latest request: responses to earlier ones are not shown. */
let latest = 0;
let isLive = null;

/** `#/country/CHE?x=1` is the page `country`, its name `CHE` and its query. */
function address() {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [page = '', name = ''] = path.split('/').map(decodeURIComponent);
  return { path, page, name, query: new URLSearchParams(query) };
}

/** Changes the query of the page, and shows its results. */
function change(values) {
  const { path, query } = address();
  for (const [key, value] of Object.entries(values)) {
    if (value === '') query.delete(key);
    else query.set(key, value);
  }
  history.replaceState(null, '', `#/${path}${query.size === 0 ? '' : `?${query}`}`);
  void show('results');
}

/** Reads the present page. */
async function load() {
  const { page, name, query } = address();
  const locale = select.value;
  const text = TEXTS[locale];
  try {
    const children = await PAGES[page]?.({ locale, text, name, query, change });
    return children ?? [element('p', { role: 'alert' }, text.missing)];
  } catch (error) {
    return [element('p', { role: 'alert' }, text.failed, ' ', String(error.message))];
  }
}

const PARTS = 'h1, p, img, dd, blockquote, li';

/** Replaces the page. Parts that a change of the content has added or altered are marked for a moment. */
function update(children, isChange) {
  const before = new Set([...main.querySelectorAll(PARTS)].map((part) => part.outerHTML));
  main.replaceChildren(...children);
  if (!isChange) return;
  for (const part of main.querySelectorAll(PARTS))
    if (!before.has(part.outerHTML)) part.classList.add('changed');
}

/** Shows the page: all of it, only its results, or what has changed. Results leave the search field as it is. */
async function show(what = 'page') {
  const mine = (latest += 1);
  forgetTags();
  const children = (await load()).filter((child) => child !== null);
  if (mine !== latest) return;
  const results = main.querySelector('#results');
  const found = children.find(({ id }) => id === 'results');
  if (what === 'results' && results && found) results.replaceWith(found);
  else update(children, what === 'change');
  document.title = [main.querySelector('h1')?.textContent, 'Atlas'].filter(Boolean).join(' · ');
}

/** Texts around the page. */
function showFrame() {
  const text = TEXTS[select.value];
  const { page } = address();
  document.documentElement.lang = select.value;
  for (const node of document.querySelectorAll('[data-text]')) node.textContent = text[node.dataset.text];
  for (const link of document.querySelectorAll('header nav a'))
    link.toggleAttribute('aria-current', link.getAttribute('href') === `#/${page}`);
  const live = document.getElementById('live');
  live.dataset.live = String(isLive);
  live.textContent = isLive === null ? '' : isLive ? text.live : text.notLive;
}

select.addEventListener('change', () => {
  localStorage.setItem('atlas-locale', select.value);
  showFrame();
  void show();
});
window.addEventListener('hashchange', async () => {
  showFrame();
  await show();
  window.scrollTo(0, 0);
  main.focus({ preventScroll: true });
});
showFrame();
await show();

follow(
  () => void show('change'),
  (now) => {
    isLive = now;
    showFrame();
  },
);
