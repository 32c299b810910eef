/**
 * Writes of the honest limit: hand-written code that expects wrong bodies and concurrent writers. It uses
 * node:http and pg, for the two benched bodies only, on the library's tables. It has the library's locks,
 * target checks, rows and response, read inside the transaction. A write has two pipelines: begin, locks,
 * target checks; then rows with their links, response, commit. It omits all other features: permissions,
 * caching headers, hooks and timeouts. `--database-url` is the database of the tables.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { runPipeline, prepare } from './pipeline.mjs';
import { checkedPost, checkedPut, invalid, Refusal } from './honest-checks.mjs';
import { STATEMENTS } from './honest-sql.mjs';

const { values: options } = parseArgs({ options: { 'database-url': { type: 'string' } } });
const pool = new pg.Pool({
  connectionString: options['database-url'],
  max: 10,
  options: '-c plan_cache_mode=force_generic_plan',
  onConnect: (client) => prepare(client, STATEMENTS),
});

const newDocumentId = () => `h${randomUUID().replaceAll('-', '').slice(0, 23)}`;

/**
 * Runs one write in one transaction. `before` are the locks and the target checks. `settle` returns the
 * writing statement for their results, or throws.
 */
async function write(documentId, before, settle) {
  const client = await pool.connect();
  try {
    const [, , [found]] = await runPipeline(client, [['begin'], ...before]);
    const [, [[answer]]] = await runPipeline(client, [settle(found), ['answer', [documentId]], ['commit']]);
    client.release();
    return answer;
  } catch (error) {
    await runPipeline(client, [['rollback']]).then(
      () => client.release(),
      (broken) => client.release(broken),
    );
    throw error;
  }
}

/** Throws for missing targets. */
function checkTargets({ author, categories }, [, foundAuthor, foundCategories]) {
  if (author !== foundAuthor) throw invalid('author', `Document with id "${author}" not found`);
  const found = JSON.parse(foundCategories ?? '[]');
  const missing = categories.find((id) => !found.includes(id));
  if (missing !== undefined) throw invalid('categories', `Document with id "${missing}" not found`);
}

/** Assigns ids to components: new ones, or those that are stored. */
class Identities {
  used = 0;

  constructor(ids) {
    this.ids = JSON.parse(ids ?? '[]');
  }

  fresh(component) {
    return { ...component, id: this.ids[this.used++], documentId: newDocumentId() };
  }

  /** Components with an id are `stored` ones, each at most once. */
  kept(path, components, stored) {
    const known = new Map(stored.map((one) => [one.id, one]));
    return components.map((component) => {
      if (component.id === undefined) return this.fresh(component);
      const { id, documentId, ...values } = known.get(Number(component.id)) ?? {};
      if (!known.delete(id)) throw invalid(path, `${path} has no component with the id ${component.id}`);
      return { ...values, ...component, id, documentId };
    });
  }
}

export function post(data) {
  const article = checkedPost(data);
  const { author, categories, seo, sections, blocks } = article;
  const documentId = newDocumentId();
  const checks = [1 + sections.length + blocks.length, author, categories];
  return write(documentId, [['post_locks'], ['post_checks', checks]], (found) => {
    checkTargets(article, found);
    const identities = new Identities(found[0]);
    const identified = (component) => identities.fresh(component);
    return [
      'post',
      [
        documentId,
        categories,
        article.title,
        article.slug,
        article.summary,
        article.body === null ? null : JSON.stringify(article.body),
        article.views,
        article.rating,
        article.featured,
        article.publishedOn,
        article.meta === null ? null : JSON.stringify(article.meta),
        author,
        JSON.stringify(identified(seo)),
        JSON.stringify(sections.map(identified)),
        JSON.stringify(blocks.map(identified)),
      ],
    ];
  });
}

/** Returns the versions to write: the draft, and the published one if it exists. */
function versionsOf(text) {
  const versions = JSON.parse(text ?? '[]');
  if (versions.length === 0) throw new Refusal(404, 'Not Found');
  const draft = versions.find(({ published }) => !published);
  if (draft === undefined || versions.some(({ locale }) => locale !== 'en'))
    throw new Refusal(501, 'Only documents with a draft, in one locale');
  // The body does not set it, but published values must be valid.
  if (draft.contact_email !== null && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(draft.contact_email))
    throw invalid('contactEmail', 'contactEmail must be a valid email');
  return { draft, published: versions.find(({ published }) => published) };
}

/** Returns the statement that publishes a draft. If both versions are equal, it copies nothing. */
function statementOf(draft, published) {
  if (published === undefined) return 'put_first';
  return draft.revision !== '0' && draft.revision === published.revision ? 'put_both' : 'put';
}

export function put(documentId, data) {
  const article = checkedPut(data);
  const { author, categories, seo, sections } = article;
  const fresh = [seo, ...sections].filter(({ id }) => id === undefined).length;
  const checks = [fresh, author, categories, documentId];
  return write(
    documentId,
    [
      ['put_locks', [documentId]],
      ['put_checks', checks],
    ],
    (found) => {
      const { draft, published } = versionsOf(found[3]);
      checkTargets(article, found);
      const identities = new Identities(found[0]);
      const [keptSeo] = identities.kept('seo', [seo], draft.seo === null ? [] : [draft.seo]);
      return [
        statementOf(draft, published),
        [
          draft.id,
          published?.id ?? null,
          categories,
          article.title,
          article.summary,
          article.views,
          author,
          JSON.stringify(keptSeo),
          JSON.stringify(identities.kept('sections', sections, draft.sections ?? [])),
        ],
      ];
    },
  );
}

/** Returns the response of an error. */
export function refusalOf(error) {
  if (error instanceof Refusal) return error;
  if (error.constraint === 'articles_slug_unique') return invalid('slug', 'This attribute must be unique');
  console.error(error);
  return new Refusal(500, 'Internal Server Error');
}
