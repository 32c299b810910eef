/**
 * `npm run bench -- scale [--documents 100000] [--tries 5]`: requests on large tables. `notes` has as many
 * documents, `articles` as many versions: a draft and a published one in two locales. The full size is
 * 1,000,000. Prints the best of some tries in milliseconds, with the cache off.
 */
import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startDatabases } from '../databases.mjs';
import { makeLibraryTables, startLibrary } from '../read/peers.mjs';
import { fill } from './fill.mjs';

const PAGE = 25;
/** Bounds in milliseconds at the full size, by request. */
const GOALS = { 'sort by a relation': 1000, 'newest first': 10, 'page 10,000': 50 };

const list = (type, query) => ({ path: `/api/${type}?fields=title&pagination[pageSize]=${PAGE}&${query}` });
const write = (method, path, data) => ({ method, path, body: { data } });

/** Requests by name. Pages are limited to those that exist. */
function requestsFor(documents) {
  const articles = documents / 4;
  const page = (wanted, of) => Math.max(1, Math.min(wanted, Math.floor(of / PAGE)));
  const one = `art${String(Math.ceil(articles / 2)).padStart(21, '0')}`;
  const category = `cat${'7'.padStart(21, '0')}`;
  return {
    'first page of notes, with total': list('notes', ''),
    'first page of articles': list('articles', ''),
    'first page of drafts': list('articles', 'status=draft'),
    'first page of all locales': list('articles', 'locale=*'),
    'one document, populate=*': { path: `/api/articles/${one}?populate=*` },
    'list, populate=*': { path: `/api/articles?populate=*&pagination[pageSize]=${PAGE}` },
    'page 10,000': list('articles', `pagination[page]=${page(10_000, articles)}`),
    'last page of notes': list('notes', `pagination[page]=${page(Infinity, documents)}`),
    'newest first': list('articles', 'sort=createdAt:desc'),
    'newest first, page 10,000': list(
      'articles',
      `sort=createdAt:desc&pagination[page]=${page(10_000, articles)}`,
    ),
    'newest of a category': list('articles', `filters[category][documentId]=${category}&sort=createdAt:desc`),
    'sort by an indexed attribute': list('articles', 'sort=score'),
    'sort by an indexed attribute, page 10,000': list(
      'articles',
      `sort=score&pagination[page]=${page(10_000, articles)}`,
    ),
    'sort by title, no index': list('articles', 'sort=title'),
    'sort by a relation': list('articles', 'sort=category.name'),
    'filter, index: true': list('notes', 'filters[score]=77'),
    'filter, no index': list('notes', 'filters[title]=none'),
    '$startsWith, trigrams': list('articles', 'filters[title][$startsWith]=en title abcde'),
    '$contains, trigrams': list('articles', 'filters[title][$contains]=abcde'),
    '$containsi, trigrams': list('articles', 'filters[title][$containsi]=ABCDE'),
    '$containsi, no index': list('notes', 'filters[title][$containsi]=ABCDE'),
    '_q, trigrams': list('articles', '_q=abcdef'),
    '_q, no index': list('notes', '_q=abcdef'),
    'filter by id of a relation': list('articles', `filters[category][documentId]=${category}`),
    'filter by name of a relation': list('articles', 'filters[category][name][$startsWith]=Category abc'),
    'filter by no relation': list('articles', 'filters[category][documentId][$null]=true'),
    'POST with a link': write('POST', '/api/articles', { title: 'new', category }),
    'PUT of a published document': write('PUT', `/api/articles/${one}`, { score: 3 }),
  };
}

async function took(url, { method = 'GET', path, body }) {
  const from = performance.now();
  const response = await fetch(url + path, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
  return performance.now() - from;
}

/** Waits until the server has counted the rows of all types. */
async function counted(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (;;) {
    const { rows } = await client.query(
      "select count(*)::int as n from content_total where locale = '' and total = 1 and type in ('note', 'article')",
    );
    if (rows[0].n === 2) break;
    await sleep(200);
  }
  await client.end();
}

export async function bench(args) {
  const { values } = parseArgs({
    args,
    options: { documents: { type: 'string', default: '100000' }, tries: { type: 'string', default: '5' } },
  });
  const [documents, tries] = [Number(values.documents), Number(values.tries)];
  const databases = await startDatabases();
  let server;
  try {
    const databaseUrl = await databases.create();
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query('create extension if not exists pg_trgm');
    await client.end();
    await makeLibraryTables(databaseUrl, 'scale');
    const from = performance.now();
    const sizes = await fill(databaseUrl, documents);
    console.log(`${documents} documents filled in ${((performance.now() - from) / 1000).toFixed(0)} s`);
    for (const { table, heap, indexes } of sizes)
      console.log(
        `${table}: ${(heap / 2 ** 20).toFixed(0)} MB, indexes ${(indexes / 2 ** 20).toFixed(0)} MB`,
      );
    server = await startLibrary(databaseUrl, 'scale');
    await counted(databaseUrl);
    console.log('| request | best of ' + tries + ' in ms | goal |\n|---|---|---|');
    for (const [name, request] of Object.entries(requestsFor(documents))) {
      const times = [];
      for (let i = 0; i < tries; i += 1) times.push(await took(server.url, request));
      const best = Math.min(...times);
      console.log(`| ${name} | ${best < 10 ? best.toFixed(1) : best.toFixed(0)} | ${GOALS[name] ?? ''} |`);
    }
  } finally {
    await server?.stop();
    await databases.stop();
  }
}
