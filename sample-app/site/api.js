/** Requests to the API. Collects the tags of the responses: they name what to read again after a change. */

/** Tags of the responses that the page shows. */
let shown = new Set();

/** Starts to collect the tags of a new page. */
export function forgetTags() {
  shown = new Set();
}

/** Adds `{ a: { b: 1 } }` as `a[b]=1`, the syntax of the API. */
function append(query, name, value) {
  if (value === undefined || value === '') return;
  if (typeof value !== 'object') query.append(name, value);
  else for (const [key, inner] of Object.entries(value)) append(query, `${name}[${key}]`, inner);
}

/** Reads documents. Throws an Error with the message of the API. */
export async function read(path, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) append(query, name, value);
  const response = await fetch(`/api/${path}?${query}`, { cache: 'no-cache' });
  for (const tag of response.headers.get('Content-Tags')?.split(' ') ?? []) shown.add(tag);
  const body = await response.json();
  if (!response.ok) throw new Error(body.error.message);
  return body;
}

/** Largest page that the API returns (the option `limits.maxLimit`). */
const PAGE_SIZE = 100;

/** Reads all documents of a list. */
export async function readAll(path, parameters) {
  const page = (number) => read(path, { ...parameters, pagination: { page: number, pageSize: PAGE_SIZE } });
  const { data, meta } = await page(1);
  const others = Array.from({ length: meta.pagination.pageCount - 1 }, (_, i) => page(i + 2));
  return [data, ...(await Promise.all(others)).map((one) => one.data)].flat();
}

/** Calls `changed` after a change of the content that the page shows, and `state` with the state of the stream. */
export function follow(changed, state) {
  const source = new EventSource('/api/live');
  source.addEventListener('ready', () => {
    state(true);
    // The page was read before the stream began, or while it was interrupted.
    changed();
  });
  source.addEventListener('resync', changed);
  source.addEventListener('stale', ({ data }) => {
    if (JSON.parse(data).some((tag) => shown.has(tag))) changed();
  });
  source.addEventListener('error', () => state(false));
}
