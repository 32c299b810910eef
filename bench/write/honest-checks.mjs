/**
 * Checks of the two benched bodies, written by hand after the model. A body of another shape is refused. All
 * problems of a body in this shape are reported together.
 */

/** Error response. */
export class Refusal extends Error {
  constructor(status, message, details = {}) {
    super(message);
    Object.assign(this, { status, details });
  }
}

export const invalid = (path, message) =>
  new Refusal(400, message, { errors: [{ path: path.split('.'), message, name: 'ValidationError' }] });

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function onlyKeys(object, keys, path) {
  for (const key of Object.keys(object))
    if (!keys.has(key)) throw new Refusal(400, `Invalid key ${key}`, { key, path, source: 'body' });
}

/** Collects problems; each check returns the value to store. */
class Checks {
  problems = [];

  report(path, message) {
    this.problems.push({ path: path.split('.'), message: `${path} ${message}`, name: 'ValidationError' });
    return null;
  }

  done() {
    const [first] = this.problems;
    if (first === undefined) return;
    const message = this.problems.length === 1 ? first.message : `${this.problems.length} errors occurred`;
    throw new Refusal(400, message, { errors: this.problems });
  }

  text(value, path, { least = 0, most = Infinity, required = false } = {}) {
    if (value === undefined || value === null)
      return required ? this.report(path, 'must be a `string` type') : null;
    if (typeof value !== 'string') return this.report(path, 'must be a `string` type');
    if (value.length < least) return this.report(path, `must be at least ${least} characters`);
    if (value.length > most) return this.report(path, `must be at most ${most} characters`);
    return value;
  }

  slug(value, path) {
    const slug = this.text(value, path, { most: 255, required: true });
    return slug === null || /^[A-Za-z0-9-_.~]*$/.test(slug) ? slug : this.report(path, 'must be a uid');
  }

  number(value, path, { lowest, highest }) {
    if (value === undefined || value === null) return null;
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number !== 'number' || Number.isNaN(number))
      return this.report(path, 'must be a `number` type');
    if (number < lowest) return this.report(path, `must be greater than or equal to ${lowest}`);
    return number > highest ? this.report(path, `must be less than or equal to ${highest}`) : number;
  }

  views(value) {
    const number = this.number(value, 'views', { lowest: 0, highest: 2_147_483_647 });
    return number === null || Number.isInteger(number) ? number : this.report('views', 'must be an integer');
  }

  boolean(value, path) {
    if (value === undefined || value === null || typeof value === 'boolean') return value ?? null;
    return this.report(path, 'must be a `boolean` type');
  }

  date(value, path) {
    if (value === undefined || value === null) return null;
    const instant = /^\d{4}-\d\d-\d\d$/.test(value) ? new Date(`${value}T00:00:00Z`) : new Date(NaN);
    const real = !Number.isNaN(instant.getTime()) && instant.getUTCDate() === Number(value.slice(8));
    return real ? value : this.report(path, 'must be a date, yyyy-MM-dd');
  }

  /** Paragraphs of texts; other kinds of nodes are refused. */
  nodes(value, path) {
    if (!Array.isArray(value)) return null;
    value.forEach((node, i) => {
      const fits = isObject(node) && node.type === 'paragraph' && Array.isArray(node.children);
      if (!fits) this.report(`${path}.${i}`, 'is of invalid type');
      else node.children.forEach((child, n) => this.textNode(child, `${path}.${i}.children.${n}`));
    });
    return value;
  }

  textNode(node, path) {
    if (!isObject(node) || node.type !== 'text') this.report(path, 'is of invalid type');
    else this.text(node.text, `${path}.text`, { required: true });
  }

  /** Checks the form of a document id; a query checks that the document exists. */
  document(value, path) {
    if (value === null || typeof value === 'string') return value;
    throw invalid(path, `${path} must be a document id`);
  }

  documents(value, path) {
    if (!Array.isArray(value)) throw invalid(path, `${path} must be a list of document ids`);
    return [...new Set(value.map((one) => this.document(one, path)))];
  }

  /**
   * Checks a component of texts; null is omitted. A component with an id is a stored one, and keeps its other
   * attributes.
   */
  component(value, path, members) {
    if (!isObject(value)) return this.report(path, 'must be a `object` type');
    onlyKeys(value, members.keys, path);
    const { id, __component } = value;
    const stored = { id: id ?? undefined, documentId: undefined, __component };
    for (const [name, rule] of members.rules)
      if (stored.id === undefined || Object.hasOwn(value, name))
        stored[name] = this.text(value[name], `${path}.${name}`, rule) ?? undefined;
    return stored;
  }

  components(value, path, members) {
    if (!Array.isArray(value)) return this.report(path, 'must be a `array` type');
    return value.map((item, i) => this.component(item, `${path}.${i}`, members));
  }

  zone(value, path) {
    if (!Array.isArray(value)) return this.report(path, 'must be a `array` type');
    return value.map((item, i) => {
      const members = ZONE.get(item?.__component);
      return members === undefined
        ? this.report(`${path}.${i}.__component`, `must be one of ${[...ZONE.keys()].join(', ')}`)
        : this.component(item, `${path}.${i}`, members);
    });
  }
}

