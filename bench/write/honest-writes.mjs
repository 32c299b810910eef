/**
 * The writes of the honest limit: what an expert writes by hand who knows that bodies may be wrong and that two writers may
 * meet. node:http and pg, for the two benched bodies only, on the library's tables: the library's locks,
 * look-ups and checks, the same rows and the same answer, read inside the transaction. Two flights a write:
 * begin, locks, look-ups; then rows with their links, answer, commit. What is not about writing is left out:
 * who may do what, caching headers, hooks, limits of time. `--database-url` says where the tables are.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { fly, prepare } from './flight.mjs';
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
 * One write in one transaction: `before` are the locks and the look-up, `settle` makes the statement that
 * writes of what was found, or throws.
 */
async function write(documentId, before, settle) {
  const client = await pool.connect();
  try {
    const [, , [found]] = await fly(client, [['begin'], ...before]);
    const [, [[answer]]] = await fly(client, [settle(found), ['answer', [documentId]], ['commit']]);
    client.release();
    return answer;
  } catch (error) {
    await fly(client, [['rollback']]).then(
      () => client.release(),
      (broken) => client.release(broken),
    );
    throw error;
  }
}

/** What names documents that are there. */
function checkTargets({ author, categories }, [, foundAuthor, foundCategories]) {
  if (author !== foundAuthor) throw invalid('author', `Document with id "${author}" not found`);
  const found = JSON.parse(foundCategories ?? '[]');
  const missing = categories.find((id) => !found.includes(id));
  if (missing !== undefined) throw invalid('categories', `Document with id "${missing}" not found`);
}

/** Gives components their ids: fresh ones, or those that are stored. */
class Identities {
  used = 0;

  constructor(ids) {
    this.ids = JSON.parse(ids ?? '[]');
  }

  fresh(component) {
    return { ...component, id: this.ids[this.used++], documentId: newDocumentId() };
  }

  /** Those with an id are `stored` ones, each once. */
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
  const look = [1 + sections.length + blocks.length, author, categories];
  return write(documentId, [['post_locks'], ['post_look', look]], (found) => {
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

/** The versions to write: the draft, and the published one where there is one already. */
function versionsOf(text) {
  const versions = JSON.parse(text ?? '[]');
  if (versions.length === 0) throw new Refusal(404, 'Not Found');
  const draft = versions.find(({ published }) => !published);
  if (draft === undefined || versions.some(({ locale }) => locale !== 'en'))
    throw new Refusal(501, 'Only documents with a draft, in one locale');
  // The body does not give it, but what is published has to be right.
  if (draft.contact_email !== null && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(draft.contact_email))
    throw invalid('contactEmail', 'contactEmail must be a valid email');
  return { draft, published: versions.find(({ published }) => published) };
}

/** What publishes a draft: nothing is to be brought over where both versions are the same. */
function statementOf(draft, published) {
  if (published === undefined) return 'put_first';
  return draft.revision !== '0' && draft.revision === published.revision ? 'put_both' : 'put';
}

export function put(documentId, data) {
  const article = checkedPut(data);
  const { author, categories, seo, sections } = article;
  const fresh = [seo, ...sections].filter(({ id }) => id === undefined).length;
  const look = [fresh, author, categories, documentId];
  return write(
    documentId,
    [
      ['put_locks', [documentId]],
      ['put_look', look],
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

/** What a client is told of an error. */
export function refusalOf(error) {
  if (error instanceof Refusal) return error;
  if (error.constraint === 'articles_slug_unique') return invalid('slug', 'This attribute must be unique');
  console.error(error);
  return new Refusal(500, 'Internal Server Error');
}