const members = (rules, ...more) => ({
  keys: new Set(['id', ...more, ...Object.keys(rules)]),
  rules: Object.entries(rules),
});
const SEO = members({ metaTitle: { most: 255, required: true }, metaDescription: {} });
const SECTION = members({ heading: { most: 255 }, body: {} });
const ZONE = new Map([
  ['shared.quote', members({ text: {} }, '__component')],
  ['shared.rich', members({ body: {} }, '__component')],
]);

const PUT_KEYS = new Set(['title', 'summary', 'views', 'author', 'categories', 'seo', 'sections']);
const POST_KEYS = new Set([
  ...PUT_KEYS,
  ...['slug', 'body', 'rating', 'featured', 'publishedOn', 'meta', 'blocks'],
]);
const TITLE = { least: 3, most: 120, required: true };
const RATING = { lowest: -99_999_999.99, highest: 99_999_999.99 };

/** Checks of both bodies. */
const common = (checks, data) => ({
  title: checks.text(data.title, 'title', TITLE),
  summary: checks.text(data.summary, 'summary'),
  views: checks.views(data.views),
  author: checks.document(data.author, 'author'),
  categories: checks.documents(data.categories, 'categories'),
  seo: checks.component(data.seo, 'seo', SEO),
  sections: checks.components(data.sections, 'sections', SECTION),
});

export function checkedPost(data) {
  onlyKeys(data, POST_KEYS, null);
  const checks = new Checks();
  const article = {
    ...common(checks, { views: 0, ...data }),
    slug: checks.slug(data.slug, 'slug'),
    body: checks.nodes(data.body, 'body'),
    rating: checks.number(data.rating, 'rating', RATING),
    featured: checks.boolean(data.featured === undefined ? false : data.featured, 'featured'),
    publishedOn: checks.date(data.publishedOn, 'publishedOn'),
    meta: data.meta ?? null,
    blocks: checks.zone(data.blocks, 'blocks'),
  };
  checks.done();
  return article;
}

export function checkedPut(data) {
  onlyKeys(data, PUT_KEYS, null);
  const checks = new Checks();
  const article = common(checks, data);
  checks.done();
  return article;
}

/** Whether a value contains text that PostgreSQL cannot store: a NUL, or an unpaired surrogate. */
function unstorable(value) {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => unstorable(key) || unstorable(item));
}

/** Returns `data` of a request's body. */
export function dataOf(text) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(400, 'The body is not JSON');
  }
  if (!isObject(body) || !isObject(body.data)) throw new Refusal(400, 'Missing "data" in the body');
  // JSON writes both as escapes, so that few bodies need a search.
  if (/\\u(?:0000|d[89a-f])/i.test(text) && unstorable(body.data))
    throw new Refusal(400, 'Texts must not contain NUL characters or broken surrogates');
  return body.data;
}
